// SPDX-License-Identifier: Apache-2.0
// The formulas of the three modes, the quota, and which failures are tried again.
#include "objectclient/call/retry.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace cairn::objectclient::retry_test {
namespace {

struct Rig {
  explicit Rig(RetryOptions options) : strategy(std::move(options), clock, *random) {}
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(11);
  RetryStrategy strategy;

  /// Seconds before each retry of one call that fails for ever.
  std::vector<double> delays(const Failure& failure) {
    Retries retries(strategy);
    std::vector<double> out;
    while (const auto wait = retries.after_failure(failure))
      out.push_back(static_cast<double>(*wait) / 1e9);
    return out;
  }
};

const Failure server_error{.status = 500, .code = "InternalFailure"};

}  // namespace

TEST_CASE("retry: legacy doubles the base delay, up to the limits") {
  CHECK(Rig({}).delays(server_error) == std::vector<double>{0.3, 0.6, 1.2});
  CHECK(Rig({.retry_limit = 0}).delays(server_error).empty());
  CHECK(Rig({.retry_limit = 5, .retry_base_delay_s = 1, .retry_max_delay_s = 5})
            .delays(server_error) == std::vector<double>{1, 2, 4, 5, 5});
  // Of no importance in this mode.
  CHECK(Rig({.retry_limit = 1, .max_attempts = 10}).delays(server_error).size() == 1);
}

TEST_CASE("retry: legacy jitter stays within its bounds, and functions replace it") {
  for (int round = 0; round < 200; ++round) {
    const auto equal = Rig({.retry_jitter = Jitter::equal}).delays(server_error);
    const auto full = Rig({.retry_jitter = Jitter::full}).delays(server_error);
    for (std::size_t i = 0; i < 3; ++i) {
      const double delay = std::ldexp(0.3, static_cast<int>(i));
      CHECK(equal[i] >= delay / 2);
      CHECK(equal[i] <= delay);
      CHECK(full[i] >= 0);
      CHECK(full[i] <= delay);
    }
  }
  CHECK(Rig({.jitter_function = [](double delay) { return delay * 10; }}).delays(server_error) ==
        std::vector<double>{3, 6, 12});
  CHECK(Rig({.retry_backoff = [](std::int64_t n) {
          return static_cast<double>(n) + 7;
        }}).delays(server_error) == std::vector<double>{7, 8, 9});
}

TEST_CASE("retry: standard waits a random share of a power of two, at most 20 s") {
  Rig rig({.mode = RetryMode::standard, .max_attempts = 40});
  const auto delays = rig.delays(server_error);
  REQUIRE(delays.size() == 39);
  double longest = 0;
  for (std::size_t i = 0; i < delays.size(); ++i) {
    CHECK(delays[i] >= 0);
    CHECK(delays[i] <= std::min(std::ldexp(1.0, static_cast<int>(i)), 20.0));
    longest = std::max(longest, delays[i]);
  }
  CHECK(longest == 20);
  CHECK(Rig({.mode = RetryMode::standard}).delays(server_error).size() == 2);
  CHECK(Rig({.mode = RetryMode::standard, .max_attempts = 1}).delays(server_error).empty());
}

TEST_CASE("retry: standard has a quota that failures take and successes give back") {
  Rig rig({.mode = RetryMode::standard, .max_attempts = 1000});
  CHECK(rig.delays(server_error).size() == 100);
  CHECK(rig.strategy.quota() == 0);
  Retries first(rig.strategy);
  first.after_success();
  CHECK(rig.strategy.quota() == 1);
  for (int i = 0; i < 9; ++i) Retries(rig.strategy).after_success();
  Retries second(rig.strategy);
  CHECK(second.after_failure({.networking = true}));
  CHECK(rig.strategy.quota() == 0);
  CHECK_FALSE(second.after_failure({.networking = true}));
  second.after_success();
  CHECK(rig.strategy.quota() == 10);
  for (int i = 0; i < 600; ++i) Retries(rig.strategy).after_success();
  CHECK(rig.strategy.quota() == 500);
}

