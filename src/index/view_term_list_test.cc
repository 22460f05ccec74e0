// SPDX-License-Identifier: Apache-2.0
// View::terms beside a list that is sorted.
#include <algorithm>
#include <set>
#include <string>

#include "index/testing.h"

namespace cairn::index::view_term_list_test {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

TEST_CASE("terms: those of a keyword that begin with some letters, as a sorted list has them") {
  Fixture house;
  const auto index = house.create("a", R"({"properties": {"k": {"type": "keyword"}, "t": {"type": "text"},
      "n": {"type": "long"}}})");
  std::set<std::string> all;
  const auto random = os::seeded_random(5);
  for (int i = 0; i < 600; ++i) {
    std::string term;
    for (const char c : random->bytes(1 + static_cast<std::size_t>(i % 4)))
      term += "aAbBcC"[static_cast<unsigned char>(c) % 6];
    all.insert(term);
    house.put(*index, std::to_string(i), R"({"t": "a b", "n": 5, "k": ")" + term + "\"}");
    if (i % 97 == 0) REQUIRE(index->flush(house.soon()).ok());
  }
  REQUIRE(index->refresh(house.soon()).ok());
  const auto view = index->view();
  CHECK(view->segment_count() > 3);
  for (const char* prefix : {"", "a", "A", "ab", "bC", "cccc", "d", "aAbBc"})
    for (const char* after : {"", "a", "bB", "Cc", "zz"})
      for (const bool folds : {false, true})
        for (const std::size_t most : {std::size_t{1}, std::size_t{7}, std::size_t{10'000}}) {
          CAPTURE(prefix);
          CAPTURE(after);
          CAPTURE(folds);
          std::vector<std::string> wanted;
          for (const std::string& term : all) {
            const bool fits = folds ? lower(term).starts_with(lower(prefix)) : term.starts_with(prefix);
            if (fits && (*after == 0 || term > after) && wanted.size() < most) wanted.push_back(term);
          }
          const auto found = view->terms(
              {.field = "k", .prefix = prefix, .case_insensitive = folds, .after = after, .most = most},
              house.soon());
          REQUIRE(found.ok());
          CHECK(*found == wanted);
        }
  for (const char* field : {"t", "n", "none"})
    CHECK(view->terms({.field = field}, house.soon())->empty());
}

}  // namespace
}  // namespace cairn::index::view_term_list_test
