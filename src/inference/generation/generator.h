// SPDX-License-Identifier: Apache-2.0
// Runs the steps of a decoder on the pool, for as long as there are texts.
#pragma once

#include <condition_variable>
#include <memory>
#include <stop_token>

#include "base/result.h"
#include "base/threads.h"
#include "inference/generation/scheduler.h"
#include "os/threads/pool.h"

namespace cairn::inference {

/// Counts of all steps so far, and pages of keys and values as the last one left them.
struct GenerationTotals {
  std::uint64_t steps = 0;
  std::uint64_t texts_of_steps = 0;  // over `steps`: how many texts share one
  std::uint64_t prompt_tokens = 0;   // computed
  std::uint64_t reused_tokens = 0;
  std::uint64_t new_tokens = 0;
  std::uint64_t set_back = 0;
  std::int64_t cpu_ns = 0;
  std::size_t taken_pages = 0;   // by texts and by the cache
  std::size_t cached_pages = 0;  // that ended texts left behind

  GenerationTotals& operator+=(const GenerationTotals& other);
};

/// One decoder's texts. Each step is a task of its own on the pool, so that other work of the pool
/// comes between two of them. Nothing waits for a thread. Safe from any thread.
class Generator {
 public:
  /// `model` and `pool` outlive this. The pool must not be one whose end waits for this object.
  Generator(StepModel& model, os::Pool& pool, SchedulerOptions options = {});
  ~Generator();  // as stop()
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  /// Takes a text in and sees that steps run. Its sink is called from the pool's threads until it
  /// is told its end. Errors: those of Scheduler::add(); unavailable after stop(), and where the
  /// pool takes no task, which the sink is told too.
  Status add(TextRequest request);
  /// Ends all texts. The step that runs is cut short and waited for.
  void stop();

  std::size_t waiting() const { return scheduler_.waiting(); }
  std::size_t active() const { return scheduler_.active(); }
  GenerationTotals totals() const;

 private:
  Status begin_steps();
  void run_steps();
  bool run_step();
  void rest() CAIRN_REQUIRES(mutex_);
  void count(const StepReport& report, std::int64_t cpu_ns);

  os::Pool& pool_;
  Scheduler scheduler_;
  std::stop_source stop_;
  mutable Mutex mutex_;
  std::condition_variable_any rested_;
  bool runs_ CAIRN_GUARDED_BY(mutex_) = false;  // a task is queued or at work: it has the steps
  bool ended_ CAIRN_GUARDED_BY(mutex_) = false;
  bool is_over_ CAIRN_GUARDED_BY(mutex_) = false;  // all texts have been told
  GenerationTotals totals_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::inference
