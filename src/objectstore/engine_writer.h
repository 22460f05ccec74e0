// SPDX-License-Identifier: Apache-2.0
// The writer of a body that Engine::begin_put gives.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "objectstore/hash/body_hash.h"
#include "objectstore/body_writer.h"
#include "objectstore/engine.h"

namespace cairn::objectstore {

/// Errors: InvalidArgument, KeyTooLongError.
Status check_key(std::string_view key);
/// What `params` say of the object that is about to be stored.
s3::Object described(const PutParams& params, const s3::Encryption& encryption);
/// The etag of a body: its MD5, but for keys that are not the service's own.
std::string etag_of(std::string_view md5_hex, const s3::Encryption& encryption);
/// Errors: BadDigest.
Status check_md5(const PutParams& params, std::string_view md5_hex);
Guard guard_of(const s3::WriteCondition& condition);
/// Nothing without encryption. Errors: those of make_data_key.
Result<std::optional<DataKey>> data_key_of(const Core& core, const EncryptionRequest& wanted);

class EngineWriter final : public ObjectWriter {
 public:
  EngineWriter(Core& core, BucketPointer bucket, std::string key, s3::Encryption encryption,
               BodyParams params)
      : core_(core),
        bucket_(std::move(bucket)),
        key_(std::move(key)),
        encryption_(std::move(encryption)),
        body_(core, std::move(params)),
        hash_([&core]() -> Md5Scheduler& { return core.hashing(); }) {}

  Status write(std::string_view bytes) override;
  Status write_async(std::string_view bytes) override;
  void wait() override { hash_.settle(); }
  std::uint64_t size_bytes() const override { return body_.size_bytes(); }
  const std::string& md5() override { return hash_.finish(); }
  Result<s3::Object> finish(const PutParams& params, const os::Deadline& deadline) override;

 private:
  Core& core_;
  BucketPointer bucket_;
  std::string key_;
  s3::Encryption encryption_;
  BodyWriter body_;
  BodyHash hash_;
  bool finished_ = false;
};

}  // namespace cairn::objectstore
