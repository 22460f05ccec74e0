// SPDX-License-Identifier: Apache-2.0
// CompleteMultipartUpload: what the client says of the parts against what is stored of them.
#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "objectstore/core/multipart.h"
#include "s3/checksum.h"
#include "s3/errors.h"
#include "s3api/objects/attributes.h"
#include "s3api/wire/conditions.h"
#include "s3api/objects/encryption.h"
#include "s3api/objects/expirations.h"
#include "s3api/handlers.h"
#include "s3api/wire/offered.h"
#include "s3api/wire/keep_alive.h"

namespace cairn::s3api {
namespace {

// The checksum that a part of the request, or the request itself, gives; of any algorithm.
template <class Fields>
std::optional<s3::Checksum> given_checksum(const Fields& fields) {
  using enum s3::ChecksumAlgorithm;
  const std::pair<s3::ChecksumAlgorithm, const std::optional<std::string>*> all[] = {
      {crc32, &fields.checksum_crc32},
      {crc32c, &fields.checksum_crc32c},
      {crc64nvme, &fields.checksum_crc64nvme},
      {sha1, &fields.checksum_sha1},
      {sha256, &fields.checksum_sha256}};
  for (const auto& [algorithm, value] : all)
    if (*value) return s3::Checksum{.algorithm = algorithm, .value = **value};
  return std::nullopt;
}

std::string lower_name(s3::ChecksumAlgorithm algorithm) {
  return lower_ascii(s3::name_of(algorithm));
}

// The object of an upload without an algorithm has a CRC64NVME all the same, but nothing was
// calculated that another one could be compared with.
Status check_default_algorithm(s3::ChecksumAlgorithm given) {
  if (given == s3::ChecksumAlgorithm::crc64nvme) return ok_status();
  return s3::error("InvalidRequest",
                   "Checksum Type mismatch occurred, expected checksum Type: null, actual checksum "
                   "Type: " +
                       lower_name(given) +
                       ". The upload was begun without x-amz-checksum-algorithm; begin it with "
                       "x-amz-checksum-algorithm: " +
                       std::string(s3::name_of(given)) + ", or leave the checksum out.");
}

Status check_algorithm(const s3::MultipartUpload& upload, s3::ChecksumAlgorithm given) {
  if (given == *upload.checksum_algorithm) return ok_status();
  return s3::error("InvalidRequest", "Checksum Type mismatch occurred, expected checksum Type: " +
                                         lower_name(*upload.checksum_algorithm) +
                                         ", actual checksum Type: " + lower_name(given));
}

// What the request says of the whole object: one checksum, of the upload's algorithm, "-N" behind
// it where it is of the parts' checksums.
Status check_given_checksum(const s3::CompleteMultipartUploadInput& in,
                            const s3::MultipartUpload& upload) {
  const auto given = given_checksum(in);
  if (!given) return ok_status();
  const std::optional<std::string>* const all[] = {&in.checksum_crc32, &in.checksum_crc32c,
                                                   &in.checksum_crc64nvme, &in.checksum_sha1,
                                                   &in.checksum_sha256};
  if (std::count_if(std::begin(all), std::end(all),
                    [](const auto* one) { return one->has_value(); }) > 1)
    return s3::error("InvalidRequest",
                     "Expecting a single x-amz-checksum- header. Multiple checksum Types are not "
                     "allowed.");
  const std::string bare = given->value.substr(0, given->value.rfind('-'));
  if (!s3::is_checksum_value(given->algorithm, bare))
    return s3::error("InvalidRequest", "Value for " + std::string(s3::header_of(given->algorithm)) +
                                           " header is invalid.");
  return upload.checksum_algorithm ? check_algorithm(upload, given->algorithm)
                                   : check_default_algorithm(given->algorithm);
}

class Judge {
 public:
  Judge(const s3::CompleteMultipartUploadInput& in, const s3::MultipartUpload& upload)
      : in_(in), upload_(upload), asked_(in.multipart_upload->parts) {}

