// SPDX-License-Identifier: Apache-2.0
// Snapshots of indices: who may do what at a time, and the threads that do it.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <condition_variable>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/indices.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "os/threads/thread.h"
#include "snapshots/copy.h"
#include "snapshots/generation.h"
#include "snapshots/lease.h"
#include "snapshots/options.h"
#include "snapshots/progress.h"
#include "snapshots/repositories.h"
#include "snapshots/sweep.h"

namespace cairn::snapshots {

struct CreateSnapshot {
  std::string repository = {};
  std::string snapshot = {};
  std::string indices = {};  // an expression; empty: all
  bool ignore_unavailable = false;
  bool include_global_state = true;
  bool partial = false;
  Json metadata = {};
};

struct RestoreSnapshot {
  std::string repository = {};
  std::string snapshot = {};
  std::string indices = {};  // an expression over its indices and data streams; empty: all
  bool ignore_unavailable = false;
  std::string rename_pattern = {};      // a POSIX extended regular expression; empty: no renaming
  std::string rename_replacement = {};  // $1 to $9 stand for groups
  bool include_aliases = true;
  std::string rename_alias_pattern = {};  // as rename_pattern, of the names of aliases
  std::string rename_alias_replacement = {};
  bool include_global_state = false;    // its templates and scripts come back too
  Json index_settings = {};             // laid over the restored settings
  /// Asked, before anything is made, for each data stream, and each index that is of none, and the
  /// name that it comes back under; empty: all may. Its error is the restore's.
  /// `replaces`: a closed index is there.
  std::function<Status(const std::string& index, const std::string& target, bool replaces)> may = {};
};

struct RestoreResult {
  std::string snapshot;
  std::vector<std::string> indices;
  std::size_t shards = 0;
};

/// A snapshot as the API shows it, with the figures that only a listing knows.
struct ShownSnapshot {
  std::string repository;
  SnapshotRecord record;
};

/// What one wrote and refers to.
struct SnapshotStatus {
  std::string repository;
  SnapshotRecord record = {};  // of one that is being made: as it began
  IndexStatuses indices = {};  // none of one that failed
  bool running = false;
};

struct CleanupResult {
  std::uint64_t deleted_blobs = 0;
  std::uint64_t deleted_bytes = 0;
  bool acknowledged = true;  // false: the wait ended first, the cleanup goes on
};

/// What a deletion or a cleanup would do.
struct RemovalForecast {
  std::vector<ShownSnapshot> snapshots = {};  // that would be gone
  std::uint64_t blobs = 0;                    // that nothing would need any more
  std::uint64_t bytes = 0;
  /// A snapshot is being made there, by whomever: while it is, data that nothing needs stays.
  bool snapshot_running = false;

  void add(const StaleBlobs& stale);
};

/// The two waits of a cleanup, in milliseconds: -1 never ends, 0 ends at once.
struct CleanupWaits {
  std::int64_t master_timeout_ms = 30'000;  // until the work has begun
  std::int64_t timeout_ms = 30'000;         // from there until its end
};

/// Safe from any thread. The references outlive the service; its destructor ends what runs, which
/// leaves stale blobs at worst.
/// Source: snapshot and restore API of the search platform; section 5 of its interface description
/// (docs/reference/snapshots.md).
class Service {
 public:
  Service(store::Store& records, index::Indices& indices, OpenRepository open, Options options,
          const os::Clock& clock, os::Random& random);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  Status load(const os::Deadline& deadline) { return repositories_.load(deadline); }

  /// Errors: process_cluster_event_timeout_exception where the registry is busy up to the deadline.
  Status put_repository(const RepositorySettings& settings, bool verify,
                        const os::Deadline& deadline);
  /// Errors: illegal_state_exception while the repository is used.
  Status remove_repository(const std::string& expression, const os::Deadline& deadline);
  const Repositories& repositories() const { return repositories_; }
  const Options& options() const { return options_; }
  std::int64_t now_ms() const { return clock_.unix_ms(); }

  /// Begins a snapshot and, with `wait`, gives its record when it has ended. The record of a failed
  /// one has state FAILED. Errors: invalid_snapshot_name_exception; index_not_found_exception;
  /// concurrent_snapshot_execution_exception during a cleanup.
  Result<std::optional<SnapshotRecord>> create(const CreateSnapshot& params, bool wait,
                                               const os::Deadline& deadline);
  /// Snapshots that fit the names, those being made too. Errors: snapshot_missing_exception for a
  /// plain name unless `ignore_unavailable`.
  Result<std::vector<ShownSnapshot>> list(const std::string& repositories,
                                          const std::string& snapshots, bool ignore_unavailable,
                                          const os::Deadline& deadline);
  /// Those named, in that order; without names those that are being made here. `repositories`: an
  /// expression; empty: all. What a snapshot wrote is not known of some of versions that did not note
  /// it. Errors: snapshot_missing_exception unless `ignore_unavailable`; illegal_argument_exception
  /// where it would take too many reads; those of the store.
  Result<std::vector<SnapshotStatus>> status(const std::string& repositories,
                                             const std::vector<std::string>& snapshots,
                                             bool ignore_unavailable,
                                             const os::Deadline& deadline);
  /// Deletes snapshots and what only they needed; one being made is ended first.
  Status remove(const std::string& repository, const std::string& snapshots,
                const os::Deadline& deadline);
  /// What remove() would do, which is not done. Nothing is waited for and nothing is written.
  /// Errors: those of remove().
  Result<RemovalForecast> try_remove(const std::string& repository, const std::string& snapshots,
                                     const os::Deadline& deadline);
  /// The same of cleanup(). Errors: those of cleanup().
  Result<RemovalForecast> try_cleanup(const std::string& repository, const os::Deadline& deadline);
  /// Errors: snapshot_restore_exception where an index of that name is there.
  Result<RestoreResult> restore(const RestoreSnapshot& params, const os::Deadline& deadline);
  /// As restore, on a thread of its own; what can be refused at once is.
  Status begin_restore(const RestoreSnapshot& params, const os::Deadline& deadline);

