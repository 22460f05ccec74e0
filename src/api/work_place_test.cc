// SPDX-License-Identifier: Apache-2.0
#include "api/work_place.h"

#include <doctest/doctest.h>

namespace cairn::api::work_place_test {

void took_short(WorkPlaces& places, std::uint64_t kind) {
  for (int i = 0; i < WorkPlaces::trusted_after; ++i) places.took(kind, 100'000);
}

TEST_CASE("work place: a kind stays on its worker after some short ones, until a long one") {
  WorkPlaces places(2);
  CHECK_FALSE(places.stay(7));
  for (int i = 0; i + 1 < WorkPlaces::trusted_after; ++i) places.took(7, WorkPlaces::short_ns);
  CHECK_FALSE(places.stay(7));
  places.took(7, 1);
  CHECK(places.stay(7));
  CHECK_FALSE(places.stay(8));
  places.took(7, WorkPlaces::short_ns + 1);
  CHECK_FALSE(places.stay(7));
}

TEST_CASE("work place: so many at once are trusted, whatever their kind") {
  WorkPlaces places(2);
  for (std::uint64_t kind = 1; kind <= 3; ++kind) took_short(places, kind);
  {
    const auto one = places.stay(1);
    const auto two = places.stay(2);
    CHECK(one);
    CHECK(two);
    CHECK_FALSE(places.stay(3));
    CHECK_FALSE(places.stay(1));
  }
  CHECK(places.stay(3));
}

}  // namespace cairn::api::work_place_test