  Result<objectstore::Completed> operator()(const std::vector<s3::Part>& stored) const {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      CAIRN_CHECK(check_part(asked_[i], stored[i]));
      total += stored[i].size_bytes;
    }
    for (std::size_t i = 0; i + 1 < stored.size(); ++i) CAIRN_CHECK(check_size(stored[i]));
    CAIRN_CHECK(check_total(total));
    std::string digests;
    for (const s3::Part& part : stored) digests += from_hex(part.etag).value_or("");
    objectstore::Completed completed{
        .etag = to_hex(md5(digests)) + "-" + std::to_string(stored.size()),
        .checksum = checksum_of(stored)};
    CAIRN_CHECK(check_checksum(*completed.checksum));
    return completed;
  }

 private:
  Error invalid_part(const s3::CompletedPart& asked) const {
    return s3::error("InvalidPart")
        .with_detail("UploadId", in_.upload_id)
        .with_detail("PartNumber", std::to_string(asked.part_number))
        .with_detail("ETag", std::string(bare_etag(asked.etag)));
  }

  Status check_part(const s3::CompletedPart& asked, const s3::Part& stored) const {
    if (stored.etag.empty() || bare_etag(trim(asked.etag)) != stored.etag)
      return invalid_part(asked);
    const auto given = given_checksum(asked);
    const bool composite =
        upload_.checksum_algorithm && upload_.checksum_type == s3::ChecksumType::composite;
    if (!given && composite)
      return s3::error("InvalidRequest",
                       "The upload was created using a " + lower_name(*upload_.checksum_algorithm) +
                           " checksum. The complete request must include the checksum for each "
                           "part. It was missing for part " +
                           std::to_string(asked.part_number) + " in the request.");
    if (!given) return ok_status();
    if (!upload_.checksum_algorithm) return invalid_part(asked);
    CAIRN_CHECK(check_algorithm(upload_, given->algorithm));
    if (!stored.checksum || given->value != stored.checksum->value) return invalid_part(asked);
    return ok_status();
  }

  static Status check_size(const s3::Part& part) {
    if (part.size_bytes >= s3::part_bytes_min) return ok_status();
    return s3::error("EntityTooSmall")
        .with_detail("ProposedSize", std::to_string(part.size_bytes))
        .with_detail("MinSizeAllowed", std::to_string(s3::part_bytes_min))
        .with_detail("PartNumber", std::to_string(part.number))
        .with_detail("ETag", part.etag);
  }

  Status check_total(std::uint64_t total) const {
    if (total > s3::object_bytes_max)
      return s3::error("EntityTooLarge")
          .with_detail("ProposedSize", std::to_string(total))
          .with_detail("MaxSizeAllowed", std::to_string(s3::object_bytes_max));
    if (in_.mpu_object_size && static_cast<std::uint64_t>(*in_.mpu_object_size) != total)
      return s3::error("InvalidRequest",
                       "The provided 'x-amz-mp-object-size' header value " +
                           std::to_string(*in_.mpu_object_size) +
                           " does not match what was computed: " + std::to_string(total));
    return ok_status();
  }

  s3::Checksum checksum_of(const std::vector<s3::Part>& stored) const {
    const auto algorithm = upload_.checksum_algorithm.value_or(s3::ChecksumAlgorithm::crc64nvme);
    std::vector<std::string> raw;
    for (const s3::Part& part : stored)
      raw.push_back(from_base64(part.checksum ? part.checksum->value : "").value_or(""));
    const bool composite =
        upload_.checksum_algorithm && upload_.checksum_type == s3::ChecksumType::composite;
    if (composite)
      return {.algorithm = algorithm,
              .type = s3::ChecksumType::composite,
              .value = s3::composite_checksum(algorithm, raw)};
    std::string whole = raw.front();
    for (std::size_t i = 1; i < raw.size(); ++i)
      whole = s3::combine_checksums(algorithm, whole, raw[i], stored[i].size_bytes);
    return {.algorithm = algorithm, .value = to_base64(whole)};
  }

  Status check_checksum(const s3::Checksum& computed) const {
    const auto given = given_checksum(in_);
    if (!given) return ok_status();
    // "-N" behind a composite value may be left out.
    const std::string bare = computed.value.substr(0, computed.value.rfind('-'));
    const bool same = given->algorithm == computed.algorithm &&
                      (given->value == computed.value ||
                       (computed.type == s3::ChecksumType::composite && given->value == bare));
    if (same) return ok_status();
    return s3::error("BadDigest", "The " + lower_name(given->algorithm) +
                                      " you specified did not match the calculated checksum.");
  }

