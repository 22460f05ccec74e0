// SPDX-License-Identifier: Apache-2.0
#include "app/upkeep/session_upkeep.h"

#include <utility>

#include "os/deadline.h"
#include "os/log.h"
#include "os/metrics.h"

namespace cairn::app {
namespace {

constexpr std::int64_t session_look_ms = 60'000;
constexpr std::int64_t last_write_ms = 10'000;

os::Gauge& open_sessions() {
  return os::metrics().gauge("cairn_sessions", "Browsers that are signed in");
}

void look_after(auth::Sessions& sessions, const os::Deadline& deadline, bool all) {
  if (const Status done = sessions.upkeep(deadline, all); !done.ok() && !deadline.stopped())
    os::log(os::LogLevel::warn, "app", "sessions were not looked after",
            {{"reason", done.error().message}});
}

}  // namespace

Result<std::unique_ptr<SessionUpkeep>> SessionUpkeep::start(auth::Sessions& sessions) {
  auto out = std::make_unique<SessionUpkeep>(sessions);
  const auto rounds = [&sessions](std::stop_token stop) {
    const auto until_stopped = os::Deadline::never(std::move(stop));
    do {
      look_after(sessions, until_stopped, false);
      open_sessions().set(static_cast<std::int64_t>(sessions.size()));
    } while (os::sleep_ms(session_look_ms, until_stopped));
  };
  CAIRN_TRY(out->thread_, os::Thread::start_stoppable({.name = "cairn-sessions"}, rounds));
  return out;
}

void SessionUpkeep::stop() {
  if (std::exchange(stopped_, true)) return;
  thread_.request_stop();
  thread_.join();
  open_sessions().set(0);  // another node may serve them from now on
  look_after(sessions_, os::Deadline::in_ms(last_write_ms), true);
}

}  // namespace cairn::app
