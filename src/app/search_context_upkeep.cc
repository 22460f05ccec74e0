// SPDX-License-Identifier: Apache-2.0
#include "app/search_context_upkeep.h"

#include <utility>

#include "os/deadline.h"
#include "os/metrics.h"

namespace cairn::app {
namespace {

constexpr std::int64_t every_ms = 5'000;

}  // namespace

Result<std::unique_ptr<SearchContextUpkeep>> SearchContextUpkeep::start(
    search::SearchContexts& contexts) {
  os::Gauge& open =
      os::metrics().gauge("cairn_search_open_contexts", "Scrolls and points in time that are kept");
  auto out = std::make_unique<SearchContextUpkeep>();
  const auto rounds = [&contexts, &open](std::stop_token stop) {
    const auto until_stopped = os::Deadline::never(std::move(stop));
    do {
      open.set(static_cast<std::int64_t>(contexts.end_expired()));
    } while (os::sleep_ms(every_ms, until_stopped));
  };
  CAIRN_TRY(out->thread_, os::Thread::start_stoppable({.name = "cairn-contexts"}, rounds));
  return out;
}

void SearchContextUpkeep::stop() {
  thread_.request_stop();
  thread_.join();
}

}  // namespace cairn::app
