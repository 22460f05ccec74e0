// SPDX-License-Identifier: Apache-2.0
// Bytes from a request into the engine, and the checks around a write that all writers share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "s3/model.h"
#include "s3api/body.h"
#include "s3api/call.h"

namespace cairn::s3api {

// A body of more bytes moves in pieces of a large buffer, since the disk is waited for after each.
inline constexpr std::uint64_t large_body_bytes = 4 << 20;
inline constexpr std::size_t large_buffer_bytes = 1 << 20;

/// Moves a whole body, in one buffer: of at most 256 KiB, or a large one. Everything that covers it
/// was verified when this succeeds. Errors: those of the body and of the writer; EntityTooLarge.
template <class Writer>
Status pump(const Call& call, IncomingBody& body, Writer& writer);

/// Errors: EntityTooLarge for more than one request may bring.
Status check_put_size(std::optional<std::uint64_t> bytes);

/// Judges a condition on what is there now. Errors: PreconditionFailed, NoSuchKey.
Status check_condition_now(const Call& call, const s3::WriteCondition& condition);

/// The error of a write as clients know it: If-Match on a key that holds nothing is NoSuchKey.
Error write_fault(const Call& call, Error error);

/// Calls `take` with the bytes of the body as they come, in full pieces.
Status pump_pieces(const Call& call, IncomingBody& body,
                   const std::function<Status(std::string_view)>& take);

template <class Writer>
Status pump(const Call& call, IncomingBody& body, Writer& writer) {
  CAIRN_CHECK(pump_pieces(call, body, [&](std::string_view bytes) -> Status {
    CAIRN_CHECK(writer.write(bytes));
    return check_put_size(writer.size_bytes());
  }));
  return body.check_md5(body.content_md5() ? std::string_view(writer.md5()) : std::string_view());
}

}  // namespace cairn::s3api
