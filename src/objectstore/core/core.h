// SPDX-License-Identifier: Apache-2.0
// What engine and stores share: buckets and objects without the rules of either face.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "objectstore/bucket_state.h"
#include "objectstore/bucket_usage.h"
#include "objectstore/cipher.h"
#include "objectstore/data_folder.h"
#include "objectstore/engine.h"
#include "objectstore/extents/extents.h"
#include "objectstore/hash/md5_scheduler.h"
#include "objectstore/journal/journal_record.h"
#include "objectstore/metadata/rocks_kv.h"
#include "objectstore/options.h"
#include "objectstore/records.h"
#include "objectstore/retention_clock.h"
#include "objectstore/spare_space.h"
#include "os/deadline.h"
#include "os/threads/thread.h"

namespace cairn::objectstore {

/// One bucket in memory. Changes of objects hold `gate` shared; a change of the bucket, and its
/// removal, hold it alone.
struct Bucket {
  Bucket(std::uint64_t id, BucketState state)
      : record{.id = id, .bucket = state.bucket},
        state_(std::make_shared<const BucketState>(std::move(state))) {}
  const BucketRecord record;  // of its beginning: id, name, owner
  std::shared_mutex gate;
  bool gone = false;  // guarded by gate
  mutable UsageCount usage;

  BucketView state() const {
    const std::lock_guard lock(state_mutex_);
    return state_;
  }
  void set_state(BucketView state) {
    const std::lock_guard lock(state_mutex_);
    state_.swap(state);
  }

 private:
  mutable std::mutex state_mutex_;
  BucketView state_;
};
using BucketPointer = std::shared_ptr<Bucket>;

/// What must hold of the version that a change replaces.
struct Guard {
  std::optional<std::string> if_match = {};  // its etag, or "*" for any
  std::optional<std::uint64_t> if_serial = {};
  bool if_none_match = false;
};

/// Errors: PreconditionFailed.
Status check_guard(const Guard& guard, const ObjectRecord* now);

/// A body that is stored, or about to be in the commit.
struct StoredBody {
  std::uint64_t size_bytes = 0;
  std::string_view row = {};  // a body for the table bodies
  std::uint32_t row_crc = 0;
  std::vector<ExtentSpan> extents = {};
  std::string sealed_key = {};  // of an encrypted body
  bool shared = false;          // another version's extents, which the caller has pinned
};

/// A version as it stands.
struct Standing {
  ObjectRecord record;
  std::string value = {};    // of its row
  bool in_versions = false;  // its row is one of `versions`, not of `objects`
  bool latest = true;
};

/// Bytes that go behind what a key holds, stored already.
struct Appending {
  const AppendParams& params;
  const PutParams& put;         // the condition; of an object that is made all of it
  s3::Encryption encryption;    // of an object that is made
  std::uint64_t serial = 0;     // of the version that the bytes were stored for; 0: none was there
  bool holds_all = false;       // `body` begins with what was there
  StoredBody body;
  s3::Part part;                // what was appended
};

/// Numbers that are never given twice, over restarts too. Safe from any thread.
class Serials {
 public:
  explicit Serials(RocksKv& kv) : kv_(kv) {}
  /// Reads how far earlier runs came and reserves the next numbers.
  Status open();
  Result<std::uint64_t> next();
  std::uint64_t first_of_this_run() const { return first_; }
  /// All that were given are lower.
  std::uint64_t bound() const { return counter_.load(); }

 private:
  Status reserve(std::uint64_t limit);
  RocksKv& kv_;
  std::uint64_t first_ = 1;
  std::atomic<std::uint64_t> counter_{1};
  std::atomic<std::uint64_t> limit_{0};
  std::mutex mutex_;
};

/// Extents that readers hold open. Safe from any thread.
class ExtentPins {
 public:
  void add(const std::vector<ExtentSpan>& extents);
  void drop(const std::vector<ExtentSpan>& extents);
  bool held(std::uint64_t id) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, int> counts_;
};

/// While one lives, extents stay that lose their last reference.
struct ExtentHold {
  /// The disk got so full that they go all the same: deletes must be able to make room.
  std::atomic<bool> broken = false;
};

/// Removes extents that nothing refers to, sweeps once after the start, and brings the metadata
/// back after a failed write. One thread of its own.
class ExtentCollector {
 public:
  ExtentCollector(RocksKv& kv, Extents& extents, ExtentPins& pins, const EngineOptions& options);
  ~ExtentCollector();
  /// `sweeps`: extents of earlier runs without a reference go. Not after a start that had to leave
  /// out the end of a log: what it named may be what lost its reference.
  /// `each_turn` is called about once a second.
  /// Errors: unavailable (no thread can be had).
  Status start(std::uint64_t first_serial_of_run, bool sweeps, std::function<void()> each_turn);
  /// Extents that lost a reference in a commit: those without another one are removed.
  void released(const std::vector<ExtentSpan>& extents);
  /// An extent whose commit has an unknown outcome: recovery decides whether it is an orphan.
  void suspect(std::uint64_t extent_id);
  /// From now on nothing that is referenced now is removed, until what this gives is dropped.
  std::shared_ptr<ExtentHold> hold();
  /// True when nothing is left to remove but what readers hold.
  bool wait_idle(const os::Deadline& deadline);

