// SPDX-License-Identifier: Apache-2.0
#include "objectstore/engine.h"

#include <algorithm>

#include "base/encode.h"
#include "base/hash.h"
#include "objectstore/body_writer.h"
#include "objectstore/copies/checkpoint.h"
#include "objectstore/core/access_points.h"
#include "objectstore/core/core.h"
#include "objectstore/core/multipart.h"
#include "objectstore/engine_writer.h"
#include "os/metrics.h"
#include "s3/errors.h"

namespace cairn::objectstore {
namespace {

Error over_marker(Error error, const s3::Object& marker) {
  return std::move(error)
      .with_detail(std::string(marker_detail), "true")
      .with_detail(std::string(version_detail), marker.version_id)
      .with_detail(std::string(modified_detail), std::to_string(marker.modified_ms));
}

/// Why there is nothing to read under that name.
Error missing(const ObjectName& name, const std::optional<Standing>& standing) {
  const std::string key(name.key);
  if (name.version.empty()) {
    Error error = s3::error("NoSuchKey").with_detail("Key", key);
    return standing ? over_marker(std::move(error), standing->record.object) : error;
  }
  if (standing)
    return over_marker(s3::error("MethodNotAllowed").with_detail("ResourceType", "DeleteMarker"),
                       standing->record.object);
  return s3::error("NoSuchVersion")
      .with_detail("Key", key)
      .with_detail("VersionId", std::string(name.version));
}

Result<ObjectRecord> live_version(Core& core, const Bucket& bucket, const ObjectName& name) {
  CAIRN_TRY(std::optional<Standing> standing, core.find_version(bucket, name.key, name.version));
  if (!standing || standing->record.object.delete_marker) return missing(name, standing);
  standing->record.object.latest = standing->latest;
  return std::move(standing->record);
}

class Reader final : public ObjectReader {
 public:
  Reader(std::unique_ptr<OpenBody> body, std::uint64_t offset, std::uint64_t count,
         std::int64_t fresh_ms)
      : body_(std::move(body)), offset_(offset), count_(count), fresh_ms_(fresh_ms) {}
  const s3::Object& object() const override { return body_->record().object; }
  std::uint64_t offset() const override { return offset_; }
  std::uint64_t size_bytes() const override { return count_; }
  Result<std::string_view> next() override {
    CAIRN_TRY(const std::string_view piece, body_->read(offset_ + done_, count_ - done_));
    done_ += piece.size();
    return piece;
  }
  Result<std::optional<FileBytes>> file() override {
    return body_->file(offset_ + done_, count_ - done_, fresh_ms_);
  }
  void skip(std::uint64_t count) override {
    static os::Counter& sent =
        os::metrics().counter("cairn_objectstore_file_bytes_total",
                              "Bytes of bodies that went out as they lie in their files, which "
                              "were verified a short time before");
    sent.add(count);
    done_ += count;
  }

