// SPDX-License-Identifier: Apache-2.0
#include "s3api/objects/pump.h"

#include <algorithm>

#include "s3/errors.h"
#include "s3api/wire/conditions.h"

namespace cairn::s3api {

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
  return check_condition_on(call, condition, object.ok() ? &*object : nullptr);
}

Status check_condition_on(const Call& call, const s3::WriteCondition& condition,
                          const s3::Object* there) {
  if (condition.if_none_match && there != nullptr) return precondition_failed("If-None-Match");
  if (!condition.if_match) return ok_status();
  if (there == nullptr) return s3::error("NoSuchKey").with_detail("Key", call.address.key);
  if (there->etag != *condition.if_match) return precondition_failed("If-Match");
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

std::size_t small_buffer_bytes(std::optional<std::uint64_t> length) {
  constexpr std::uint64_t most = 256 << 10;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(length.value_or(most), 1, most));
}

Result<std::size_t> read_piece(IncomingBody& body, std::span<char> piece) {
  std::size_t filled = 0;
  while (filled < piece.size()) {
    CAIRN_TRY(const std::size_t count, body.read(piece.subspan(filled)));
    if (count == 0) break;
    filled += count;
  }
  return filled;
}

}  // namespace cairn::s3api
