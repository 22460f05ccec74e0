// SPDX-License-Identifier: Apache-2.0
#include "app/upkeep/search_context_upkeep.h"

#include <utility>

#include "os/deadline.h"
#include "os/metrics.h"

namespace cairn::app {
namespace {

constexpr std::int64_t expiry_look_ms = 5'000;

os::Gauge& open_contexts() {
  return os::metrics().gauge("cairn_search_open_contexts",
                             "Scrolls and points in time that are kept");
}

os::Gauge& kept_searches() {
  return os::metrics().gauge("cairn_async_searches",
                             "Async searches that run, or whose answers are kept");
}

}  // namespace

Result<std::unique_ptr<SearchContextUpkeep>> SearchContextUpkeep::start(
    search::SearchContexts& contexts, tasks::AsyncSearches& searches) {
  auto out = std::make_unique<SearchContextUpkeep>();
  const auto rounds = [&contexts, &searches](std::stop_token stop) {
    const auto until_stopped = os::Deadline::never(std::move(stop));
    do {
      open_contexts().set(static_cast<std::int64_t>(contexts.end_expired()));
      kept_searches().set(static_cast<std::int64_t>(searches.end_expired(until_stopped)));
    } while (os::sleep_ms(expiry_look_ms, until_stopped));
  };
  CAIRN_TRY(out->thread_, os::Thread::start_stoppable({.name = "cairn-contexts"}, rounds));
  return out;
}

void SearchContextUpkeep::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  open_contexts().set(0);  // another node may serve from now on
  kept_searches().set(0);
}

}  // namespace cairn::app
