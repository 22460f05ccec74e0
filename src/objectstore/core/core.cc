// SPDX-License-Identifier: Apache-2.0
#include "objectstore/core/core.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/hash.h"
#include "objectstore/core/multipart.h"
#include "objectstore/engine_store.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/threads/blocking.h"
#include "s3/errors.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint64_t serial_step = 1 << 20;
constexpr std::string_view clock_row = "clock";

Error no_bucket_named(std::string_view name) {
  return s3::error("NoSuchBucket").with_detail("BucketName", std::string(name));
}

}  // namespace

Error no_bucket(const Bucket& bucket) { return no_bucket_named(bucket.record.bucket.name); }

Result<BucketPointer> user_bucket(const Core& core, std::string_view name) {
  if (s3::is_reserved_bucket(name)) return no_bucket_named(name);
  return core.find_bucket(name);
}

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

void ExtentPins::add(const std::vector<ExtentSpan>& extents) {
  const std::lock_guard lock(mutex_);
  for (const ExtentSpan& extent : extents) ++counts_[extent.id];
}

void ExtentPins::drop(const std::vector<ExtentSpan>& extents) {
  const std::lock_guard lock(mutex_);
  for (const ExtentSpan& extent : extents) {
    const auto found = counts_.find(extent.id);
    if (--found->second == 0) counts_.erase(found);
  }
}

