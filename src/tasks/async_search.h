// SPDX-License-Identifier: Apache-2.0
// One async search: under way, or ended with an answer that is kept for a while.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "os/clock.h"
#include "os/deadline.h"
#include "tasks/async_answer.h"
#include "tasks/listed.h"

namespace cairn::tasks {

/// What stands firm about an async search.
struct AsyncFacts {
  std::string id;
  std::uint64_t number = 0;  // among the tasks; 0: of a former process
  Owner owner;
  std::int64_t started_ms = 0;
  std::size_t shards = 0;           // that it asks
  bool keep_on_completion = false;  // also where its client sees the end
  AnswerForm form = {};             // of the answer that is kept
  std::string description = {};
};

/// How a search ended, without its answer.
struct AsyncEnding {
  std::int64_t completed_ms = 0;
  int status = 200;     // of its answer
  bool failed = false;  // the answer is an error
};

/// Safe from any thread.
class AsyncSearch final : public Listed {
 public:
  /// One that begins. `stop` ends its work.
  AsyncSearch(AsyncFacts facts, std::int64_t expires_ms, std::stop_source stop,
              const os::Clock& clock);
  /// One whose answer a former process has kept.
  AsyncSearch(AsyncFacts facts, std::int64_t expires_ms, AsyncEnding ending,
              const os::Clock& clock);

  /// The same from its head, and its head.
  static std::shared_ptr<AsyncSearch> of_head(const std::string& id, const Json& head,
                                              const os::Clock& clock);
  Json head(const AsyncEnding& ending, std::int64_t expires_ms) const;

  const AsyncFacts& facts() const { return facts_; }
  const Owner& owner() const override { return facts_.owner; }
  std::vector<TaskInfo> infos(const std::string& node, bool detailed) const override;
  void cancel(const std::string& reason) override;
  bool wait(const os::Deadline& deadline) const override;

  /// Nobody sees it any more, and no answer is kept from now on. Work that goes on is cancelled.
  void discard(const std::string& reason);

  /// How it is at one moment.
  struct State {
    std::int64_t expires_ms = 0;
    bool discarded = false;
    bool handed_over = false;                // its client has the answer, and nothing is kept
    bool kept = false;                       // its head and its answer are in the store
    std::optional<AsyncEnding> ending = {};  // nothing while it runs
    std::shared_ptr<const std::string> answer = {};  // JSON text; null: it is in the store
  };
  State state() const;
  std::optional<std::string> cancelled() const;
  void expire_at(std::int64_t ms);

  /// Waits as the client that began it, once. False where the deadline comes first: then the answer
  /// is kept when it comes.
  bool wait_as_client(const os::Deadline& deadline);

  // For the work.

  std::stop_token stopped() const { return stop_.get_token(); }
  /// The process ends.
  void suspend() { stop_.request_stop(); }
  /// Ends it where its client waits and nothing is to be kept. False otherwise: then nothing
  /// happens.
  bool hand_over(AsyncEnding ending, std::shared_ptr<const std::string> answer);
  void end(AsyncEnding ending, std::shared_ptr<const std::string> answer, bool kept);
  /// One that is kept is read from the store from now on.
  void forget_answer();
  /// True where its client saw the end, and so pays for it.
  bool client_pays() const;
  void add_cpu(std::int64_t ns) { cpu_ns_.fetch_add(ns); }
  std::int64_t cpu_ns() const { return cpu_ns_.load(); }

  // For what is kept.

  /// Held while its head is written or removed, so that an older one never comes last.
  std::mutex& saving() { return saving_; }
  bool in_store = false;  // guarded by saving(): parts of it may be in the store
  bool removed = false;   // guarded by saving(): it is gone for good

 private:
  void end_locked(AsyncEnding ending, std::shared_ptr<const std::string> answer);  // with mutex_

  const AsyncFacts facts_;
  const os::Clock& clock_;
  const std::int64_t began_ns_;
  std::stop_source stop_;
  std::atomic<std::int64_t> cpu_ns_{0};
  std::mutex saving_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  State state_;               // guarded by mutex_, as all below
  bool client_waits_ = true;  // the one that began it; stays where it sees the end
  std::optional<std::string> cancelled_ = {};
};

}  // namespace cairn::tasks
