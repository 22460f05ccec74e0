// SPDX-License-Identifier: Apache-2.0
// The values that parameters of the object storage may have, and what a request with another hears.
#pragma once

#include <string_view>

#include "s3/operations/shape.h"

namespace cairn::s3 {

inline constexpr std::string_view encoding_type_names[] = {"url"};
inline constexpr std::string_view payer_names[] = {"requester"};
inline constexpr std::string_view checksum_mode_names[] = {"ENABLED"};
inline constexpr std::string_view checksum_algorithm_names[] = {"CRC32", "CRC32C", "CRC64NVME",
                                                                "SHA1", "SHA256"};
inline constexpr std::string_view checksum_type_names[] = {"COMPOSITE", "FULL_OBJECT"};
inline constexpr std::string_view directive_names[] = {"COPY", "REPLACE"};
inline constexpr std::string_view encryption_names[] = {"AES256", "aws:fsx", "aws:kms",
                                                        "aws:kms:dsse"};
inline constexpr std::string_view storage_class_names[] = {
    "STANDARD",       "REDUCED_REDUNDANCY", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING",
    "GLACIER",        "DEEP_ARCHIVE",       "OUTPOSTS",    "GLACIER_IR", "SNOW",
    "EXPRESS_ONEZONE"};
inline constexpr std::string_view bucket_acl_names[] = {"private", "public-read",
                                                        "public-read-write", "authenticated-read"};
inline constexpr std::string_view object_acl_names[] = {
    "private",       "public-read",       "public-read-write",        "authenticated-read",
    "aws-exec-read", "bucket-owner-read", "bucket-owner-full-control"};
inline constexpr std::string_view ownership_names[] = {"BucketOwnerPreferred", "ObjectWriter",
                                                       "BucketOwnerEnforced"};
inline constexpr std::string_view status_names[] = {"Enabled", "Suspended"};
inline constexpr std::string_view switch_names[] = {"Enabled", "Disabled"};
inline constexpr std::string_view enabled_names[] = {"Enabled"};
inline constexpr std::string_view bucket_payer_names[] = {"Requester", "BucketOwner"};
inline constexpr std::string_view permission_names[] = {"FULL_CONTROL", "WRITE", "WRITE_ACP",
                                                        "READ", "READ_ACP"};
inline constexpr std::string_view grantee_type_names[] = {"CanonicalUser", "AmazonCustomerByEmail",
                                                          "Group"};
inline constexpr std::string_view transition_class_names[] = {
    "GLACIER", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "DEEP_ARCHIVE", "GLACIER_IR"};
inline constexpr std::string_view transition_minimum_names[] = {"varies_by_storage_class",
                                                                "all_storage_classes_128K"};
inline constexpr std::string_view tier_names[] = {"Standard", "Bulk", "Expedited"};
inline constexpr std::string_view lock_mode_names[] = {"GOVERNANCE", "COMPLIANCE"};
inline constexpr std::string_view legal_hold_names[] = {"ON", "OFF"};
inline constexpr std::string_view table_encryption_names[] = {"aws:kms", "AES256"};
inline constexpr std::string_view table_switch_names[] = {"ENABLED", "DISABLED"};
inline constexpr std::string_view table_names[] = {"journal", "inventory"};
inline constexpr std::string_view session_mode_names[] = {"ReadOnly", "ReadWrite"};
/// What a bucket may be told at its creation. "EU" is the old name of eu-west-1; us-east-1 is what
/// a bucket has that was told nothing.
inline constexpr std::string_view location_constraint_names[] = {
    "af-south-1",     "ap-east-1",      "ap-east-2",      "ap-northeast-1", "ap-northeast-2",
    "ap-northeast-3", "ap-south-1",     "ap-south-2",     "ap-southeast-1", "ap-southeast-2",
    "ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6", "ap-southeast-7",
    "ca-central-1",   "ca-west-1",      "cn-north-1",     "cn-northwest-1", "EU",
    "eu-central-1",   "eu-central-2",   "eu-north-1",     "eu-south-1",     "eu-south-2",
    "eu-west-1",      "eu-west-2",      "eu-west-3",      "il-central-1",   "me-central-1",
    "me-south-1",     "mx-central-1",   "sa-east-1",      "us-east-2",      "us-gov-east-1",
    "us-gov-west-1",  "us-west-1",      "us-west-2"};

// In bodies a value that is none of these is MalformedXML.
inline constexpr Values statuses{status_names};
inline constexpr Values switches{switch_names};
inline constexpr Values enabled_only{enabled_names};
inline constexpr Values bucket_payers{bucket_payer_names};
inline constexpr Values permissions{permission_names};
inline constexpr Values grantee_types{grantee_type_names};
inline constexpr Values transition_classes{transition_class_names};
inline constexpr Values transition_minimums{transition_minimum_names};
inline constexpr Values tiers{tier_names};
inline constexpr Values table_encryptions{table_encryption_names};
inline constexpr Values table_switches{table_switch_names};
inline constexpr Values tables{table_names, "InvalidArgument"};
inline constexpr Values session_modes{session_mode_names};
inline constexpr Values encoding_types{encoding_type_names, "InvalidArgument",
                                       "Invalid Encoding Method specified in Request"};
inline constexpr Values payers{payer_names};
inline constexpr Values checksum_modes{checksum_mode_names, "InvalidArgument", {}, true};
inline constexpr Values checksum_algorithms{
    checksum_algorithm_names, "InvalidRequest",
    "Checksum algorithm provided is unsupported. Please try again with any of the valid types: "
    "[CRC32, CRC32C, CRC64NVME, SHA1, SHA256]"};
inline constexpr Values checksum_types{checksum_type_names, "InvalidRequest",
                                       "Value for x-amz-checksum-type header is invalid."};
inline constexpr Values metadata_directives{directive_names, "InvalidArgument",
                                            "Unknown metadata directive."};
inline constexpr Values tagging_directives{directive_names, "InvalidArgument",
                                           "Unknown tagging directive."};
inline constexpr Values encryptions{encryption_names, "InvalidEncryptionAlgorithmError"};
inline constexpr Values storage_classes{storage_class_names, "InvalidStorageClass"};
inline constexpr Values bucket_acls{bucket_acl_names};
inline constexpr Values object_acls{object_acl_names};
inline constexpr Values ownerships{ownership_names, "InvalidArgument",
                                   "Invalid x-amz-object-ownership header"};
inline constexpr Values lock_modes{lock_mode_names, "InvalidArgument",
                                   "Unknown wormMode directive."};
inline constexpr Values legal_holds{legal_hold_names, "InvalidArgument",
                                    "Legal Hold must be either of 'ON' or 'OFF'"};

}  // namespace cairn::s3

