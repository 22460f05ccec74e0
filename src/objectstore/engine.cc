// SPDX-License-Identifier: Apache-2.0
#include "objectstore/engine.h"

#include <algorithm>

#include "base/encode.h"
#include "base/hash.h"
#include "objectstore/body_writer.h"
#include "objectstore/core.h"
#include "objectstore/multipart.h"
#include "s3/errors.h"

namespace cairn::objectstore {
namespace {

Status check_key(std::string_view key) {
  if (key.empty()) return s3::error("InvalidArgument", "The key of an object must not be empty");
  if (key.size() > s3::key_bytes_max) {
    return s3::error("KeyTooLongError")
        .with_detail("Size", std::to_string(key.size()))
        .with_detail("MaxSizeAllowed", std::to_string(s3::key_bytes_max));
  }
  return ok_status();
}

/// A bucket that requests may name.
Result<BucketPointer> user_bucket(const Core& core, std::string_view name) {
  if (s3::is_reserved_bucket(name))
    return s3::error("NoSuchBucket").with_detail("BucketName", std::string(name));
  return core.find_bucket(name);
}

Error no_key(std::string_view key) {
  return s3::error("NoSuchKey").with_detail("Key", std::string(key));
}

Guard guard_of(const s3::WriteCondition& condition) {
  return {.if_match = condition.if_match, .if_none_match = condition.if_none_match};
}

s3::Object object_of(const PutParams& params, std::string etag) {
  return {.key = {},
          .etag = std::move(etag),
          .checksum = params.checksum,
          .owner = params.owner,
          .attributes = params.attributes};
}

Status check_md5(const PutParams& params, std::string_view hex) {
  if (!params.content_md5 || to_hex(*params.content_md5) == hex) return ok_status();
  return s3::error("BadDigest")
      .with_detail("ExpectedDigest", to_base64(*params.content_md5))
      .with_detail("CalculatedDigest", to_base64(from_hex(hex).value_or("")));
}

class Writer final : public ObjectWriter {
 public:
  Writer(Core& core, BucketPointer bucket, std::string key,
         std::optional<std::uint64_t> expected_bytes)
      : core_(core),
        bucket_(std::move(bucket)),
        key_(std::move(key)),
        body_(core, expected_bytes) {}

  Status write(std::string_view bytes) override {
    digest_.update(bytes);
    return body_.write(bytes);
  }
  std::uint64_t size_bytes() const override { return body_.size_bytes(); }
  const std::string& md5() override {
    if (md5_.empty()) md5_ = to_hex(digest_.finish());
    return md5_;
  }
  Result<s3::Object> finish(const PutParams& params, const os::Deadline& deadline) override {
    if (finished_) return s3::error("InternalError", "the body was finished before");
    finished_ = true;
    CAIRN_CHECK(check_md5(params, md5()));
    CAIRN_CHECK(deadline.check("put an object"));
    CAIRN_TRY(const StoredBody stored, body_.finish());
    CAIRN_TRY(ObjectRecord record, core_.commit(*bucket_, key_, object_of(params, md5()), stored,
                                                guard_of(params.condition), deadline));
    return std::move(record.object);
  }

 private:
  Core& core_;
  BucketPointer bucket_;
  std::string key_;
  BodyWriter body_;
  Digest digest_{DigestKind::md5};
  std::string md5_;
  bool finished_ = false;
};

class Reader final : public ObjectReader {
 public:
  Reader(std::unique_ptr<OpenBody> body, std::uint64_t offset, std::uint64_t count)
      : body_(std::move(body)), offset_(offset), count_(count) {}
  const s3::Object& object() const override { return body_->record().object; }
  std::uint64_t offset() const override { return offset_; }
  std::uint64_t size_bytes() const override { return count_; }
  Result<std::string_view> next() override {
    CAIRN_TRY(const std::string_view piece, body_->read(offset_ + done_, count_ - done_));
    done_ += piece.size();
    return piece;
  }
  Result<std::optional<FileBytes>> file() override { return std::optional<FileBytes>(); }
  void skip(std::uint64_t count) override { done_ += count; }

 private:
  std::unique_ptr<OpenBody> body_;
  std::uint64_t offset_;
  std::uint64_t count_;
  std::uint64_t done_ = 0;
};

struct Span {
  std::uint64_t offset;
  std::uint64_t count;
};

Result<Span> resolve(const RangeParams& range, std::uint64_t size) {
  if (!range.first && !range.last) return Span{0, size};
  const auto refused = [&] {
    return s3::error("InvalidRange").with_detail("ActualObjectSize", std::to_string(size));
  };
  if (!range.first) {
    const std::uint64_t count = std::min(*range.last, size);
    if (count == 0) return refused();
    return Span{size - count, count};
  }
  if (*range.first >= size || (range.last && *range.last < *range.first)) return refused();
  const std::uint64_t last = std::min(range.last.value_or(size - 1), size - 1);
  return Span{*range.first, last - *range.first + 1};
}

}  // namespace

Engine::Engine(std::unique_ptr<Core> core)
    : core_(std::move(core)), uploads_(std::make_unique<Uploads>(*core_)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::open(const EngineOptions& options) {
  CAIRN_TRY(auto core, Core::open(options));
  return std::unique_ptr<Engine>(new Engine(std::move(core)));
}

Result<s3::Bucket> Engine::create_bucket(const s3::Bucket& bucket, const os::Deadline& deadline,
                                         const std::map<std::string, std::string>& documents) {
  static_cast<void>(documents);
  if (!s3::is_bucket_name(bucket.name))
    return s3::error("InvalidBucketName").with_detail("BucketName", bucket.name);
  CAIRN_CHECK(deadline.check("create a bucket"));
  CAIRN_TRY(const BucketPointer made, core_->create_bucket(bucket));
  return made->record.bucket;
}

std::vector<s3::Bucket> Engine::list_buckets(std::optional<std::string_view> owner_id) const {
  std::vector<s3::Bucket> shown;
  for (const BucketPointer& bucket : core_->buckets()) {
    const s3::Bucket& facts = bucket->record.bucket;
    if (s3::is_reserved_bucket(facts.name)) continue;
    if (!owner_id || facts.owner.id == *owner_id) shown.push_back(facts);
  }
  return shown;
}

Result<s3::Bucket> Engine::head_bucket(std::string_view name) const {
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name));
  return bucket->record.bucket;
}

