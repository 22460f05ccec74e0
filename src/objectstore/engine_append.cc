// SPDX-License-Identifier: Apache-2.0
// Engine::begin_append: where the bytes go that come behind an object, and under which key.
#include "objectstore/body_writer.h"
#include "objectstore/core/core.h"
#include "objectstore/engine.h"
#include "objectstore/engine_writer.h"
#include "objectstore/hash/body_hash.h"
#include "s3/errors.h"

namespace cairn::objectstore {
namespace {

// With more parts a body does not lie in a row: their list would take its place.
constexpr std::size_t parts_of_small_body_max = 30;

/// What is there when an append begins.
struct AppendBase {
  std::optional<ObjectRecord> record = {};
  std::string before = {};  // all of its body, where that is small: stored again with the rest
  bool holds_all() const { return !record || is_small_body(*record); }
};

Result<std::string> read_small(Core& core, OpenBody& body) {
  CAIRN_CHECK(core.unlock(body, {}));
  std::string all;
  const std::uint64_t size = body.record().object.size_bytes;
  while (all.size() < size) {
    CAIRN_TRY(const std::string_view piece, body.read(all.size(), size - all.size()));
    if (piece.empty())
      return Error{.kind = ErrorKind::corrupt, .message = "the body of an object ends early"};
    all += piece;
  }
  return all;
}

/// Looks again where the object is another one by the time that its body is opened.
Result<AppendBase> look_at_base(Core& core, const Bucket& bucket, std::string_view key,
                                const AppendParams& params, const os::Deadline& deadline) {
  for (;;) {
    CAIRN_CHECK(deadline.check("append to an object"));
    AppendBase base;
    CAIRN_TRY(base.record, core.look(bucket, key));
    const ObjectRecord* const there = base.record ? &*base.record : nullptr;
    CAIRN_CHECK(check_append(there, params, params.expected_bytes.value_or(0)));
    if (there == nullptr || !there->in_row()) return base;
    CAIRN_TRY(const auto body, core.open_body(bucket, key));
    if (!body || body->record().serial != there->serial) continue;
    CAIRN_TRY(base.before, read_small(core, *body));
    return base;
  }
}

/// How the bytes are stored. One key seals one stream of each number: what lay in a row and is
/// stored again gets a key of its own.
Result<BodyParams> body_params(const Core& core, const AppendBase& base,
                               const AppendParams& params) {
  BodyParams body{.expected_bytes = params.expected_bytes};
  if (body.expected_bytes) *body.expected_bytes += base.before.size();
  if (!base.record) {
    CAIRN_TRY(body.key, data_key_of(core, params.encryption));
    return body;
  }
  const ObjectRecord& there = *base.record;
  const s3::Encryption& how = there.object.encryption;
  if (base.holds_all()) {
    body.never_in_row = part_count(there) >= parts_of_small_body_max;
    CAIRN_TRY(body.key, data_key_of(core, EncryptionRequest{.how = how}));
    return body;
  }
  body.never_in_row = true;
  if (how.method == s3::EncryptionMethod::none) return body;
  CAIRN_TRY(std::string key, open_data_key(core.options().key_ring, how, there.sealed_key, {}));
  body.key = DataKey{.key = std::move(key), .sealed = there.sealed_key};
  return body;
}

class AppendWriter final : public ObjectWriter {
 public:
  AppendWriter(Core& core, BucketPointer bucket, std::string key, AppendParams params,
               const AppendBase& base, BodyParams body)
      : core_(core),
        bucket_(std::move(bucket)),
        key_(std::move(key)),
        params_(std::move(params)),
        encryption_(base.record ? base.record->object.encryption : params_.encryption.how),
        serial_(base.record ? base.record->serial : 0),
        holds_all_(base.holds_all()),
        bytes_before_(base.before.size()),
        body_(core, std::move(body)),
        hash_([&core]() -> Md5Scheduler& { return core.hashing(); }) {}

  /// What is stored again, and is no part of what is appended.
  Status begin(std::string_view before) { return body_.write(before); }

  Status write(std::string_view bytes) override {
    return hash_.update(bytes, [&] { return body_.write(bytes); });
  }
  Status write_async(std::string_view bytes) override {
    hash_.begin(bytes);
    return body_.write(bytes);
  }
  void wait() override { hash_.settle(); }
  std::uint64_t size_bytes() const override { return body_.size_bytes() - bytes_before_; }
  const std::string& md5() override { return hash_.finish(); }

  Result<s3::Object> finish(const PutParams& put, const os::Deadline& deadline) override {
    if (finished_) return s3::error("InternalError", "the body was finished before");
    finished_ = true;
    if (size_bytes() == 0)
      return s3::error("InvalidRequest",
                       "Request body cannot be empty when 'write offset' is specified.");
    CAIRN_CHECK(check_md5(put, md5()));
    CAIRN_CHECK(deadline.check("append to an object"));
    Appending appended{.params = params_,
                      .put = put,
                      .encryption = encryption_,
                      .serial = serial_,
                      .holds_all = holds_all_,
                      .body = {},
                      .part = {.size_bytes = size_bytes(),
                               .etag = etag_of(md5(), encryption_),
                               .checksum = put.checksum}};
    CAIRN_TRY(appended.body, body_.finish());
    CAIRN_TRY(ObjectRecord record, core_.append(*bucket_, key_, appended, deadline));
    return std::move(record.object);
  }

 private:
  Core& core_;
  const BucketPointer bucket_;
  const std::string key_;
  const AppendParams params_;
  const s3::Encryption encryption_;
  const std::uint64_t serial_;
  const bool holds_all_;
  const std::uint64_t bytes_before_;
  BodyWriter body_;
  BodyHash hash_;
  bool finished_ = false;
};

}  // namespace

Result<std::optional<s3::Object>> Engine::look(const ObjectName& name,
                                               const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(deadline.check("look at an object"));
  CAIRN_TRY(auto record, core_->look(*bucket, name.key));
  if (!record) return std::optional<s3::Object>();
  record->object.parts.clear();
  return std::optional(std::move(record->object));
}

Result<std::unique_ptr<ObjectWriter>> Engine::begin_append(const ObjectName& name,
                                                           const AppendParams& params,
                                                           const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(core_->check_space(params.expected_bytes.value_or(0)));
  CAIRN_TRY(const AppendBase base, look_at_base(*core_, *bucket, name.key, params, deadline));
  CAIRN_TRY(BodyParams body, body_params(*core_, base, params));
  auto writer = std::make_unique<AppendWriter>(*core_, std::move(bucket), std::string(name.key),
                                               params, base, std::move(body));
  CAIRN_CHECK(writer->begin(base.before));
  return std::unique_ptr<ObjectWriter>(std::move(writer));
}

}  // namespace cairn::objectstore
