// SPDX-License-Identifier: Apache-2.0
// The client's rules against a table of responses, and against a simulated server and clock.
#include "ratelimit/client/retry.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "format/time.h"

namespace cairn::ratelimit {
namespace {

using Headers = std::map<std::string, std::string>;

constexpr std::int64_t start_ms = 1'700'000'000'000;

SeenResponse response(int status, Headers headers, std::string body = {}) {
  return {.status = status,
          .header = [headers =
                         std::move(headers)](std::string_view name) -> std::optional<std::string> {
            const auto found = headers.find(std::string(name));
            return found == headers.end() ? std::nullopt : std::optional(found->second);
          },
          .body = std::move(body)};
}

/// Passes time by moving the clock; deadlines are met on it.
class SimulatedWaits final : public Waits {
 public:
  explicit SimulatedWaits(os::FakeClock& clock) : clock_(clock) {}
  std::int64_t left_ms(const os::Deadline& deadline) override {
    if (deadline.is_never()) return deadline.remaining_ms();
    return std::chrono::duration_cast<std::chrono::milliseconds>(deadline.at() - began_).count() -
           passed_ms();
  }
  bool sleep_ms(std::int64_t ms, const os::Deadline& deadline) override {
    const std::int64_t sleep = std::min(ms, left_ms(deadline));
    clock_.advance_ms(sleep);
    slept.push_back(sleep);
    return sleep == ms;
  }
  std::int64_t passed_ms() const { return clock_.steady_ns() / 1'000'000; }
  std::vector<std::int64_t> slept;