 private:
  void run(const std::stop_token& stop);
  std::vector<std::string> folders_to_sweep();
  void sweep(const std::string& folder, const std::stop_token& stop);
  void collect();
  void recover();
  /// Whether a hold keeps all; breaks them where the disk is full.
  bool held();
  Result<bool> is_referenced(std::uint64_t extent_id);
  void remove(std::uint64_t extent_id);

  RocksKv& kv_;
  Extents& extents_;
  ExtentPins& pins_;
  const EngineOptions& options_;
  std::uint64_t first_serial_ = 0;
  bool sweeps_ = true;
  std::function<void()> each_turn_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::uint64_t> released_;
  std::vector<std::uint64_t> orphan_candidates_;
  std::vector<std::weak_ptr<ExtentHold>> holds_;
  bool swept_ = false;
  bool busy_ = false;
  os::Thread thread_;
};

/// The locks of keys: changes of one key happen one after another.
class KeyLocks {
 public:
  class Held {
   public:
    explicit Held(std::vector<std::unique_lock<std::mutex>> locks) : locks_(std::move(locks)) {}

   private:
    std::vector<std::unique_lock<std::mutex>> locks_;
  };
  /// Of all the keys at once, in an order that cannot deadlock. `rows` are keys of the objects
  /// table.
  Held lock(const std::vector<std::string_view>& rows);
  std::unique_lock<std::mutex> lock(std::string_view row);

 private:
  static constexpr std::size_t stripes = 1024;
  std::size_t stripe_of(std::string_view row) const;
  std::array<std::mutex, stripes> mutexes_;
};

/// A body that can be read: the row, or extents that are pinned as long as this lives.
class OpenBody {
 public:
  OpenBody(Extents& extents, ExtentPins& pins, ObjectRecord record);
  ~OpenBody();
  OpenBody(const OpenBody&) = delete;
  OpenBody& operator=(const OpenBody&) = delete;

  const ObjectRecord& record() const { return record_; }
  std::string& row() { return row_; }
  /// Of an encrypted body: what read() needs to give plain bytes.
  void unlock(BodyCipher cipher) { cipher_.emplace(std::move(cipher)); }
  /// Verified bytes from `offset`, at most `most`; empty at the end. Valid until the next call.
  Result<std::string_view> read(std::uint64_t offset, std::uint64_t most);
  /// The bytes from `offset` as they lie in a file, where they are plain and fresh.
  Result<std::optional<FileBytes>> file(std::uint64_t offset, std::uint64_t most,
                                        std::int64_t fresh_ms);

 private:
  Result<std::string_view> read_row(std::uint64_t offset, std::uint64_t most);
  Result<std::string_view> read_sealed(std::uint64_t offset, std::uint64_t most);
  Status open_extent(std::size_t number);

  Extents& extents_;
  ExtentPins& pins_;
  ObjectRecord record_;
  std::string row_;
  std::unique_ptr<ExtentReader> reader_;
  std::size_t reading_ = SIZE_MAX;  // the extent that reader_ has open
  std::optional<BodyCipher> cipher_;
  std::string plain_;  // of the last chunks that were decrypted
};

/// The body as another version can share it. The views and pins live as long as `body`.
StoredBody shared_body(OpenBody& body);

/// What a listing shows, in order.
struct ListVisitor {
  std::function<Status(std::string_view key, std::string_view record)> object;
  std::function<void(std::string_view prefix)> prefix;
};

/// Safe from any thread.
class Core {
 public:
  static Result<std::unique_ptr<Core>> open(const EngineOptions& options);
  /// To read what is there, where nobody runs: changes nothing, removes nothing, and takes no
  /// changes. `options.files` may refuse all that writes.
  static Result<std::unique_ptr<Core>> open_to_look(const EngineOptions& options,
                                                    DataFolder folder);
  ~Core();

