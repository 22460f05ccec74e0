// SPDX-License-Identifier: Apache-2.0
// The inside of one index. Its parts: index_write.cc (the log and its group commit), index_get.cc,
// index_publish.cc (refresh, flush, merge, manifests), index_open.cc (replay, take-over, cleaning),
// index_replica.cc (following an index that another process writes).
//
// Locks, in the order in which they are taken: publish_mutex, refresh_mutex, state_mutex;
// commit_mutex stands alone and is not held over calls.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/encode.h"
#include "base/threads.h"
#include "index/document/document.h"
#include "index/engine/live.h"
#include "index/engine/log_format.h"
#include "index/engine/manifest.h"
#include "index/engine/merge_pace.h"
#include "index/engine/work_counts.h"
#include "index/indices.h"
#include "index/query/filter_cache.h"
#include "index/query/view_state.h"
#include "index/segment/merge.h"

namespace cairn::index {

/// What the indices of a process share.
struct Shared {
  Shared(store::Store& all_bytes, os::Pool& pool, const os::Clock& time, os::Random& dice,
         const Options& given)
      : store(all_bytes),
        cpu(pool),
        clock(time),
        random(dice),
        options(given),
        filters(std::make_shared<FilterCache>(given.cache_bytes / 8)),
        cache(std::make_shared<PageCache>(given.cache_bytes - given.cache_bytes / 8)),
        writer(to_hex(dice.bytes(16))) {
    work_counts();
    show_caches();
  }

  /// Their bytes, as metrics.
  void show_caches() const;

  store::Store& store;
  os::Pool& cpu;
  const os::Clock& clock;
  os::Random& random;
  Options options;
  std::shared_ptr<FilterCache> filters;    // a part of Options::cache_bytes
  std::shared_ptr<PageCache> cache;        // the rest
  std::string writer;                      // names this process in CURRENT
  std::atomic<std::uint64_t> changes = 1;  // numbers what replicas are told of
  std::function<void()> wake_threads = [] {};

  /// Wakes the background threads.
  void wake() {
    const MutexLock lock(wake_mutex);
    wake_threads();
  }
  Mutex wake_mutex;
};

/// One operation of a write, taken apart; or why it cannot be applied.
struct Prepared {
  WriteOperation::Kind kind = WriteOperation::Kind::index;
  bool id_given = false;
  std::string id;
  std::string routing;
  std::optional<std::int64_t> if_seq_no, if_primary_term;
  ParsedDocument document;
  std::optional<Error> error;
};

/// One call of write() that waits for its turn.
struct Batch {
  std::vector<Prepared> operations;
  Json mapping_change;                   // of put_mapping
  Json settings_change;                  // of put_settings
  std::optional<std::string> note = {};  // of follow
  std::size_t bytes = 0;
  os::Deadline deadline = os::Deadline::never();
  bool taken = false;
  bool done = false;
  Status status = ok_status();
  std::vector<WriteResult> results;
};

/// Where the newest version of an id is.
struct Location {
  std::shared_ptr<MemTable> table;  // one of the two
  std::shared_ptr<LiveSegment> segment;
  std::uint32_t doc = 0;
  std::int64_t version = 0;
  std::int64_t seq_no = 0;
};

/// What a group of batches will do once its log object is written.
struct CommitPlan {
  struct Change {
    LogRecord::Kind kind = LogRecord::Kind::index;
    Prepared* prepared = nullptr;  // of an index record
    std::optional<Location> replaced;
    std::optional<std::size_t> replaces_change;  // an earlier change of this plan
    std::string id;
    std::int64_t version = 0;
    std::int64_t seq_no = 0;
  };
  std::shared_ptr<std::vector<std::shared_ptr<Batch>>> batches;  // keeps the documents alive
  std::shared_ptr<const Mapping> mapping;
  Json settings;
  std::vector<Change> changes;
  std::optional<std::string> note = {};
  LogObject log;
  std::int64_t next_seq_no = 0;
  std::vector<std::vector<WriteResult>> results;  // by batch
};

/// Keeps objects from being collected while somebody copies them.
struct ObjectPins {
  Mutex mutex;
  std::multiset<std::string> keys CAIRN_GUARDED_BY(mutex);
};

struct Index::Impl {
  Impl(std::shared_ptr<Shared> all, std::string index_name, std::string index_uuid);

