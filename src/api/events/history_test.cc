// SPDX-License-Identifier: Apache-2.0
#include "api/events/history.h"

#include <doctest/doctest.h>

#include <limits>

namespace cairn::api::history_test {
namespace {

using Series = History::Series;
constexpr std::int64_t begin_ms = 1'764'000'000'000;  // begins steps of all lengths

History::Sample sample(float requests, float p99 = std::numeric_limits<float>::quiet_NaN()) {
  History::Sample out;
  out.fill(0);
  out[static_cast<std::size_t>(Series::requests_per_second)] = requests;
  out[static_cast<std::size_t>(Series::latency_p99_ms)] = p99;
  return out;
}

Json::Array series(const History& history, History::Range range, const char* name) {
  return history.shown(range, {name}).find("metrics")->find(name)->as_array();
}

}  // namespace

TEST_CASE("history: nothing is known before the first full step") {
  const History history;
  const Json shown = history.shown(History::Range::hour, {"requests_per_second"});
  CHECK(shown.int_or("step_ms") == 10'000);
  CHECK(shown.find("metrics")->find("requests_per_second")->as_array().empty());
}

TEST_CASE("history: steps hold the mean, of the slow requests the slowest, and gaps nothing") {
  History history;
  history.add(begin_ms, sample(1, 10));
  history.add(begin_ms + 1, sample(3, 30));
  history.add(begin_ms + 10'000, sample(5));
  history.add(begin_ms + 40'000, sample(7));
  const auto requests = series(history, History::Range::hour, "requests_per_second");
  REQUIRE(requests.size() == 360);
  const Json shown = history.shown(History::Range::hour, {});
  CHECK(shown.int_or("from_ms") == begin_ms + 40'000 - 360 * 10'000);
  CHECK(requests[359].is_null());
  CHECK(requests[358].is_null());
  CHECK(requests[357].as_int() == 5);
  CHECK(requests[356].as_int() == 2);
  CHECK(requests[355].is_null());
  const auto slow = series(history, History::Range::hour, "latency_p99_ms");
  CHECK(slow[356].as_int() == 30);
  CHECK(slow[357].is_null());
}

TEST_CASE("history: long steps gather short ones, and old steps go") {
  History history;
  for (int i = 0; i < 12; ++i) history.add(begin_ms + i * 10'000, sample(static_cast<float>(i)));
  history.add(begin_ms + 120'000, sample(0));
  CHECK(series(history, History::Range::day, "requests_per_second").back().as_double() ==
        doctest::Approx(5.5));
  history.add(begin_ms + 3'600'000'0ll, sample(0));
  for (const Json& each : series(history, History::Range::hour, "requests_per_second"))
    CHECK(each.is_null());
  history.add(begin_ms - 8ll * 86'400'000, sample(0));  // the clock was far ahead
  history.add(begin_ms - 8ll * 86'400'000 + 10'000, sample(0));
  CHECK(series(history, History::Range::hour, "requests_per_second").back().as_int() == 0);
}

TEST_CASE("history: what was saved is there again, and what is damaged changes nothing") {
  History history;
  history.add(begin_ms, sample(4));
  history.add(begin_ms + 10'000, sample(1));
  const std::string saved = history.save();
  History again;
  REQUIRE(again.restore(saved).ok());
  again.add(begin_ms + 20'000, sample(1));
  const auto requests = series(again, History::Range::hour, "requests_per_second");
  CHECK(requests[358].as_int() == 4);
  CHECK(requests[359].is_null());  // was not full when it was saved
  for (const std::string& damaged : {std::string(), std::string("{}"), std::string("{}\n"),
                                     saved.substr(0, saved.size() - 1), saved + "x", "x" + saved})
    CHECK_FALSE(again.restore(damaged).ok());
  CHECK(series(again, History::Range::hour, "requests_per_second")[358].as_int() == 4);
}

}  // namespace cairn::api::history_test
