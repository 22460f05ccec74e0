// SPDX-License-Identifier: Apache-2.0
// All tasks of a process: begun, seen, stopped, gone on with after a restart, and their results.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"
#include "index/names/named_index.h"
#include "os/deadline.h"
#include "os/threads/thread.h"
#include "tasks/async_searches.h"
#include "tasks/ground.h"
#include "tasks/merges.h"
#include "tasks/options.h"
#include "tasks/records.h"
#include "remotesearch/remote_scroll.h"
#include "tasks/slice_run.h"
#include "tasks/task.h"

namespace cairn::tasks {

using IndexList = std::vector<index::NamedIndex>;

/// What a new task is told besides its request.
struct NewTask {
  ByQuery request;
  IndexList sources = {};  // what the task reads here
  std::string text = {};   // of the request, for positions in errors of its query
  std::string query_path = "query";
  Owner owner = {};
  bool background = false;
};

/// A task runs on threads of its own, computes in the pool, and holds no more than one batch of
/// each part. One in the background has a record, and goes on after a restart or a crash: what its
/// record says was about to be written is compared with what is there, so that deletes and updates
/// are neither left out nor done twice; copies of that one batch are written again. A copy from
/// another server begins anew, and leaves out what it finds done. One that somebody waits for ends
/// with them.
///
/// Credentials of other servers are sealed in records, and not in the records of what has ended.
/// Safe from any thread. Errors of start(): es_rejected_execution_exception, where too many run;
/// illegal_argument_exception for another server that is not allowed; those of reading the query;
/// of keeping the record.
class Tasks {
 public:
  /// Takes up again what a former process left running, and drops results that are too old.
  static Result<std::unique_ptr<Tasks>> open(Ground ground, Options options,
                                             const os::Deadline& deadline);
  ~Tasks();
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  /// Begins. Returns once the query is read, and, in the background, the task is kept.
  Result<std::shared_ptr<Task>> start(NewTask wanted, const os::Deadline& deadline);
  /// Waits for the end of a task. Where the deadline comes first, or the client leaves, the task is
  /// cancelled and its end waited for. Errors: those that ended it.
  Result<Ending> finish(Task& task, const os::Deadline& deadline);

  std::vector<std::shared_ptr<Task>> running() const;  // by number
  /// All that goes on: tasks, async searches, merges.
  std::vector<std::shared_ptr<Listed>> listed() const;
  /// Of the same, the one with this number, or a part with it; null where there is none.
  std::shared_ptr<Listed> find_listed(std::uint64_t number) const;
  AsyncSearches& searches() { return *searches_; }
  Merges& merges() { return *merges_; }
  /// A number that no task has or will have: for a request that shows itself as one.
  std::uint64_t take_number();
  /// One that runs, by its number or that of one of its parts; null where none does.
  std::shared_ptr<Task> find(std::uint64_t number) const;

  /// Stops a task that runs; a task in the background stays stopped after a restart. Errors: of
  /// keeping that.
  Status cancel(Task& task, const std::string& reason);
  Status cancel(Listed& one, const std::string& reason);
  Status rethrottle(Task& task, double requests_per_second);

  /// What the API answers about a task in the background that has ended, and who began it.
  struct Kept {
    Json answer;
    std::string key;
  };
  Result<std::optional<Kept>> result(std::uint64_t number, const os::Deadline& deadline) const;

  const Options& options() const { return options_; }
  const std::string& node_id() const { return ground_.node_id; }

  /// Ends the work of all tasks after their batch, and all async searches; tasks in the background
  /// go on in the next process. New ones are refused.
  void stop();

 private:
  struct Running {
    std::shared_ptr<Task> task;
    os::Thread thread;
  };
  struct KeptResult {
    std::string key;
    std::int64_t ended_ms = 0;
  };
  /// What a task works on: made by start(), or anew after a restart.
  struct Work {
    IndexList indices = {};
    std::vector<std::shared_ptr<const index::View>> views = {};
    std::unique_ptr<search::DocumentWalk> first = {};  // of the only part, where there is one yet
    bool is_late = false;  // the time for finding documents was up before there was a task
    std::mutex mutex = {};
    std::optional<Error> error = {};  // guarded by mutex: why there is no answer
  };

  Tasks(Ground ground, Options options, remotesearch::RemoteAccess access);
  Status load(const os::Deadline& deadline);
  void go_on(std::uint64_t number, const Json& record);
  Status check_room(const Owner& owner) const;  // with mutex_
  Status launch(std::shared_ptr<Task> task, std::shared_ptr<Work> work, bool resumed);
  void run(Task& task, Work& work, bool resumed);
  void run_slices(Task& task, Work& work, bool resumed);
  void run_slice(Task& task, std::size_t which, Work& work, bool resumed);
  Result<std::unique_ptr<Batches>> batches_of_slice(Task& task, std::size_t which, Work& work,
                                                    TaskCompute& compute);
  Result<std::unique_ptr<Batches>> remote_batches(Task& task, TaskCompute& compute);
  SourceIndex state_of(const std::string& name) const;
  Status seal_headers(std::uint64_t number, ByQuery& request) const;
  Status open_headers(std::uint64_t number, ByQuery& request) const;
  Result<std::unique_ptr<search::DocumentWalk>> walk_of_slice(const Task& task, std::size_t which,
                                                              const Work& work);
  Result<std::unique_ptr<search::DocumentWalk>> walk(std::vector<search::WalkTarget> targets,
                                                     const search::WalkRequest& request,
                                                     const os::Deadline& deadline);
  Status find_ends(const NewTask& wanted, const search::WalkRequest& request,
                   std::vector<search::WalkTarget>& targets, std::vector<SourceIndex>& sources,
                   const os::Deadline& deadline);
  Status reopen(const Task& task, Work& work);
  Status settle(Task& task, std::size_t which, const Work& work);
  Result<std::uint64_t> left_of_batch(const Task& task, std::size_t which, const Work& work);
  void refresh(const Task& task, const Work& work);
  void conclude(Task& task, Work& work);
  void keep_result(Task& task, const Ending& ending);
  static void fail(Task& task, Work& work, Error error);
  Status save(Task& task);
  void keep_answer(const Merge& merge, const Ending& ending);
  void forget_results();

  const Ground ground_;
  const Options options_;
  const remotesearch::RemoteAccess access_;
  TaskRecords records_;
  const Save save_;

  mutable std::mutex mutex_;
  bool stopping_ = false;  // guarded by mutex_, as all below
  std::uint64_t next_number_ = 0;
  std::map<std::uint64_t, Running> running_;
  std::list<os::Thread> ended_threads_;          // to be joined
  std::map<std::uint64_t, KeptResult> results_;  // that are kept

  std::unique_ptr<AsyncSearches> searches_;  // uses what stands above
  std::unique_ptr<Merges> merges_;           // as well
};

}  // namespace cairn::tasks