// Fields that many operations share. Each macro may stand on a line of its own only.
#define CAIRN_S3_OWNER_FIELD                                              \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, expected_bucket_owner, \
                    header("x-amz-expected-bucket-owner"))
#define CAIRN_S3_PAYER_FIELD                                      \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, request_payer, \
                    header("x-amz-request-payer", &payers))
#define CAIRN_S3_DIGEST_FIELDS                                                         \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, content_md5, header("Content-MD5")) \
  CAIRN_S3_FIELD_AT(1, std::optional<std::string>, checksum_algorithm,                 \
                    header("x-amz-sdk-checksum-algorithm", &checksum_algorithms))
#define CAIRN_S3_BYPASS_FIELD                                            \
  CAIRN_S3_FIELD_AT(0, std::optional<bool>, bypass_governance_retention, \
                    header("x-amz-bypass-governance-retention"))
#define CAIRN_S3_CHARGED_FIELD \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, request_charged, header("x-amz-request-charged"))
#define CAIRN_S3_CHECKSUM_HEADERS                                                                  \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, checksum_crc32, header("x-amz-checksum-crc32")) \
  CAIRN_S3_FIELD_AT(1, std::optional<std::string>, checksum_crc32c,                                \
                    header("x-amz-checksum-crc32c"))                                               \
  CAIRN_S3_FIELD_AT(2, std::optional<std::string>, checksum_crc64nvme,                             \
                    header("x-amz-checksum-crc64nvme"))                                            \
  CAIRN_S3_FIELD_AT(3, std::optional<std::string>, checksum_sha1, header("x-amz-checksum-sha1"))   \
  CAIRN_S3_FIELD_AT(4, std::optional<std::string>, checksum_sha256, header("x-amz-checksum-sha256"))
