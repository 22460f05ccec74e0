// SPDX-License-Identifier: Apache-2.0
// When a failed attempt is made again, and how long to wait before: legacy, standard and adaptive.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectclient/call/adaptive_rate.h"
#include "os/clock.h"
#include "os/random.h"

namespace cairn::objectclient {

enum class RetryMode { legacy, standard, adaptive };
enum class Jitter { none, equal, full };

/// Errors: invalid_argument with the names that there are.
Result<RetryMode> parse_retry_mode(std::string_view text);
Result<Jitter> parse_jitter(std::string_view text);

struct RetryOptions {
  RetryMode mode = RetryMode::legacy;
  // legacy
  std::int64_t retry_limit = 3;     // attempts after the first
  double retry_base_delay_s = 0.3;  // doubles with each retry
  double retry_max_delay_s = 0;     // 0: no limit
  Jitter retry_jitter = Jitter::none;
  std::function<double(double delay_s)> jitter_function = {};      // instead of retry_jitter
  std::function<double(std::int64_t retries)> retry_backoff = {};  // seconds; instead of all
  // standard and adaptive
  std::int64_t max_attempts = 3;            // with the first
  bool adaptive_retry_wait_to_fill = true;  // false: an error instead of waiting to send

  Status validate() const;
};

/// What is known of an attempt that failed.
struct Failure {
  int status = 0;            // 0: no reply
  std::string code = {};     // of the error body
  bool networking = false;   // no connection, a broken one, or a time-out
  bool checksum = false;     // what came did not have the checksum that came with it
  bool refreshable = false;  // the credentials can be fetched anew
  bool clock_corrected =
      false;               // the clock was found wrong, and the next attempt uses the right time
  bool modelled = false;   // the operation's description calls this error retryable
  bool repeatable = true;  // the body can be sent again, and what came can be thrown away
  std::optional<std::int64_t> retry_after_s = {};  // that the service asks for
};

/// A wait that a service asks for, of a caller who set no bound, is good up to here: it may ask for
/// days.
inline constexpr std::int64_t unbounded_retry_after_max_s = 300;

bool is_throttling(const Failure& failure);
bool is_networking(const Failure& failure);
bool is_expired(const Failure& failure);
bool is_retryable(const Failure& failure);

/// What the calls of one client share. Safe from any thread.
class RetryStrategy {
 public:
  /// `clock` and `random` outlive it.
  RetryStrategy(RetryOptions options, const os::Clock& clock, os::Random& random);
  const RetryOptions& options() const { return options_; }
  std::int64_t quota() const;  // what is left of it; for tests and the curious

 private:
  friend class Retries;
  double random_share();  // uniform over [0, 1)
  double legacy_delay_s(std::int64_t retries);
  bool take(std::int64_t cost);
  void give_back(std::int64_t amount);

  const RetryOptions options_;
  const os::Clock& clock_;
  os::Random& random_;
  mutable std::mutex mutex_;  // around the quota
  std::int64_t quota_;
  AdaptiveRate rate_;
};

/// The attempts of one call. For one thread; never waits itself.
class Retries {
 public:
  explicit Retries(RetryStrategy& strategy) : strategy_(strategy) {}

  /// Nanoseconds to wait before the attempt may be sent; then ask again, until it is 0.
  /// Errors: unavailable, RetryCapacityNotAvailableError, in mode adaptive without waiting.
  Result<std::int64_t> before_send();
  /// Nanoseconds to wait before the next attempt; nothing: the failure is final. `left_s`: until
  /// the deadline, where there is one. A Retry-After is waited for at least: cut to
  /// retry_max_delay where that is set, and final where it reaches past the deadline, or past
  /// unbounded_retry_after_max_s where nothing bounds it.
  std::optional<std::int64_t> after_failure(const Failure& failure,
                                            std::optional<double> left_s = {});
  /// The last failure was final because of its Retry-After alone.
  bool asked_too_much() const { return asked_too_much_; }
  void after_success();
  std::int64_t attempts() const { return attempts_; }  // that failed

 private:
  RetryStrategy& strategy_;
  std::int64_t attempts_ = 0;
  std::int64_t last_cost_ = 0;
  bool asked_too_much_ = false;
};

}  // namespace cairn::objectclient