  // --- index_write.cc
  Result<std::vector<WriteResult>> write(std::span<const WriteOperation> operations,
                                         const os::Deadline& deadline);
  Status follow(std::vector<ParsedOperation>& operations, std::string new_note,
                const os::Deadline& deadline);
  Status submit(const std::shared_ptr<Batch>& batch);
  Prepared prepare(const WriteOperation& operation, std::shared_ptr<const Mapping> with);
  void parse(Prepared& prepared, std::string source, std::vector<SemanticValue> semantic,
             std::shared_ptr<const Mapping> with);
  void commit(std::vector<std::shared_ptr<Batch>> group);
  Result<std::vector<std::vector<WriteResult>>> commit_group(
      const std::shared_ptr<std::vector<std::shared_ptr<Batch>>>& group,
      const os::Deadline& deadline);
  Result<std::shared_ptr<CommitPlan>> plan_group(
      const std::shared_ptr<std::vector<std::shared_ptr<Batch>>>& group,
      const os::Deadline& deadline);
  Status plan_operation(CommitPlan& plan, Prepared& prepared, WriteResult& result,
                        std::unordered_map<std::string, std::size_t>& in_plan,
                        const os::Deadline& deadline);
  void apply(CommitPlan& plan);
  void apply_index(CommitPlan& plan, CommitPlan::Change& change,
                   std::vector<std::pair<std::shared_ptr<MemTable>, std::uint32_t>>& placed)
      CAIRN_REQUIRES(state_mutex);
  enum class PutOutcome { written, other, unknown };
  Result<PutOutcome> put_log(const CommitPlan& plan, const std::string& bytes,
                             const os::Deadline& deadline);
  Status settle_other(const os::Deadline& deadline);

  // --- index_get.cc
  /// The newest version of an id, refreshed or not, as of one moment during the call.
  Result<std::optional<Location>> locate(std::string_view id, const os::Deadline& deadline);
  std::optional<Location> locate_in_tables(std::string_view id) CAIRN_REQUIRES(state_mutex);
  Result<std::optional<Location>> locate_in_segment(const std::shared_ptr<LiveSegment>& in,
                                                    std::string_view id,
                                                    const os::Deadline& deadline);
  Result<std::optional<StoredDocument>> get(std::string_view id, const os::Deadline& deadline);

  // --- index_publish.cc
  Status refresh(const os::Deadline& deadline);
  Status refresh_for_searches(const os::Deadline& deadline);
  /// Moves all documents into segments in memory; what they hold is all of the log up to the
  /// position that is returned.
  Result<LogPosition> seal();
  std::shared_ptr<const View> make_view() CAIRN_REQUIRES(state_mutex);
  std::shared_ptr<const View> view();
  bool has_news() CAIRN_REQUIRES(state_mutex);
  /// Without a search for so long it refreshes on demand.
  std::int64_t search_idle_ms() CAIRN_REQUIRES(state_mutex);
  Status flush(const os::Deadline& deadline);
  Status flush_locked(const os::Deadline& deadline);
  Status merge_memory(const os::Deadline& deadline);
  /// Which stored segments are merged, and whether somebody waits for it.
  struct MergeOrder {
    std::size_t at_most = 0;  // segments that are left; 0: what is due is merged
    bool paced = false;
    bool only_deletes = false;  // each with many deleted documents, whatever is due
  };
  Status merge_stored(const MergeOrder& order, const os::Deadline& deadline, bool& did);
  /// Bytes a second of a merge that nobody waits for; 0: as fast as it can.
  std::uint64_t merge_rate();
  Result<std::shared_ptr<LiveSegment>> merge_to_store(
      const std::vector<std::shared_ptr<LiveSegment>>& from, std::uint64_t bytes_per_second,
      const os::Deadline& deadline);
  void replace(const std::vector<std::shared_ptr<LiveSegment>>& from,
               const std::shared_ptr<LiveSegment>& to) CAIRN_REQUIRES(state_mutex);
  Status publish(const Manifest& manifest, const os::Deadline& deadline);
  Status write_current(const Current& next, const os::Deadline& deadline);
  void set_current(Current now, std::string etag);
  Result<Manifest> manifest_now(LogPosition floor, std::string with_note);
  using UploadPiece = std::function<Status(std::string_view)>;
  static Status write_as_it_is(const Segment& segment, SegmentEntry& entry, store::Upload& upload,
                               const os::Deadline& deadline);
  static Status write_merged(const std::vector<MergeInput>& inputs, DocumentMaps& maps,
                             const Mapping& fields, SegmentEntry& entry, const UploadPiece& write,
                             const os::Deadline& deadline);
  Status write_deletes(Manifest& manifest, const os::Deadline& deadline);
  Status force_merge(std::size_t segments, const os::Deadline& deadline);
  Status expunge_deletes(const os::Deadline& deadline);
  Status maintain(const os::Deadline& deadline);
  Status refresh_if_due(const os::Deadline& deadline);
  Status maintain_stored(const os::Deadline& deadline);
  /// Whether there is anything that a later round will have to do.
  bool is_busy();
  void end();  // removed: from now on every call says so
  Status collect(const os::Deadline& deadline);
  void drop_log(LogPosition floor, const os::Deadline& deadline);
  Result<Checkpoint> checkpoint(const os::Deadline& deadline);
  IndexStatistics statistics();

