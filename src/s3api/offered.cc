// SPDX-License-Identifier: Apache-2.0
#include "s3api/offered.h"

#include "base/strings.h"
#include "s3/checksum.h"
#include "s3/errors.h"

namespace cairn::s3api {
namespace {

Status check_field(const Call& call, std::string_view field, std::string_view value) {
  const std::string name = lower_ascii(field);
  const std::string vendor = s3::header_name("x-amz-", call.dialect);
  if (!name.starts_with(vendor)) return ok_status();
  const std::string aws = "x-amz-" + name.substr(vendor.size());
  if (aws == "x-amz-storage-class" &&
      (value == "OUTPOSTS" || value == "EXPRESS_ONEZONE" || value == "SNOW"))
    return s3::error("InvalidStorageClass")
        .with_detail("StorageClassRequested", std::string(value));
  if (aws == "x-amz-write-offset-bytes") return not_offered(aws);
  return ok_status();
}

}  // namespace

Error not_offered(std::string_view header) {
  return s3::error("NotImplemented").with_detail("Header", std::string(header));
}

Status check_write_offered(const Call& call) {
  CAIRN_CHECK(s3::check_checksum_names(call.headers(), call.dialect));
  for (const auto& [field, value] : call.headers().fields())
    CAIRN_CHECK(check_field(call, field, value));
  return ok_status();
}

}  // namespace cairn::s3api