  /// Errors: NoSuchBucket.
  Result<BucketPointer> find_bucket(std::string_view name) const;
  std::vector<BucketPointer> buckets() const;  // by name
  Result<BucketPointer> create_bucket(s3::Bucket bucket,
                                      const std::map<std::string, std::string>& documents);
  Result<BucketView> change_bucket(Bucket& bucket, const BucketChange& change);
  Status delete_bucket(std::string_view name, bool only_try = false);

  /// The current version, where it is no delete marker.
  Result<std::optional<ObjectRecord>> find(const Bucket& bucket, std::string_view key);
  /// The version of that id, or, without one, the current version, markers too.
  /// Errors: InvalidArgument, for an id that cannot be one.
  Result<std::optional<Standing>> find_version(const Bucket& bucket, std::string_view key,
                                               std::string_view version);
  /// The version, or null where there is none, or a delete marker.
  Result<std::unique_ptr<OpenBody>> open_body(const Bucket& bucket, std::string_view key,
                                              std::string_view version = {});
  /// Opens the data key of an encrypted body. Errors: those of open_data_key.
  Status unlock(OpenBody& body, const std::optional<std::string>& customer_key);
  /// Makes `object` with `body` the current version. `object` needs no key, size or time.
  /// After an error the extents of `body` are taken away, by the collector if not at once.
  /// Errors: PreconditionFailed, NoSuchBucket; InvalidRequest, for a lock without object lock.
  Result<ObjectRecord> commit(Bucket& bucket, std::string_view key, s3::Object object,
                              const StoredBody& body, const Guard& guard,
                              const os::Deadline& deadline, const ChangeOrigin& origin = {});
  /// The current version as its row has it, without reading a manifest that says how many parts are
  /// in it. Errors: InvalidRequest, in a bucket with versions.
  Result<std::optional<ObjectRecord>> look(const Bucket& bucket, std::string_view key);
  /// Puts bytes behind what the key holds. After an error the extents of the body are taken away.
  /// Errors: those of commit, check_append; OperationAborted, where another object took the place
  /// of the one that the bytes were stored for.
  Result<ObjectRecord> append(Bucket& bucket, std::string_view key, const Appending& appended,
                              const os::Deadline& deadline);
  /// The current version: true where there was one.
  Result<bool> remove(Bucket& bucket, std::string_view key, const Guard& guard,
                      const os::Deadline& deadline);
  Result<std::vector<bool>> remove_all(Bucket& bucket, const std::vector<std::string>& keys,
                                       const os::Deadline& deadline);
  /// As Engine::remove and remove_batch.
  Result<Removed> remove(Bucket& bucket, const RemoveEntry& entry, const RemoveParams& params,
                         const os::Deadline& deadline);
  Result<std::vector<Result<Removed>>> remove_all(Bucket& bucket,
                                                  const std::vector<RemoveEntry>& entries,
                                                  const RemoveParams& params,
                                                  const os::Deadline& deadline);
  /// Changes the row of a version; `change` may refuse.
  Result<std::optional<ObjectRecord>> change(
      Bucket& bucket, std::string_view key, std::string_view version,
      const std::function<Status(const BucketState&, s3::Object&)>& change,
      const os::Deadline& deadline, const ChangeOrigin& origin = {});
  /// `change` may alter what the copy says of itself, or refuse the source. The bytes, and their
  /// encryption, stay as they are.
  Result<ObjectRecord> copy(Bucket& from, std::string_view from_key, Bucket& to,
                            std::string_view to_key,
                            const std::function<Status(const ObjectRecord&, s3::Object&)>& change,
                            const Guard& guard, const os::Deadline& deadline);
  /// As Engine::rename.
  Result<ObjectRecord> rename(Bucket& bucket, std::string_view from, std::string_view to,
                              const RenameParams& params, const os::Deadline& deadline);
  /// The key or prefix to go on after; empty at the end.
  Result<std::string> list(const Bucket& bucket, const s3::ListParams& params,
                           const ListVisitor& visitor, const os::Deadline& deadline);