  // --- index_open.cc
  Status start_new(const Json& mapping_json, const Json& given_settings,
                   const os::Deadline& deadline);
  Status start_restored(const Manifest& from, const FetchObject& fetch,
                        const os::Deadline& deadline);
  Status open(const os::Deadline& deadline);
  /// Reads what a closed index shows, and nothing else: its mapping and settings.
  Status open_closed(const os::Deadline& deadline);
  /// From now on every call says that the index is closed. `shut`: whether.
  void set_closed(bool shut);
  /// Of an index that was set closed: all of it is in the store, and nothing more is published.
  Status close_down(const os::Deadline& deadline);
  /// Changes any setting of an index that open_closed() has read; durable when it returns.
  Status change_closed_settings(const Json& change, const os::Deadline& deadline);
  /// Segments of this index that somebody has open, by the name of the object.
  using OpenSegments = std::map<std::string, std::shared_ptr<const Segment>, std::less<>>;
  Status load_manifest(const os::Deadline& deadline, const OpenSegments& known = {});
  Result<Manifest> read_manifest(const os::Deadline& deadline);
  /// What the manifest in CURRENT says. Under publish_mutex.
  Result<Manifest> stored_manifest(const os::Deadline& deadline);
  Status load_segment(const SegmentEntry& entry, const OpenSegments& known,
                      const os::Deadline& deadline);
  Status take_over(const os::Deadline& deadline);
  Status replay(const os::Deadline& deadline);
  Status replay_object(std::string_view bytes, LogObject log, const os::Deadline& deadline);
  Status replay_record(LogRecord record, const os::Deadline& deadline);
  Status clean(const os::Deadline& deadline);

  // --- index_replica.cc: of an index that another process writes. One thread at a time.
  enum class Reached {
    all,         // that had been acknowledged when the call began
    republished  // the log goes on from a newer manifest: it is opened anew
  };
  /// Reads the manifest and the log, and changes nothing in the store.
  Result<Reached> open_replica(const OpenSegments& known, const os::Deadline& deadline);
  /// Reads what the log has got since, and shows it to searches.
  Result<Reached> catch_up(const os::Deadline& deadline);
  Result<Reached> read_log(const os::Deadline& deadline);
  Result<std::optional<Reached>> end_of_log(const os::Deadline& deadline);
  /// Whether CURRENT is another one than was read: what was missing may have been replaced.
  bool is_superseded(const os::Deadline& deadline);
  OpenSegments open_segments();

  std::string key(std::string_view object) const { return prefix + std::string(object); }
  MappingLimits mapping_limits() CAIRN_REQUIRES(state_mutex);
  bool is_gone() const CAIRN_REQUIRES(state_mutex) { return removed || closed; }
  Error gone() const CAIRN_REQUIRES(state_mutex);
  Error in_doubt_error() const;
  void set_in_doubt(bool doubt) {
    const MutexLock lock(state_mutex);
    in_doubt = doubt;
  }

  const std::shared_ptr<Shared> shared_owner;  // an index may outlive the catalogue
  Shared& shared;
  const std::string name;
  const std::string uuid;
  const std::string prefix;  // "index/data/<uuid>/"
  std::int64_t created_ms = 0;
  /// One for an index, whether it is open or closed.
  std::shared_ptr<ObjectPins> pins = std::make_shared<ObjectPins>();