 private:
  std::unique_ptr<OpenBody> body_;
  std::uint64_t offset_;
  std::uint64_t count_;
  std::int64_t fresh_ms_;
  std::uint64_t done_ = 0;
};

struct Span {
  std::uint64_t offset;
  std::uint64_t count;
};

/// Parts keep the numbers that they were uploaded with only until the completion: they count on
/// from one.
Result<Span> resolve_part(int number, const s3::Object& object) {
  const auto count = static_cast<int>(object.parts.size());
  if (number == 1 && count == 0) return Span{0, object.size_bytes};
  if (number < 1 || number > count)
    return s3::error("InvalidPartNumber")
        .with_detail("ActualPartCount", std::to_string(std::max(1, count)))
        .with_detail("PartNumberRequested", std::to_string(number));
  Span span{0, object.parts[static_cast<std::size_t>(number - 1)].size_bytes};
  for (int i = 0; i + 1 < number; ++i)
    span.offset += object.parts[static_cast<std::size_t>(i)].size_bytes;
  return span;
}

Result<Span> resolve(const ReadParams& range, const s3::Object& object) {
  const std::uint64_t size = object.size_bytes;
  if (range.part_number) return resolve_part(*range.part_number, object);
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

/// A retention that is in force is only made longer, in the mode that it has, but for who may
/// bypass governance.
Status check_retention(const s3::Object& object, const std::optional<s3::Retention>& wanted,
                       bool bypass_governance, std::int64_t now_ms) {
  const auto& now = object.retention;
  if (!now || now->until_ms <= now_ms) return ok_status();
  if (now->mode == s3::LockMode::governance && bypass_governance) return ok_status();
  if (wanted && wanted->mode == now->mode && wanted->until_ms >= now->until_ms) return ok_status();
  return s3::error("AccessDenied", "Access Denied because object protected by object lock.");
}

Status change_now(const ObjectChange& change, s3::Object& object, std::int64_t now_ms) {
  if (change.judge) CAIRN_CHECK(change.judge(object));
  if (change.retention) {
    CAIRN_CHECK(check_retention(object, *change.retention, change.bypass_governance, now_ms));
    object.retention = *change.retention;
  }
  if (change.tags) object.tags = *change.tags;
  if (change.acl) object.acl = *change.acl;
  if (change.legal_hold) object.legal_hold = *change.legal_hold;
  if (change.restore) object.restore = *change.restore;
  if (change.archive_tier) object.archive_tier = *change.archive_tier;
  if (change.replication_status) object.replication_status = *change.replication_status;
  return ok_status();
}

Status check_version_named(const Bucket& bucket, std::string_view version) {
  const bool versioned = bucket.state()->bucket.versioning != s3::Versioning::off;
  if (version.empty() || version == s3::null_version || versioned) return ok_status();
  return s3::error("InvalidArgument", "Invalid version id specified")
      .with_detail("ArgumentName", "versionId")
      .with_detail("ArgumentValue", std::string(version));
}

}  // namespace

Engine::Engine(std::unique_ptr<Core> core)
    : core_(std::move(core)),
      uploads_(std::make_unique<Uploads>(*core_)),
      access_points_(std::make_unique<AccessPoints>(*core_)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::open(const EngineOptions& options) {
  CAIRN_TRY(auto core, Core::open(options));
  std::unique_ptr<Engine> engine(new Engine(std::move(core)));
  CAIRN_CHECK(engine->access_points_->load());
  return engine;
}

Result<s3::Bucket> Engine::create_bucket(const s3::Bucket& bucket, const os::Deadline& deadline,
                                         const std::map<std::string, std::string>& documents) {
  const bool named = bucket.zone ? s3::is_directory_bucket_name(bucket.name) &&
                                       s3::zone_id_of_bucket_name(bucket.name) == bucket.zone->id
                                 : s3::is_bucket_name(bucket.name);
  if (!named)
    return s3::error("InvalidBucketName").with_detail("BucketName", bucket.name);
  CAIRN_CHECK(deadline.check("create a bucket"));
  CAIRN_TRY(const BucketPointer made, access_points_->create_bucket(bucket, documents));
  return made->state()->bucket;
}

std::vector<s3::Bucket> Engine::list_buckets(std::optional<std::string_view> owner_id) const {
  std::vector<s3::Bucket> shown;
  for (const BucketPointer& bucket : core_->buckets()) {
    const BucketView state = bucket->state();
    const s3::Bucket& facts = state->bucket;
    if (s3::is_reserved_bucket(facts.name)) continue;
    if (!owner_id || facts.owner.id == *owner_id) shown.push_back(facts);
  }
  return shown;
}

Result<s3::Bucket> Engine::head_bucket(std::string_view name) const {
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name));
  return bucket->state()->bucket;
}

Result<BucketView> Engine::bucket(std::string_view name) const {
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name));
  return bucket->state();
}

Result<BucketView> Engine::change_bucket(std::string_view name, const BucketChange& change,
                                         const os::Deadline& deadline) {
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name));
  CAIRN_CHECK(deadline.check("change a bucket"));
  return core_->change_bucket(*bucket, change);
}

Status Engine::delete_bucket(std::string_view name, const os::Deadline& deadline) {
  CAIRN_CHECK(user_bucket(*core_, name));
  CAIRN_CHECK(deadline.check("delete a bucket"));
  return access_points_->delete_bucket(name);
}

Status Engine::check_delete_bucket(std::string_view name, const os::Deadline& deadline) {
  CAIRN_CHECK(user_bucket(*core_, name));
  CAIRN_CHECK(deadline.check("try to delete a bucket"));
  return access_points_->delete_bucket(name, true);
}

