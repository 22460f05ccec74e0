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
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "objectstore/data_folder.h"
#include "objectstore/extents.h"
#include "objectstore/options.h"
#include "objectstore/records.h"
#include "objectstore/rocks_kv.h"
#include "os/deadline.h"

namespace cairn::objectstore {

/// One bucket in memory. Changes of objects hold `gate` shared, its removal holds it alone.
struct Bucket {
  explicit Bucket(BucketRecord r) : record(std::move(r)) {}
  const BucketRecord record;
  std::shared_mutex gate;
  bool gone = false;  // guarded by gate
};
using BucketPointer = std::shared_ptr<Bucket>;

/// What must hold of the version that a change replaces.
struct Guard {
  std::optional<std::string> if_match = {};  // its etag, or "*" for any
  std::optional<std::uint64_t> if_serial = {};
  bool if_none_match = false;
};

/// A body that is stored, or about to be in the commit.
struct StoredBody {
  std::uint64_t size_bytes = 0;
  std::string_view row = {};  // a body for the table bodies
  std::uint32_t row_crc = 0;
  std::vector<ExtentSpan> extents = {};
};

/// Numbers that are never given twice, over restarts too. Safe from any thread.
class Serials {
 public:
  explicit Serials(RocksKv& kv) : kv_(kv) {}
  /// Reads how far earlier runs came and reserves the next numbers.
  Status open();
  Result<std::uint64_t> next();
  std::uint64_t first_of_this_run() const { return first_; }

 private:
  Status reserve(std::uint64_t limit);
  RocksKv& kv_;
  std::uint64_t first_ = 1;
  std::atomic<std::uint64_t> counter_{1};
  std::atomic<std::uint64_t> limit_{0};
  std::mutex mutex_;
};

/// Extents that readers hold open. Safe from any thread.
class Pins {
 public:
  void add(const std::vector<ExtentSpan>& extents);
  void drop(const std::vector<ExtentSpan>& extents);
  bool held(std::uint64_t id) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, int> counts_;
};

/// Removes extents that nothing refers to, sweeps once after the start, and brings the metadata
/// back after a failed write. One thread of its own.
class Keeper {
 public:
  Keeper(RocksKv& kv, Extents& extents, Pins& pins, const EngineOptions& options);
  ~Keeper();
  void start(std::uint64_t first_serial_of_run);
  /// Extents that lost a reference in a commit: those without another one are removed.
  void released(const std::vector<ExtentSpan>& extents);
  /// An extent whose commit failed with an outcome that only recovery tells.
  void suspect(std::uint64_t extent_id);
  /// True when nothing is left to remove but what readers hold.
  bool wait_idle(const os::Deadline& deadline);

 private:
  void run(const std::stop_token& stop);
  std::vector<std::string> folders_to_sweep();
  void sweep(const std::string& folder, const std::stop_token& stop);
  void collect();
  void recover();
  Result<bool> is_referenced(std::uint64_t extent_id);
  void remove(std::uint64_t extent_id);

  RocksKv& kv_;
  Extents& extents_;
  Pins& pins_;
  const EngineOptions& options_;
  std::uint64_t first_serial_ = 0;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::uint64_t> released_;
  std::vector<std::uint64_t> suspects_;
  bool swept_ = false;
  bool busy_ = false;
  std::jthread thread_;
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
  OpenBody(Extents& extents, Pins& pins, ObjectRecord record);
  ~OpenBody();
  OpenBody(const OpenBody&) = delete;
  OpenBody& operator=(const OpenBody&) = delete;

  const ObjectRecord& record() const { return record_; }
  std::string& row() { return row_; }
  /// Verified bytes from `offset`, at most `most`; empty at the end. Valid until the next call.
  Result<std::string_view> read(std::uint64_t offset, std::uint64_t most);

