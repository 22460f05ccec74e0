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

Status check_version_id(const std::optional<std::string>& version_id) {
  if (!version_id || *version_id == s3::null_version) return ok_status();
  return s3::error("InvalidArgument", "Invalid version id specified")
      .with_detail("ArgumentName", "versionId")
      .with_detail("ArgumentValue", *version_id);
}

std::string quoted(std::string_view etag) { return "\"" + std::string(etag) + "\""; }

}  // namespace cairn::s3api