Result<s3::Object> Engine::put(const ObjectName& name, std::string_view body,
                               const PutParams& params, const os::Deadline& deadline) {
  if (params.encryption.how.method != s3::EncryptionMethod::none) {
    CAIRN_TRY(const auto writer,
              begin_put(name, {.expected_bytes = body.size(), .encryption = params.encryption},
                        deadline));
    CAIRN_CHECK(writer->write(body));
    return writer->finish(params, deadline);
  }
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(deadline.check("put an object"));
  std::string etag = to_hex(md5(body));
  CAIRN_CHECK(check_md5(params, etag));
  CAIRN_TRY(const StoredBody stored, store_body(*core_, body));
  s3::Object object = described(params, {});
  object.etag = std::move(etag);
  CAIRN_TRY(ObjectRecord record, core_->commit(*bucket, name.key, std::move(object), stored,
                                               guard_of(params.condition), deadline,
                                               params.origin));
  return std::move(record.object);
}

Result<std::unique_ptr<ObjectWriter>> Engine::begin_put(const ObjectName& name,
                                                        const BeginPutParams& params,
                                                        const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(deadline.check("put an object"));
  CAIRN_CHECK(core_->check_space(params.expected_bytes.value_or(0)));
  CAIRN_TRY(std::optional<DataKey> key, data_key_of(*core_, params.encryption));
  return std::unique_ptr<ObjectWriter>(std::make_unique<EngineWriter>(
      *core_, std::move(bucket), std::string(name.key), params.encryption.how,
      BodyParams{.expected_bytes = params.expected_bytes, .key = std::move(key)}));
}

Result<s3::Object> Engine::rename(std::string_view bucket, std::string_view from,
                                  std::string_view to, const RenameParams& params,
                                  const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(from));
  CAIRN_CHECK(check_key(to));
  CAIRN_TRY(const BucketPointer found, user_bucket(*core_, bucket));
  CAIRN_CHECK(deadline.check("rename an object"));
  CAIRN_TRY(ObjectRecord record, core_->rename(*found, from, to, params, deadline));
  return std::move(record.object);
}

Result<s3::Object> Engine::head(const ObjectName& name, const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(deadline.check("look at an object"));
  CAIRN_TRY(ObjectRecord record, live_version(*core_, *bucket, name));
  return std::move(record.object);
}

Result<s3::Object> Engine::head(const ObjectName& name,
                                const std::optional<std::string>& customer_key,
                                const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(deadline.check("look at an object"));
  CAIRN_TRY(ObjectRecord record, live_version(*core_, *bucket, name));
  const s3::Encryption& how = record.object.encryption;
  if (customer_key || how.method == s3::EncryptionMethod::customer)
    CAIRN_CHECK(open_data_key(nullptr, how, record.sealed_key, customer_key));
  return std::move(record.object);
}

Result<std::unique_ptr<ObjectReader>> Engine::get(const ObjectName& name, const ReadParams& params,
                                                  const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(deadline.check("read an object"));
  CAIRN_TRY(std::unique_ptr<OpenBody> body, core_->open_body(*bucket, name.key, name.version));
  if (!body) {
    CAIRN_TRY(const auto standing, core_->find_version(*bucket, name.key, name.version));
    return missing(name, standing);
  }
  CAIRN_CHECK(core_->unlock(*body, params.customer_key));
  CAIRN_TRY(const Span span, resolve(params, body->record().object));
  return std::unique_ptr<ObjectReader>(std::make_unique<Reader>(
      std::move(body), span.offset, span.count, core_->options().verified_fresh_ms));
}

Result<Removed> Engine::remove(const ObjectName& name, const RemoveParams& params,
                               const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(check_version_named(*bucket, name.version));
  return core_->remove(*bucket,
                       {.key = std::string(name.key),
                        .version = std::string(name.version),
                        .condition = params.condition},
                       params, deadline);
}

Result<bool> Engine::remove(const ObjectName& name, const os::Deadline& deadline,
                            const std::optional<std::string>& if_match) {
  CAIRN_TRY(const Removed removed, remove(name, RemoveParams{.condition = {.if_match = if_match}}, deadline));
  return removed.existed;
}

Result<std::vector<Result<Removed>>> Engine::remove_batch(std::string_view bucket_name,
                                                          const std::vector<RemoveEntry>& entries,
                                                          const RemoveParams& params,
                                                          const os::Deadline& deadline) {
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, bucket_name));
  // Entries that cannot be meant are told apart first; the others go in one step.
  std::vector<RemoveEntry> good;
  std::vector<std::optional<Error>> refused(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const RemoveEntry& entry = entries[i];
    const bool is_id = entry.version.empty() || entry.version == s3::null_version ||
                       version_order(entry.version).has_value();
    if (const Status key = check_key(entry.key); !key.ok())
      refused[i] = key.error();
    else if (!is_id || !check_version_named(*bucket, entry.version).ok())
      refused[i] = s3::error("NoSuchVersion");
    else
      good.push_back(entry);
  }
  CAIRN_TRY(std::vector<Result<Removed>> done, core_->remove_all(*bucket, good, params, deadline));
  std::vector<Result<Removed>> all;
  std::size_t next = 0;
  for (std::optional<Error>& error : refused)
    all.push_back(error ? Result<Removed>(std::move(*error)) : std::move(done[next++]));
  return all;
}

