// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/offered.h"

#include "base/strings.h"
#include "s3/checksum.h"
#include "s3/errors.h"
#include "s3/wire/vendor_fields.h"

namespace cairn::s3api {
namespace {

// Where classes of objects can be appended to: in Availability Zones.
bool takes_offset(const Call& call) {
  if (call.operation != &s3::operations::put_object || call.bucket == nullptr) return false;
  const auto& zone = call.bucket->bucket.zone;
  return zone && zone->type == s3::ZoneType::availability_zone;
}

// What is for general purpose buckets alone; "-" at the end: all of that beginning.
constexpr std::string_view not_on_outposts[] = {
    "x-amz-acl",           "x-amz-bypass-governance-retention",
    "x-amz-grant-",        "x-amz-mfa",
    "x-amz-object-lock-",  "x-amz-request-payer",
    "x-amz-server-side-encryption-aws-kms-key-id",
    "x-amz-server-side-encryption-bucket-key-enabled",
    "x-amz-server-side-encryption-context",
    "x-amz-website-redirect-location", "x-amz-write-offset-bytes"};

Status check_outpost_field(std::string_view name, std::string_view value) {
  for (const std::string_view row : not_on_outposts)
    if (row.ends_with('-') ? name.starts_with(row) : name == row)
      return s3::error("NotImplemented",
                       "Outposts do not have what the header field " + std::string(name) +
                           " asks for; leave it out.")
          .with_detail("Header", std::string(name));
  if (name == "x-amz-storage-class" && value != "OUTPOSTS")
    return s3::error("InvalidStorageClass")
        .with_detail("StorageClassRequested", std::string(value));
  if (name == "x-amz-server-side-encryption" && value != "AES256")
    return s3::error("InvalidEncryptionAlgorithmError")
        .with_detail("ArgumentName", std::string(name))
        .with_detail("ArgumentValue", std::string(value));
  return ok_status();
}

Status check_field(const Call& call, std::string_view field, std::string_view value) {
  const std::string name = lower_ascii(field);
  const std::string vendor = s3::header_name("x-amz-", call.dialect);
  if (!name.starts_with(vendor)) return ok_status();
  const std::string aws = s3::aws_header_name(name, call.dialect);
  if (call.of_outpost()) return check_outpost_field(aws, value);
  if (aws == "x-amz-storage-class" && !call.directory &&
      (value == "OUTPOSTS" || value == "EXPRESS_ONEZONE" || value == "SNOW"))
    return s3::error("InvalidStorageClass")
        .with_detail("StorageClassRequested", std::string(value));
  if (aws == "x-amz-write-offset-bytes" && !takes_offset(call)) return not_offered(aws);
  return ok_status();
}

constexpr std::string_view no_version = "This operation does not accept a version-id.";
constexpr std::string_view no_part =
    "This operation does not accept a part number without an upload id.";

struct Misplaced {
  const s3::Operation* operation;
  std::string_view parameter;
  std::string_view message;
};

namespace ops = s3::operations;

// What has these parameters means one version or one part, and would change the whole object.
constexpr Misplaced misplaced[] = {
    {&ops::put_object, "partNumber", no_part},
    {&ops::copy_object, "partNumber", no_part},
    {&ops::delete_object, "partNumber", no_part},
    {&ops::put_object, "versionId", no_version},
    {&ops::copy_object, "versionId", no_version},
    {&ops::create_multipart_upload, "versionId", no_version},
    {&ops::upload_part, "versionId", no_version},
    {&ops::upload_part_copy, "versionId", no_version},
    {&ops::complete_multipart_upload, "versionId", no_version},
    {&ops::abort_multipart_upload, "versionId", no_version},
};

}  // namespace

Error not_offered(std::string_view header) {
  return s3::error("NotImplemented").with_detail("Header", std::string(header));
}

Status check_one_dialect(const Call& call) {
  const auto field = s3::foreign_field(call.headers(), call.dialect);
  if (!field) return ok_status();
  std::string aws = "x-amz-" + field->substr(6);
  const std::string neutral = s3::aws_header_name(*field, s3::Dialect::svc);
  if (neutral != *field) aws = neutral;
  const std::string own = s3::header_name(aws, call.dialect);
  return s3::error("InvalidArgument", "The header field " + *field +
                                          " is of another dialect than the rest of the request, "
                                          "and would not be read; send it as " +
                                          own)
      .with_detail("ArgumentName", *field);
}

Status check_query_offered(const Call& call) {
  for (const Misplaced& row : misplaced) {
    if (row.operation != call.operation) continue;
    for (const auto& [name, value] : call.query)
      if (name == row.parameter) return bad_argument(name, value, std::string(row.message));
  }
  return ok_status();
}

Status check_write_offered(const Call& call) {
  CAIRN_CHECK(s3::check_checksum_names(call.headers(), call.dialect));
  for (const auto& [field, value] : call.headers().fields())
    CAIRN_CHECK(check_field(call, field, value));
  return ok_status();
}

}  // namespace cairn::s3api
