// SPDX-License-Identifier: Apache-2.0
#include "s3api/directory/directory.h"

#include <algorithm>

#include "base/strings.h"
#include "s3/errors.h"
#include "s3/wire/dialect.h"
#include "s3api/access/directory_rows.h"
#include "s3api/wire/content_encoding.h"

namespace cairn::s3api {
namespace {

namespace ops = s3::operations;

// Header fields of parameters that are not for directory buckets; "-" at the end: all of that
// beginning.
constexpr std::string_view fields_without[] = {
    "x-amz-acl",
    "x-amz-bucket-object-lock-enabled",
    "x-amz-bypass-governance-retention",
    "x-amz-copy-source-server-side-encryption-customer-",
    "x-amz-grant-",
    "x-amz-mfa",
    "x-amz-object-lock-",
    "x-amz-object-ownership",
    "x-amz-request-payer",
    "x-amz-server-side-encryption-customer-",
    "x-amz-website-redirect-location",
};

bool is_without(std::string_view name) {
  return std::any_of(std::begin(fields_without), std::end(fields_without),
                     [&](std::string_view row) {
                       return row.ends_with('-') ? name.starts_with(row) : name == row;
                     });
}

bool is_copy(const s3::Operation* operation) {
  return operation == &ops::copy_object || operation == &ops::upload_part_copy;
}

bool makes_object(const s3::Operation* operation) {
  return operation == &ops::put_object || operation == &ops::copy_object ||
         operation == &ops::create_multipart_upload;
}

Error not_for_directories(std::string_view header) {
  return s3::error("NotImplemented",
                   "Directory buckets do not have what the header field " + std::string(header) +
                       " asks for; leave it out.")
      .with_detail("Header", std::string(header));
}

Status check_directory_field(const Call& call, std::string_view name, std::string_view value) {
  if (is_without(name)) return not_for_directories(name);
  if (name == "x-amz-tagging" && !value.empty()) return not_for_directories(name);
  if (name == "x-amz-server-side-encryption-bucket-key-enabled" && is_copy(call.operation))
    return not_for_directories(name);
  if (name == "x-amz-storage-class" && call.bucket != nullptr && call.bucket->bucket.zone &&
      value != storage_class_of(call.bucket->bucket.zone->type))
    return s3::error("InvalidStorageClass")
        .with_detail("StorageClassRequested", std::string(value));
  if (name == "x-amz-server-side-encryption" && value != "AES256" && value != "aws:kms")
    return s3::error("InvalidEncryptionAlgorithmError")
        .with_detail("ArgumentName", std::string(name))
        .with_detail("ArgumentValue", std::string(value));
  return ok_status();
}

Status check_header_fields(const Call& call) {
  for (const auto& [field, raw] : call.headers().fields()) {
    const std::string name = s3::aws_header_name(lower_ascii(field), call.dialect);
    if (name == "content-encoding" && makes_object(call.operation) && !stored_encoding(raw).empty())
      return bad_argument("content-encoding", raw,
                          "Objects of directory buckets have no content encoding but " +
                              s3::value_name("aws-chunked", call.dialect) + ".");
    if (!name.starts_with("x-amz-")) continue;
    CAIRN_CHECK(check_directory_field(call, name, s3::value_from_wire(raw, call.dialect)));
  }
  return ok_status();
}

Status check_version(const Call& call) {
  for (const auto& [name, value] : call.query)
    if (name == "versionId" && value != s3::null_version)
      return s3::error("NotImplemented", "Directory buckets have no versions; leave versionId out.");
  return ok_status();
}

Status check_endpoint(const Call& call, const DirectoryRow& row) {
  // SDKs that are told an endpoint put the bucket before its name for these too.
  if (row.endpoint == DirectoryEndpoint::control)
    return call.identity.session() ? Status(s3::error("AccessDenied")) : ok_status();
  if (call.address.virtual_host) return ok_status();
  return s3::error("InvalidRequest",
                   "Path-style requests are not supported here for directory buckets: put the "
                   "bucket before the host name, as <bucket>.<zone>.<region>.<domain>.");
}

}  // namespace

Status check_directory_operation(const Call& call) {
  const DirectoryRow* row =
      call.operation == nullptr ? nullptr : find_directory_row(call.operation->name);
  if (row == nullptr)
    return s3::error("NotImplemented", "Directory buckets do not have this operation.")
        .with_detail("Operation",
                     std::string(call.operation == nullptr ? "" : call.operation->name));
  return check_endpoint(call, *row);
}

Status check_directory_fields(const Call& call) {
  CAIRN_CHECK(check_version(call));
  return check_header_fields(call);
}

std::string_view redundancy_of(s3::ZoneType type) {
  return type == s3::ZoneType::local_zone ? "SingleLocalZone" : "SingleAvailabilityZone";
}

std::string_view storage_class_of(s3::ZoneType type) {
  return type == s3::ZoneType::local_zone ? "ONEZONE_IA" : "EXPRESS_ONEZONE";
}

std::string storage_class_of_new(const Call& call, const std::optional<std::string>& asked) {
  if (asked) return *asked;
  if (call.bucket->bucket.is_of_outpost()) return "OUTPOSTS";
  const auto& zone = call.bucket->bucket.zone;
  return std::string(zone ? storage_class_of(zone->type) : "STANDARD");
}

Status check_directory_encryption(const s3::EncryptionByDefaultElement& how) {
  const bool good =
      how.sse_algorithm == "AES256" || (how.sse_algorithm == "aws:kms" && how.kms_master_key_id);
  if (good) return ok_status();
  return s3::error("InvalidRequest",
                   "A directory bucket encrypts with AES256, or with a KMS key that is named.");
}

Status check_directory_listing(const Call& call, const std::optional<std::string>& prefix,
                               const std::optional<std::string>& delimiter) {
  if (!call.bucket->bucket.is_directory()) return ok_status();
  for (const auto& [name, value] : call.query)
    if (name == "start-after" && !value.empty())
      return s3::error("NotImplemented", "Listings of directory buckets have no start-after.");
  if (delimiter && !delimiter->empty() && *delimiter != "/")
    return bad_argument("delimiter", *delimiter,
                        "The only delimiter of directory buckets is a slash.");
  if (prefix && !prefix->empty() && !prefix->ends_with('/'))
    return bad_argument("prefix", *prefix,
                        "A prefix of directory buckets ends with the delimiter, a slash.");
  return ok_status();
}

}  // namespace cairn::s3api
