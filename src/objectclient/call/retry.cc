// SPDX-License-Identifier: Apache-2.0
// Which failures are worth another attempt, and the three ways to wait.
#include "objectclient/call/retry.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/strings.h"

namespace cairn::objectclient {
namespace {

constexpr std::int64_t quota_capacity = 500;
constexpr std::int64_t quota_retry = 5;
constexpr std::int64_t quota_networking = 10;
constexpr double standard_delay_max_s = 20;

constexpr std::string_view throttling_codes[] = {"Throttling",
                                                 "ThrottlingException",
                                                 "ThrottledException",
                                                 "RequestThrottled",
                                                 "RequestThrottledException",
                                                 "ProvisionedThroughputExceededException",
                                                 "TransactionInProgressException",
                                                 "RequestLimitExceeded",
                                                 "BandwidthLimitExceeded",
                                                 "LimitExceededException",
                                                 "TooManyRequestsException",
                                                 "PriorRequestNotComplete",
                                                 "SlowDown",
                                                 "EC2ThrottledException"};
constexpr std::string_view networking_codes[] = {
    "RequestTimeout", "InternalError", "RequestTimeoutException", "IDPCommunicationError"};
constexpr std::string_view checksum_codes[] = {"CRC32CheckFailed", "BadDigest"};
constexpr std::string_view expired_codes[] = {"InvalidClientTokenId", "UnrecognizedClientException",
                                              "InvalidAccessKeyId",   "AuthFailure",
                                              "InvalidIdentityToken", "ExpiredToken",
                                              "ExpiredTokenException"};

template <std::size_t n>
bool is_one_of(const std::string_view (&codes)[n], std::string_view code) {
  return std::find(std::begin(codes), std::end(codes), code) != std::end(codes);
}

constexpr double wait_max_s = 9e9;  // 285 years: nanoseconds that a number still holds

std::int64_t nanoseconds(double seconds) {
  if (!(seconds > 0)) return 0;  // also what is no number
  return std::llround(std::min(seconds, wait_max_s) * 1e9);
}

/// The wait that a service asks for, within what the caller allows; nothing where it reaches
/// beyond.
std::optional<double> allowed_retry_after(double asked_s, const RetryOptions& options,
                                          std::optional<double> left_s) {
  const bool limited = options.retry_max_delay_s > 0;
  if (limited) asked_s = std::min(asked_s, options.retry_max_delay_s);
  if (left_s) return asked_s < *left_s ? std::optional(asked_s) : std::nullopt;
  const auto most = static_cast<double>(unbounded_retry_after_max_s);
  return limited || asked_s <= most ? std::optional(asked_s) : std::nullopt;
}

double seconds_of(const os::Clock& clock) { return static_cast<double>(clock.steady_ns()) / 1e9; }

}  // namespace

Result<RetryMode> parse_retry_mode(std::string_view text) {
  if (text == "legacy") return RetryMode::legacy;
  if (text == "standard") return RetryMode::standard;
  if (text == "adaptive") return RetryMode::adaptive;
  return Error{
      ErrorKind::invalid_argument,
      {},
      "retry_mode is `" + std::string(text) + "`; it must be `legacy`, `standard` or `adaptive`"};
}

Result<Jitter> parse_jitter(std::string_view text) {
  if (text.starts_with(':')) text.remove_prefix(1);
  if (text == "none") return Jitter::none;
  if (text == "equal") return Jitter::equal;
  if (text == "full") return Jitter::full;
  return Error{
      ErrorKind::invalid_argument,
      {},
      std::string(text) + " is not a named jitter function. Must be one of [:none, :equal, :full]"};
}

Status RetryOptions::validate() const {
  const auto fault = [](std::string text) {
    return Error{ErrorKind::invalid_argument, {}, std::move(text)};
  };
  if (max_attempts <= 0) return fault("max_attempts must be a positive integer");
  if (retry_limit < 0) return fault("retry_limit must not be negative");
  if (!(retry_base_delay_s >= 0)) return fault("retry_base_delay must not be negative");
  if (!(retry_max_delay_s >= 0)) return fault("retry_max_delay must not be negative");
  return ok_status();
}

bool is_throttling(const Failure& failure) {
  return failure.status == 429 || is_one_of(throttling_codes, failure.code) ||
         lower_ascii(failure.code).find("throttl") != std::string::npos;
}

bool is_networking(const Failure& failure) {
  return failure.networking || is_one_of(networking_codes, failure.code);
}

bool is_expired(const Failure& failure) {
  return is_one_of(expired_codes, failure.code) ||
         lower_ascii(failure.code).find("expired") != std::string::npos;
}

bool is_retryable(const Failure& failure) {
  if (!failure.repeatable) return false;
  // What is not implemented now will not be a second later.
  if (failure.status >= 500 && failure.status < 600 && failure.status != 501) return true;
  if (failure.status == 421) return true;
  return failure.modelled || failure.checksum || failure.clock_corrected ||
         is_throttling(failure) || is_networking(failure) ||
         is_one_of(checksum_codes, failure.code) || (failure.refreshable && is_expired(failure));
}

RetryStrategy::RetryStrategy(RetryOptions options, const os::Clock& clock, os::Random& random)
    : options_(std::move(options)),
      clock_(clock),
      random_(random),
      quota_(quota_capacity),
      rate_(seconds_of(clock)) {}

std::int64_t RetryStrategy::quota() const {
  const std::lock_guard lock(mutex_);
  return quota_;
}

double RetryStrategy::random_share() {
  return static_cast<double>(random_.below(1ull << 53)) / static_cast<double>(1ull << 53);
}

double RetryStrategy::legacy_delay_s(std::int64_t retries) {
  if (options_.retry_backoff) return options_.retry_backoff(retries);
  double delay = std::ldexp(options_.retry_base_delay_s,
                            static_cast<int>(std::min<std::int64_t>(retries, 1000)));
  if (options_.retry_max_delay_s > 0) delay = std::min(delay, options_.retry_max_delay_s);
  if (options_.jitter_function) return options_.jitter_function(delay);
  switch (options_.retry_jitter) {
    case Jitter::none:
      return delay;
    case Jitter::equal:
      return delay / 2 + random_share() * delay / 2;
    case Jitter::full:
      return random_share() * delay;
  }
  return delay;
}

bool RetryStrategy::take(std::int64_t cost) {
  const std::lock_guard lock(mutex_);
  if (quota_ < cost) return false;
  quota_ -= cost;
  return true;
}

void RetryStrategy::give_back(std::int64_t amount) {
  const std::lock_guard lock(mutex_);
  quota_ = std::min(quota_ + amount, quota_capacity);
}

Result<std::int64_t> Retries::before_send() {
  if (strategy_.options_.mode != RetryMode::adaptive) return std::int64_t{0};
  const double wait_s = strategy_.rate_.acquire(seconds_of(strategy_.clock_));
  if (wait_s > 0 && !strategy_.options_.adaptive_retry_wait_to_fill)
    return Error{ErrorKind::unavailable, "RetryCapacityNotAvailableError",
                 "the service throttles, and the client may not wait before it sends again "
                 "(adaptive_retry_wait_to_fill is false)"};
  // At least a nanosecond, so that waiting ends.
  return wait_s > 0 ? std::max<std::int64_t>(nanoseconds(wait_s), 1) : 0;
}

std::optional<std::int64_t> Retries::after_failure(const Failure& failure,
                                                   std::optional<double> left_s) {
  const RetryOptions& options = strategy_.options_;
  asked_too_much_ = false;
  ++attempts_;
  if (options.mode == RetryMode::adaptive)
    strategy_.rate_.update(seconds_of(strategy_.clock_), is_throttling(failure));
  if (!is_retryable(failure)) return std::nullopt;
  std::optional<double> least_s = 0;
  if (failure.retry_after_s)
    least_s = allowed_retry_after(static_cast<double>(*failure.retry_after_s), options, left_s);
  asked_too_much_ = !least_s;
  if (!least_s) return std::nullopt;
  double delay_s = 0;
  if (options.mode == RetryMode::legacy) {
    if (attempts_ > options.retry_limit) return std::nullopt;
    delay_s = strategy_.legacy_delay_s(attempts_ - 1);
  } else {
    if (attempts_ >= options.max_attempts) return std::nullopt;
    const std::int64_t cost = is_networking(failure) ? quota_networking : quota_retry;
    if (!strategy_.take(cost)) return std::nullopt;
    last_cost_ = cost;
    const int power = static_cast<int>(std::min<std::int64_t>(attempts_ - 1, 30));
    delay_s = std::min(strategy_.random_share() * std::ldexp(1.0, power), standard_delay_max_s);
  }
  return nanoseconds(std::max(delay_s, *least_s));
}

void Retries::after_success() {
  const RetryMode mode = strategy_.options_.mode;
  if (mode == RetryMode::legacy) return;
  strategy_.give_back(last_cost_ > 0 ? last_cost_ : 1);
  if (mode == RetryMode::adaptive) strategy_.rate_.update(seconds_of(strategy_.clock_), false);
}

}  // namespace cairn::objectclient