#define CAIRN_S3_CHECKSUM_ELEMENTS                                                             \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, checksum_crc32, element("ChecksumCRC32"))   \
  CAIRN_S3_FIELD_AT(1, std::optional<std::string>, checksum_crc32c, element("ChecksumCRC32C")) \
  CAIRN_S3_FIELD_AT(2, std::optional<std::string>, checksum_crc64nvme,                         \
                    element("ChecksumCRC64NVME"))                                              \
  CAIRN_S3_FIELD_AT(3, std::optional<std::string>, checksum_sha1, element("ChecksumSHA1"))     \
  CAIRN_S3_FIELD_AT(4, std::optional<std::string>, checksum_sha256, element("ChecksumSHA256"))
#define CAIRN_S3_CUSTOMER_KEY_FIELDS                                           \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, sse_customer_algorithm,     \
                    header("x-amz-server-side-encryption-customer-algorithm")) \
  CAIRN_S3_FIELD_AT(1, std::optional<std::string>, sse_customer_key,           \
                    header("x-amz-server-side-encryption-customer-key"))       \
  CAIRN_S3_FIELD_AT(2, std::optional<std::string>, sse_customer_key_md5,       \
                    header("x-amz-server-side-encryption-customer-key-MD5"))
#define CAIRN_S3_CUSTOMER_KEY_RESULT                                           \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, sse_customer_algorithm,     \
                    header("x-amz-server-side-encryption-customer-algorithm")) \
  CAIRN_S3_FIELD_AT(1, std::optional<std::string>, sse_customer_key_md5,       \
                    header("x-amz-server-side-encryption-customer-key-MD5"))
#define CAIRN_S3_COPY_SOURCE_KEY_FIELDS                                                    \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, copy_source_sse_customer_algorithm,     \
                    header("x-amz-copy-source-server-side-encryption-customer-algorithm")) \
  CAIRN_S3_FIELD_AT(1, std::optional<std::string>, copy_source_sse_customer_key,           \
                    header("x-amz-copy-source-server-side-encryption-customer-key"))       \
  CAIRN_S3_FIELD_AT(2, std::optional<std::string>, copy_source_sse_customer_key_md5,       \
                    header("x-amz-copy-source-server-side-encryption-customer-key-MD5"))
#define CAIRN_S3_ENCRYPTION_FIELDS                                            \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, server_side_encryption,    \
                    header("x-amz-server-side-encryption", &encryptions))     \
  CAIRN_S3_FIELD_AT(1, std::optional<std::string>, ssekms_key_id,             \
                    header("x-amz-server-side-encryption-aws-kms-key-id"))    \
  CAIRN_S3_FIELD_AT(2, std::optional<std::string>, ssekms_encryption_context, \
                    header("x-amz-server-side-encryption-context"))           \
  CAIRN_S3_FIELD_AT(3, std::optional<bool>, bucket_key_enabled,               \
                    header("x-amz-server-side-encryption-bucket-key-enabled"))
#define CAIRN_S3_ENCRYPTION_RESULT                                         \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, server_side_encryption, \
                    header("x-amz-server-side-encryption"))                \
  CAIRN_S3_FIELD_AT(1, std::optional<std::string>, ssekms_key_id,          \
                    header("x-amz-server-side-encryption-aws-kms-key-id")) \
  CAIRN_S3_FIELD_AT(2, std::optional<bool>, bucket_key_enabled,            \
                    header("x-amz-server-side-encryption-bucket-key-enabled"))
