// SPDX-License-Identifier: Apache-2.0
// How to be a good client of a service with rate limits: reads refusals, waits as told, gives up in
// time. For any HTTP client: a response is a status, a header lookup and a body.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/threads.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "ratelimit/client/pacing.h"

namespace cairn::ratelimit {

/// Gives a header's value by its lower-case name; nothing where it is absent.
using HeaderLookup = std::function<std::optional<std::string>(std::string_view lower_name)>;

struct SeenResponse {
  int status = 0;
  HeaderLookup header = {};
  std::string body = {};  // the first kilobytes are enough
};

enum class LimitKind : std::uint8_t { none, primary, secondary };
std::string_view name_of(LimitKind kind);

/// What a response says about limits. `kind` is none for everything that does not prove a refusal
/// by a limit: a 403 without any sign is a matter of permissions.
struct LimitSigns {
  LimitKind kind = LimitKind::none;
  std::string resource = {};                        // x-ratelimit-resource; empty where absent
  std::optional<std::int64_t> retry_after_ms = {};  // at least 1 s
  std::optional<WindowSigns> window = {};           // where remaining and reset make sense
};
/// `now_unix_ms` stands in where the response has no Date. `graphql`: looks into bodies of 200,
/// too.
LimitSigns read_limit(const SeenResponse& response, std::string_view resource,
                      std::int64_t now_unix_ms, bool graphql);

struct RetryOptions {
  std::uint32_t retries = 5;             // after the first refusal; then an error
  std::int64_t unknown_ms = 60'000;      // where the response does not say: at least a minute
  double jitter = 0.1;                   // of waits that the response does not say; only longer
  std::int64_t longest_ms = 86'400'000;  // for what doubles; a retry-after is waited in full
  PacingOptions pacing = {};
};

/// The n-th refusal in a row (from 0) of one request: how long to hold.
///   1. retry-after, in full; doubled each time it turned out too short
///   2. remaining 0: to the reset and a second, by the server's clock, however far that is; not
///      shorter than 3. from the second refusal on
///   3. a minute, doubled each time, and up to a tenth more by chance
std::int64_t wait_after(const LimitSigns& signs, std::uint32_t refusals,
                        const RetryOptions& options, os::Random& random);

/// How send() passes the time. Tests pass one that moves a FakeClock.
class Waits {
 public:
  virtual ~Waits() = default;
  virtual std::int64_t left_ms(const os::Deadline& deadline) { return deadline.remaining_ms(); }
  /// False when the deadline ended it. Holds os::Blocking.
  virtual bool sleep_ms(std::int64_t ms, const os::Deadline& deadline);
};

/// One per service. Requests of one identity share what was refused and how fast they go. Safe from
/// any thread; clock, random and waits outlive it.
class RetryRules {
 public:
  RetryRules(RetryOptions options, const os::Clock& clock, os::Random& random,
             Waits* waits = nullptr);

  /// Sends once and shows the response; an Error of its own ends send() with it.
  using Send = std::function<Status(SeenResponse& response)>;

  /// Waits until the request may go, sends it, and repeats it while a limit refuses it. Success
  /// when a response came that is no such refusal, whatever its status; the last call of `once` had
  /// it. Blocks (inside os::Blocking).
  /// Errors: rate_limited after RetryOptions::retries, or at once when the wait would outlast the
  /// deadline (`kind`, `resource`, `wait_ms` and `reset` as details); timeout or cancelled while
  /// waiting for other requests.
  Status send(const Outgoing& request, const Send& once, const os::Deadline& deadline);

  /// For pollers: how long a request would be held now, 0 where not at all.
  std::int64_t held_ms(const Outgoing& request) const;

 private:
  Status take_turn(const Outgoing& request, LimitKind last, const os::Deadline& deadline);
  bool wait_for_others(std::uint64_t seen, std::int64_t wait_ms, const os::Deadline& deadline);
  void ended(const Outgoing& request);
  Error refused(const Outgoing& request, LimitKind kind, std::int64_t wait_ms,
                std::string_view why) const;
  std::int64_t now_ms() const { return clock_.steady_ns() / 1'000'000; }

  const RetryOptions options_;
  const os::Clock& clock_;
  os::Random& random_;
  Waits own_waits_;
  Waits& waits_;
  Pacing pacing_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t ends_ CAIRN_GUARDED_BY(mutex_) = 0;  // requests that are over
};

}  // namespace cairn::ratelimit
