// SPDX-License-Identifier: Apache-2.0
// Engine::copy_object: by reference where that will do, else through the bytes, once.
#include <optional>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/encode.h"
#include "base/hash.h"
#include "objectstore/core/core.h"
#include "objectstore/engine.h"
#include "objectstore/engine_writer.h"
#include "os/steps.h"
#include "s3/errors.h"

namespace cairn::objectstore {
namespace {

constexpr std::size_t bytes_of_a_step = 64;

/// A checksum of all that goes by, as the wire shows it.
class Sum {
 public:
  explicit Sum(s3::ChecksumAlgorithm algorithm) : algorithm_(algorithm) {
    if (algorithm == s3::ChecksumAlgorithm::sha1) digest_.emplace(DigestKind::sha1);
    if (algorithm == s3::ChecksumAlgorithm::sha256) digest_.emplace(DigestKind::sha256);
  }
  void update(std::string_view bytes) {
    switch (algorithm_) {
      case s3::ChecksumAlgorithm::crc32:
        crc_ = crc32(bytes, static_cast<std::uint32_t>(crc_));
        return;
      case s3::ChecksumAlgorithm::crc32c:
        crc_ = crc32c(bytes, static_cast<std::uint32_t>(crc_));
        return;
      case s3::ChecksumAlgorithm::crc64nvme:
        crc_ = crc64nvme(bytes, crc_);
        return;
      case s3::ChecksumAlgorithm::sha1:
      case s3::ChecksumAlgorithm::sha256:
        digest_->update(bytes);
        return;
    }
  }
  s3::Checksum finish() {
    std::string raw;
    if (digest_)
      raw = digest_->finish();
    else if (algorithm_ == s3::ChecksumAlgorithm::crc64nvme)
      put_u64be(raw, crc_);
    else
      put_u32be(raw, static_cast<std::uint32_t>(crc_));
    return {.algorithm = algorithm_, .value = to_base64(raw)};
  }

