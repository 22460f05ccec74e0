// SPDX-License-Identifier: Apache-2.0
#include "app/monitoring/history_sampler.h"

#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::string_view history_key = "history";
constexpr std::int64_t save_history_every_ms = 600'000;
constexpr std::int64_t save_history_wait_ms = 10'000;

}  // namespace

Result<std::unique_ptr<HistorySampler>> HistorySampler::start(api::History& history,
                                                              const FigureReader& figures,
                                                              store::Store& store,
                                                              const os::Clock& clock,
                                                              const os::Deadline& deadline) {
  std::unique_ptr<HistorySampler> out(new HistorySampler(history, figures, store, clock));
  auto object = store.get(history_key, deadline);
  const Status restored = object.ok() ? history.restore(object->bytes)
                          : object.error().kind == ErrorKind::not_found ? ok_status()
                                                                        : Status(object.error());
  if (!restored.ok())
    os::log(os::LogLevel::warn, "app", "history_not_restored",
            {{"reason", restored.error().message}});
  CAIRN_TRY(out->thread_, os::Thread::start_stoppable(
                              {.name = "cairn-history", .stack_bytes = 256 << 10},
                              [self = out.get()](std::stop_token stop) { self->work(stop); }));
  return out;
}

HistorySampler::~HistorySampler() { stop(); }

void HistorySampler::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  save();
}

// In step with the clock, so that each sample lies in a step of its own.
void HistorySampler::work(const std::stop_token& stop) {
  constexpr std::int64_t every = api::History::sample_every_ms;
  const auto until_stopped = os::Deadline::never(stop);
  FigureTotals before = figures_.totals();
  std::int64_t saved_ms = clock_.unix_ms();
  while (os::sleep_ms(every - clock_.unix_ms() % every, until_stopped)) {
    const FigureTotals now = figures_.totals();
    history_.add(clock_.unix_ms() - every / 2, figures_.sample(before, now));
    before = now;
    if (clock_.unix_ms() - saved_ms < save_history_every_ms) continue;
    saved_ms = clock_.unix_ms();
    save();
  }
}

void HistorySampler::save() {
  const auto put =
      store_.put(history_key, history_.save(), os::Deadline::in_ms(save_history_wait_ms));
  if (!put.ok() && !failing_)  // told once, until it works again
    os::log(os::LogLevel::warn, "app", "history_not_saved", {{"reason", put.error().message}});
  failing_ = !put.ok();
}

}  // namespace cairn::app