bool ExtentPins::held(std::uint64_t id) const {
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

Result<std::unique_ptr<Core>> Core::open_to_look(const EngineOptions& options, DataFolder folder) {
  CAIRN_CHECK(options.validate());
  std::unique_ptr<Core> core(new Core(options));
  core->folder_ = std::move(folder);
  CAIRN_CHECK(core->open_to_look_now());
  return core;
}

Status Core::open_now() {
  os::Files& files = *options_.files;
  CAIRN_TRY(folder_, DataFolder::open(files, options_.data_dir));
  spare_.emplace(files, folder_->spare(), options_.set_aside_bytes);
  CAIRN_CHECK(open_kv());
  CAIRN_CHECK(folder_->raise_version(files));
  serials_ = std::make_unique<Serials>(*kv_);
  CAIRN_CHECK(serials_->open());
  journal_numbers_ = std::make_unique<RowNumbers>(*kv_);
  CAIRN_CHECK(journal_numbers_->open());
  open_extents();
  CAIRN_CHECK(load_buckets());
  CAIRN_CHECK(make_reserved_buckets());
  CAIRN_CHECK(open_retention_clock());
  spare_->keep(options_.reserve_bytes);
  collector_ = std::make_unique<ExtentCollector>(*kv_, *extents_, pins_, options_);
  return collector_->start(serials_->first_of_this_run(), !kv_->opening().was_cut_short,
                           [this] { look_after_folder(); });
}

/// A start needs some space; on a full disk that is what was set aside.
Status Core::open_kv() {
  auto opened = RocksKv::open(*options_.files, folder_->metadata(), kv_options());
  if (!opened.ok() && opened.error().kind == ErrorKind::storage_full && spare_->give())
    opened = RocksKv::open(*options_.files, folder_->metadata(), kv_options());
  CAIRN_TRY(kv_, std::move(opened));
  return ok_status();
}

Status Core::open_retention_clock() {
  std::string value;
  CAIRN_TRY(const bool found, kv_->get(Table::system, clock_row, value));
  retention_clock_.begin(found ? ByteReader(value).i64le() : std::nullopt);
  const auto now = retention_clock_.save_due();
  return now ? save_retention_clock(*now) : ok_status();
}

Status Core::save_retention_clock(std::int64_t now_ms) {
  std::string value;
  put_i64le(value, now_ms);
  KvBatch batch;
  batch.put(Table::system, std::string(clock_row), std::move(value));
  return kv_->write(batch);
}

void Core::look_after_folder() {
  const auto told = [](const char* what, const Status& done) {
    if (!done.ok())
      os::log(os::LogLevel::warn, "objectstore", what, {{"reason", done.error().message}});
  };
  told("lock_not_kept", folder_->keep_lock(*options_.files));
  if (!kv_->healthy()) return;
  if (const auto now = retention_clock_.save_due())
    told("clock_not_saved", save_retention_clock(*now));
  spare_->keep(options_.reserve_bytes);
}

Status Core::open_to_look_now() {
  CAIRN_TRY(kv_, RocksKv::open_to_look(*options_.files, folder_->metadata(), kv_options()));
  open_extents();
  return load_buckets();
}

void Core::open_extents() {
  extents_ =
      std::make_unique<Extents>(*options_.files,
                                Extents::Options{.directory = folder_->extents(),
                                                 .temporary = folder_->temporary(),
                                                 .cached_bytes_max = options_.cached_bytes_max},
                                *options_.clock);
}

KvOptions Core::kv_options() const {
  return {.block_cache_bytes = options_.block_cache_bytes,
          .row_cache_bytes = options_.row_cache_bytes,
          .write_buffer_bytes = options_.write_buffer_bytes};
}

Status Core::load_buckets() {
  const std::string prefix(bucket_row_prefix);
  CAIRN_TRY(const auto cursor, kv_->cursor(Table::system, store::after_prefix(prefix)));
  for (cursor->seek(prefix); cursor->valid(); cursor->next()) {
    CAIRN_TRY(StoredBucket stored, decode_bucket(cursor->value()));
    add_bucket(std::make_shared<Bucket>(stored.id, std::move(stored.state)));
  }
  return cursor->status();
}

Status Core::make_reserved_buckets() {
  KvBatch batch;
  std::vector<BucketPointer> made;
  for (const std::string_view name : reserved_buckets) {
    if (buckets_.contains(name)) continue;
    CAIRN_TRY(const std::uint64_t id, serials_->next());
    BucketState state{
        .bucket = {.name = std::string(name), .created_ms = options_.clock->unix_ms()},
        .generation = id};
    batch.put(Table::system, bucket_row(name), encode(id, state));
    made.push_back(std::make_shared<Bucket>(id, std::move(state)));
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
  if (found == buckets_.end()) return no_bucket_named(name);
  return found->second;
}

std::vector<BucketPointer> Core::buckets() const {
  const std::shared_lock lock(buckets_mutex_);
  std::vector<BucketPointer> all;
  for (const auto& [name, bucket] : buckets_) all.push_back(bucket);
  return all;
}

Result<BucketPointer> Core::create_bucket(s3::Bucket bucket,
                                          const std::map<std::string, std::string>& documents) {
  const std::lock_guard lock(bucket_changes_);
  if (const auto found = find_bucket(bucket.name); found.ok()) {
    const bool own = (*found)->record.bucket.owner.id == bucket.owner.id;
    return own ? s3::error("BucketAlreadyOwnedByYou").with_detail("BucketName", bucket.name)
               : s3::error("BucketAlreadyExists").with_detail("BucketName", bucket.name);
  }
  CAIRN_CHECK(check_space(0));
  CAIRN_TRY(const std::uint64_t id, serials_->next());
  bucket.created_ms = options_.clock->unix_ms();
  if (bucket.object_lock.enabled) bucket.versioning = s3::Versioning::enabled;
  BucketState state{.bucket = std::move(bucket), .generation = id};
  for (const auto& [name, text] : documents) {
    CAIRN_TRY(const std::uint64_t number, serials_->next());
    state.documents.emplace(name, std::make_shared<BucketDocument>(text, number));
  }
  KvBatch batch;
  batch.put(Table::system, bucket_row(state.bucket.name), encode(id, state));
  CAIRN_CHECK(write(batch));
  auto made = std::make_shared<Bucket>(id, std::move(state));
  made->usage.end(made->usage.begin(), {});  // nothing is in it yet
  add_bucket(made);
  return made;
}

namespace {

Error wrong_state(const char* why) { return s3::error("InvalidBucketState", why); }

/// Object lock needs versioning, and neither can be taken back from it.
Status change_facts(const BucketChange& change, s3::Bucket& bucket) {
  if (change.versioning) {
    if (*change.versioning == s3::Versioning::off && bucket.versioning != s3::Versioning::off)
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "versioning can be suspended, and not taken back"};
    bucket.versioning = *change.versioning;
  }
  if (bucket.object_lock.enabled && bucket.versioning != s3::Versioning::enabled)
    return wrong_state(
        "An Object Lock configuration is present on this bucket, so the versioning state cannot be "
        "changed.");
  if (change.object_lock) {
    if (!change.object_lock->enabled && bucket.object_lock.enabled)
      return wrong_state("Object Lock cannot be taken away from a bucket that has it.");
    if (change.object_lock->enabled && bucket.versioning != s3::Versioning::enabled)
      return wrong_state(
          "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration");
    bucket.object_lock = *change.object_lock;
  }
  if (change.ownership) bucket.ownership = *change.ownership;
  return ok_status();
}

}  // namespace

// The gate is held alone, so that every change of an object sees one state of its bucket from its
// beginning to its end.
Result<BucketView> Core::change_bucket(Bucket& bucket, const BucketChange& change) {
  const std::lock_guard lock(bucket_changes_);
  const os::Blocking waiting;
  const std::unique_lock gate(bucket.gate);
  if (bucket.gone) return no_bucket(bucket);
  const BucketView before = bucket.state();
  if (change.if_generation && *change.if_generation != before->generation)
    return s3::error("OperationAborted");
  auto after = std::make_shared<BucketState>(*before);
  CAIRN_CHECK(change_facts(change, after->bucket));
  for (const auto& [name, text] : change.documents) {
    if (!text) {
      after->documents.erase(name);
      continue;
    }
    CAIRN_TRY(const std::uint64_t number, serials_->next());
    after->documents.insert_or_assign(name, std::make_shared<BucketDocument>(*text, number));
  }
  CAIRN_TRY(after->generation, serials_->next());
  KvBatch batch;
  batch.put(Table::system, bucket_row(after->bucket.name), encode(bucket.record.id, *after));
  CAIRN_CHECK(write(batch));
  bucket.set_state(after);
  return BucketView(after);
}

Status Core::delete_bucket(std::string_view name, bool only_try) {
  const std::lock_guard lock(bucket_changes_);
  CAIRN_TRY(const BucketPointer bucket, find_bucket(name));
  const os::Blocking waiting;
  const std::unique_lock gate(bucket->gate);
  for (const Table table : {Table::objects, Table::versions}) {
    const std::string first = object_row(bucket->record.id, {});
    CAIRN_TRY(const auto cursor, kv_->cursor(table, store::after_prefix(first)));
    cursor->seek(first);
    if (cursor->valid())
      return s3::error("BucketNotEmpty", table == Table::objects
                                             ? ""
                                             : "The bucket you tried to delete is not empty. You "
                                               "must delete all versions in the bucket.")
          .with_detail("BucketName", std::string(name));
    CAIRN_CHECK(cursor->status());
  }
  if (bucket->state()->bucket.is_directory()) {
    CAIRN_TRY(const bool uploads, Uploads::any(*this, bucket->record.id));
    if (uploads)
      return s3::error("BucketNotEmpty",
                       "The bucket has multipart uploads in progress. Complete or abort them first.")
          .with_detail("BucketName", std::string(name));
  }
  if (only_try) return ok_status();
  KvBatch batch;
  std::vector<ExtentSpan> released;
  CAIRN_CHECK(Uploads::take_away_all(*this, bucket->record.id, batch, released));
  batch.remove(Table::system, bucket_row(name));
  CAIRN_CHECK(write(batch));
  collector_->released(released);
  bucket->gone = true;
  const std::unique_lock lock_all(buckets_mutex_);
  buckets_.erase(buckets_.find(name));
  return ok_status();
}

Status Core::write(const KvBatch& batch) {
  static os::Histogram& time = os::metrics().histogram(
      "cairn_objectstore_commit_seconds", "From handing a change to RocksDB until it is durable");
  const std::int64_t begin = options_.clock->steady_ns();
  Status done = kv_->write(batch);
  time.observe_ns(options_.clock->steady_ns() - begin);
  return done;
}

Status Core::check_space(std::uint64_t bytes, bool own) {
  if (own && starting_) return ok_status();
  const std::int64_t now = options_.clock->steady_ns();
  if (space_asked_ns_.load() == 0 ||
      now - space_asked_ns_.load() >= options_.space_check_ms * 1'000'000) {
    CAIRN_TRY(const std::uint64_t free, options_.files->free_bytes(folder_->path()));
    space_free_.store(free);
    space_asked_ns_.store(now);
  }
  const std::uint64_t free = space_free_.load();
  const std::uint64_t reserve = own ? options_.reserve_bytes / 2 : options_.reserve_bytes;
  if (!spare_->is_given() && free >= reserve && free - reserve >= bytes) return ok_status();
  return Error{.kind = ErrorKind::storage_full,
               .message = "the disk of the data folder [" + folder_->path() + "] has " +
                          std::to_string(free >> 20) + " MiB left and " +
                          std::to_string(options_.reserve_bytes >> 20) +
                          " MiB are kept in reserve; delete objects or add space"};
}

Md5Scheduler& Core::hashing() {
  std::call_once(hashing_once_, [&] { hashing_ = std::make_unique<Md5Scheduler>(); });
  return *hashing_;
}

Status Core::check_writable() {
  if (!kv_->healthy())
    return Error{.kind = ErrorKind::unavailable,
                 .message = "metadata are read-only since a failed write"};
  return check_space(0);
}

}  // namespace cairn::objectstore
