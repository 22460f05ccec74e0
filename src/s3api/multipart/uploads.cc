// SPDX-License-Identifier: Apache-2.0
// Multipart uploads: begun, dropped, listed.
#include "base/strings.h"
#include "objectstore/core/multipart.h"
#include "objectstore/core/upload_records.h"
#include "s3/checksum.h"
#include "s3/errors.h"
#include "s3api/access/account_book.h"
#include "s3api/directory/directory.h"
#include "s3api/objects/encryption.h"
#include "s3api/objects/expirations.h"
#include "s3api/handlers.h"
#include "s3api/objects/new_object.h"
#include "s3api/wire/offered.h"
#include "s3api/access/upload_rights.h"

namespace cairn::s3api {
namespace {

struct ChecksumPlan {
  std::optional<s3::ChecksumAlgorithm> algorithm;
  s3::ChecksumType type = s3::ChecksumType::full_object;
};

Result<ChecksumPlan> plan_checksum(const s3::CreateMultipartUploadInput& in) {
  using enum s3::ChecksumAlgorithm;
  ChecksumPlan plan;
  if (in.checksum_algorithm) plan.algorithm = s3::checksum_algorithm_of(*in.checksum_algorithm);
  if (!plan.algorithm) {
    if (!in.checksum_type) return plan;
    return s3::error("InvalidRequest",
                     "The x-amz-checksum-type header can only be used with the "
                     "x-amz-checksum-algorithm header.");
  }
  const bool whole_only = *plan.algorithm == crc64nvme;
  const bool parts_only = *plan.algorithm == sha1 || *plan.algorithm == sha256;
  plan.type = whole_only ? s3::ChecksumType::full_object : s3::ChecksumType::composite;
  if (in.checksum_type) plan.type = s3::checksum_type_of(*in.checksum_type).value_or(plan.type);
  const bool composite = plan.type == s3::ChecksumType::composite;
  if ((whole_only && composite) || (parts_only && !composite))
    return s3::error("InvalidRequest", "The " + std::string(s3::name_of(plan.type)) +
                                           " checksum type cannot be used with the " +
                                           lower_ascii(s3::name_of(*plan.algorithm)) +
                                           " checksum algorithm.");
  return plan;
}

s3::UploadElement describe(const Call& call, const s3::MultipartUpload& upload) {
  s3::UploadElement out{.key = upload.key,
                        .upload_id = upload.upload_id,
                        .initiator = owner_element(call, initiator_of(upload).id),
                        .owner = owner_element(call, upload.owner.id),
                        .storage_class = upload.attributes.storage_class,
                        .initiated = s3::Time{upload.initiated_ms / 1000 * 1000}};
  if (upload.checksum_algorithm) {
    out.checksum_algorithm = s3::name_of(*upload.checksum_algorithm);
    out.checksum_type = s3::name_of(upload.checksum_type);
  }
  return out;
}

// Where the page ends, on the last one too; empty where nothing is shown.
void set_next_markers(const objectstore::UploadsPage& page, s3::ListMultipartUploadsOutput& out) {
  out.next_key_marker = page.next_key_marker;
  out.next_upload_id_marker = page.next_upload_id_marker;
  if (page.truncated) return;
  if (!page.uploads.empty()) {
    out.next_key_marker = page.uploads.back().key;
    out.next_upload_id_marker = page.uploads.back().upload_id;
  }
  if (!page.common_prefixes.empty() && page.common_prefixes.back() > *out.next_key_marker) {
    out.next_key_marker = page.common_prefixes.back();
    out.next_upload_id_marker = "";
  }
}

}  // namespace

Status allow_upload(const Call& call, const s3::MultipartUpload* upload) {
  AccessSubject subject = subject_of(call);
  if (upload != nullptr) subject.initiator = &initiator_of(*upload);
  return decide(*call.operation, access_of(call), subject);
}

const s3::Owner& initiator_of(const s3::MultipartUpload& upload) {
  return upload.initiator.id.empty() ? upload.owner : upload.initiator;
}

Result<s3::CreateMultipartUploadOutput> create_multipart_upload(
    Call& call, const s3::CreateMultipartUploadInput& in) {
  CAIRN_CHECK(check_write_offered(call));
  CAIRN_TRY(const ChecksumPlan plan, plan_checksum(in));
  CAIRN_TRY(const objectstore::EncryptionRequest encryption, encryption_request(call, in));
  CAIRN_TRY(const NewObject fresh, new_object(call, in));
  CAIRN_TRY(const s3::MultipartUpload upload,
            call.engine().uploads().create(call.object(),
                                           {.attributes = fresh.attributes,
                                            .owner = fresh.owner,
                                            .checksum_algorithm = plan.algorithm,
                                            .checksum_type = plan.type,
                                            .initiator = call.identity.account(),
                                            .tags = fresh.tags,
                                            .acl = fresh.acl,
                                            .retention = fresh.lock.retention,
                                            .legal_hold = fresh.lock.legal_hold,
                                            .encryption = encryption},
                                           call.deadline()));
  s3::CreateMultipartUploadOutput out;
  out.bucket = in.bucket;
  out.key = in.key;
  out.upload_id = upload.upload_id;
  set_abort_rule(call, upload, out);
  set_encryption_and_context(out, upload.encryption);
  set_customer_key(out, upload.encryption, in.sse_customer_key_md5);
  if (plan.algorithm) {
    out.checksum_algorithm = s3::name_of(*plan.algorithm);
    out.checksum_type = s3::name_of(plan.type);
  }
  return out;
}

Result<s3::AbortMultipartUploadOutput> abort_multipart_upload(
    Call& call, const s3::AbortMultipartUploadInput& in) {
  const auto upload = call.engine().uploads().find(call.object(), in.upload_id);
  CAIRN_CHECK(allow_upload(call, upload.ok() ? &*upload : nullptr));
  if (in.if_match_initiated_time && !call.directory)
    return not_offered("x-amz-if-match-initiated-time");
  std::optional<std::int64_t> initiated_ms;
  if (in.if_match_initiated_time) initiated_ms = in.if_match_initiated_time->unix_ms;
  CAIRN_CHECK(call.engine().uploads().abort(call.object(), in.upload_id, call.deadline(),
                                            initiated_ms));
  return s3::AbortMultipartUploadOutput{};
}

Result<s3::ListMultipartUploadsOutput> list_multipart_uploads(
    Call& call, const s3::ListMultipartUploadsInput& in) {
  CAIRN_TRY(const std::int64_t limit, page_limit("max-uploads", in.max_uploads));
  CAIRN_CHECK(check_directory_listing(call, in.prefix, in.delimiter));
  // Without a key the id says nothing.
  const std::string upload_marker = in.upload_id_marker.value_or("");
  if (!in.key_marker.value_or("").empty() && !upload_marker.empty() &&
      !objectstore::upload_serial(upload_marker))
    return bad_argument("upload-id-marker", upload_marker, "Invalid uploadId marker");
  CAIRN_TRY(const objectstore::UploadsPage page,
            call.engine().uploads().list(in.bucket,
                                         {.prefix = in.prefix.value_or(""),
                                          .delimiter = in.delimiter.value_or(""),
                                          .key_marker = in.key_marker.value_or(""),
                                          .upload_id_marker = in.upload_id_marker.value_or(""),
                                          .limit = static_cast<std::size_t>(limit)},
                                         call.deadline()));
  s3::ListMultipartUploadsOutput out;
  out.bucket = in.bucket;
  out.key_marker = in.key_marker.value_or("");
  out.upload_id_marker = in.upload_id_marker.value_or("");
  out.prefix = in.prefix.value_or("");
  if (in.delimiter && !in.delimiter->empty()) out.delimiter = in.delimiter;
  out.max_uploads = limit;
  out.encoding_type = in.encoding_type;
  out.is_truncated = page.truncated;
  set_next_markers(page, out);
  for (const s3::MultipartUpload& upload : page.uploads)
    out.uploads.push_back(describe(call, upload));
  for (const std::string& prefix : page.common_prefixes)
    out.common_prefixes.push_back({.prefix = prefix});
  return out;
}

}  // namespace cairn::s3api