Status Engine::delete_bucket(std::string_view name, const os::Deadline& deadline) {
  CAIRN_CHECK(user_bucket(*core_, name));
  CAIRN_CHECK(deadline.check("delete a bucket"));
  return core_->delete_bucket(name);
}

Result<s3::Object> Engine::put(const ObjectName& name, std::string_view body,
                               const PutParams& params, const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(deadline.check("put an object"));
  std::string etag = to_hex(md5(body));
  CAIRN_CHECK(check_md5(params, etag));
  CAIRN_TRY(const StoredBody stored, store_body(*core_, body));
  CAIRN_TRY(ObjectRecord record,
            core_->commit(*bucket, name.key, object_of(params, std::move(etag)), stored,
                          guard_of(params.condition), deadline));
  return std::move(record.object);
}

Result<std::unique_ptr<ObjectWriter>> Engine::begin_put(const ObjectName& name,
                                                        const BeginPutParams& params,
                                                        const os::Deadline& deadline) {
  const auto expected_bytes = params.expected_bytes;
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(deadline.check("put an object"));
  CAIRN_CHECK(core_->check_space(expected_bytes.value_or(0)));
  return std::unique_ptr<ObjectWriter>(
      std::make_unique<Writer>(*core_, std::move(bucket), std::string(name.key), expected_bytes));
}

Result<s3::Object> Engine::head(const ObjectName& name, const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(deadline.check("look at an object"));
  CAIRN_TRY(std::optional<ObjectRecord> record, core_->find(*bucket, name.key));
  if (!record) return no_key(name.key);
  return std::move(record->object);
}

Result<std::unique_ptr<ObjectReader>> Engine::get(const ObjectName& name, const RangeParams& range,
                                                  const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(deadline.check("read an object"));
  CAIRN_TRY(std::unique_ptr<OpenBody> body, core_->open_body(*bucket, name.key));
  if (!body) return no_key(name.key);
  CAIRN_TRY(const Span span, resolve(range, body->record().object.size_bytes));
  return std::unique_ptr<ObjectReader>(
      std::make_unique<Reader>(std::move(body), span.offset, span.count));
}

Result<bool> Engine::remove(const ObjectName& name, const os::Deadline& deadline,
                            const std::optional<std::string>& if_match) {
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name.bucket));
  return core_->remove(*bucket, name.key, Guard{.if_match = if_match}, deadline);
}

Result<std::vector<bool>> Engine::remove_batch(std::string_view bucket_name,
                                               const std::vector<std::string>& keys,
                                               const os::Deadline& deadline) {
  for (const std::string& key : keys) CAIRN_CHECK(check_key(key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, bucket_name));
  return core_->remove_all(*bucket, keys, deadline);
}

Result<s3::Object> Engine::copy(const ObjectName& from, const ObjectName& to,
                                const CopyParams& params, const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(from.key));
  CAIRN_CHECK(check_key(to.key));
  CAIRN_TRY(const BucketPointer source, user_bucket(*core_, from.bucket));
  CAIRN_TRY(const BucketPointer target, user_bucket(*core_, to.bucket));
  CAIRN_CHECK(core_->check_space(0));
  const auto change = [&](const ObjectRecord& old, s3::Object& object) -> Status {
    if (params.source_if_match && *params.source_if_match != old.object.etag)
      return s3::error("PreconditionFailed").with_detail("Condition", "x-amz-copy-source-If-Match");
    object.owner = params.owner;
    if (params.attributes) object.attributes = *params.attributes;
    return ok_status();
  };
  CAIRN_TRY(ObjectRecord record, core_->copy(*source, from.key, *target, to.key, change,
                                             guard_of(params.condition), deadline));
  return std::move(record.object);
}

Result<s3::ListPage> Engine::list(std::string_view bucket_name, const s3::ListParams& params,
                                  const os::Deadline& deadline) {
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, bucket_name));
  s3::ListPage page;
  const ListVisitor visitor{
      .object = [&](std::string_view key, std::string_view record) -> Status {
        CAIRN_TRY(s3::Object object, decode_summary(record, key));
        page.objects.push_back(std::move(object));
        return ok_status();
      },
      .prefix = [&](std::string_view prefix) { page.common_prefixes.emplace_back(prefix); }};
  CAIRN_TRY(page.next_start_after, core_->list(*bucket, params, visitor, deadline));
  page.truncated = !page.next_start_after.empty();
  return page;
}

Status Engine::check_writable() const { return core_->check_writable(); }

Status Engine::wait_collected(const os::Deadline& deadline) {
  if (core_->keeper().wait_idle(deadline)) return ok_status();
  CAIRN_CHECK(deadline.check("wait for the collection of extents"));
  return Error{.kind = ErrorKind::timeout, .message = "extents are still being collected"};
}

}  // namespace cairn::objectstore
