// SPDX-License-Identifier: Apache-2.0
#include "objectstore/engine_store.h"

#include <algorithm>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "objectstore/body_writer.h"
#include "objectstore/core/core.h"
#include "s3/errors.h"

namespace cairn::objectstore {
namespace {

using store::Condition;
using store::ObjectInfo;

/// Errors of the engine carry codes of the object service; callers of a store see kinds alone.
Error plain(Error error) {
  error.code.clear();
  error.details.clear();
  return error;
}

template <class T>
Result<T> plain(Result<T> result) {
  if (result.ok()) return result;
  return plain(std::move(result).error());
}

/// The etag of a store is the version's serial: unlike an MD5 it differs for every put.
std::string etag_of(std::uint64_t serial) { return std::to_string(serial); }

ObjectInfo info_of(const ObjectRecord& record, std::size_t prefix_bytes) {
  return {.key = record.object.key.substr(prefix_bytes),
          .size_bytes = record.object.size_bytes,
          .etag = etag_of(record.serial),
          .modified_ms = record.object.modified_ms};
}

Guard guard_of(const Condition& condition) {
  Guard guard{.if_none_match = condition.if_none_match};
  // An etag that is no serial matches nothing.
  if (condition.if_match)
    guard.if_serial = parse_number<std::uint64_t>(*condition.if_match).value_or(0);
  return guard;
}

struct Where {
  Core& core;
  std::string bucket;
  std::string prefix;
  bool hashes;  // MD5 etags, for objects that the service shows
  s3::Encryption how = {};

  bool own() const { return !hashes; }  // what the program itself keeps
  bool seals() const { return how.method != s3::EncryptionMethod::none; }
  Result<BodyParams> body() const {
    BodyParams params{.own = own()};
    if (!seals()) return params;
    CAIRN_TRY(params.key, plain(make_data_key(core.options().key_ring, {.how = how})));
    return params;
  }
  Result<BucketPointer> find() const { return plain(core.find_bucket(bucket)); }
  Result<std::string> full(std::string_view key) const {
    std::string name = prefix + std::string(key);
    if (!key.empty() && name.size() <= s3::key_bytes_max) return name;
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "a key has 1 to " + std::to_string(s3::key_bytes_max - prefix.size()) +
                            " bytes, and this one has " + std::to_string(key.size())};
  }
  Error missing(std::string_view key) const {
    return {.kind = ErrorKind::not_found,
            .message = "[" + bucket + "] has no object [" + prefix + std::string(key) + "]"};
  }
};

class EngineUpload final : public store::Upload {
 public:
  EngineUpload(Where where, BucketPointer bucket, std::string name, BodyParams body,
               const os::Deadline& deadline)
      : where_(std::move(where)),
        bucket_(std::move(bucket)),
        name_(std::move(name)),
        deadline_(deadline),
        writer_(where_.core, std::move(body)) {
    if (where_.hashes) md5_.emplace(DigestKind::md5);
  }
  Status write(std::string_view bytes) override {
    CAIRN_CHECK(deadline_.check("write an object"));
    if (md5_) md5_->update(bytes);
    return writer_.write(bytes);
  }
  Result<ObjectInfo> finish(const Condition& condition) override {
    if (finished_)
      return Error{.kind = ErrorKind::conflict, .message = "the upload was finished before"};
    finished_ = true;
    CAIRN_CHECK(deadline_.check("finish an upload"));
    CAIRN_TRY(const StoredBody body, writer_.finish());
    s3::Object object;
    object.encryption = where_.how;
    if (md5_) object.etag = to_hex(md5_->finish());
    CAIRN_TRY(const ObjectRecord record,
              plain(where_.core.commit(*bucket_, name_, std::move(object), body,
                                       guard_of(condition), deadline_)));
    return info_of(record, where_.prefix.size());
  }

 private:
  Where where_;
  BucketPointer bucket_;
  std::string name_;
  os::Deadline deadline_;
  BodyWriter writer_;
  std::optional<Digest> md5_;
  bool finished_ = false;
};

class EngineStore final : public store::Store {
 public:
  explicit EngineStore(Where where) : where_(std::move(where)) {}