  /// Deletes what no snapshot needs. Errors: repository_missing_exception; illegal_state_exception
  /// while a snapshot, a deletion or a cleanup runs; process_cluster_event_timeout_exception, with
  /// nothing deleted, where master_timeout ends before the work could begin.
  Result<CleanupResult> cleanup(const std::string& repository, const CleanupWaits& waits,
                                const std::stop_token& stop = {});

 private:
  struct Running {  // one snapshot that is being made
    SnapshotRecord record;  // as it began, until it has ended
    SnapshotRecord begun;   // stays
    std::string repository;
    Progress progress;
    std::stop_source cancel;
    bool ended = false;
    std::optional<Error> error;
  };
  struct Cleanup {
    SweepCounters counters;
    bool ended = false;
    std::optional<Error> error;
  };
  enum class Doing { creating, deleting, cleaning, restoring };
  /// An index as it goes into a snapshot.
  struct CopiedIndex {
    index::Checkpoint checkpoint;
    Json aliases;
  };
  struct RestorePlan {
    std::shared_ptr<const Repository> repository;
    SnapshotRecord snapshot;
    std::vector<std::pair<std::string, std::string>> targets;  // index in the snapshot, new name
    index::StreamTable streams = {};  // by their new names, of indices by theirs
  };

  Status begin(const std::string& repository, Doing doing);
  Status check_turn(const std::string& repository, Doing doing);
  Status may_begin(const std::string& repository, Doing doing) const;
  void end(const std::string& repository, Doing doing);
  Status take_turn(const os::Deadline& deadline, const std::string& what);
  void make_snapshot(Running& running, const Repository& repository,
                     std::vector<std::shared_ptr<index::Index>> indices);
  std::vector<SnapshotStatus> running_statuses(const std::string& repository) const;
  Status fill_snapshot(SnapshotRecord& record, Progress& progress, const Repository& repository,
                       const std::vector<std::shared_ptr<index::Index>>& indices,
                       const os::Deadline& deadline);
  Status copy_and_commit(SnapshotRecord& record, Progress& progress, const Repository& repository,
                         const std::vector<CopiedIndex>& indices, const Json& listed, Lease& lease,
                         const os::Deadline& deadline);
  Status commit_snapshot(const SnapshotRecord& record, const Repository& repository,
                         const os::Deadline& deadline);
  Status restore_global_state(const RestorePlan& plan, const os::Deadline& deadline);
  Status remove_from(const Repository& repository, const std::vector<std::string>& names,
                     const os::Deadline& deadline);
  Status sweep(const Repository& repository, SweepCounters& counters,
               const os::Deadline& deadline);
  Result<StaleBlobs> stale_without(const Repository& repository,
                                   const std::vector<std::string>& snapshots,
                                   const os::Deadline& deadline);
  Status sweep_with(Lease& lease, const Repository& repository, SweepCounters& counters,
                    const os::Deadline& deadline);
  Status await_sweeps(const Repository& repository, Lease& lease, const os::Deadline& deadline);
  Result<std::set<std::string>> living_sweeps(const Repository& repository, Lease& lease,
                                              const os::Deadline& deadline);
  /// `held` knows what time it is by the clock that dates what lies in the repository.
  Result<bool> lease_is_dead(const Repository& repository, const store::ObjectInfo& lease,
                             Lease& held, const os::Deadline& deadline);
  Status hold_briefly(Lease& lease, const os::Deadline& deadline);
  Result<RestorePlan> plan_restore(const RestoreSnapshot& params, const os::Deadline& deadline);
  Result<RestoreResult> run_restore(const RestoreSnapshot& params, const RestorePlan& plan,
                                    const os::Deadline& deadline);
  void start_thread(const std::function<void(std::stop_token)>& work);
  void join_ended();

  index::Indices& indices_;
  Options options_;
  const os::Clock& clock_;
  os::Random& random_;
  Repositories repositories_;

  std::timed_mutex registry_;  // held while a repository is registered, and to begin a cleanup
  mutable std::mutex turn_;    // guards what follows
  std::condition_variable_any changed_;
  std::map<std::string, std::map<Doing, int>> doing_;  // by repository
  std::list<std::shared_ptr<Running>> running_;
  std::set<std::string> sweeps_;  // keys of leases
  struct Thread {
    os::Thread thread;
    std::shared_ptr<std::atomic<bool>> ended;
  };
  std::list<Thread> threads_;
  std::stop_source stops_;  // of work without a thread
};

}  // namespace cairn::snapshots