  Result<s3::ListVersionsPage> list_versions(const Bucket& bucket,
                                             const s3::ListVersionsParams& params,
                                             const os::Deadline& deadline);

  /// As Engine::journal and the calls behind it.
  Result<JournalPage> journal(const Bucket& bucket, std::uint64_t after, std::size_t limit,
                              const os::Deadline& deadline);
  Result<bool> expire_journal(const Bucket& bucket, std::int64_t before_ms, std::uint64_t up_to,
                              std::size_t most, const os::Deadline& deadline);
  Result<bool> sweep_tables(std::size_t most, const os::Deadline& deadline);
  /// What a walk does between two stretches; an error ends it.
  using WalkRest = std::function<Status()>;
  /// Counts what the bucket holds, so that Bucket::usage knows it from then on. Changes go on
  /// meanwhile. Errors: NoSuchBucket; unavailable, after which it can be tried again; those of
  /// rest.
  Status count_usage(Bucket& bucket, const WalkRest& rest, const os::Deadline& deadline);

  /// Rows of changes of the bucket that are in progress or to come have higher numbers: waits for
  /// those in progress. Errors: NoSuchBucket.
  Result<std::uint64_t> last_journal_number(Bucket& bucket);
  /// Why the rows of a table lack something; empty where nothing is wrong.
  Result<std::string> table_fault(std::uint64_t table_id);
  Status set_table_fault(std::uint64_t table_id, std::string_view reason);

  /// storage_full when a put of `bytes` would touch the reserve. What the program itself keeps, in
  /// `own` buckets, may touch half of it, and all of it before serving().
  Status check_space(std::uint64_t bytes, bool own = false);
  /// All that a start writes is written.
  void serving() { starting_ = false; }
  /// What retention and lifecycle rules go by.
  std::int64_t retention_now_ms() { return retention_clock_.now_ms(); }
  Status check_writable();
  Result<std::uint64_t> next_serial() { return serials_->next(); }
  std::uint64_t serial_bound() const { return serials_->bound(); }
  RocksKv& kv() { return *kv_; }
  Extents& extents() { return *extents_; }
  /// For the hashing of large bodies; started by the first of them.
  Md5Scheduler& hashing();
  ExtentCollector& collector() { return *collector_; }
  const EngineOptions& options() const { return options_; }

 private:
  friend class Uploads;  // multipart.h: the same tables, locks and collector
  explicit Core(const EngineOptions& options) : options_(options) {}
  Status open_now();
  Status open_to_look_now();
  Status open_kv();
  Status open_retention_clock();
  Status save_retention_clock(std::int64_t now_ms);
  /// Once a second, in the collector's thread.
  void look_after_folder();
  void open_extents();
  KvOptions kv_options() const;
  Status load_buckets();
  Status make_reserved_buckets();
  void add_bucket(BucketPointer bucket);
  /// Which manifests are read with a record: `needed` leaves out those of which the record says
  /// enough to append to it.
  enum class Manifests { all, needed };
  Result<std::optional<Standing>> read_whole(Table table, const std::string& row,
                                             std::string_view key,
                                             Manifests which = Manifests::all);
  Result<bool> read_manifest(ObjectRecord& record);
  Result<std::optional<Standing>> find_row(std::string_view row);
  Result<std::optional<Standing>> find_version_row(std::uint64_t bucket_id, std::string_view key,
                                                   std::uint64_t order);
  /// The newest version that is not in `objects`.
  Result<std::optional<Standing>> newest_version(std::uint64_t bucket_id, std::string_view key);
  /// Whether the key has a version of that order or a newer one.
  Result<bool> has_from(std::uint64_t bucket_id, std::string_view key, std::uint64_t order);
  Result<std::optional<std::uint64_t>> null_order(std::uint64_t bucket_id, std::string_view key);
  Result<std::optional<Standing>> look_for(const Bucket& bucket, std::string_view key,
                                           std::string_view version);
  Result<bool> still_stands(const ObjectRecord& record);