  const s3::CompleteMultipartUploadInput& in_;
  const s3::MultipartUpload& upload_;
  const std::vector<s3::CompletedPart>& asked_;
};

Result<std::vector<int>> part_numbers(const s3::CompleteMultipartUploadInput& in) {
  if (!in.multipart_upload)
    return s3::error("InvalidRequest", "You must specify at least one part");
  std::vector<int> numbers;
  for (const s3::CompletedPart& part : in.multipart_upload->parts) {
    if (part.part_number < 1 || part.part_number > s3::part_number_max)
      return bad_argument("partNumber", std::to_string(part.part_number),
                          "Part number must be an integer between 1 and 10000, inclusive");
    if (!numbers.empty() && part.part_number <= numbers.back())
      return s3::error("InvalidPartOrder").with_detail("UploadId", in.upload_id);
    numbers.push_back(static_cast<int>(part.part_number));
  }
  return numbers;
}

Status check_checksum_type(const s3::CompleteMultipartUploadInput& in,
                           const s3::MultipartUpload& upload) {
  if (!in.checksum_type || *in.checksum_type == s3::name_of(upload.checksum_type))
    return ok_status();
  return s3::error("BadDigest", "The upload was created using the " +
                                    std::string(s3::name_of(upload.checksum_type)) +
                                    " checksum mode. The complete request must use the same "
                                    "checksum mode.");
}

Status check_content_type(const Call& call) {
  const auto type = call.headers().find("Content-Type");
  if (!type || !lower_ascii(*type).starts_with("application/x-www-form-urlencoded"))
    return ok_status();
  return bad_argument("Content-Type", *type,
                      "A completion must not be sent as application/x-www-form-urlencoded");
}

std::string location_of(const Call& call) {
  const std::string scheme = call.exchange.head.tls ? "https://" : "http://";
  const std::string host(call.headers().find("Host").value_or(""));
  const std::string bucket = call.address.virtual_host ? "" : "/" + call.address.bucket;
  return scheme + host + bucket + "/" + percent_encode(call.address.key, "/");
}

// Moves no byte, and still takes as long as the disk does.
Result<s3::Object> finish_upload(Call& call, std::string_view upload_id,
                                 const objectstore::CompleteParams& params) {
  const KeepAlive keep_alive(call);
  return call.engine().uploads().complete(call.object(), upload_id, params, call.deadline());
}

}  // namespace

Result<s3::CompleteMultipartUploadOutput> complete_multipart_upload(
    Call& call, const s3::CompleteMultipartUploadInput& in) {
  CAIRN_CHECK(check_content_type(call));
  CAIRN_CHECK(check_write_offered(call));
  CAIRN_TRY(const auto customer, customer_key(call, in));
  CAIRN_TRY(const s3::WriteCondition condition,
            read_write_condition(in.if_match, in.if_none_match));
  auto& uploads = call.engine().uploads();
  CAIRN_TRY(const s3::MultipartUpload upload, uploads.find(call.object(), in.upload_id));
  CAIRN_TRY(const std::vector<int> numbers, part_numbers(in));
  CAIRN_CHECK(check_checksum_type(in, upload));
  CAIRN_CHECK(check_given_checksum(in, upload));
  const Judge judge(in, upload);
  CAIRN_TRY(const s3::Object object,
            finish_upload(call, in.upload_id,
                          {.numbers = numbers,
                           .judge = judge,
                           .condition = condition,
                           .customer_key = customer,
                           .needs_customer_key = upload.checksum_algorithm.has_value(),
                           .origin = origin_of(call)}));
  s3::CompleteMultipartUploadOutput out;
  out.location = location_of(call);
  out.bucket = in.bucket;
  out.key = in.key;
  out.etag = quoted(object.etag);
  out.version_id = shown_version(*call.bucket, object);
  out.expiration = expiration_of(call, object);
  set_encryption(out, object.encryption);
  if (object.checksum) {
    set_checksum_fields(out, *object.checksum);
    out.checksum_type = s3::name_of(object.checksum->type);
  }
  return out;
}

}  // namespace cairn::s3api
