// SPDX-License-Identifier: Apache-2.0
// Source: PutObject in the API reference, "Appending data to objects in directory buckets" in the
// user guide.
#include "s3api/objects/appends.h"

#include <algorithm>
#include <vector>

#include "base/encode.h"
#include "base/strings.h"
#include "s3/checksum.h"
#include "s3/errors.h"
#include "s3api/objects/encryption.h"
#include "s3api/objects/new_object.h"
#include "s3api/objects/pump.h"
#include "s3api/wire/body.h"
#include "s3api/wire/conditions.h"

namespace cairn::s3api {
namespace {

bool has_sha(s3::ChecksumAlgorithm algorithm) {
  return algorithm == s3::ChecksumAlgorithm::sha1 || algorithm == s3::ChecksumAlgorithm::sha256;
}

// The raw checksums of what the object is made of; nothing where one is not known.
std::optional<std::vector<std::string>> raw_sums(const s3::Object& there,
                                                 s3::ChecksumAlgorithm algorithm) {
  std::vector<std::string> raw;
  const auto add = [&](const std::optional<s3::Checksum>& one) {
    const auto bytes = one && one->algorithm == algorithm ? from_base64(one->value) : std::nullopt;
    if (bytes) raw.push_back(*bytes);
    return bytes.has_value();
  };
  if (there.checksum->type == s3::ChecksumType::full_object) {
    if (!add(there.checksum)) return std::nullopt;
    return raw;
  }
  const bool all = std::all_of(there.parts.begin(), there.parts.end(),
                               [&](const s3::Part& part) { return add(part.checksum); });
  return all && !raw.empty() ? std::optional(raw) : std::nullopt;
}

// CRCs of the pieces make that of the whole. Of SHA digests there is only one of those of the
// pieces.
std::optional<s3::Checksum> checksum_of_whole(const s3::Object& there, const s3::Part& appended) {
  if (!there.checksum || !appended.checksum) return std::nullopt;
  const s3::ChecksumAlgorithm algorithm = there.checksum->algorithm;
  auto raw = raw_sums(there, algorithm);
  auto last = from_base64(appended.checksum->value);
  if (!raw || !last) return std::nullopt;
  if (has_sha(algorithm)) {
    raw->push_back(std::move(*last));
    return s3::Checksum{.algorithm = algorithm,
                        .type = s3::ChecksumType::composite,
                        .value = s3::composite_checksum(algorithm, *raw)};
  }
  std::string whole = raw->front();
  for (std::size_t i = 1; i < raw->size(); ++i)
    whole = s3::combine_checksums(algorithm, whole, (*raw)[i], there.parts[i].size_bytes);
  whole = s3::combine_checksums(algorithm, whole, *last, appended.size_bytes);
  return s3::Checksum{.algorithm = algorithm, .value = to_base64(whole)};
}

// The bytes lie under the object's own key, so that what says nothing cannot differ from AES256.
bool same_encryption_kept(const s3::Encryption& there, const s3::Encryption& wanted) {
  if (wanted.method == s3::EncryptionMethod::none)
    return there.method == s3::EncryptionMethod::none ||
           there.method == s3::EncryptionMethod::aes256;
  return there.method == wanted.method && there.kms_key_id == wanted.kms_key_id;
}

std::string lower_name_of(s3::ChecksumAlgorithm algorithm) {
  return lower_ascii(s3::name_of(algorithm));
}

Status check_there(const s3::PutObjectInput& in, const s3::Encryption& wanted,
                   const IncomingBody& body, const s3::Object& there) {
  if (!in.metadata.empty())
    return s3::error("InvalidRequest",
                     "Cannot specify both a write offset value and user-defined object metadata "
                     "for existing objects.");
  if (!same_encryption_kept(there.encryption, wanted)) return s3::error("EncryptionTypeMismatch");
  const s3::ChecksumAlgorithm given = body.checksum().algorithm;
  if (there.checksum && there.checksum->algorithm != given)
    return s3::error("InvalidRequest", "Checksum Type mismatch occurred, expected checksum Type: " +
                                           lower_name_of(there.checksum->algorithm) +
                                           ", actual checksum Type: " + lower_name_of(given));
  return ok_status();
}

Result<std::uint64_t> offset_of(const s3::PutObjectInput& in) {
  const std::int64_t offset = *in.write_offset_bytes;
  if (offset >= 0) return static_cast<std::uint64_t>(offset);
  return bad_argument("x-amz-write-offset-bytes", std::to_string(offset),
                      "The write offset must be the size of the object, 0 or more.");
}

// Of SHA digests what was appended has the one that a client can compare.
s3::PutObjectOutput describe_append(const s3::Object& object, const s3::Checksum& appended) {
  s3::PutObjectOutput out;
  out.etag = quoted(object.etag);
  out.size = static_cast<std::int64_t>(object.size_bytes);
  if (object.checksum) {
    set_checksum_fields(out, has_sha(appended.algorithm) ? appended : *object.checksum);
    out.checksum_type = s3::name_of(object.checksum->type);
  }
  set_encryption_and_context(out, object.encryption);
  return out;
}

}  // namespace

Result<s3::PutObjectOutput> append_object(Call& call, const s3::PutObjectInput& in) {
  CAIRN_TRY(const std::uint64_t offset, offset_of(in));
  CAIRN_TRY(const s3::WriteCondition condition,
            read_write_condition(in.if_match, in.if_none_match));
  CAIRN_TRY(const objectstore::EncryptionRequest encryption, encryption_request(call, in));
  CAIRN_TRY(const NewObject fresh, new_object(call, in));
  CAIRN_TRY(const auto there, call.engine().look(call.object(), call.deadline()));
  const bool has_sum = there && there->checksum;
  CAIRN_TRY(const auto body, has_sum ? IncomingBody::open(call, there->checksum->algorithm)
                                     : IncomingBody::open(call));
  CAIRN_CHECK(check_put_size(body->length()));
  if (body->length() == 0)
    return s3::error("InvalidRequest",
                     "Request body cannot be empty when 'write offset' is specified.");
  CAIRN_CHECK(check_condition_on(call, condition, there ? &*there : nullptr));
  objectstore::AppendParams params{.offset = offset,
                                   .expected_bytes = body->length(),
                                   .encryption = encryption,
                                   .checksum = checksum_of_whole};
  params.judge = [&](const s3::Object& now) { return check_there(in, encryption.how, *body, now); };
  CAIRN_TRY(const auto writer, call.engine().begin_append(call.object(), params, call.deadline()));
  CAIRN_CHECK(pump(call, *body, *writer));
  const auto object = writer->finish({.attributes = fresh.attributes,
                                      .owner = fresh.owner,
                                      .checksum = body->checksum(),
                                      .condition = condition,
                                      .origin = origin_of(call)},
                                     call.deadline());
  if (!object.ok()) return write_fault(call, object.error());
  return describe_append(*object, body->checksum());
}

}  // namespace cairn::s3api
