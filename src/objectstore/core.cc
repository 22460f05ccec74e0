// SPDX-License-Identifier: Apache-2.0
#include "objectstore/core.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/hash.h"
#include "objectstore/engine_store.h"
#include "objectstore/multipart.h"
#include "os/blocking.h"
#include "os/log.h"
#include "os/metrics.h"
#include "s3/errors.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint64_t serial_step = 1 << 20;

os::Counter& changes(const char* kind) {
  return os::metrics().counter("cairn_objectstore_changes_total",
                               "Changes of objects that were made durable", {{"kind", kind}});
}

Error condition_failed(const char* header, bool absent) {
  Error error = s3::error("PreconditionFailed").with_detail("Condition", header);
  if (absent) return std::move(error).with_detail("Reason", "no object is there");
  return error;
}

Status check(const Guard& guard, const std::optional<ObjectRecord>& now) {
  if (guard.if_none_match && now) return condition_failed("If-None-Match", false);
  if (!guard.if_match && !guard.if_serial) return ok_status();
  if (!now) return condition_failed("If-Match", true);
  if (guard.if_match && *guard.if_match != "*" && *guard.if_match != now->object.etag)
    return condition_failed("If-Match", false);
  if (guard.if_serial && *guard.if_serial != now->serial)
    return condition_failed("If-Match", false);
  return ok_status();
}

Error no_bucket(std::string_view name) {
  return s3::error("NoSuchBucket").with_detail("BucketName", std::string(name));
}

}  // namespace

Status EngineOptions::validate() const {
  const auto wrong = [](std::string what) {
    return Error{.kind = ErrorKind::invalid_argument, .message = std::move(what)};
  };
  if (data_dir.empty()) return wrong("data.dir must name a folder");
  if (inline_bytes_max > (1 << 20)) return wrong("bodies over 1 MiB cannot be kept in RocksDB");
  if (write_buffer_bytes < (64 << 10)) return wrong("the write buffer needs at least 64 KiB");
  return ok_status();
}

Status Serials::open() {
  std::string value;
  CAIRN_TRY(const bool found, kv_.get(Table::system, serial_row, value));
  if (found) {
    const auto spent = ByteReader(value).u64le();
    if (!spent) return Error{.kind = ErrorKind::corrupt, .message = "the serial row is broken"};
    first_ = *spent;
  }
  counter_ = first_;
  return reserve(first_ + serial_step);
}

Status Serials::reserve(std::uint64_t limit) {
  std::string value;
  put_u64le(value, limit);
  KvBatch batch;
  batch.put(Table::system, std::string(serial_row), std::move(value));
  CAIRN_CHECK(kv_.write(batch));
  limit_.store(limit);
  return ok_status();
}

Result<std::uint64_t> Serials::next() {
  const std::uint64_t mine = counter_.fetch_add(1);
  if (mine < limit_.load()) return mine;
  const std::lock_guard lock(mutex_);
  while (mine >= limit_.load()) CAIRN_CHECK(reserve(limit_.load() + serial_step));
  return mine;
}

void Pins::add(const std::vector<ExtentSpan>& extents) {
  const std::lock_guard lock(mutex_);
  for (const ExtentSpan& extent : extents) ++counts_[extent.id];
}

void Pins::drop(const std::vector<ExtentSpan>& extents) {
  const std::lock_guard lock(mutex_);
  for (const ExtentSpan& extent : extents) {
    const auto found = counts_.find(extent.id);
    if (--found->second == 0) counts_.erase(found);
  }
}

bool Pins::held(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  return counts_.contains(id);
}

std::size_t KeyLocks::stripe_of(std::string_view row) const { return fast_hash(row) % stripes; }

std::unique_lock<std::mutex> KeyLocks::lock(std::string_view row) {
  std::unique_lock lock(mutexes_[stripe_of(row)], std::try_to_lock);
  if (!lock.owns_lock()) {
    const os::Blocking waiting;
    lock.lock();
  }
  return lock;
}

KeyLocks::Held KeyLocks::lock(const std::vector<std::string_view>& rows) {
  std::vector<std::size_t> wanted;
  for (const std::string_view row : rows) wanted.push_back(stripe_of(row));
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<std::unique_lock<std::mutex>> locks;
  const os::Blocking waiting;
  for (const std::size_t stripe : wanted) locks.emplace_back(mutexes_[stripe]);
  return Held(std::move(locks));
}

Result<std::unique_ptr<Core>> Core::open(const EngineOptions& options) {
  CAIRN_CHECK(options.validate());
  std::unique_ptr<Core> core(new Core(options));
  CAIRN_CHECK(core->open_now());
  return core;
}

