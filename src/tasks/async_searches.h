// SPDX-License-Identifier: Apache-2.0
// All async searches of a process: begun, seen, ended, and their answers, which outlive it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/names/named_index.h"
#include "os/deadline.h"
#include "os/threads/thread.h"
#include "search/request.h"
#include "search/service.h"
#include "tasks/async_answer.h"
#include "tasks/async_records.h"
#include "tasks/async_search.h"
#include "tasks/ground.h"
#include "tasks/options.h"

namespace cairn::tasks {

/// What an async search is begun with.
struct NewAsyncSearch {
  std::vector<index::NamedIndex> indices = {};
  std::string body = {};
  /// What they look up outlives the call that begins the search, and ends with `stop`.
  search::SearchParameters parameters = {};
  std::stop_source stop = {};
  Owner owner = {};
  std::string target = {};       // as the request names it, for `_tasks`
  std::int64_t wait_ms = 1'000;  // for its end; -1: as long as the deadline allows
  std::int64_t keep_alive_ms = 5LL * 24 * 60 * 60 * 1000;
  bool keep_on_completion = false;
};

/// Who asks about an async search.
struct AsyncViewer {
  std::string_view key;
  bool any = false;  // sees those of others as well
};

/// How an async search is, and its answer.
struct AsyncAnswer {
  std::string id = {};  // empty: nothing is kept
  std::int64_t started_ms = 0;
  std::int64_t expires_ms = 0;
  std::size_t shards = 0;
  std::optional<AsyncEnding> ending = {};  // nothing while it runs
  std::string text = {};                   // JSON: an answer; where it failed, an error
};

/// What a look at an async search asks for.
struct AsyncLook {
  std::optional<std::int64_t> keep_alive_ms = {};  // from now on; nothing: as before
  std::int64_t wait_ms = 0;  // for its end; -1: as long as the deadline allows
  AnswerForm form = {};
};

/// Each search runs on a thread of its own, which waits, and computes in the pool. Its answer is
/// kept where its client asked for that, or did not see the end: written to the store before
/// anybody hears that it has ended, until its time is up or it is deleted. The next process has it
/// too. A search that runs ends with its process, and nothing is left of it.
///
/// Crash points of an answer that is kept: (1) the answer is in the store, (2) its head is, and the
/// search has ended. Before (2) it never was; the next start removes the answer. When it is
/// deleted: (1) the head is removed, and it is gone, (2) the answer is. A change of how long it is
/// kept replaces the head. Where the store fails for long, the search ends with that error, which
/// this process remembers; the next one may find the answer.
///
/// A search is seen by the key that began it. It holds its place until its CPU time is paid for: by
/// the request of its client where that saw the end, else by Ground::charge. Safe from any thread.
/// Errors of calls with an id: illegal_argument_exception for a text that is no id;
/// resource_not_found_exception for what is not there (any more), or is somebody else's.
class AsyncSearches {
 public:
  using TakeNumber = std::function<std::uint64_t()>;

  /// Finds the answers that former processes kept. The references outlive the object.
  static Result<std::unique_ptr<AsyncSearches>> open(const Ground& ground, const Options& options,
                                                     TakeNumber take_number,
                                                     const os::Deadline& deadline);
  ~AsyncSearches();
  AsyncSearches(const AsyncSearches&) = delete;
  AsyncSearches& operator=(const AsyncSearches&) = delete;

  /// Begins, and waits for the end as long as was asked for. Where the client leaves meanwhile, the
  /// search is given up. Errors: those of reading the request; es_rejected_execution_exception,
  /// where too many run or are kept. What happens later is the answer.
  Result<AsyncAnswer> submit(NewAsyncSearch wanted, const os::Deadline& deadline);
  /// Errors besides: of reading the store.
  Result<AsyncAnswer> get(const std::string& id, const AsyncViewer& viewer, const AsyncLook& look,
                          const os::Deadline& deadline);
  /// The same without the answer.
  Result<AsyncAnswer> status(const std::string& id, const AsyncViewer& viewer,
                             std::optional<std::int64_t> keep_alive_ms,
                             const os::Deadline& deadline);
  /// Ends it where it runs, and removes its answer. Returns once nothing is left that a restart
  /// would find. Errors besides: timeout, where it does not end in time; of the store.
  Status remove(const std::string& id, const AsyncViewer& viewer, const os::Deadline& deadline);

  /// Those that are at work, by number.
  std::vector<std::shared_ptr<AsyncSearch>> running() const;
  /// Ends and removes those whose time is up. Gives how many are left.
  std::size_t end_expired(const os::Deadline& deadline);

  /// The largest answer that is kept, from now on.
  void set_answer_bytes(std::size_t most) { answer_bytes_ = most; }

  /// Ends all that run. New ones are refused.
  void stop();

 private:
  struct Work {
    std::vector<index::NamedIndex> indices;
    std::string body;
    search::SearchParameters parameters;
  };
  struct Running {
    std::shared_ptr<AsyncSearch> search;
    os::Thread thread;
  };
  struct Outcome {
    AsyncEnding ending;
    std::shared_ptr<const std::string> answer;
  };
  using Found = std::shared_ptr<AsyncSearch>;

  AsyncSearches(const Ground& ground, const Options& options, TakeNumber take_number);
  Status load(const os::Deadline& deadline);
  Status check_keep_alive(std::int64_t ms) const;
  Status check_room(const Owner& owner) const;  // with mutex_
  std::int64_t expiry(std::int64_t keep_alive_ms) const;
  Result<search::Service::Outline> outline(const NewAsyncSearch& wanted,
                                           const os::Deadline& deadline) const;
  Result<Found> begin(NewAsyncSearch wanted, const search::Service::Outline& outline);
  Status compute(std::size_t bytes, const std::function<void()>& body,
                 const os::Deadline& deadline) const;
  static AsyncAnswer outside_of(const AsyncSearch& search, const AsyncSearch::State& state);
  Result<AsyncAnswer> answer_of(const AsyncSearch& search, const AsyncSearch::State& state,
                                const AnswerForm& form, const os::Deadline& deadline) const;
  Result<Found> find(const std::string& id, const AsyncViewer& viewer) const;
  Status keep_alive(AsyncSearch& search, std::int64_t ms, const os::Deadline& deadline);
  Status erase(AsyncSearch& search, const os::Deadline& deadline);

  // The work, in async_work.cc.
  void run(const Found& search, Work& work);
  Result<std::string> ask(AsyncSearch& search, const Work& work) const;
  Outcome outcome_of(const AsyncSearch& search, Result<std::string> found) const;
  Outcome failure(const Error& error) const;
  void conclude(AsyncSearch& search, Outcome outcome);
  void keep(AsyncSearch& search, Outcome outcome);
  Status insist(const std::function<Status(const os::Deadline& deadline)>& write) const;
  void settle(AsyncSearch& search);
  void pay(const AsyncSearch& search) const;
  void leave(const AsyncSearch& search);

  const Ground& ground_;
  const Options& options_;
  std::atomic<std::size_t> answer_bytes_;  // of an answer that is kept
  const TakeNumber take_number_;
  AsyncRecords records_;
  std::stop_source process_;  // ends sleeping and waiting

  mutable std::mutex mutex_;
  bool stopping_ = false;                     // guarded by mutex_, as all below
  std::map<std::string, Found> searches_;     // that run, and those that are kept
  std::map<std::uint64_t, Running> running_;  // until they are paid for
  std::list<os::Thread> ended_threads_;       // to be joined
};

}  // namespace cairn::tasks