  Result<store::Object> get(std::string_view key, const os::Deadline& deadline,
                            store::Range range) override {
    CAIRN_CHECK(deadline.check("read an object"));
    CAIRN_TRY(const auto bucket, where_.find());
    CAIRN_TRY(const std::string name, where_.full(key));
    CAIRN_TRY(const auto body, core().open_body(*bucket, name));
    if (!body) return where_.missing(key);
    CAIRN_CHECK(plain(core().unlock(*body, std::nullopt)));
    const std::uint64_t size = body->record().object.size_bytes;
    if (range.offset > size) {
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "the range starts at " + std::to_string(range.offset) + " and [" +
                              name + "] has " + std::to_string(size) + " bytes"};
    }
    store::Object object{.info = info_of(body->record(), where_.prefix.size()), .bytes = {}};
    const std::uint64_t count = std::min(range.count, size - range.offset);
    const bool as_it_is = body->record().sealed_key.empty();
    if (body->record().extents.empty() && as_it_is && count == size) {
      object.bytes = std::move(body->row());
      return object;
    }
    object.bytes.reserve(count);
    while (object.bytes.size() < count) {
      CAIRN_CHECK(deadline.check("read an object"));
      const std::uint64_t done = object.bytes.size();
      CAIRN_TRY(const std::string_view piece, body->read(range.offset + done, count - done));
      object.bytes += piece;
    }
    return object;
  }

  Result<std::optional<ObjectInfo>> head(std::string_view key,
                                         const os::Deadline& deadline) override {
    CAIRN_CHECK(deadline.check("look at an object"));
    CAIRN_TRY(const auto bucket, where_.find());
    CAIRN_TRY(const std::string name, where_.full(key));
    CAIRN_TRY(const auto record, core().find(*bucket, name));
    if (!record) return std::optional<ObjectInfo>();
    return std::optional(info_of(*record, where_.prefix.size()));
  }

  Result<ObjectInfo> put(std::string_view key, std::string_view bytes, const os::Deadline& deadline,
                         const Condition& condition) override {
    CAIRN_CHECK(deadline.check("put an object"));
    CAIRN_TRY(const auto bucket, where_.find());
    CAIRN_TRY(const std::string name, where_.full(key));
    if (where_.seals()) return put_sealed(key, bytes, deadline, condition);
    s3::Object object;
    if (where_.hashes) object.etag = to_hex(md5(bytes));
    CAIRN_TRY(const StoredBody body, store_body(core(), bytes, where_.own()));
    CAIRN_TRY(const ObjectRecord record, plain(core().commit(*bucket, name, std::move(object), body,
                                                             guard_of(condition), deadline)));
    return info_of(record, where_.prefix.size());
  }

  Result<std::unique_ptr<store::Upload>> begin_upload(std::string_view key,
                                                      const os::Deadline& deadline) override {
    CAIRN_CHECK(deadline.check("begin an upload"));
    CAIRN_TRY(auto bucket, where_.find());
    CAIRN_TRY(std::string name, where_.full(key));
    CAIRN_CHECK(core().check_space(0, where_.own()));
    CAIRN_TRY(BodyParams body, where_.body());
    return std::unique_ptr<store::Upload>(std::make_unique<EngineUpload>(
        where_, std::move(bucket), std::move(name), std::move(body), deadline));
  }

