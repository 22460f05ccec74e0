// SPDX-License-Identifier: Apache-2.0
// Forced merges that nobody waits for: each is a task, and its answer is kept.
#pragma once

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
#include <vector>

#include "base/result.h"
#include "index/names/named_index.h"
#include "os/threads/thread.h"
#include "tasks/ground.h"
#include "tasks/listed.h"
#include "tasks/options.h"
#include "tasks/task.h"

namespace cairn::tasks {

struct MergeRequest {
  std::vector<index::NamedIndex> indices = {};
  std::size_t most_segments = 1;
  bool only_deletes = false;  // only segments of which more than a tenth is deleted

  std::string description() const;
};

/// Merges those indices, one after the other. Errors: of the store; timeout, cancelled. What was
/// merged stays so.
Status merge_all(const MergeRequest& request, const os::Deadline& deadline);
/// What the API answers of a merge that was done.
Json merge_answer(const MergeRequest& request);

/// One that is under way. Safe from any thread.
class Merge final : public Listed {
 public:
  Merge(std::uint64_t number, MergeRequest request, Owner owner, const os::Clock& clock);

  std::uint64_t number() const { return number_; }
  const MergeRequest& request() const { return request_; }
  std::int64_t started_ms() const { return started_ms_; }
  const Owner& owner() const override { return owner_; }
  std::vector<TaskInfo> infos(const std::string& node, bool detailed) const override;
  void cancel(const std::string& reason) override;
  bool wait(const os::Deadline& deadline) const override;
  std::optional<Ending> ending() const override;

  // For the work.
  std::stop_token stopped() const { return stop_.get_token(); }
  std::optional<std::string> cancelled() const;
  void end(Ending ending);

 private:
  const std::uint64_t number_;
  const MergeRequest request_;
  const Owner owner_;
  const os::Clock& clock_;
  const std::int64_t started_ms_;
  const std::int64_t began_ns_;
  std::stop_source stop_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::optional<std::string> cancelled_ = {};  // guarded by mutex_, as all below
  std::optional<Ending> ending_ = {};
};

/// All of a process. A merge ends with it; what was merged stays so. Safe from any thread.
class Merges {
 public:
  using TakeNumber = std::function<std::uint64_t()>;
  /// Keeps what a task answered, as the API shows it.
  using KeepAnswer = std::function<void(const Merge& merge, const Ending& ending)>;

  /// The references outlive the object.
  Merges(const Ground& ground, const Options& options, TakeNumber take_number, KeepAnswer keep)
      : ground_(ground),
        options_(options),
        take_number_(std::move(take_number)),
        keep_(std::move(keep)) {}
  ~Merges() { stop(); }
  Merges(const Merges&) = delete;
  Merges& operator=(const Merges&) = delete;

  /// Begins one. Errors: es_rejected_execution_exception, where too many run.
  Result<std::shared_ptr<Merge>> start(MergeRequest request, Owner owner);
  std::vector<std::shared_ptr<Merge>> running() const;  // by number
  /// Ends all. New ones are refused.
  void stop();

 private:
  struct Running {
    std::shared_ptr<Merge> merge;
    os::Thread thread;
  };
  Status check_room(const Owner& owner) const;  // with mutex_
  void run(Merge& merge);
  void pay(const Merge& merge, std::int64_t cpu_ns) const;

  const Ground& ground_;
  const Options& options_;
  const TakeNumber take_number_;
  const KeepAnswer keep_;
  mutable std::mutex mutex_;
  bool stopping_ = false;  // guarded by mutex_, as all below
  std::map<std::uint64_t, Running> running_ = {};
  std::list<os::Thread> ended_threads_ = {};  // to be joined
};

}  // namespace cairn::tasks
