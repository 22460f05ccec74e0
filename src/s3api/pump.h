// SPDX-License-Identifier: Apache-2.0
// Bytes from a request into the engine, and the checks around a write that all writers share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "os/direct_memory.h"
#include "s3/model.h"
#include "s3api/body.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// Moves a whole body, in one buffer of at most 1 MiB of os::direct_memory. Everything that covers
/// it was verified when this succeeds. Errors: those of the body and of the writer.
template <class Writer>
Status pump(IncomingBody& body, Writer& writer);

/// Errors: EntityTooLarge for more than one request may bring.
Status check_put_size(std::optional<std::uint64_t> bytes);

/// Judges a condition on what is there now. Errors: PreconditionFailed, NoSuchKey.
Status check_condition_now(const Call& call, const s3::WriteCondition& condition);

/// The error of a write as clients know it: If-Match on a key that holds nothing is NoSuchKey.
Error write_fault(const Call& call, Error error);

/// A large body goes in large pieces, since the disk is waited for after each.
std::size_t pump_buffer_bytes(std::optional<std::uint64_t> length);

template <class Writer>
Status pump(IncomingBody& body, Writer& writer) {
  const std::size_t most = pump_buffer_bytes(body.length());
  const os::DirectMemory memory = os::direct_memory(most);
  const std::span<char> buffer(memory.get(), most);
  for (bool ended = false; !ended;) {
    // Full pieces: what comes in bits from the network would be hashed and written in bits.
    std::size_t filled = 0;
    while (filled < buffer.size() && !ended) {
      CAIRN_TRY(const std::size_t count, body.read(buffer.subspan(filled)));
      filled += count;
      ended = count == 0;
    }
    if (filled == 0) break;
    CAIRN_CHECK(writer.write({buffer.data(), filled}));
    CAIRN_CHECK(check_put_size(writer.size_bytes()));
  }
  return body.check_md5(body.content_md5() ? std::string_view(writer.md5()) : std::string_view());
}

}  // namespace cairn::s3api