Result<std::vector<bool>> Engine::remove_batch(std::string_view bucket_name,
                                               const std::vector<std::string>& keys,
                                               const os::Deadline& deadline) {
  for (const std::string& key : keys) CAIRN_CHECK(check_key(key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, bucket_name));
  return core_->remove_all(*bucket, keys, deadline);
}

Result<s3::Object> Engine::change_object(const ObjectName& name, const ObjectChange& change,
                                         const os::Deadline& deadline) {
  CAIRN_CHECK(check_key(name.key));
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, name.bucket));
  CAIRN_CHECK(core_->check_space(0));
  const std::int64_t now = core_->retention_now_ms();
  CAIRN_TRY(std::optional<ObjectRecord> record, core_->change(
                                                    *bucket, name.key, name.version,
                                                    [&](const BucketState&, s3::Object& object) {
                                                      return change_now(change, object, now);
                                                    },
                                                    deadline, change.origin));
  if (record) return std::move(record->object);
  CAIRN_TRY(const auto standing, core_->find_version(*bucket, name.key, name.version));
  return missing(name, standing);
}

Result<s3::ListPage> Engine::list(std::string_view bucket_name, const s3::ListParams& params,
                                  const os::Deadline& deadline) {
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, bucket_name));
  s3::ListPage page;
  if (params.delimiter.empty()) page.objects.reserve(std::min(params.limit, s3::list_limit_max));
  const ListVisitor visitor{
      .object = [&](std::string_view key, std::string_view record) -> Status {
        if (!params.with_state) {
          return decode_summary(record, key, page.objects.emplace_back());
        }
        CAIRN_TRY(ObjectRecord whole, decode_object(record, key));
        whole.object.parts.clear();
        page.objects.push_back(std::move(whole.object));
        return ok_status();
      },
      .prefix = [&](std::string_view prefix) { page.common_prefixes.emplace_back(prefix); }};
  CAIRN_TRY(page.next_start_after, core_->list(*bucket, params, visitor, deadline));
  page.truncated = !page.next_start_after.empty();
  return page;
}

Result<std::string> Engine::list(std::string_view bucket_name, const s3::ListParams& params,
                                 const PageVisitor& visitor, const os::Deadline& deadline) {
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, bucket_name));
  const ListVisitor rows{.object = [&](std::string_view key, std::string_view record) -> Status {
                           ListedObject object;
                           CAIRN_CHECK(decode_summary(record, key, object));
                           visitor.object(object);
                           return ok_status();
                         },
                         .prefix = visitor.prefix};
  return core_->list(*bucket, params, rows, deadline);
}

Result<s3::ListVersionsPage> Engine::list_versions(std::string_view bucket_name,
                                                   const s3::ListVersionsParams& params,
                                                   const os::Deadline& deadline) {
  CAIRN_TRY(const BucketPointer bucket, user_bucket(*core_, bucket_name));
  return core_->list_versions(*bucket, params, deadline);
}

Result<std::unique_ptr<Engine>> Engine::open_to_look(const EngineOptions& options) {
  CAIRN_TRY(DataFolder folder, DataFolder::look(*options.files, options.data_dir));
  CAIRN_TRY(auto core, Core::open_to_look(options, std::move(folder)));
  return std::unique_ptr<Engine>(new Engine(std::move(core)));
}

void Engine::serving() { core_->serving(); }
Status Engine::check_writable() const { return core_->check_writable(); }

Result<std::unique_ptr<Checkpoint>> Engine::checkpoint() { return Checkpoint::take(*core_); }

Status Engine::wait_collected(const os::Deadline& deadline) {
  if (core_->collector().wait_idle(deadline)) return ok_status();
  CAIRN_CHECK(deadline.check("wait for the collection of extents"));
  return Error{.kind = ErrorKind::timeout, .message = "extents are still being collected"};
}

}  // namespace cairn::objectstore
