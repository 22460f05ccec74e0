// SPDX-License-Identifier: Apache-2.0
#include "s3api/source.h"

#include "s3/errors.h"

namespace cairn::s3api {

Result<Source> find_source(const Call& call, const std::string& copy_source,
                           const ReadConditions& conditions,
                           const std::optional<std::string>& expected_owner) {
  Source source;
  CAIRN_TRY(source.name, read_copy_source(copy_source));
  CAIRN_CHECK(own_bucket(call, source.name.bucket, expected_owner));
  CAIRN_CHECK(check_key(source.name.key));
  if (!source.name.version_id.empty()) CAIRN_CHECK(check_version_id(source.name.version_id));
  auto object = call.engine().head(source.object_name(), call.deadline());
  if (!object.ok()) {
    if (object.error().code != "NoSuchKey") return std::move(object).error();
    return s3::error("NoSuchKey").with_detail("Key", source.name.key);
  }
  source.object = std::move(*object);
  const Judgement judgement =
      judge_copy_source(conditions, source.object, call.around.clock.unix_ms());
  if (judgement.verdict == Verdict::failed) return precondition_failed(judgement.condition);
  return source;
}

Status check_copy_size(std::uint64_t bytes) {
  if (bytes <= s3::put_bytes_max) return ok_status();
  return s3::error("InvalidRequest",
                   "The specified copy source is larger than the maximum allowable size for a copy "
                   "source: " +
                       std::to_string(s3::put_bytes_max));
}

bool is_keep_alive_due(const Call& call, std::int64_t& shown_ns) {
  const std::int64_t now_ns = call.around.clock.steady_ns();
  if (now_ns - shown_ns < call.around.options.keep_alive_ms * 1'000'000) return false;
  shown_ns = now_ns;
  return true;
}

}  // namespace cairn::s3api