 private:
  const s3::ChecksumAlgorithm algorithm_;
  std::uint64_t crc_ = 0;
  std::optional<Digest> digest_;
};

Error no_source(Core& core, const Bucket& bucket, const ObjectName& from) {
  if (from.version.empty()) return s3::error("NoSuchKey").with_detail("Key", std::string(from.key));
  const auto standing = core.find_version(bucket, from.key, from.version);
  if (!standing.ok()) return standing.error();
  if (*standing)
    return s3::error("InvalidRequest",
                     "The source of a copy request may not specifically refer to a delete marker "
                     "by version id.");
  return s3::error("NoSuchVersion")
      .with_detail("Key", std::string(from.key))
      .with_detail("VersionId", std::string(from.version));
}

bool same_encryption(const s3::Object& source, const CopyParams& params) {
  const s3::Encryption& now = source.encryption;
  const s3::Encryption& then = params.encryption.how;
  if (now.method != then.method) return false;
  if (now.method == s3::EncryptionMethod::customer)
    return params.source_customer_key &&
           params.source_customer_key == params.encryption.customer_key;
  return now.kms_key_id == then.kms_key_id && now.kms_context == then.kms_context;
}

/// A copy has the MD5 of the whole as etag and a checksum of the whole.
bool needs_sums(const s3::Object& source, const CopyParams& params) {
  if (!source.parts.empty() || source.etag.find('-') != std::string::npos) return true;
  if (!source.checksum || source.checksum->type != s3::ChecksumType::full_object) return true;
  return params.checksum_algorithm && *params.checksum_algorithm != source.checksum->algorithm;
}

/// Very many small extents, as appending leaves them. A copy that reads them puts them together.
bool is_scattered(const ObjectRecord& source) {
  constexpr std::size_t few = 32;
  constexpr std::uint64_t small_bytes = 1 << 20;
  return source.extents.size() > few &&
         source.object.size_bytes / source.extents.size() < small_bytes;
}

s3::Object target_of(const s3::Object& source, const CopyParams& params) {
  s3::Object object{.key = {}, .etag = source.etag, .checksum = source.checksum};
  object.owner = params.owner;
  object.attributes = params.attributes.value_or(source.attributes);
  object.tags = params.tags.value_or(source.tags);
  object.acl = params.acl;
  object.retention = params.retention;
  object.legal_hold = params.legal_hold;
  object.encryption = params.encryption.how;
  return object;
}

/// Reads the source once: for its sums, and into `writer` where there is one.
Status read_through(OpenBody& source, const CopyParams& params, BodyWriter* writer,
                    s3::Object& target, const os::Deadline& deadline) {
  const s3::Object& object = source.record().object;
  Digest md5(DigestKind::md5);
  Sum sum(params.checksum_algorithm.value_or(object.checksum ? object.checksum->algorithm
                                                             : s3::ChecksumAlgorithm::crc64nvme));
  os::Steps steps(deadline, "copy an object");
  for (std::uint64_t at = 0; at < object.size_bytes;) {
    CAIRN_TRY(const std::string_view piece, source.read(at, object.size_bytes - at));
    CAIRN_CHECK(steps.take(1 + piece.size() / bytes_of_a_step));
    if (piece.empty())
      return Error{.kind = ErrorKind::corrupt, .message = "the body of the source ends early"};
    md5.update(piece);
    sum.update(piece);
    if (writer != nullptr) CAIRN_CHECK(writer->write(piece));
    at += piece.size();
    if (params.progress) CAIRN_CHECK(params.progress());
  }
  target.etag = etag_of(to_hex(md5.finish()), target.encryption);
  target.checksum = sum.finish();
  return ok_status();
}

}  // namespace

Result<Copied> Engine::copy_object(const ObjectName& from, const ObjectName& to,
                                   const CopyParams& params, const os::Deadline& deadline) {
  if (to.key.empty() || to.key.size() > s3::key_bytes_max) return s3::error("KeyTooLongError");
  CAIRN_TRY(const BucketPointer source_bucket, user_bucket(*core_, from.bucket));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, to.bucket));
  CAIRN_CHECK(core_->check_space(0));
  CAIRN_CHECK(deadline.check("copy an object"));
  // The source is pinned while it is open: what happens to its version meanwhile does not matter.
  CAIRN_TRY(const auto source, core_->open_body(*source_bucket, from.key, from.version));
  if (!source) return no_source(*core_, *source_bucket, from);
  const s3::Object& object = source->record().object;
  if (params.source_if_match && *params.source_if_match != object.etag)
    return s3::error("PreconditionFailed").with_detail("Condition", "x-amz-copy-source-If-Match");
  s3::Object target = target_of(object, params);
  const bool same = same_encryption(object, params);
  const bool reads = !same || needs_sums(object, params);
  if (reads || params.source_customer_key ||
      object.encryption.method == s3::EncryptionMethod::customer)
    CAIRN_CHECK(core_->unlock(*source, params.source_customer_key));
  std::optional<BodyWriter> writer;
  if (!same || (reads && is_scattered(source->record()))) {
    CAIRN_TRY(auto key, data_key_of(*core_, params.encryption));
    writer.emplace(*core_, BodyParams{.expected_bytes = object.size_bytes, .key = std::move(key)});
  }
  if (reads)
    CAIRN_CHECK(read_through(*source, params, writer ? &*writer : nullptr, target, deadline));
  StoredBody body = shared_body(*source);
  if (writer) {
    CAIRN_TRY(body, writer->finish());
  }
  std::string version = object.version_id;
  CAIRN_TRY(ObjectRecord record, core_->commit(*bucket, to.key, std::move(target), body,
                                               guard_of(params.condition), deadline,
                                               params.origin));
  return Copied{.object = std::move(record.object), .source_version_id = std::move(version)};
}

Result<s3::Object> Engine::copy(const ObjectName& from, const ObjectName& to,
                                const CopyParams& params, const os::Deadline& deadline) {
  CAIRN_TRY(Copied copied, copy_object(from, to, params, deadline));
  return std::move(copied.object);
}

}  // namespace cairn::objectstore