  // Group commit: one thread at a time leads, the others wait for it.
  Mutex commit_mutex;
  std::condition_variable_any commit_changed;
  std::deque<std::shared_ptr<Batch>> queue CAIRN_GUARDED_BY(commit_mutex);
  bool leading CAIRN_GUARDED_BY(commit_mutex) = false;

  // Of the leader: attempts to write the next log object whose outcome is not known.
  std::vector<std::shared_ptr<CommitPlan>> unsettled;

  Mutex publish_mutex;           // one flush or merge of stored segments at a time
  std::atomic<int> in_haste{0};  // calls that wait for publish_mutex and not for their turn alone
  Mutex refresh_mutex;           // one refresh at a time

  Mutex state_mutex;
  std::condition_variable_any state_changed;  // refreshed
  std::shared_ptr<const Mapping> mapping CAIRN_GUARDED_BY(state_mutex);
  Json settings CAIRN_GUARDED_BY(state_mutex) = Json::object();
  text::Analyzers analyzers;  // set once, by opening
  std::shared_ptr<MemTable> table CAIRN_GUARDED_BY(state_mutex) = std::make_shared<MemTable>();
  std::shared_ptr<MemTable> sealing CAIRN_GUARDED_BY(state_mutex);
  std::vector<std::shared_ptr<LiveSegment>> segments CAIRN_GUARDED_BY(state_mutex);
  std::unordered_map<std::string, Tombstone> tombstones CAIRN_GUARDED_BY(state_mutex);
  std::int64_t next_seq_no CAIRN_GUARDED_BY(state_mutex) = 0;
  LogPosition applied CAIRN_GUARDED_BY(state_mutex);        // the last log object that is in memory
  LogPosition floor CAIRN_GUARDED_BY(state_mutex);          // of the manifest
  std::size_t log_bytes CAIRN_GUARDED_BY(state_mutex) = 0;  // since the floor
  std::size_t log_objects CAIRN_GUARDED_BY(state_mutex) = 0;
  std::int64_t oldest_unflushed_ms CAIRN_GUARDED_BY(state_mutex) = 0;  // 0: none
  std::uint64_t writes CAIRN_GUARDED_BY(state_mutex) = 0;              // counts applied groups
  std::uint64_t current_version CAIRN_GUARDED_BY(state_mutex) = 0;  // of `current`, for all threads
  // Number of the last change of `applied` or `current_version`.
  std::uint64_t changed_at CAIRN_GUARDED_BY(state_mutex) = 1;
  std::uint64_t refreshed CAIRN_GUARDED_BY(state_mutex) = 0;  // `writes` as of the last refresh
  std::uint64_t flushed CAIRN_GUARDED_BY(state_mutex) = 0;    // `writes` as of the last flush
  std::int64_t last_search_ms CAIRN_GUARDED_BY(state_mutex) = 0;
  std::int64_t last_refresh_ms CAIRN_GUARDED_BY(state_mutex) = 0;
  std::string note CAIRN_GUARDED_BY(state_mutex);          // of the last follow
  std::string sealed_note CAIRN_GUARDED_BY(state_mutex);   // as of the segments, stored or not
  std::string flushed_note CAIRN_GUARDED_BY(state_mutex);  // as of the manifest
  std::size_t refresh_waiters CAIRN_GUARDED_BY(state_mutex) = 0;
  std::shared_ptr<const View> current_view CAIRN_GUARDED_BY(state_mutex);
  std::optional<std::string> lost CAIRN_GUARDED_BY(state_mutex);  // why writes are refused
  bool in_doubt CAIRN_GUARDED_BY(state_mutex) = false;  // it may have been removed: no writes
  bool removed CAIRN_GUARDED_BY(state_mutex) = false;
  bool closed CAIRN_GUARDED_BY(state_mutex) = false;
  Recovery recovery CAIRN_GUARDED_BY(state_mutex);
  bool loaded CAIRN_GUARDED_BY(state_mutex) = true;  // false: by open_closed()

  // Under publish_mutex.
  Current current;
  std::string current_etag;        // empty: read CURRENT before changing it
  std::uint64_t last_version = 0;  // of a manifest, tried or written
  std::vector<std::string>
      orphan_candidates;  // objects written that no manifest may name in the end
  struct Garbage {
    std::weak_ptr<const Segment> user;
    std::string object;
    std::int64_t since_ms = 0;
  };
  std::vector<Garbage> garbage;  // goes once it is unused and old enough
};

}  // namespace cairn::index