 private:
  Extents& extents_;
  Pins& pins_;
  ObjectRecord record_;
  std::string row_;
  std::unique_ptr<ExtentReader> reader_;
  std::size_t reading_ = SIZE_MAX;  // the extent that reader_ has open
};

/// What a listing shows, in order.
struct ListVisitor {
  std::function<Status(std::string_view key, std::string_view record)> object;
  std::function<void(std::string_view prefix)> prefix;
};

/// Safe from any thread.
class Core {
 public:
  static Result<std::unique_ptr<Core>> open(const EngineOptions& options);
  ~Core();

  /// Errors: NoSuchBucket.
  Result<BucketPointer> find_bucket(std::string_view name) const;
  std::vector<BucketPointer> buckets() const;  // by name
  Result<BucketPointer> create_bucket(s3::Bucket bucket);
  Status delete_bucket(std::string_view name);

  Result<std::optional<ObjectRecord>> find(const Bucket& bucket, std::string_view key);
  /// The current version, or null where there is none.
  Result<std::unique_ptr<OpenBody>> open_body(const Bucket& bucket, std::string_view key);
  /// Makes `object` with `body` the current version. `object` needs no key, size or time.
  /// After an error the extents of `body` are taken away, by the keeper if not at once.
  /// Errors: PreconditionFailed, NoSuchBucket.
  Result<ObjectRecord> commit(Bucket& bucket, std::string_view key, s3::Object object,
                              const StoredBody& body, const Guard& guard,
                              const os::Deadline& deadline);
  Result<bool> remove(Bucket& bucket, std::string_view key, const Guard& guard,
                      const os::Deadline& deadline);
  Result<std::vector<bool>> remove_all(Bucket& bucket, const std::vector<std::string>& keys,
                                       const os::Deadline& deadline);
  /// `change` may alter what the copy says of itself, or refuse the source.
  Result<ObjectRecord> copy(Bucket& from, std::string_view from_key, Bucket& to,
                            std::string_view to_key,
                            const std::function<Status(const ObjectRecord&, s3::Object&)>& change,
                            const Guard& guard, const os::Deadline& deadline);
  /// The key or prefix to go on after; empty at the end.
  Result<std::string> list(const Bucket& bucket, const s3::ListParams& params,
                           const ListVisitor& visitor, const os::Deadline& deadline);

  /// storage_full when a put of `bytes` would touch the reserve.
  Status check_space(std::uint64_t bytes);
  Status check_writable();
  Result<std::uint64_t> next_serial() { return serials_->next(); }
  Extents& extents() { return *extents_; }
  Keeper& keeper() { return *keeper_; }
  const EngineOptions& options() const { return options_; }

 private:
  friend class Uploads;  // multipart.h: the same tables, locks and keeper
  explicit Core(const EngineOptions& options) : options_(options) {}
  Status open_now();
  Status load_buckets();
  Status make_reserved_buckets();
  void add_bucket(BucketPointer bucket);
  Result<std::optional<ObjectRecord>> find_row(std::string_view row);
  /// Adds to `batch` what takes the version away; its extents go to `released`.
  static void take_away(const ObjectRecord& old, KvBatch& batch, std::vector<ExtentSpan>& released);
  Result<ObjectRecord> commit_locked(std::string_view row, s3::Object object,
                                     const StoredBody& body, const Guard& guard, bool& attempted);
  Status write(const KvBatch& batch);

  const EngineOptions options_;
  std::optional<DataFolder> folder_;
  std::unique_ptr<RocksKv> kv_;
  std::unique_ptr<Serials> serials_;
  std::unique_ptr<Extents> extents_;
  Pins pins_;
  KeyLocks locks_;

  std::mutex bucket_changes_;  // one creation or removal at a time
  mutable std::shared_mutex buckets_mutex_;
  std::map<std::string, BucketPointer, std::less<>> buckets_;

  std::atomic<std::int64_t> space_asked_ns_{0};
  std::atomic<std::uint64_t> space_free_{0};

  std::unique_ptr<Keeper> keeper_;  // last: its thread uses all of the above
};

}  // namespace cairn::objectstore
