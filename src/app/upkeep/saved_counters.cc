// SPDX-License-Identifier: Apache-2.0
#include "app/upkeep/saved_counters.h"

#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::string_view counters_key = "counters";
constexpr std::int64_t every_ms = 4'500;  // and half a second to write them
constexpr std::int64_t save_wait_ms = 10'000;

}  // namespace

Result<std::unique_ptr<SavedCounters>> SavedCounters::open(ratelimit::Limiter& limiter,
                                                           store::Store& store,
                                                           const os::Deadline& deadline) {
  std::unique_ptr<SavedCounters> out(new SavedCounters(limiter, store));
  auto object = store.get(counters_key, deadline);
  if (object.ok()) {
    const Status restored = limiter.restore(object->bytes);
    if (!restored.ok())
      os::log(os::LogLevel::error, "app", "counters of the limits cannot be read, they begin anew",
              {{"reason", restored.error().message}});
    out->saved_ = std::move(object->bytes);
  } else if (object.error().kind != ErrorKind::not_found) {
    return std::move(object).error();
  }
  CAIRN_TRY(out->thread_, os::Thread::start_stoppable(
                              {.name = "cairn-counters"},
                              [self = out.get()](std::stop_token stop) { self->work(stop); }));
  return out;
}

SavedCounters::~SavedCounters() { stop(); }

void SavedCounters::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  save(os::Deadline::in_ms(save_wait_ms));
}

void SavedCounters::work(const std::stop_token& stop) {
  const auto until_stopped = os::Deadline::never(stop);
  while (os::sleep_ms(every_ms, until_stopped)) save(os::Deadline::in_ms(save_wait_ms, stop));
}

void SavedCounters::save(const os::Deadline& deadline) {
  std::string bytes = limiter_.save();
  if (bytes == saved_) return;
  const auto put = store_.put(counters_key, bytes, deadline);
  if (put.ok()) {
    saved_ = std::move(bytes);
  } else if (!failing_) {  // told once, until it works again
    os::log(os::LogLevel::warn, "app", "counters of the limits were not saved",
            {{"reason", put.error().message}});
  }
  failing_ = !put.ok();
}

}  // namespace cairn::app