 private:
  os::FakeClock& clock_;
  os::Deadline::Time began_ = std::chrono::steady_clock::now();
};

struct Fixture {
  os::FakeClock clock{start_ms};
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  SimulatedWaits waits{clock};
  RetryRules rules;
  explicit Fixture(RetryOptions options = {}) : rules(options, clock, *random, &waits) {}
};

// ---- the table -------------------------------------------------------------------------------

// Server time is an hour ahead of the client's, so that only the Date header makes sense of it.
constexpr std::int64_t server_ms = start_ms + 3'600'000;
std::string date() { return format_http_date(server_ms); }

const std::vector<std::pair<std::string, std::int64_t>>& retry_afters() {
  static const std::vector<std::pair<std::string, std::int64_t>> all = {
      {"(absent)", -1},
      {"7", 7},
      {" 90 ", 90},
      {"0", 1},
      {"-5", -1},
      {"soon", -1},
      {"1.5", -1},
      {"", -1},
      {"86400", 86'400},
      {format_http_date(server_ms + 42'000), 42},
      {format_http_date(server_ms - 42'000), 1}};
  return all;
}
// A reset that no clock reaches: no deadline does either, and no sum with it overflows.
constexpr std::int64_t no_near_time_s =
    std::numeric_limits<std::int64_t>::max() / 1'000 / 4 - server_ms / 1'000 + 1;
const std::vector<std::pair<std::string, std::int64_t>>& resets() {
  static const std::vector<std::pair<std::string, std::int64_t>> all = {
      {"(absent)", -1},
      {std::to_string(server_ms / 1000 + 30), 31},
      {std::to_string(server_ms / 1000), 1},
      {std::to_string(server_ms / 1000 - 500), 1},
      {std::to_string(server_ms / 1000 + 999'999), 1'000'000},
      {"30", -1},
      {"tomorrow", -1},
      {"99999999999999999999999", no_near_time_s}};
  return all;
}
struct Body {
  const char* text;
  LimitKind says;
};
constexpr Body bodies[] = {
    {"", LimitKind::none},
    {R"({"message": "Must have admin rights to Repository.", "status": "403"})", LimitKind::none},
    {R"({"message": "API rate limit exceeded for user ID 7."})", LimitKind::primary},
    {R"({"message": "You have exceeded a secondary rate limit. Please wait a few minutes."})",
     LimitKind::secondary},
    {R"({"documentation_url": "https://docs/rest/limits#about-secondary-rate-limits"})",
     LimitKind::secondary},
    {"<Error><Code>SlowDown</Code></Error>", LimitKind::secondary},
    {"not json {", LimitKind::none}};

struct Combination {
  int status;
  std::pair<std::string, std::int64_t> after;
  const char* remaining;  // null: absent
  std::pair<std::string, std::int64_t> reset;
  Body body;
};

// The rules once more, as plainly as they stand in the document.
LimitKind expected_kind(const Combination& c) {
  const std::string body = c.body.text;
  if (c.status == 503)
    return body.find("SlowDown") != std::string::npos ? LimitKind::secondary : LimitKind::none;
  if (c.status != 403 && c.status != 429) return LimitKind::none;
  const bool slow = body.find("SlowDown") != std::string::npos;
  if (c.body.says == LimitKind::secondary && !slow) return LimitKind::secondary;
  if (c.remaining != nullptr && std::string(c.remaining) == "0") return LimitKind::primary;
  const bool unknown = c.remaining == nullptr || std::string(c.remaining) == "many";
  if (unknown && c.body.says == LimitKind::primary) return LimitKind::primary;
  if (c.status == 429 || c.after.second >= 0 || c.body.says != LimitKind::none)
    return LimitKind::secondary;
  return LimitKind::none;
}
std::pair<std::int64_t, std::int64_t> expected_wait_s(const Combination& c) {
  if (c.after.second >= 0) return {c.after.second, c.after.second};
  if (c.remaining != nullptr && std::string(c.remaining) == "0" && c.reset.second >= 0)
    return {c.reset.second, c.reset.second};
  return {60, 66};
}

void check_combination(const Combination& c, os::Random& random) {
  Headers headers = {{"date", date()}};
  if (c.after.first != "(absent)") headers["retry-after"] = c.after.first;
  if (c.remaining != nullptr) headers["x-ratelimit-remaining"] = c.remaining;
  if (c.reset.first != "(absent)") headers["x-ratelimit-reset"] = c.reset.first;
  CAPTURE(c.status);
  CAPTURE(c.after.first);
  CAPTURE(std::string(c.remaining == nullptr ? "(absent)" : c.remaining));
  CAPTURE(c.reset.first);
  CAPTURE(std::string(c.body.text));
  const LimitSigns signs =
      read_limit(response(c.status, headers, c.body.text), "core", start_ms, false);
  REQUIRE(name_of(signs.kind) == name_of(expected_kind(c)));
  if (signs.kind == LimitKind::none) return;
  const auto [least, most] = expected_wait_s(c);
  const std::int64_t wait = wait_after(signs, 0, {}, random);
  REQUIRE(wait >= least * 1'000);
  REQUIRE(wait <= most * 1'000);
}

TEST_CASE("signs: every combination of status, headers and body, as the rules say") {
  const auto random = os::seeded_random(1);
  int count = 0;
  for (const int status : {200, 304, 401, 403, 404, 429, 500, 503})
    for (const auto& after : retry_afters())
      for (const char* remaining : {static_cast<const char*>(nullptr), "0", "12", "many"})
        for (const auto& reset : resets())
          for (const Body& body : bodies) {
            check_combination({status, after, remaining, reset, body}, *random);
            ++count;
          }
  CHECK(count == 8 * 11 * 4 * 8 * 7);
}

TEST_CASE("signs: without a Date the caller's clock counts") {
  const Headers spent = {{"x-ratelimit-remaining", "0"},
                         {"x-ratelimit-reset", std::to_string(start_ms / 1000 + 20)}};
  const auto random = os::seeded_random(1);
  CHECK(wait_after(read_limit(response(403, spent), "core", start_ms, false), 0, {}, *random) ==
        21'000);
}

TEST_CASE("signs: a wait reaches to the reset, however far it is and whatever the resource") {
  const auto random = os::seeded_random(1);
  for (const std::string resource : {"core", "search", "lfs", "audit_log_streaming", "hourly"}) {
    for (const std::int64_t away_s : {20, 2'000, 3'600, 7'200, 86'400, 30 * 86'400}) {
      CAPTURE(resource);
      CAPTURE(away_s);
      const Headers spent = {{"x-ratelimit-remaining", "0"},
                             {"x-ratelimit-resource", resource},
                             {"x-ratelimit-reset", std::to_string(start_ms / 1000 + away_s)}};
      const LimitSigns signs = read_limit(response(403, spent), "core", start_ms, false);
      CHECK(signs.resource == resource);
      CHECK(wait_after(signs, 0, {}, *random) == (away_s + 1) * 1'000);
    }
  }
}

TEST_CASE("signs: GraphQL refuses in bodies of 200") {
  const char* primary = R"({"errors": [{"type": "RATE_LIMITED", "message": "API rate limit"}]})";
  const char* secondary = R"({"errors": [{"message": "You exceeded a secondary rate limit."}]})";
  const auto kind = [](const char* body, bool graphql) {
    return read_limit(response(200, {}, body), "x", start_ms, graphql).kind;
  };
  CHECK(kind(primary, true) == LimitKind::primary);
  CHECK(kind(secondary, true) == LimitKind::secondary);
  CHECK(kind(R"({"data": {}})", true) == LimitKind::none);
  CHECK(kind(R"({"errors": [{"type": "NOT_FOUND"}, 3]})", true) == LimitKind::none);
  CHECK(kind(primary, false) == LimitKind::none);
  Headers named = {{"x-ratelimit-resource", "graphql"}};
  CHECK(read_limit(response(200, named, primary), "core", start_ms, false).kind ==
        LimitKind::primary);
}

TEST_CASE("wait: doubles with each refusal, stays in bounds") {
  const auto random = os::seeded_random(3);
  LimitSigns told{.kind = LimitKind::secondary, .retry_after_ms = 7'000};
  LimitSigns reset{.kind = LimitKind::primary,
                   .window = WindowSigns{.remaining = 0, .resets_in_ms = 5'000}};
  const LimitSigns bare{.kind = LimitKind::secondary};
  for (std::uint32_t n = 0; n < 40; ++n) {
    const std::int64_t times = std::int64_t{1} << std::min(n, 30u);
    CHECK(wait_after(told, n, {}, *random) == std::min<std::int64_t>(7'000 * times, 86'400'000));
    const std::int64_t minute = std::min<std::int64_t>(60'000 * times, 86'400'000);
    CHECK(wait_after(bare, n, {}, *random) >= minute);
    CHECK(wait_after(bare, n, {}, *random) <= minute + minute / 10);
    CHECK(wait_after(reset, n, {}, *random) >= (n == 0 ? 5'000 : minute));
  }
  told.retry_after_ms = 100 * 86'400'000LL;  // in full, however long
  CHECK(wait_after(told, 0, {}, *random) == 100 * 86'400'000LL);
}

// ---- sending ---------------------------------------------------------------------------------

os::Deadline hours(int n) { return os::Deadline::in_ms(n * 3'600'000LL); }

TEST_CASE("send: a response that is no refusal ends it, whatever its status") {
  Fixture fixture;
  for (const int status : {200, 304, 403, 404, 500, 503}) {
    int calls = 0;
    const auto once = [&](SeenResponse& seen) {
      ++calls;
      seen = response(status, {}, R"({"message": "Resource not accessible"})");
      return ok_status();
    };
    CHECK(fixture.rules.send({.identity = "a"}, once, hours(1)).ok());
    CHECK(calls == 1);
  }
  CHECK(fixture.waits.slept.empty());
  const auto broken = [](SeenResponse&) -> Status {
    return Error{ErrorKind::unavailable, "", "connection refused"};
  };
  const auto failed = fixture.rules.send({.identity = "a"}, broken, hours(1));
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().kind == ErrorKind::unavailable);
}

TEST_CASE("send: waits as told, then longer, then gives up with an error that says why") {
  Fixture fixture;
  int calls = 0;
  const auto once = [&](SeenResponse& seen) {
    ++calls;
    seen = response(429, {{"retry-after", "30"}});
    return ok_status();
  };
  const auto ended = fixture.rules.send({.identity = "a"}, once, hours(24));
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().kind == ErrorKind::rate_limited);
  CHECK(ended.error().message.find("secondary rate limit") != std::string::npos);
  CHECK(ended.error().message.find("after 5 retries") != std::string::npos);
  CHECK(calls == 6);
  CHECK(fixture.waits.slept == std::vector<std::int64_t>{30'000, 60'000, 120'000, 240'000, 480'000});
}

TEST_CASE("send: a wait beyond the deadline is an error at once, and the block stays") {
  Fixture fixture;
  int calls = 0;
  const auto once = [&](SeenResponse& seen) {
    ++calls;
    seen = response(403, {{"x-ratelimit-remaining", "0"},
                          {"x-ratelimit-reset", std::to_string(start_ms / 1000 + 1'800)}});
    return ok_status();
  };
  const auto ended = fixture.rules.send({.identity = "a"}, once, os::Deadline::in_ms(60'000));
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().kind == ErrorKind::rate_limited);
  CHECK(ended.error().message.find("primary rate limit") != std::string::npos);
  CHECK(ended.error().message.find(format_iso8601(start_ms + 1'801'000)) != std::string::npos);
  CHECK_FALSE(fixture.rules.send({.identity = "a"}, once, os::Deadline::in_ms(60'000)).ok());
  CHECK(calls == 1);  // the second was not sent
  CHECK(fixture.waits.slept.empty());
  CHECK(fixture.rules.held_ms({.identity = "a"}) == 1'801'000);
  CHECK(fixture.rules.held_ms({.identity = "a", .resource = "search"}) == 0);
  CHECK(fixture.rules.held_ms({.identity = "b"}) == 0);
}

TEST_CASE("send: a secondary block holds every resource of the identity, a primary one its own") {
  Fixture fixture({.retries = 0});
  const auto refuse = [](SeenResponse& seen) {
    seen = response(429, {{"retry-after", "30"}});
    return ok_status();
  };
  CHECK_FALSE(fixture.rules.send({.identity = "a"}, refuse, hours(1)).ok());
  CHECK(fixture.rules.held_ms({.identity = "a", .resource = "search"}) == 30'000);
  const auto spent = [](SeenResponse& seen) {
    seen = response(403, {{"x-ratelimit-remaining", "0"},
                          {"x-ratelimit-resource", "search"},
                          {"x-ratelimit-reset", std::to_string(start_ms / 1000 + 20)}});
    return ok_status();
  };
  CHECK_FALSE(fixture.rules.send({.identity = "b", .resource = "guess"}, spent, hours(1)).ok());
  CHECK(fixture.rules.held_ms({.identity = "b", .resource = "search"}) == 21'000);
  CHECK(fixture.rules.held_ms({.identity = "b", .resource = "guess"}) == 21'000);
  CHECK(fixture.rules.held_ms({.identity = "b", .resource = "core"}) == 0);
}

TEST_CASE("send: a cancelled caller stops waiting") {
  os::FakeClock clock(start_ms);
  const auto random = os::seeded_random(1);
  RetryRules rules({}, clock, *random);  // waits for real
  std::stop_source stop;
  const auto refuse = [&](SeenResponse& seen) {
    seen = response(429, {});
    stop.request_stop();
    return ok_status();
  };
  const auto ended = rules.send({.identity = "a"}, refuse, os::Deadline::never(stop.get_token()));
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().kind == ErrorKind::cancelled);
}

// ---- a simulated server ----------------------------------------------------------------------

/// Fixed windows and random secondary refusals with random headers. Knows when each client may
/// come again, and fails the test when one comes sooner.
class SimulatedServer {
 public:
  SimulatedServer(os::FakeClock& clock, os::Random& random, std::int64_t skew_ms)
      : clock_(clock), random_(random), skew_ms_(skew_ms) {}

  SeenResponse answer(const Outgoing& request) {
    const std::int64_t now = clock_.steady_ns() / 1'000'000;
    ++requests;
    CHECK(now >= until_[request.identity + "/*"]);
    CHECK(now >= until_[request.identity + "/" + request.resource]);
    Window& window = windows_[request.identity + "/" + request.resource];
    const std::int64_t server_now = clock_.unix_ms() + skew_ms_;
    if (server_now >= window.reset_s * 1'000)
      window = {.used = 0, .reset_s = (server_now + 999) / 1'000 + 60};
    Headers headers;
    const bool dated = random_.below(8) != 0 || skew_ms_ == 0;
    if (dated) headers["date"] = format_http_date(server_now);
    if (window.used >= 20) return refuse_primary(request, window, headers);
    if (random_.below(6) == 0) return refuse_secondary(request, headers);
    ++window.used;
    ++served;
    return response(random_.below(5) == 0 ? 403 : 200, headers);
  }
  /// The response reached the client: from now on the promise holds.
  void delivered(const Outgoing& request) {
    if (!pending_) return;
    const std::int64_t now = clock_.steady_ns() / 1'000'000;
    std::int64_t& until =
        until_[request.identity + "/" + (pending_->first ? std::string("*") : request.resource)];
    until = std::max(until, now + pending_->second);
    pending_.reset();
  }
  using Pending = std::optional<std::pair<bool, std::int64_t>>;  // all resources?, wait
  Pending take_pending() { return std::exchange(pending_, {}); }
  void put_pending(Pending pending) { pending_ = pending; }
  int requests = 0;
  int served = 0;

 private:
  struct Window {
    std::uint32_t used = 0;
    std::int64_t reset_s = 0;
  };
  SeenResponse refuse_primary(const Outgoing&, const Window& window, Headers headers) {
    headers["x-ratelimit-remaining"] = "0";
    if (random_.below(4) == 0) {
      pending_ = {false, 60'000};
    } else {
      headers["x-ratelimit-reset"] = std::to_string(window.reset_s);
      const std::int64_t seen_now = headers.contains("date")
                                        ? (clock_.unix_ms() + skew_ms_) / 1'000 * 1'000
                                        : clock_.unix_ms();
      pending_ = {false, std::clamp<std::int64_t>(window.reset_s * 1'000 - seen_now, 0, 3'600'000)};
    }
    return response(403, headers);
  }
  SeenResponse refuse_secondary(const Outgoing&, Headers headers) {
    headers["x-ratelimit-remaining"] = "9";
    pending_ = {true, 60'000};
    if (random_.below(2) == 0) {
      const auto seconds = static_cast<std::int64_t>(1 + random_.below(100));
      headers["retry-after"] = std::to_string(seconds);
      pending_->second = seconds * 1'000;
    }
    return response(403, headers, R"({"message": "You have exceeded a secondary rate limit."})");
  }
  os::FakeClock& clock_;
  os::Random& random_;
  const std::int64_t skew_ms_;
  Pending pending_;
  std::map<std::string, Window> windows_;
  std::map<std::string, std::int64_t> until_;
};

/// Requests that overlap: while one is under way, others begin and end.
struct Crowd {
  Fixture& fixture;
  SimulatedServer& server;
  os::Random& random;
  int depth = 0;
  int sends = 0;
  int gave_up = 0;

  void one() {
    ++sends;
    const Outgoing request{.identity = random.below(2) == 0 ? "a" : "b",
                           .resource = random.below(2) == 0 ? "core" : "other",
                           .writes = random.below(3) == 0};
    int calls = 0;
    const auto once = [&](SeenResponse& seen) {
      ++calls;
      seen = server.answer(request);
      const auto pending = server.take_pending();
      fixture.clock.advance_ms(static_cast<std::int64_t>(random.below(300)));
      ++depth;
      while (depth < 8 && random.below(3) == 0) one();
      --depth;
      server.put_pending(pending);
      server.delivered(request);
      return ok_status();
    };
    const auto ended = fixture.rules.send(
        request, once, random.below(4) == 0 ? os::Deadline::in_ms(7'200'000) : hours(10'000));
    CHECK(calls <= 6);
    if (!ended.ok()) {
      CHECK(ended.error().kind == ErrorKind::rate_limited);
      ++gave_up;
    }
  }
};

TEST_CASE("send: never before it may, and it ends, against a simulated server") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    RetryOptions options;
    options.pacing.reserve = 0;  // the server shows no remaining on success
    Fixture fixture(options);
    const auto random = os::seeded_random(seed);
    const std::int64_t skew = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 86'400'000 : -5'000'000;
    SimulatedServer server(fixture.clock, *random, skew);
    Crowd crowd{fixture, server, *random};
    for (int i = 0; i < 100; ++i) crowd.one();
    CHECK(crowd.sends >= 100);
    CHECK(server.served > crowd.sends / 2);
  }
}

}  // namespace
}  // namespace cairn::ratelimit
