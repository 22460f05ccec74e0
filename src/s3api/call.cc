// SPDX-License-Identifier: Apache-2.0
#include "s3api/call.h"

#include <algorithm>

#include "s3/errors.h"

namespace cairn::s3api {
namespace {

Status check_expected_owner(const s3::Bucket& bucket, const std::optional<std::string>& expected) {
  if (!expected) return ok_status();
  const bool is_account =
      expected->size() == 12 &&
      std::all_of(expected->begin(), expected->end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_account) return s3::error("InvalidBucketOwnerAWSAccountID");
  if (*expected != bucket.owner.account_id) return s3::error("AccessDenied");
  return ok_status();
}

}  // namespace

std::optional<std::string_view> Call::header(std::string_view aws_name) const {
  if (dialect == s3::Dialect::aws) return headers().find(aws_name);
  return headers().find(s3::header_name(aws_name, dialect));
}

Result<s3::Bucket> own_bucket(const Call& call, const std::optional<std::string>& expected_owner) {
  return own_bucket(call, call.address.bucket, expected_owner);
}

Result<s3::Bucket> own_bucket(const Call& call, std::string_view name,
                              const std::optional<std::string>& expected_owner) {
  const auto missing = [&] {
    return s3::error("NoSuchBucket").with_detail("BucketName", std::string(name));
  };
  if (s3::is_reserved_bucket(name)) return missing();
  auto bucket = call.engine().head_bucket(name);
  if (!bucket.ok())
    return bucket.error().code == "NoSuchBucket" ? missing() : std::move(bucket).error();
  CAIRN_CHECK(check_expected_owner(*bucket, expected_owner));
  if (bucket->owner.id != call.caller.id) return s3::error("AccessDenied");
  return bucket;
}

Status check_key(std::string_view key) {
  if (key.size() <= s3::key_bytes_max) return ok_status();
  return s3::error("KeyTooLongError")
      .with_detail("Size", std::to_string(key.size()))
      .with_detail("MaxSizeAllowed", std::to_string(s3::key_bytes_max));
}

Error bad_argument(std::string_view name, std::string_view value, std::string message) {
  return s3::error("InvalidArgument", std::move(message))
      .with_detail("ArgumentName", std::string(name))
      .with_detail("ArgumentValue", std::string(value));
}

Result<std::int64_t> page_limit(std::string_view name, const std::optional<std::int64_t>& asked) {
  const std::int64_t most = static_cast<std::int64_t>(s3::list_limit_max);
  const std::int64_t limit = asked.value_or(most);
  if (limit < 0 || limit > INT32_MAX)
    return bad_argument(
        name, std::to_string(limit),
        "Argument " + std::string(name) + " must be an integer between 0 and 2147483647");
  return std::min(limit, most);
}

Status check_version_id(const std::optional<std::string>& version_id) {
  if (!version_id || *version_id == s3::null_version) return ok_status();
  return bad_argument("versionId", *version_id, "Invalid version id specified");
}

std::string quoted(std::string_view etag) { return "\"" + std::string(etag) + "\""; }

}  // namespace cairn::s3api
