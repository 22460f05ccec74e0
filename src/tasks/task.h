// SPDX-License-Identifier: Apache-2.0
// One task under way, or ended: what is seen of it, and what those who watch it can do.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "tasks/by_query.h"
#include "tasks/listed.h"
#include "tasks/progress.h"

namespace cairn::tasks {

/// An index that a task reads, and which documents: those that had a number when it began.
struct SourceIndex {
  std::string name;
  std::string uuid;
  std::int64_t until = INT64_MAX;  // the last sequence number
  std::shared_ptr<const Json> filter = {};  // of the aliases that named it; null: none
};

/// What stands firm about a task.
struct TaskFacts {
  std::uint64_t number = 0;  // its parts have the numbers behind it
  Owner owner;
  bool background = false;  // it has a record, and outlives its client and the process
  std::int64_t started_ms = 0;
  std::vector<SourceIndex> sources = {};
  SourceIndex destination = {};  // of copies from another server; without uuid: there was none
};

/// Safe from any thread.
class Task final : public Listed {
 public:
  Task(TaskFacts facts, ByQuery request, const os::Clock& clock);

  const TaskFacts& facts() const { return facts_; }
  const Owner& owner() const override { return facts_.owner; }
  const ByQuery& request() const { return request_; }
  std::uint64_t number() const { return facts_.number; }
  std::size_t slice_count() const { return request_.slices; }

  /// What `_tasks` shows; `node` is the node's id. Parts only where there are several.
  std::vector<TaskInfo> infos(const std::string& node, bool detailed) const override;
  /// The status of the whole, with its parts where there are several.
  Json status() const;
  /// The record of a task in the background, without its ending.
  Json record() const;

  /// The first reason stays. The work ends within a batch.
  void cancel(const std::string& reason) override;
  std::optional<std::string> cancelled() const;
  /// Documents a second from now on, over all parts; 0: as fast as it goes. A part that sleeps
  /// looks again.
  void rethrottle(double requests_per_second);

  /// Waits for the end; false where the deadline came first.
  bool wait(const os::Deadline& deadline) const override;
  /// Nothing before the end.
  std::optional<Ending> ending() const override;
  /// CPU time that the work has taken so far.
  std::int64_t cpu_ns() const { return cpu_ns_.load(); }

  // For the work.

  /// Ends what may be given up: reading, sleeping.
  std::stop_token stopped() const { return stop_.get_token(); }
  /// Ends a write as well, since the process ends.
  std::stop_token suspended() const { return suspend_.get_token(); }
  /// The process ends: nothing is told about the end of the task.
  void suspend();
  SliceState slice(std::size_t which) const;
  void change_slice(std::size_t which, const std::function<void(SliceState&)>& change);
  /// How many of `wanted` documents may still be taken, which are taken with that.
  std::size_t take(std::size_t wanted);
  void give_back(std::size_t count);
  /// Whether a part may take more.
  bool has_room() const;
  /// Sleeps until `documents` since `began_ns` (steady) have taken as long as the rate wants.
  /// False: the task is stopped.
  bool throttle(std::size_t which, std::int64_t began_ns, std::size_t documents);
  /// Ends the work of all parts after their batch. At most `most` are kept.
  void fail(Json failure, int status, std::size_t most);
  bool failed() const { return failed_.load(); }
  void add_cpu(std::int64_t ns) { cpu_ns_.fetch_add(ns); }
  /// By when documents of a batch are to be found.
  os::Deadline search_deadline() const;
  /// They were not: the parts end after their batch, and the answer says so.
  void time_out();
  /// The answer out of what was counted.
  Ending answer() const;
  void end(Ending ending);
  /// The parts end after their batch, without a failure in the answer.
  void give_up() { failed_.store(true); }
  /// Held while the record is written, so that an older one never comes last.
  std::mutex& saving() { return saving_; }
  bool closed = false;  // guarded by saving(): the record has the ending, and stays as it is
  /// Goes on with what a record says. A copy from another server begins anew, since its scroll is
  /// lost, with nothing counted. Before the first use.
  void restore(const Json& record);

 private:
  Json slice_status(std::size_t which) const;  // with mutex_
  Json whole_status(bool with_cancel) const;   // with mutex_
  Counts counts() const;                       // with mutex_
  double rate() const;                         // with mutex_
  Json info_of(const std::string& node, std::uint64_t number, bool detailed, Json status,
               const std::string& description) const;

  const TaskFacts facts_;
  const ByQuery request_;
  const os::Clock& clock_;
  const std::int64_t began_ns_;
  std::stop_source stop_, suspend_;
  std::atomic<std::int64_t> cpu_ns_{0};
  std::atomic<bool> failed_{false};
  std::atomic<bool> timed_out_{false};
  std::mutex saving_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::vector<SliceState> slices_;  // guarded by mutex_, as all below
  std::optional<std::string> cancelled_ = {};
  std::uint64_t taken_ = 0;
  Json::Array failures_ = {};
  int status_ = 200;
  std::int64_t ended_ns_ = 0;
  std::optional<Ending> ending_ = {};
};

}  // namespace cairn::tasks