  /// What a step changes: all of it is written at once, then the extents are released.
  struct Change {
    KvBatch batch = {};
    std::vector<ExtentSpan> released = {};
    const Bucket* bucket = nullptr;  // whose usage changes
    UsageChange usage = {};
  };
  Status walk_usage(KvCursor& rows, std::string_view first, BucketUsage& out, const WalkRest& rest,
                    const os::Deadline& deadline);
  /// Adds a body under its serial, with its references. The row is the caller's.
  static void add_body(const StoredBody& body, std::uint64_t serial, Change& change);
  /// Takes a body away with its references. The row is the caller's.
  static void take_away(const ObjectRecord& old, Change& change);
  /// Makes `record` the newest version of its key, in place of `old`, the live current one.
  Status put_on_top(const Bucket& bucket, const Standing* old, ObjectRecord& record,
                    Change& change);
  Status take_null_away(std::uint64_t bucket_id, std::string_view key, Change& change);
  /// Takes the row of a version out of `versions`.
  static void drop_version_row(std::uint64_t bucket_id, const Standing& version, Change& change);
  /// What a key held goes: open uploads of it may have to know.
  Status note_emptied(std::uint64_t bucket_id, std::string_view key, Change& change);
  Status promote_below(std::uint64_t bucket_id, const Standing& removed, Change& change);
  Result<Removed> remove_current(const Bucket& bucket, const RemoveEntry& entry,
                                 const RemoveParams& params, Change& change);
  Result<Removed> remove_version(const Bucket& bucket, const RemoveEntry& entry,
                                 const RemoveParams& params, Change& change);
  Result<Removed> remove_locked(const Bucket& bucket, const RemoveEntry& entry,
                                const RemoveParams& params, Change& change);
  Status apply(Change& change);
  /// The same where the change frees space: goes on with what was set aside when the disk is full.
  Status apply_freeing(Change& change);
  Result<ObjectRecord> commit_locked(Bucket& bucket, std::string_view key, std::string_view row,
                                     s3::Object object, const StoredBody& body, const Guard& guard,
                                     const ChangeOrigin& origin, bool& attempted);
  /// Where the bucket has a journal: its row of the change, in the same batch. `gone`: a version
  /// was removed for good.
  Status note_change(const BucketState& state, ChangeKind kind, const s3::Object& object, bool gone,
                     const ChangeOrigin& origin, Change& change);
  Result<bool> sweep_rows(std::string_view rows, std::size_t most, const os::Deadline& deadline);
  using RowGoes = std::function<bool(std::string_view row, std::string_view value)>;
  /// Removes up to `most` rows from `first` on, before `end`, of which `goes` is true. True where
  /// there may be more.
  Result<bool> remove_rows(const std::string& first, const std::string& end, std::size_t most,
                           const RowGoes& goes,
                           const os::Deadline& deadline);
  Result<ObjectRecord> append_locked(Bucket& bucket, const std::string& row,
                                     const Appending& appended, bool& attempted);
  Result<ObjectRecord> append_anew(Bucket& bucket, const std::string& row,
                                   const std::optional<Standing>& old, const Appending& appended,
                                   bool& attempted);
  Result<ObjectRecord> append_behind(Bucket& bucket, const std::string& row, ObjectRecord record,
                                     const Appending& appended, bool& attempted);
  Status write(const KvBatch& batch);

  const EngineOptions options_;
  std::optional<DataFolder> folder_;
  std::optional<SpareSpace> spare_;
  RetentionClock retention_clock_{*options_.clock};
  std::atomic<bool> starting_ = true;
  std::unique_ptr<RocksKv> kv_;
  std::unique_ptr<Serials> serials_;
  std::unique_ptr<RowNumbers> journal_numbers_;
  std::unique_ptr<Extents> extents_;
  ExtentPins pins_;
  KeyLocks locks_;

  std::mutex bucket_changes_;  // one creation or removal at a time
  mutable std::shared_mutex buckets_mutex_;
  std::map<std::string, BucketPointer, std::less<>> buckets_;

  std::atomic<std::int64_t> space_asked_ns_{0};
  std::atomic<std::uint64_t> space_free_{0};

  std::once_flag hashing_once_;
  std::unique_ptr<Md5Scheduler> hashing_;

  std::unique_ptr<ExtentCollector> collector_;  // last: its thread uses all of the above
};

/// Errors: InvalidWriteOffset, TooManyParts, EntityTooLarge; those of the judge.
Status check_append(const ObjectRecord* there, const AppendParams& params, std::uint64_t bytes);
/// True where what is appended needs the body that is there beside it: no extent holds it.
bool is_small_body(const ObjectRecord& record);

/// A bucket that requests may name. Errors: NoSuchBucket.
Result<BucketPointer> user_bucket(const Core& core, std::string_view name);
/// That a bucket is gone.
Error no_bucket(const Bucket& bucket);

}  // namespace cairn::objectstore
