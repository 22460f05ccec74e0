// SPDX-License-Identifier: Apache-2.0
#include "search/contexts/search_contexts.h"

#include <doctest/doctest.h>

namespace cairn::search::search_contexts_test {
namespace {

struct Fixture {
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(1);
  Options options{
      .max_open_contexts = 4, .max_open_contexts_of_one = 3, .max_context_bytes = 10'000};
  SearchContexts contexts{options, clock, *random};

  Result<std::string> open(std::string owner, std::optional<Scroll> scroll = {},
                           std::int64_t keep_alive_ms = 1000) {
    return contexts.open({.owner = std::move(owner), .targets = {}}, std::move(scroll),
                         keep_alive_ms);
  }
};

Scroll scroll_of(std::size_t bytes) {
  return {.body = std::make_shared<const std::string>(bytes, 'x')};
}

}  // namespace

TEST_CASE("search contexts: found by their owner until their time is over") {
  Fixture fixture;
  const std::string id = fixture.open("one").value();
  CHECK(fixture.contexts.point_in_time(id, "one", {}).ok());
  const auto stranger = fixture.contexts.point_in_time(id, "two", {});
  REQUIRE(!stranger.ok());
  CHECK(stranger.error().kind == ErrorKind::not_found);
  CHECK(stranger.error().cause->code == "search_context_missing_exception");
  fixture.clock.advance_ms(900);
  CHECK(fixture.contexts.point_in_time(id, "one", 1000).ok());
  fixture.clock.advance_ms(900);
  CHECK(fixture.contexts.point_in_time(id, "one", {}).ok());  // kept no longer by this
  fixture.clock.advance_ms(100);
  CHECK(!fixture.contexts.point_in_time(id, "one", {}).ok());
  CHECK(fixture.contexts.end_expired() == 0);
}

TEST_CASE("search contexts: a scroll is no point in time") {
  Fixture fixture;
  const std::string pit = fixture.open("one").value();
  const std::string scroll = fixture.open("one", scroll_of(1)).value();
  CHECK(!fixture.contexts.scroll(pit, "one", {}).ok());
  CHECK(!fixture.contexts.point_in_time(scroll, "one", {}).ok());
  CHECK(fixture.contexts.scroll(scroll, "one", {}).value().scroll.last.empty());
  fixture.contexts.advance(scroll, {index::SortValue(std::int64_t{7})});
  CHECK(fixture.contexts.scroll(scroll, "one", {}).value().scroll.last.size() == 1);
  fixture.contexts.advance("gone", {});
  CHECK(fixture.contexts.close_scrolls("two") == 0);
  CHECK(fixture.contexts.close_scrolls("one") == 1);
  CHECK(fixture.contexts.close({pit, scroll, "nothing"}, "one") == 1);
}

TEST_CASE("search contexts: whether there is room is known before there is anything to keep") {
  Fixture fixture;
  CHECK(fixture.contexts.check_open("one", scroll_of(1), 1000).ok());
  CHECK(!fixture.contexts.check_open("one", scroll_of(20'000), 1000).ok());
  CHECK(!fixture.contexts.check_open("one", {}, 0).ok());
  for (int i = 0; i < 3; ++i) CHECK(fixture.open("one").ok());
  const Status own = fixture.contexts.check_open("one", scroll_of(1), 1000);
  REQUIRE(!own.ok());
  CHECK(own.error().code == "too_many_scroll_contexts_exception");
  CHECK(fixture.contexts.check_open("two", scroll_of(1), 1000).ok());
  fixture.clock.advance_ms(1000);  // those of before are over
  CHECK(fixture.contexts.check_open("one", scroll_of(1), 1000).ok());
}

TEST_CASE("search contexts: a text that is the id of none is told from one that is over") {
  Fixture fixture;
  const std::string id = fixture.open("one").value();
  CHECK(fixture.contexts.close({id}, "one") == 1);
  CHECK(SearchContexts::check_ids({id}, false).ok());
  for (const bool scrolls : {false, true}) {
    const Status none = SearchContexts::check_ids({id, "none"}, scrolls);
    REQUIRE(!none.ok());
    CHECK(none.error().code == "illegal_argument_exception");
  }
}

TEST_CASE("search contexts: so many at once, so many of one key, so many bytes") {
  Fixture fixture;
  for (int i = 0; i < 3; ++i) CHECK(fixture.open("one").ok());
  const auto own = fixture.open("one");
  REQUIRE(!own.ok());
  CHECK(own.error().code == "too_many_scroll_contexts_exception");
  CHECK(own.error().kind == ErrorKind::rate_limited);
  CHECK(fixture.open("two").ok());
  CHECK(!fixture.open("three").ok());
  fixture.clock.advance_ms(1000);  // those of before are over
  CHECK(fixture.open("three", scroll_of(6000)).ok());
  CHECK(!fixture.open("four", scroll_of(6000)).ok());
  CHECK(fixture.open("four", scroll_of(100)).ok());
}

TEST_CASE("search contexts: times and ids that make no sense") {
  Fixture fixture;
  CHECK(!fixture.open("one", {}, 0).ok());
  CHECK(!fixture.open("one", {}, -1).ok());
  CHECK(!fixture.open("one", {}, 25 * 60 * 60 * 1000).ok());
  const std::string id = fixture.open("one").value();
  CHECK(!fixture.contexts.point_in_time(id, "one", -5).ok());
  CHECK(fixture.contexts.point_in_time(id + "a", "one", {}).error().code ==
        "illegal_argument_exception");
  CHECK(fixture.contexts.scroll("", "one", {}).error().message == "Cannot parse scroll id");
}

}  // namespace cairn::search::search_contexts_test
