// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/conditions.h"

#include "base/strings.h"
#include "s3/errors.h"

namespace cairn::s3api {
namespace {

bool matches(std::string_view list, std::string_view etag) {
  for (std::string_view one : split(list, ',')) {
    one = trim(one);
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == "*" || bare_etag(one) == etag) return true;
  }
  return false;
}

std::int64_t seconds(std::int64_t ms) { return ms / 1000; }

bool modified_since(const s3::Object& object, s3::Time since) {
  return seconds(object.modified_ms) > seconds(since.unix_ms);
}

Error not_taken(std::string header, std::string why) {
  return s3::error("NotImplemented")
      .with_detail("Header", std::move(header))
      .with_detail("additionalMessage", std::move(why));
}

}  // namespace

Judgement judge_read(const ReadConditions& conditions, const s3::Object& object,
                     std::int64_t now_ms) {
  if (conditions.if_match) {
    if (!matches(*conditions.if_match, object.etag)) return {Verdict::failed, "If-Match"};
  } else if (conditions.if_unmodified_since &&
             modified_since(object, *conditions.if_unmodified_since)) {
    return {Verdict::failed, "If-Unmodified-Since"};
  }
  if (conditions.if_none_match) {
    if (matches(*conditions.if_none_match, object.etag))
      return {Verdict::not_modified, "If-None-Match"};
  } else if (conditions.if_modified_since && conditions.if_modified_since->unix_ms <= now_ms &&
             !modified_since(object, *conditions.if_modified_since)) {
    return {Verdict::not_modified, "If-Modified-Since"};
  }
  return {};
}

Judgement judge_copy_source(const ReadConditions& conditions, const s3::Object& object,
                            std::int64_t now_ms) {
  const Judgement read = judge_read(conditions, object, now_ms);
  if (read.verdict == Verdict::proceed) return read;
  std::string_view name = "x-amz-copy-source-If-Match";
  if (read.condition == "If-Unmodified-Since") name = "x-amz-copy-source-If-Unmodified-Since";
  if (read.condition == "If-None-Match") name = "x-amz-copy-source-If-None-Match";
  if (read.condition == "If-Modified-Since") name = "x-amz-copy-source-If-Modified-Since";
  return {Verdict::failed, name};
}

Result<s3::WriteCondition> read_write_condition(const std::optional<std::string>& if_match,
                                                const std::optional<std::string>& if_none_match) {
  if (if_match && if_none_match)
    return not_taken("If-Match,If-None-Match",
                     "Multiple conditional request headers present in the request");
  if (if_none_match && trim(*if_none_match) != "*")
    return not_taken("If-None-Match",
                     "We don't accept the provided value of If-None-Match header for this API");
  if (if_match && trim(*if_match) == "*")
    return not_taken("If-Match",
                     "We don't accept the provided value of If-Match header for this API");
  s3::WriteCondition condition;
  if (if_match) condition.if_match = std::string(bare_etag(trim(*if_match)));
  condition.if_none_match = if_none_match.has_value();
  return condition;
}

std::string_view bare_etag(std::string_view etag) {
  if (etag.size() >= 2 && etag.starts_with('"') && etag.ends_with('"'))
    return etag.substr(1, etag.size() - 2);
  return etag;
}

Error precondition_failed(std::string_view condition) {
  return s3::error("PreconditionFailed").with_detail("Condition", std::string(condition));
}

}  // namespace cairn::s3api
