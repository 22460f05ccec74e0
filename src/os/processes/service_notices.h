// SPDX-License-Identifier: Apache-2.0
// What a service manager is told of this process: systemd, or another that speaks its protocol.
// Source: sd_notify(3), systemd.service(5).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::os {

/// One datagram a call; where no service manager listens, or it has gone, calls do nothing. Never
/// blocks. Safe from any thread.
class ServiceNotices {
 public:
  /// NOTIFY_SOCKET, and WATCHDOG_USEC where WATCHDOG_PID is this process or absent, as entries of
  /// an environment ("NAME=VALUE").
  explicit ServiceNotices(const std::vector<std::string>& environment);

  /// What it does, for people (`systemctl status`). Before ready(): startup goes on.
  void status(std::string_view text) const;
  /// It answers from here on.
  void ready(std::string_view text) const;
  void reloading() const;  // then ready()
  void stopping() const;
  void alive() const;
  /// Within so long alive() has to come again; 0: nobody waits for it.
  std::int64_t watchdog_ms() const { return watchdog_ms_; }

 private:
  void send(const std::string& text) const;
  std::string socket_ = {};  // empty: nobody listens
  std::int64_t watchdog_ms_ = 0;
};

}  // namespace cairn::os
