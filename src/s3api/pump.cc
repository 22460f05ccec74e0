// SPDX-License-Identifier: Apache-2.0
#include "s3api/pump.h"

#include <algorithm>
#include <memory>
#include <span>

#include "s3/errors.h"
#include "s3api/conditions.h"

namespace cairn::s3api {
namespace {

Status pump_through(std::span<char> buffer, IncomingBody& body,
                    const std::function<Status(std::string_view)>& take) {
  for (bool ended = false; !ended;) {
    // What comes in bits from the network would be hashed and written in bits.
    std::size_t filled = 0;
    while (filled < buffer.size() && !ended) {
      CAIRN_TRY(const std::size_t count, body.read(buffer.subspan(filled)));
      filled += count;
      ended = count == 0;
    }
    if (filled == 0) break;
    CAIRN_CHECK(take({buffer.data(), filled}));
  }
  return ok_status();
}

}  // namespace

Status check_put_size(std::optional<std::uint64_t> bytes) {
  if (!bytes || *bytes <= s3::put_bytes_max) return ok_status();
  return s3::error("EntityTooLarge")
      .with_detail("ProposedSize", std::to_string(*bytes))
      .with_detail("MaxSizeAllowed", std::to_string(s3::put_bytes_max));
}

Status check_condition_now(const Call& call, const s3::WriteCondition& condition) {
  if (!condition.if_match && !condition.if_none_match) return ok_status();
  const auto object = call.engine().head(call.object(), call.deadline());
  if (!object.ok() && object.error().code != "NoSuchKey") return object.error();
  if (condition.if_none_match)
    return object.ok() ? Status(precondition_failed("If-None-Match")) : ok_status();
  if (!object.ok()) return s3::error("NoSuchKey").with_detail("Key", call.address.key);
  if (object->etag != *condition.if_match) return precondition_failed("If-Match");
  return ok_status();
}

Error write_fault(const Call& call, Error error) {
  if (error.code != "PreconditionFailed") return error;
  for (const auto& [name, value] : error.details) {
    if (name != "Condition" || value != "If-Match") continue;
    const auto object = call.engine().head(call.object(), call.deadline());
    if (!object.ok() && object.error().code == "NoSuchKey")
      return s3::error("NoSuchKey").with_detail("Key", call.address.key);
  }
  return error;
}

Status pump_pieces(const Call& call, IncomingBody& body,
                   const std::function<Status(std::string_view)>& take) {
  if (body.length().value_or(0) > large_body_bytes) {
    const os::DirectBuffers::Buffer buffer = call.around.large_buffers.lend();
    return pump_through({buffer.get(), call.around.large_buffers.bytes()}, body, take);
  }
  const std::size_t bytes = std::clamp<std::size_t>(body.length().value_or(SIZE_MAX), 1, 256 << 10);
  const auto buffer = std::make_unique_for_overwrite<char[]>(bytes);
  return pump_through({buffer.get(), bytes}, body, take);
}

}  // namespace cairn::s3api