  Result<store::ListPage> list(const store::ListParams& params,
                               const os::Deadline& deadline) override {
    CAIRN_TRY(const auto bucket, where_.find());
    const s3::ListParams below{
        .prefix = where_.prefix + params.prefix,
        .delimiter = params.delimiter,
        .start_after = params.start_after.empty() ? "" : where_.prefix + params.start_after,
        .limit = std::max<std::size_t>(params.limit, 1)};
    store::ListPage page;
    const ListVisitor visitor{
        .object = [&](std::string_view key, std::string_view bytes) -> Status {
          CAIRN_TRY(const ObjectRecord record, decode_object(bytes, key));
          page.objects.push_back(info_of(record, where_.prefix.size()));
          return ok_status();
        },
        .prefix =
            [&](std::string_view prefix) {
              page.prefixes.emplace_back(prefix.substr(where_.prefix.size()));
            }};
    CAIRN_TRY(const std::string next, core().list(*bucket, below, visitor, deadline));
    if (!next.empty()) page.next_start_after = next.substr(where_.prefix.size());
    return page;
  }

  Result<bool> remove(std::string_view key, const os::Deadline& deadline,
                      const Condition& condition) override {
    CAIRN_TRY(const auto bucket, where_.find());
    CAIRN_TRY(const std::string name, where_.full(key));
    return plain(core().remove(*bucket, name, guard_of(condition), deadline));
  }

  Result<std::size_t> remove_batch(const std::vector<std::string>& keys,
                                   const os::Deadline& deadline) override {
    CAIRN_TRY(const auto bucket, where_.find());
    std::vector<std::string> names;
    for (const std::string& key : keys) {
      CAIRN_TRY(std::string name, where_.full(key));
      names.push_back(std::move(name));
    }
    // A key that is named twice was there once.
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    CAIRN_TRY(const std::vector<bool> existed, plain(core().remove_all(*bucket, names, deadline)));
    return static_cast<std::size_t>(std::count(existed.begin(), existed.end(), true));
  }

  Result<ObjectInfo> copy(std::string_view from, std::string_view to, const os::Deadline& deadline,
                          const Condition& condition) override {
    CAIRN_TRY(const auto bucket, where_.find());
    CAIRN_TRY(const std::string source, where_.full(from));
    CAIRN_TRY(const std::string target, where_.full(to));
    CAIRN_CHECK(core().check_space(0, where_.own()));
    CAIRN_TRY(const ObjectRecord record,
              plain(core().copy(
                  *bucket, source, *bucket, target,
                  [](const ObjectRecord&, s3::Object&) { return ok_status(); }, guard_of(condition),
                  deadline)));
    return info_of(record, where_.prefix.size());
  }

 private:
  // As an upload that is all there.
  Result<ObjectInfo> put_sealed(std::string_view key, std::string_view bytes,
                                const os::Deadline& deadline, const Condition& condition) {
    CAIRN_TRY(const auto upload, begin_upload(key, deadline));
    CAIRN_CHECK(upload->write(bytes));
    return upload->finish(condition);
  }
  Core& core() const { return where_.core; }
  Where where_;
};

}  // namespace

Result<std::unique_ptr<store::Store>> reserved_store(Engine& engine, std::string_view bucket,
                                                     std::string prefix) {
  return sealed_store(engine, bucket, std::move(prefix), {});
}

Result<std::unique_ptr<store::Store>> sealed_store(Engine& engine, std::string_view bucket,
                                                   std::string prefix, const s3::Encryption& how) {
  Where where{.core = engine.core(),
              .bucket = std::string(bucket),
              .prefix = std::move(prefix),
              .hashes = false,
              .how = how};
  if (!s3::is_reserved_bucket(bucket)) {
    return Error{.kind = ErrorKind::not_found,
                 .message = "[" + where.bucket + "] is no reserved bucket"};
  }
  CAIRN_CHECK(where.find());
  return std::unique_ptr<store::Store>(std::make_unique<EngineStore>(std::move(where)));
}

Result<std::unique_ptr<store::Store>> bucket_store(Engine& engine, std::string_view bucket,
                                                   std::string prefix) {
  CAIRN_CHECK(plain(engine.head_bucket(bucket)));
  return std::unique_ptr<store::Store>(
      std::make_unique<EngineStore>(Where{.core = engine.core(),
                                          .bucket = std::string(bucket),
                                          .prefix = std::move(prefix),
                                          .hashes = true}));
}

}  // namespace cairn::objectstore
