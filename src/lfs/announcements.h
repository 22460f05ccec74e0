// SPDX-License-Identifier: Apache-2.0
// Calls that a counted batch has paid for: as many verify calls as it announced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/threads.h"
#include "os/clock.h"
#include "os/random.h"

namespace cairn::lfs {

/// Tickets in memory, each good for so many calls and so long. A ticket that is forgotten (a
/// restart, another node, or more than `most` of them) costs its holder what the call costs anybody.
/// Safe from any thread; clock and random outlive it.
class Announcements {
 public:
  Announcements(const os::Clock& clock, os::Random& random, std::size_t most = 50'000)
      : clock_(clock), random_(random), most_(most) {}

  /// A name that nobody guesses. It is worth nothing before add().
  std::string ticket() const;
  void add(const std::string& ticket, std::size_t calls, std::int64_t lifetime_ms);
  /// Takes one call off the ticket. False where there is none left.
  bool take(std::string_view ticket);

 private:
  struct Left {
    std::size_t calls = 0;
    std::int64_t until_ms = 0;
  };
  std::int64_t now_ms() const { return clock_.steady_ns() / 1'000'000; }
  void forget_old(std::int64_t now_ms) CAIRN_REQUIRES(mutex_);

  const os::Clock& clock_;
  os::Random& random_;
  const std::size_t most_;
  Mutex mutex_;
  std::unordered_map<std::string, Left> left_ CAIRN_GUARDED_BY(mutex_);
  std::deque<std::string> in_order_ CAIRN_GUARDED_BY(mutex_);  // of their making, so of their ends
};

}  // namespace cairn::lfs
