// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/occurrences.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "inference/templates/text_value.h"

namespace cairn::inference::templates::occurrences_test {
namespace {

using Places = std::vector<std::size_t>;

Places found(std::string_view text, std::string_view part, Occurrences::From from) {
  Places out;
  Occurrences places(text, part, from);
  for (std::size_t at = places.next(); at != std::string_view::npos; at = places.next())
    out.push_back(at);
  CHECK(places.next() == std::string_view::npos);
  return out;
}

std::string made(std::mt19937& random, std::size_t size) {
  std::string out(size, 'a');
  for (char& c : out) c = static_cast<char>('a' + random() % 2);
  return out;
}

}  // namespace

TEST_CASE("occurrences: the same as a plain search finds, from both ends") {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = made(random, random() % 40);
    const std::string part = made(random, 1 + random() % 5);
    CAPTURE(text);
    CAPTURE(part);
    Places forward;
    for (std::size_t at = text.find(part); at != std::string::npos;
         at = text.find(part, at + part.size()))
      forward.push_back(at);
    CHECK(found(text, part, Occurrences::From::beginning) == forward);
    Places backward;
    for (std::size_t end = text.size();;) {
      const std::size_t at = std::string_view(text).substr(0, end).rfind(part);
      if (at == std::string::npos) break;
      backward.push_back(at);
      end = at;
    }
    CHECK(found(text, part, Occurrences::From::end) == backward);
    CHECK(stands_in(text, part) == !forward.empty());
  }
  CHECK(stands_in("", ""));
  CHECK_FALSE(stands_in("", "a"));
}

TEST_CASE("text: each byte keeps its origin through slices and joins") {
  std::mt19937 random(11);
  Text text;
  std::vector<Origin> expected;
  const auto origins = [](const Text& of) {
    std::vector<Origin> out;
    of.for_each_run([&](std::string_view bytes, Origin origin) {
      CHECK((out.empty() || out.back() != origin));
      out.insert(out.end(), bytes.size(), origin);
    });
    return out;
  };
  for (int round = 0; round < 2000; ++round) {
    if (text.size() > 60) {
      text = {};
      expected.clear();
    }
    const auto origin = random() % 2 == 0 ? Origin::value : Origin::source;
    const std::string piece(random() % 4, 'x');
    text.append(piece, origin);
    expected.insert(expected.end(), piece.size(), origin);
    const std::size_t begin = random() % (text.size() + 1);
    const std::size_t end = begin + random() % (text.size() - begin + 1);
    const Text slice = text.slice(begin, end);
    const std::vector<Origin> part(expected.begin() + static_cast<std::ptrdiff_t>(begin),
                                   expected.begin() + static_cast<std::ptrdiff_t>(end));
    REQUIRE(origins(slice) == part);
    if (random() % 3 == 0) {
      text.append(slice);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    REQUIRE(origins(text) == expected);
  }
}

}  // namespace cairn::inference::templates::occurrences_test
