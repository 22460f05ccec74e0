// SPDX-License-Identifier: Apache-2.0
#include "s3api/offered.h"

#include "base/strings.h"
#include "s3/errors.h"

namespace cairn::s3api {
namespace {

// Fields that ask for something else than this service does.
constexpr std::string_view refused_starts[] = {"x-amz-server-side-encryption", "x-amz-tagging",
                                               "x-amz-write-offset-bytes",
                                               "x-amz-copy-source-server-side-encryption"};

Status check_field(const Call& call, std::string_view field, std::string_view value) {
  const std::string name = lower_ascii(field);
  const std::string vendor = s3::header_name("x-amz-", call.dialect);
  if (!name.starts_with(vendor)) return ok_status();
  const std::string aws = "x-amz-" + name.substr(vendor.size());
  if (aws == "x-amz-acl" && value != "private" && value != "bucket-owner-full-control")
    return s3::error("AccessControlListNotSupported");
  if (aws.starts_with("x-amz-grant-")) return s3::error("AccessControlListNotSupported");
  if (aws.starts_with("x-amz-object-lock-"))
    return s3::error("InvalidRequest", "Bucket is missing Object Lock Configuration");
  if (aws == "x-amz-tagging-directive" || (aws == "x-amz-tagging" && value.empty()))
    return ok_status();  // without tags there is nothing to copy or to replace
  if (aws == "x-amz-storage-class" &&
      (value == "GLACIER" || value == "DEEP_ARCHIVE" || value == "SNOW"))
    return not_offered(aws);
  if (aws == "x-amz-storage-class" && (value == "OUTPOSTS" || value == "EXPRESS_ONEZONE"))
    return s3::error("InvalidStorageClass")
        .with_detail("StorageClassRequested", std::string(value));
  for (std::string_view start : refused_starts)
    if (aws.starts_with(start)) return not_offered(aws);
  return ok_status();
}

}  // namespace

Error not_offered(std::string_view header) {
  return s3::error("NotImplemented").with_detail("Header", std::string(header));
}

Status check_write_offered(const Call& call) {
  for (const auto& [field, value] : call.headers().fields())
    CAIRN_CHECK(check_field(call, field, value));
  return ok_status();
}

Status check_read_offered(const Call& call) {
  for (const auto& [field, value] : call.headers().fields()) {
    const std::string name = lower_ascii(field);
    if (name.starts_with(s3::header_name("x-amz-server-side-encryption-customer-", call.dialect)))
      return s3::error("InvalidRequest",
                       "The encryption parameters are not applicable to this object.");
  }
  return ok_status();
}

}  // namespace cairn::s3api