Core::~Core() = default;

Status Core::open_now() {
  os::Files& files = *options_.files;
  CAIRN_TRY(folder_, DataFolder::open(files, options_.data_dir));
  const KvOptions kv_options{.block_cache_bytes = options_.block_cache_bytes,
                             .write_buffer_bytes = options_.write_buffer_bytes};
  CAIRN_TRY(kv_, RocksKv::open(files, folder_->metadata(), kv_options));
  serials_ = std::make_unique<Serials>(*kv_);
  CAIRN_CHECK(serials_->open());
  extents_ = std::make_unique<Extents>(files, folder_->extents(), folder_->temporary());
  CAIRN_CHECK(load_buckets());
  CAIRN_CHECK(make_reserved_buckets());
  keeper_ = std::make_unique<Keeper>(*kv_, *extents_, pins_, options_);
  keeper_->start(serials_->first_of_this_run());
  return ok_status();
}

Status Core::load_buckets() {
  const std::string prefix(bucket_row_prefix);
  CAIRN_TRY(const auto cursor, kv_->cursor(Table::system, store::after_prefix(prefix)));
  for (cursor->seek(prefix); cursor->valid(); cursor->next()) {
    CAIRN_TRY(BucketRecord record, decode_bucket(cursor->value()));
    add_bucket(std::make_shared<Bucket>(std::move(record)));
  }
  return cursor->status();
}

Status Core::make_reserved_buckets() {
  KvBatch batch;
  std::vector<BucketPointer> made;
  for (const std::string_view name : reserved_buckets) {
    if (buckets_.contains(name)) continue;
    CAIRN_TRY(const std::uint64_t id, serials_->next());
    BucketRecord record{
        .id = id, .bucket = {.name = std::string(name), .created_ms = options_.clock->unix_ms()}};
    batch.put(Table::system, bucket_row(name), encode(record));
    made.push_back(std::make_shared<Bucket>(std::move(record)));
  }
  if (batch.empty()) return ok_status();
  CAIRN_CHECK(write(batch));
  for (BucketPointer& bucket : made) add_bucket(std::move(bucket));
  return ok_status();
}

void Core::add_bucket(BucketPointer bucket) {
  const std::unique_lock lock(buckets_mutex_);
  std::string name = bucket->record.bucket.name;
  buckets_.insert_or_assign(std::move(name), std::move(bucket));
}

Result<BucketPointer> Core::find_bucket(std::string_view name) const {
  const std::shared_lock lock(buckets_mutex_);
  const auto found = buckets_.find(name);
  if (found == buckets_.end()) return no_bucket(name);
  return found->second;
}

std::vector<BucketPointer> Core::buckets() const {
  const std::shared_lock lock(buckets_mutex_);
  std::vector<BucketPointer> all;
  for (const auto& [name, bucket] : buckets_) all.push_back(bucket);
  return all;
}

Result<BucketPointer> Core::create_bucket(s3::Bucket bucket) {
  const std::lock_guard lock(bucket_changes_);
  if (const auto found = find_bucket(bucket.name); found.ok()) {
    const bool own = (*found)->record.bucket.owner.id == bucket.owner.id;
    return own ? s3::error("BucketAlreadyOwnedByYou").with_detail("BucketName", bucket.name)
               : s3::error("BucketAlreadyExists").with_detail("BucketName", bucket.name);
  }
  CAIRN_CHECK(check_space(0));
  CAIRN_TRY(const std::uint64_t id, serials_->next());
  bucket.created_ms = options_.clock->unix_ms();
  BucketRecord record{.id = id, .bucket = std::move(bucket)};
  KvBatch batch;
  batch.put(Table::system, bucket_row(record.bucket.name), encode(record));
  CAIRN_CHECK(write(batch));
  auto made = std::make_shared<Bucket>(std::move(record));
  add_bucket(made);
  return made;
}

Status Core::delete_bucket(std::string_view name) {
  const std::lock_guard lock(bucket_changes_);
  CAIRN_TRY(const BucketPointer bucket, find_bucket(name));
  const os::Blocking waiting;
  const std::unique_lock gate(bucket->gate);
  {
    const std::string first = object_row(bucket->record.id, {});
    CAIRN_TRY(const auto cursor, kv_->cursor(Table::objects, store::after_prefix(first)));
    cursor->seek(first);
    if (cursor->valid())
      return s3::error("BucketNotEmpty").with_detail("BucketName", std::string(name));
    CAIRN_CHECK(cursor->status());
  }
  KvBatch batch;
  std::vector<ExtentSpan> released;
  CAIRN_CHECK(Uploads::take_away_all(*this, bucket->record.id, batch, released));
  batch.remove(Table::system, bucket_row(name));
  CAIRN_CHECK(write(batch));
  keeper_->released(released);
  bucket->gone = true;
  const std::unique_lock lock_all(buckets_mutex_);
  buckets_.erase(buckets_.find(name));
  return ok_status();
}

