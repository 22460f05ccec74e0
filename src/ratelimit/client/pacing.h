// SPDX-License-Identifier: Apache-2.0
// What all requests of this process to one service share: until when they are blocked, how many are
// on their way, and when the last write went out. Never waits; see retry.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/threads.h"

namespace cairn::ratelimit {

struct PacingOptions {
  std::uint32_t at_once = 10;              // requests on their way, per identity
  std::int64_t between_writes_ms = 1'000;  // from one write's start to the next, per identity
  std::uint32_t reserve = 1;  // stops until the reset where fewer than this remain; 0: never
};

/// Whose request, counted as what.
struct Outgoing {
  std::string identity;           // the credentials' owner, any name that is the same for the same
  std::string resource = "core";  // as far as the caller knows
  bool writes = false;
};

/// What a response's headers say of the window.
struct WindowSigns {
  std::uint32_t limit = 0;
  std::uint32_t remaining = 0;
  std::int64_t reset_s = 0;       // UTC epoch seconds, the server's clock
  std::int64_t resets_in_ms = 0;  // from when the response came
};

enum class HoldReason : std::uint8_t { none, blocked, reserve, at_once, writes };

/// May it go? Where not, ask again after `wait_ms`, or for `at_once` when another has ended.
struct Turn {
  bool granted = false;
  std::int64_t wait_ms = 0;
  HoldReason reason = HoldReason::none;
};

/// Times are milliseconds of one clock that never goes back. Safe from any thread.
class Pacing {
 public:
  explicit Pacing(PacingOptions options) : options_(options) {}

  /// A granted turn counts as on its way until ended().
  Turn ask(const Outgoing& request, std::int64_t now_ms);
  /// It is over. `signs`: what the headers said, of `resource`.
  void ended(const Outgoing& request);
  void saw(const Outgoing& request, const std::string& resource, const WindowSigns& signs,
           std::int64_t now_ms);
  /// Holds the identity's requests of one resource, or of all, until then. Never shortens.
  void block(const Outgoing& request, const std::string& resource, std::int64_t until_ms);
  void block_all(const Outgoing& request, std::int64_t until_ms);
  /// Until when a request would be held by blocks; 0 where by none.
  std::int64_t blocked_until_ms(const Outgoing& request) const;

 private:
  struct Window {
    std::int64_t reset_s = 0;
    std::int64_t ends_ms = 0;
    std::uint32_t remaining = 0;
  };
  struct Resource {
    std::int64_t blocked_until_ms = 0;
    std::optional<Window> window = {};
    std::uint32_t under_way = 0;
  };
  struct Account {
    std::int64_t blocked_until_ms = 0;
    std::int64_t next_write_ms = 0;
    std::uint32_t under_way = 0;
    std::map<std::string, Resource> resources = {};
  };
  Account& account_of(const std::string& identity, std::int64_t now_ms) CAIRN_REQUIRES(mutex_);

  const PacingOptions options_;
  mutable Mutex mutex_;
  std::map<std::string, Account> accounts_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::ratelimit
