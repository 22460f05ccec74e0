// SPDX-License-Identifier: Apache-2.0
#include "objectstore/engine_writer.h"

#include "base/encode.h"
#include "os/random.h"
#include "s3/errors.h"

namespace cairn::objectstore {

Status check_key(std::string_view key) {
  if (key.empty()) return s3::error("InvalidArgument", "The key of an object must not be empty");
  if (key.size() > s3::key_bytes_max) {
    return s3::error("KeyTooLongError")
        .with_detail("Size", std::to_string(key.size()))
        .with_detail("MaxSizeAllowed", std::to_string(s3::key_bytes_max));
  }
  return ok_status();
}

s3::Object described(const PutParams& params, const s3::Encryption& encryption) {
  s3::Object object{.key = {}, .checksum = params.checksum};
  object.owner = params.owner;
  object.attributes = params.attributes;
  object.tags = params.tags;
  object.acl = params.acl;
  object.retention = params.retention;
  object.legal_hold = params.legal_hold;
  object.encryption = encryption;
  return object;
}

std::string etag_of(std::string_view md5_hex, const s3::Encryption& encryption) {
  using enum s3::EncryptionMethod;
  if (encryption.method == none || encryption.method == aes256) return std::string(md5_hex);
  return to_hex(os::system_random().bytes(16));
}

Status check_md5(const PutParams& params, std::string_view hex) {
  if (!params.content_md5 || to_hex(*params.content_md5) == hex) return ok_status();
  return s3::error("BadDigest")
      .with_detail("ExpectedDigest", to_base64(*params.content_md5))
      .with_detail("CalculatedDigest", to_base64(from_hex(hex).value_or("")));
}

Guard guard_of(const s3::WriteCondition& condition) {
  return {.if_match = condition.if_match, .if_none_match = condition.if_none_match};
}

Result<std::optional<DataKey>> data_key_of(const Core& core, const EncryptionRequest& wanted) {
  if (wanted.how.method == s3::EncryptionMethod::none) return std::optional<DataKey>();
  CAIRN_TRY(DataKey key, make_data_key(core.options().key_ring, wanted));
  return std::optional(std::move(key));
}

Status EngineWriter::write(std::string_view bytes) {
  return hash_.update(bytes, [&] { return body_.write(bytes); });
}

Status EngineWriter::write_async(std::string_view bytes) {
  hash_.begin(bytes);
  return body_.write(bytes);
}

Result<s3::Object> EngineWriter::finish(const PutParams& params, const os::Deadline& deadline) {
  if (finished_) return s3::error("InternalError", "the body was finished before");
  finished_ = true;
  CAIRN_CHECK(check_md5(params, md5()));
  CAIRN_CHECK(deadline.check("put an object"));
  CAIRN_TRY(const StoredBody stored, body_.finish());
  s3::Object object = described(params, encryption_);
  object.etag = etag_of(md5(), encryption_);
  CAIRN_TRY(ObjectRecord record, core_.commit(*bucket_, key_, std::move(object), stored,
                                              guard_of(params.condition), deadline,
                                              params.origin));
  return std::move(record.object);
}

}  // namespace cairn::objectstore