Result<std::optional<ObjectRecord>> Core::find_row(std::string_view row) {
  std::string value;
  CAIRN_TRY(const bool found, kv_->get(Table::objects, row, value));
  if (!found) return std::optional<ObjectRecord>();
  CAIRN_TRY(ObjectRecord record, decode_object(value, row.substr(object_row_key_at)));
  return std::optional(std::move(record));
}

Result<std::optional<ObjectRecord>> Core::find(const Bucket& bucket, std::string_view key) {
  return find_row(object_row(bucket.record.id, key));
}

void Core::take_away(const ObjectRecord& old, KvBatch& batch, std::vector<ExtentSpan>& released) {
  for (const ExtentSpan& extent : old.extents) {
    batch.remove(Table::references, reference_row(extent.id, old.serial));
    released.push_back(extent);
  }
  if (old.extents.empty() && old.object.size_bytes > 0)
    batch.remove(Table::bodies, body_row(old.serial));
}

Status Core::write(const KvBatch& batch) {
  static os::Histogram& time = os::metrics().histogram(
      "cairn_objectstore_commit_seconds", "From handing a change to RocksDB until it is durable");
  const std::int64_t begin = options_.clock->steady_ns();
  Status done = kv_->write(batch);
  time.observe_ns(options_.clock->steady_ns() - begin);
  return done;
}

Result<ObjectRecord> Core::commit_locked(std::string_view row, s3::Object object,
                                         const StoredBody& body, const Guard& guard,
                                         bool& attempted) {
  CAIRN_TRY(const std::optional<ObjectRecord> old, find_row(row));
  CAIRN_CHECK(check(guard, old));
  CAIRN_TRY(const std::uint64_t serial, serials_->next());
  object.key = row.substr(object_row_key_at);
  object.size_bytes = body.size_bytes;
  object.modified_ms = options_.clock->unix_ms();
  ObjectRecord record{.object = std::move(object),
                      .serial = serial,
                      .body_crc = body.row_crc,
                      .extents = body.extents};
  KvBatch batch;
  std::vector<ExtentSpan> released;
  if (old) take_away(*old, batch, released);
  batch.put(Table::objects, std::string(row), encode(record));
  if (!body.row.empty()) batch.put_view(Table::bodies, body_row(serial), body.row);
  for (const ExtentSpan& extent : body.extents)
    batch.put(Table::references, reference_row(extent.id, serial), {});
  attempted = true;
  CAIRN_CHECK(write(batch));
  keeper_->released(released);
  return record;
}

// Crash points of a put: before the commit the old version stands, and an extent that has a name
// already is swept at the next start; the commit is one synced batch of RocksDB, all or nothing;
// after it the new version stands, and the old version's extents are removed by the keeper, or,
// when the crash comes first, by the sweep.
Result<ObjectRecord> Core::commit(Bucket& bucket, std::string_view key, s3::Object object,
                                  const StoredBody& body, const Guard& guard,
                                  const os::Deadline& deadline) {
  static os::Counter& count = changes("put");
  const std::string row = object_row(bucket.record.id, key);
  bool attempted = false;
  const auto locked = [&]() -> Result<ObjectRecord> {
    const std::shared_lock gate(bucket.gate);
    if (bucket.gone) return no_bucket(bucket.record.bucket.name);
    const auto lock = locks_.lock(row);
    CAIRN_CHECK(deadline.check("put an object"));
    return commit_locked(row, std::move(object), body, guard, attempted);
  };
  Result<ObjectRecord> record = locked();
  if (record.ok()) {
    count.add();
    return record;
  }
  for (const ExtentSpan& extent : body.extents) {
    if (attempted)
      keeper_->suspect(extent.id);
    else
      (void)extents_->remove(extent.id);
  }
  return record;
}

Result<bool> Core::remove(Bucket& bucket, std::string_view key, const Guard& guard,
                          const os::Deadline& deadline) {
  static os::Counter& count = changes("delete");
  const std::string row = object_row(bucket.record.id, key);
  const std::shared_lock gate(bucket.gate);
  const auto lock = locks_.lock(row);
  CAIRN_CHECK(deadline.check("delete an object"));
  CAIRN_TRY(const std::optional<ObjectRecord> old, find_row(row));
  CAIRN_CHECK(check(guard, old));
  if (!old) return false;
  KvBatch batch;
  std::vector<ExtentSpan> released;
  batch.remove(Table::objects, row);
  take_away(*old, batch, released);
  CAIRN_CHECK(write(batch));
  keeper_->released(released);
  count.add();
  return true;
}