TEST_CASE("retry: what the service asks for is the least wait") {
  const Failure busy{.status = 503, .code = "SlowDown", .retry_after_s = 9};
  CHECK(Rig({}).delays(busy) == std::vector<double>{9, 9, 9});
  CHECK(Rig({.mode = RetryMode::standard}).delays(busy) == std::vector<double>{9, 9});
}

TEST_CASE("retry: what the service asks for has the bounds of the caller, or a bound of its own") {
  const auto asks = [](std::int64_t seconds) {
    return Failure{.status = 503, .code = "SlowDown", .retry_after_s = seconds};
  };
  struct Row {
    RetryOptions options;
    std::int64_t asked_s;
    std::optional<double> left_s;
    std::optional<double> waits_s;  // nothing: the failure is final
  };
  for (const RetryMode mode : {RetryMode::legacy, RetryMode::standard})
    for (const Row& row : {Row{{}, 300, {}, 300}, Row{{}, 301, {}, {}}, Row{{}, 100'000, {}, {}},
                           Row{{}, INT64_MAX, {}, {}}, Row{{}, 100'000, 200'000.0, 100'000},
                           Row{{}, 100'000, 99'999.0, {}}, Row{{}, INT64_MAX, 60.0, {}},
                           Row{{.retry_max_delay_s = 20}, INT64_MAX, {}, 20},
                           Row{{.retry_max_delay_s = 20}, INT64_MAX, 10.0, {}},
                           Row{{.retry_max_delay_s = 1e300}, INT64_MAX, {}, 9e9}}) {
      RetryOptions options = row.options;
      options.mode = mode;
      Rig rig(options);
      Retries retries(rig.strategy);
      CAPTURE(row.asked_s);
      const auto wait = retries.after_failure(asks(row.asked_s), row.left_s);
      CHECK(wait.has_value() == row.waits_s.has_value());
      CHECK(retries.asked_too_much() == !row.waits_s.has_value());
      if (wait && row.waits_s)
        CHECK(static_cast<double>(*wait) / 1e9 == doctest::Approx(*row.waits_s));
    }
}

TEST_CASE("retry: a function's wait that is no number is none, and an endless one has an end") {
  for (const double wait : {std::nan(""), -1.0, HUGE_VAL, 1e300}) {
    Rig rig({.retry_backoff = [wait](std::int64_t) { return wait; }});
    Retries retries(rig.strategy);
    const auto waits_ns = retries.after_failure(server_error);
    REQUIRE(waits_ns);
    CHECK(*waits_ns == (wait > 0 ? 9'000'000'000'000'000'000 : 0));
  }
}

TEST_CASE("retry: which failures are tried again") {
  struct Case {
    Failure failure;
    bool retryable;
  };
  const std::vector<Case> cases{
      {{.status = 500}, true},
      {{.status = 599}, true},
      {{.status = 501, .code = "NotImplemented"}, false},
      {{.status = 501, .code = "SlowDown"}, true},
      {{.status = 400, .code = "InvalidRequest"}, false},
      {{.status = 403, .code = "AccessDenied"}, false},
      {{.status = 404, .code = "NoSuchKey"}, false},
      {{.status = 409, .code = "ConditionalRequestConflict"}, false},
      {{.status = 412, .code = "PreconditionFailed"}, false},
      {{.status = 421}, true},
      {{.status = 429}, true},
      {{.status = 400, .code = "RequestTimeout"}, true},
      {{.status = 400, .code = "SlowDown"}, true},
      {{.status = 400, .code = "MyThrottledThing"}, true},
      {{.status = 400, .code = "BadDigest"}, true},
      {{.status = 400, .code = "ExpiredToken"}, false},
      {{.status = 400, .code = "ExpiredToken", .refreshable = true}, true},
      {{.status = 403, .code = "RequestTimeTooSkewed"}, false},
      {{.status = 403, .code = "RequestTimeTooSkewed", .clock_corrected = true}, true},
      {{.networking = true}, true},
      {{.status = 200, .checksum = true}, true},
      {{.status = 400, .modelled = true}, true},
      {{.networking = true, .repeatable = false}, false},
      {{.status = 500, .repeatable = false}, false},
  };
  for (const Case& each : cases) {
    CAPTURE(each.failure.status);
    CAPTURE(each.failure.code);
    CHECK(is_retryable(each.failure) == each.retryable);
    CHECK(Rig({}).delays(each.failure).empty() != each.retryable);
  }
}

TEST_CASE("retry: options and names are checked") {
  CHECK(RetryOptions{}.validate().ok());
  CHECK_FALSE(RetryOptions{.max_attempts = 0}.validate().ok());
  CHECK_FALSE(RetryOptions{.retry_limit = -1}.validate().ok());
  CHECK_FALSE(RetryOptions{.retry_base_delay_s = -1}.validate().ok());
  CHECK(*parse_retry_mode("adaptive") == RetryMode::adaptive);
  CHECK_FALSE(parse_retry_mode("Standard").ok());
  CHECK(*parse_jitter(":equal") == Jitter::equal);
  CHECK(parse_jitter("x").error().message ==
        "x is not a named jitter function. Must be one of [:none, :equal, :full]");
}

TEST_CASE("adaptive rate: the curve falls by 0.7, and grows back as a cubic") {
  const double at[] = {7.0,
                       9.64893600966,
                       10.000030849917364,
                       10.453284520772092,
                       13.408697022224185,
                       21.26626835427364,
                       36.425998516920465};
  for (int t = 0; t < 7; ++t) CHECK(cubic_rate(10, t) == doctest::Approx(at[t]).epsilon(1e-9));
}

TEST_CASE("adaptive rate: nothing is held up before the first throttled reply") {
  AdaptiveRate rate(100);
  for (int i = 0; i < 1000; ++i) CHECK(rate.acquire(100) == 0);
  rate.update(100.1, false);
  CHECK_FALSE(rate.enabled());
  rate.update(100.7, true);
  CHECK(rate.enabled());
  // Two requests in half a second, smoothed: 0.8 * 4; then 0.7 of that.
  CHECK(rate.measured_rate() == doctest::Approx(3.2));
  CHECK(rate.fill_rate() == doctest::Approx(0.7 * 3.2));
}

TEST_CASE("adaptive rate: never more than the rate and the capacity allow") {
  AdaptiveRate rate(0);
  for (int i = 1; i <= 40; ++i) rate.update(i * 0.1, false);
  rate.update(4.1, true);
  const double fill = rate.fill_rate();
  double sent = 0;
  for (double now = 4.1; now < 14.1; now += 0.01)
    if (rate.acquire(now) == 0) ++sent;
  CHECK(sent <= fill * 10 + std::max(fill, 1.0) + 1);
  CHECK(sent >= fill * 10 - 2);
  const double wait = rate.acquire(14.1);
  if (wait > 0) CHECK(rate.acquire(14.1 + wait + 1e-9) == 0);
}

TEST_CASE("retry: adaptive waits, or says that it may not") {
  Rig patient({.mode = RetryMode::adaptive});
  Rig hasty({.mode = RetryMode::adaptive, .adaptive_retry_wait_to_fill = false});
  for (Rig* rig : {&patient, &hasty}) {
    Retries retries(rig->strategy);
    CHECK(*retries.before_send() == 0);
    CHECK(retries.after_failure({.status = 503, .code = "SlowDown"}));
  }
  Retries waits(patient.strategy);
  const auto wait = waits.before_send();
  REQUIRE(wait.ok());
  CHECK(*wait > 0);
  patient.clock.advance_ms(*wait / 1'000'000 + 1);
  CHECK(*waits.before_send() == 0);
  Retries refused(hasty.strategy);
  CHECK(refused.before_send().error().code == "RetryCapacityNotAvailableError");
}

}  // namespace cairn::objectclient::retry_test
