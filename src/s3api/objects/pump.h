// SPDX-License-Identifier: Apache-2.0
// Bytes from a request into the engine, and the checks around a write that all writers share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "os/files/direct_memory.h"
#include "s3/model.h"
#include "s3api/call.h"
#include "s3api/wire/body.h"

namespace cairn::s3api {

// A body of more bytes moves through a large buffer, in halves.
inline constexpr std::uint64_t large_body_bytes = 4 << 20;
inline constexpr std::size_t large_buffer_bytes = 768 << 10;

/// Moves a whole body, through at most 256 KiB of memory, or a large buffer while one is free.
/// Everything that covers it was verified when this succeeds. Errors: those of the body and of the
/// writer; EntityTooLarge.
template <class Writer>
Status pump(const Call& call, IncomingBody& body, Writer& writer);

/// Errors: EntityTooLarge for more than one request may bring.
Status check_put_size(std::optional<std::uint64_t> bytes);

/// Judges a condition on what is there now. Errors: PreconditionFailed, NoSuchKey.
Status check_condition_now(const Call& call, const s3::WriteCondition& condition);

/// The same on what the caller has looked at; null: nothing is there.
Status check_condition_on(const Call& call, const s3::WriteCondition& condition,
                          const s3::Object* there);

/// The error of a write as clients know it: If-Match on a key that holds nothing is NoSuchKey.
Error write_fault(const Call& call, Error error);

/// What one that is not large moves through.
std::size_t small_buffer_bytes(std::optional<std::uint64_t> length);

/// Reads until `piece` is full or the body has ended: what comes in bits from the network would be
/// hashed and written in bits. The number of bytes.
Result<std::size_t> read_piece(IncomingBody& body, std::span<char> piece);

/// Through one buffer, which an extent is written from without a copy.
template <class Writer>
Status pump_small(IncomingBody& body, Writer& writer) {
  const std::size_t bytes = small_buffer_bytes(body.length());
  const os::DirectMemory buffer = os::direct_memory(bytes);
  for (std::size_t count = bytes; count == bytes;) {
    CAIRN_TRY(count, read_piece(body, {buffer.get(), bytes}));
    CAIRN_CHECK(writer.write({buffer.get(), count}));
    CAIRN_CHECK(check_put_size(writer.size_bytes()));
  }
  return ok_status();
}

/// While one half of the buffer is filled, what is in the other is hashed.
template <class Writer>
Status pump_large(std::span<char> buffer, IncomingBody& body, Writer& writer) {
  const std::size_t half = buffer.size() / 2;
  struct TakeBack {
    Writer& writer;
    ~TakeBack() { writer.wait(); }
  } const at_the_end{writer};
  std::size_t count = half;
  for (std::size_t turn = 0; count == half; turn ^= 1) {
    char* const piece = buffer.data() + turn * half;
    CAIRN_TRY(count, read_piece(body, {piece, half}));
    CAIRN_CHECK(writer.write_async({piece, count}));
    CAIRN_CHECK(check_put_size(writer.size_bytes()));
  }
  return ok_status();
}

template <class Writer>
Status pump(const Call& call, IncomingBody& body, Writer& writer) {
  os::DirectBuffers::Buffer large;
  if (body.length().value_or(0) > large_body_bytes) large = call.context.large_buffers.lend();
  CAIRN_CHECK(large ? pump_large(large.bytes(), body, writer) : pump_small(body, writer));
  return body.check_md5(body.content_md5() ? std::string_view(writer.md5()) : std::string_view());
}

}  // namespace cairn::s3api