Result<std::vector<bool>> Core::remove_all(Bucket& bucket, const std::vector<std::string>& keys,
                                           const os::Deadline& deadline) {
  std::vector<std::string> rows;
  for (const std::string& key : keys) rows.push_back(object_row(bucket.record.id, key));
  const std::shared_lock gate(bucket.gate);
  const auto locks = locks_.lock(std::vector<std::string_view>(rows.begin(), rows.end()));
  CAIRN_CHECK(deadline.check("delete objects"));
  KvBatch batch;
  std::vector<ExtentSpan> released;
  std::vector<bool> existed(keys.size(), false);
  std::map<std::string_view, std::size_t> seen;  // a key named twice is taken away once
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const auto [first, is_new] = seen.emplace(rows[i], i); !is_new) {
      existed[i] = existed[first->second];
      continue;
    }
    CAIRN_TRY(const std::optional<ObjectRecord> old, find_row(rows[i]));
    if (!old) continue;
    existed[i] = true;
    batch.remove(Table::objects, rows[i]);
    take_away(*old, batch, released);
  }
  if (!batch.empty()) CAIRN_CHECK(write(batch));
  keeper_->released(released);
  changes("delete").add(
      static_cast<std::uint64_t>(std::count(existed.begin(), existed.end(), true)));
  return existed;
}

// While the lock of the source is held its references stand, so the copy's references are there
// before the source's can go: an extent that lost its last reference never gets another one.
Result<ObjectRecord> Core::copy(
    Bucket& from, std::string_view from_key, Bucket& to, std::string_view to_key,
    const std::function<Status(const ObjectRecord&, s3::Object&)>& change, const Guard& guard,
    const os::Deadline& deadline) {
  static os::Counter& count = changes("copy");
  const std::string source_row = object_row(from.record.id, from_key);
  const std::string target_row = object_row(to.record.id, to_key);
  // Two gates: always that of the older bucket first.
  const bool same = &from == &to;
  const bool from_first = from.record.id < to.record.id;
  const std::shared_lock first_gate(from_first ? from.gate : to.gate);
  std::shared_lock second_gate(from_first ? to.gate : from.gate, std::defer_lock);
  if (!same) second_gate.lock();
  if (to.gone) return no_bucket(to.record.bucket.name);
  const auto locks = locks_.lock({source_row, target_row});
  CAIRN_CHECK(deadline.check("copy an object"));
  CAIRN_TRY(const std::optional<ObjectRecord> source, find_row(source_row));
  if (!source) return s3::error("NoSuchKey").with_detail("Key", std::string(from_key));
  s3::Object object = source->object;
  CAIRN_CHECK(change(*source, object));
  StoredBody body{.size_bytes = source->object.size_bytes,
                  .row_crc = source->body_crc,
                  .extents = source->extents};
  std::string row;
  if (body.extents.empty() && body.size_bytes > 0) {
    CAIRN_TRY(const bool found, kv_->get(Table::bodies, body_row(source->serial), row));
    if (!found || row.size() != body.size_bytes || crc32c(row) != body.row_crc)
      return Error{.kind = ErrorKind::corrupt, .message = "the body of the source does not verify"};
    body.row = row;
  }
  bool attempted = false;
  CAIRN_TRY(ObjectRecord record,
            commit_locked(target_row, std::move(object), body, guard, attempted));
  count.add();
  return record;
}

Status Core::check_space(std::uint64_t bytes) {
  const std::int64_t now = options_.clock->steady_ns();
  if (space_asked_ns_.load() == 0 ||
      now - space_asked_ns_.load() >= options_.space_check_ms * 1'000'000) {
    CAIRN_TRY(const std::uint64_t free, options_.files->free_bytes(folder_->path()));
    space_free_.store(free);
    space_asked_ns_.store(now);
  }
  const std::uint64_t free = space_free_.load();
  if (free >= options_.reserve_bytes && free - options_.reserve_bytes >= bytes) return ok_status();
  return Error{.kind = ErrorKind::storage_full,
               .message = "the disk of the data folder [" + folder_->path() + "] has " +
                          std::to_string(free >> 20) + " MiB left and " +
                          std::to_string(options_.reserve_bytes >> 20) +
                          " MiB are kept in reserve; delete objects or add space"};
}

Status Core::check_writable() {
  if (!kv_->healthy())
    return Error{.kind = ErrorKind::unavailable,
                 .message = "metadata are read-only since a failed write"};
  return check_space(0);
}

}  // namespace cairn::objectstore
