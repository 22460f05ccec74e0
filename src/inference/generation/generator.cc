// SPDX-License-Identifier: Apache-2.0
// A step after the other, each a task.
#include "inference/generation/generator.h"

#include "os/log.h"
#include "os/threads/blocking.h"

namespace cairn::inference {
namespace {

Error no_longer_there() {
  return Error{.kind = ErrorKind::unavailable, .message = "the model is no longer deployed"};
}

}  // namespace

GenerationTotals& GenerationTotals::operator+=(const GenerationTotals& other) {
  steps += other.steps;
  texts_of_steps += other.texts_of_steps;
  prompt_tokens += other.prompt_tokens;
  reused_tokens += other.reused_tokens;
  new_tokens += other.new_tokens;
  set_back += other.set_back;
  cpu_ns += other.cpu_ns;
  taken_pages += other.taken_pages;
  cached_pages += other.cached_pages;
  return *this;
}

Generator::Generator(StepModel& model, os::Pool& pool, SchedulerOptions options)
    : pool_(pool), scheduler_(model, options) {}

Generator::~Generator() { stop(); }

Status Generator::add(TextRequest request) {
  {
    const MutexLock lock(mutex_);
    if (ended_) return no_longer_there();
    CAIRN_CHECK(scheduler_.add(std::move(request)));
    if (runs_) return ok_status();
    runs_ = true;
  }
  return begin_steps();
}

/// By whoever set `runs_`. Where the pool takes no task, all texts end.
Status Generator::begin_steps() {
  const Status queued = pool_.submit([this] { run_steps(); });
  if (queued.ok()) return queued;
  while (true) {
    scheduler_.end_all(queued.error());
    const MutexLock lock(mutex_);
    if (!scheduler_.is_idle()) continue;  // one came meanwhile, and counts on this
    rest();
    return queued;
  }
}

void Generator::rest() {
  runs_ = false;
  rested_.notify_all();
}

/// One step, and a task for the next one; where the pool is full this thread goes on, so that a
/// moment of much work cuts no text.
void Generator::run_steps() {
  while (run_step())
    if (pool_.submit([this] { run_steps(); }).ok()) return;
}

/// False: nothing is left to do.
bool Generator::run_step() {
  const std::int64_t begun_ns = os::thread_cpu_ns();
  const auto report =
      scheduler_.step(os::Deadline::never(stop_.get_token()),
                      [&](const StepReport& step) { count(step, os::thread_cpu_ns() - begun_ns); });
  if (!report.ok() && !stop_.stop_requested()) {
    os::log(os::LogLevel::error, "inference", "step_failed", {{"reason", report.error().message}});
  }
  const MutexLock lock(mutex_);
  totals_.taken_pages = scheduler_.taken_pages();
  totals_.cached_pages = scheduler_.cached_pages();
  if (!stop_.stop_requested() && !scheduler_.is_idle()) return true;
  rest();
  return false;
}

void Generator::count(const StepReport& report, std::int64_t cpu_ns) {
  const MutexLock lock(mutex_);
  ++totals_.steps;
  totals_.texts_of_steps += report.texts;
  totals_.prompt_tokens += report.prompt_tokens;
  totals_.reused_tokens += report.reused_tokens;
  totals_.new_tokens += report.new_tokens;
  totals_.set_back += report.set_back;
  totals_.cpu_ns += cpu_ns;
  totals_.taken_pages = scheduler_.taken_pages();
  totals_.cached_pages = scheduler_.cached_pages();
}

void Generator::stop() {
  stop_.request_stop();
  const os::Blocking blocking;
  {
    MutexLock lock(mutex_);
    const bool is_first = !ended_;
    ended_ = true;
    os::wait(rested_, lock, os::Deadline::never(),
             [&]() CAIRN_REQUIRES(mutex_) { return is_first ? !runs_ : is_over_; });
    if (!is_first) return;
  }
  scheduler_.end_all(no_longer_there());
  const MutexLock lock(mutex_);
  is_over_ = true;
  rested_.notify_all();
}

GenerationTotals Generator::totals() const {
  const MutexLock lock(mutex_);
  return totals_;
}

}  // namespace cairn::inference
