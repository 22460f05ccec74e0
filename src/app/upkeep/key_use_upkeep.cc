// SPDX-License-Identifier: Apache-2.0
#include "app/upkeep/key_use_upkeep.h"

#include <utility>

#include "os/deadline.h"
#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::int64_t use_write_ms = 180'000;
constexpr std::int64_t last_use_write_ms = 10'000;

void write_uses(auth::KeyUses& uses, const os::Deadline& deadline) {
  if (const Status done = uses.write(deadline); !done.ok() && !deadline.stopped())
    os::log(os::LogLevel::warn, "app", "the last uses of keys were not written",
            {{"reason", done.error().message}});
}

}  // namespace

Result<std::unique_ptr<KeyUseUpkeep>> KeyUseUpkeep::start(auth::KeyUses& uses) {
  auto out = std::make_unique<KeyUseUpkeep>(uses);
  const auto rounds = [&uses](std::stop_token stop) {
    const auto until_stopped = os::Deadline::never(std::move(stop));
    while (os::sleep_ms(use_write_ms, until_stopped)) write_uses(uses, until_stopped);
  };
  CAIRN_TRY(out->thread_, os::Thread::start_stoppable({.name = "cairn-key-uses"}, rounds));
  return out;
}

void KeyUseUpkeep::stop() {
  if (std::exchange(stopped_, true)) return;
  thread_.request_stop();
  thread_.join();
  write_uses(uses_, os::Deadline::in_ms(last_use_write_ms));
}

}  // namespace cairn::app