#define CAIRN_S3_GRANT_FIELDS                                                                      \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, grant_full_control,                             \
                    header("x-amz-grant-full-control"))                                            \
  CAIRN_S3_FIELD_AT(1, std::optional<std::string>, grant_read, header("x-amz-grant-read"))         \
  CAIRN_S3_FIELD_AT(2, std::optional<std::string>, grant_read_acp, header("x-amz-grant-read-acp")) \
  CAIRN_S3_FIELD_AT(3, std::optional<std::string>, grant_write_acp, header("x-amz-grant-write-acp"))
#define CAIRN_S3_LOCK_FIELDS                                                      \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, object_lock_mode,              \
                    header("x-amz-object-lock-mode", &lock_modes))                \
  CAIRN_S3_FIELD_AT(1, std::optional<Time>, object_lock_retain_until_date,        \
                    header("x-amz-object-lock-retain-until-date").iso8601())      \
  CAIRN_S3_FIELD_AT(2, std::optional<std::string>, object_lock_legal_hold_status, \
                    header("x-amz-object-lock-legal-hold", &legal_holds))
#define CAIRN_S3_CONTENT_FIELDS                                                                  \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, cache_control, header("Cache-Control"))       \
  CAIRN_S3_FIELD_AT(1, std::optional<std::string>, content_disposition,                          \
                    header("Content-Disposition"))                                               \
  CAIRN_S3_FIELD_AT(2, std::optional<std::string>, content_encoding, header("Content-Encoding")) \
  CAIRN_S3_FIELD_AT(3, std::optional<std::string>, content_language, header("Content-Language")) \
  CAIRN_S3_FIELD_AT(4, std::optional<std::string>, content_type, header("Content-Type"))         \
  CAIRN_S3_FIELD_AT(5, std::optional<std::string>, expires, header("Expires"))
#define CAIRN_S3_READ_CONDITION_FIELDS                                                     \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, if_match, header("If-Match"))           \
  CAIRN_S3_FIELD_AT(1, std::optional<Time>, if_modified_since,                             \
                    header("If-Modified-Since").ignore_malformed())                        \
  CAIRN_S3_FIELD_AT(2, std::optional<std::string>, if_none_match, header("If-None-Match")) \
  CAIRN_S3_FIELD_AT(3, std::optional<Time>, if_unmodified_since,                           \
                    header("If-Unmodified-Since").ignore_malformed())
#define CAIRN_S3_COPY_SOURCE_FIELDS                                                   \
  CAIRN_S3_FIELD_AT(0, std::string, copy_source, header("x-amz-copy-source"))         \
  CAIRN_S3_FIELD_AT(1, std::optional<std::string>, copy_source_if_match,              \
                    header("x-amz-copy-source-if-match"))                             \
  CAIRN_S3_FIELD_AT(2, std::optional<Time>, copy_source_if_modified_since,            \
                    header("x-amz-copy-source-if-modified-since").ignore_malformed()) \
  CAIRN_S3_FIELD_AT(3, std::optional<std::string>, copy_source_if_none_match,         \
                    header("x-amz-copy-source-if-none-match"))                        \
  CAIRN_S3_FIELD_AT(4, std::optional<Time>, copy_source_if_unmodified_since,          \
                    header("x-amz-copy-source-if-unmodified-since").ignore_malformed())
#define CAIRN_S3_RESPONSE_OVERRIDE_FIELDS                                        \
  CAIRN_S3_FIELD_AT(0, std::optional<std::string>, response_cache_control,       \
                    query("response-cache-control"))                             \
  CAIRN_S3_FIELD_AT(1, std::optional<std::string>, response_content_disposition, \
                    query("response-content-disposition"))                       \
  CAIRN_S3_FIELD_AT(2, std::optional<std::string>, response_content_encoding,    \
                    query("response-content-encoding"))                          \
  CAIRN_S3_FIELD_AT(3, std::optional<std::string>, response_content_language,    \
                    query("response-content-language"))                          \
  CAIRN_S3_FIELD_AT(4, std::optional<std::string>, response_content_type,        \
                    query("response-content-type"))                              \
  CAIRN_S3_FIELD_AT(5, std::optional<std::string>, response_expires, query("response-expires"))
