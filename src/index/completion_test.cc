// SPDX-License-Identifier: Apache-2.0
// Completions against a slow search over all inputs.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "index/testing.h"
#include "index/view.h"
#include "text/analyzer.h"

namespace cairn::index::completion_test {
namespace {

struct Input {
  std::string text;
  std::uint32_t weight = 1;
};
using Documents = std::map<std::string, std::vector<Input>>;

std::string path_of(const std::string& text) {
  std::string out;
  for (const std::string& word : text::terms_of(*text::named_analyzer("simple"), text))
    out += (out.empty() ? "" : "\x1f") + word;
  return out;
}

/// Edits with swapped neighbours, by the whole table.
std::size_t edits_between(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                          d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

/// What an input scores; below 0: it is none.
float score_of(const CompletionAsked& asked, const Input& input) {
  const std::string path = path_of(input.text), wanted = path_of(asked.text);
  const auto weight = static_cast<float>(input.weight);
  if (path.empty() || (wanted.empty() && !asked.text.empty())) return -1;
  const auto letters = std::count_if(asked.text.begin(), asked.text.end(),
                                     [](char c) { return (c & 0xC0) != 0x80; });
  const std::size_t edits = letters < 3 ? 0 : letters < 6 ? 1 : 2;
  const bool fuzzy = asked.kind == CompletionAsked::Kind::fuzzy && edits > 0 &&
                     wanted.size() > asked.prefix_length && wanted.size() >= asked.min_length;
  if (!fuzzy) return path.starts_with(wanted) ? weight : -1;
  if (path.substr(0, asked.prefix_length) != wanted.substr(0, asked.prefix_length)) return -1;
  for (std::size_t size = asked.prefix_length; size <= path.size(); ++size) {
    if (edits_between(wanted.substr(asked.prefix_length),
                      path.substr(asked.prefix_length, size - asked.prefix_length)) > edits)
      continue;
    std::size_t agreed = 0;
    while (agreed < size && agreed < wanted.size() && path[agreed] == wanted[agreed]) ++agreed;
    return agreed == 0 ? weight : std::max(weight, 1.0f) * static_cast<float>(agreed);
  }
  return -1;
}

struct Shown {
  float score;
  std::string path, text, id;
  bool operator<(const Shown& other) const {
    if (score != other.score) return score > other.score;
    return std::tie(path, text) < std::tie(other.path, other.text);
  }
};

/// The scores and texts that must come out, in order.
std::vector<Shown> slow(const Documents& documents, const CompletionAsked& asked) {
  std::vector<Shown> all;
  for (const auto& [id, inputs] : documents) {
    std::vector<Shown> own;
    for (const Input& input : inputs)
      if (const float score = score_of(asked, input); score >= 0)
        own.push_back({score, path_of(input.text), input.text, id});
    std::sort(own.begin(), own.end());
    if (asked.skip_duplicates)
      all.insert(all.end(), own.begin(), own.end());
    else if (!own.empty())
      all.push_back(own.front());
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string text_of(std::mt19937& random, std::size_t words) {
  static const char* const pieces[] = {"sea", "see", "sun", "su", "se", "song", "sang", "ear", "é"};
  std::string out;
  for (std::size_t i = 0; i < words; ++i)
    out += (out.empty() ? "" : " ") + std::string(pieces[random() % std::size(pieces)]);
  return out;
}

Json source_of(const std::vector<Input>& inputs) {
  Json list = Json::array();
  for (const Input& one : inputs)
    list.push(Json::object({{"input", one.text}, {"weight", one.weight}}));
  return Json::object({{"s", std::move(list)}});
}

std::vector<Completion> fast(Index& index, const CompletionAsked& asked) {
  const auto found = index.view()->complete(asked, os::Deadline::in_ms(60'000));
  INFO((found.ok() ? std::string() : found.error().message));
  REQUIRE(found.ok());
  return *found;
}

/// No text and no document twice, the best first, and nothing left out that could still stand there:
/// what is missing has a text that is there, or is of documents that are.
void check_distinct(const Documents& documents, const CompletionAsked& asked,
                    const std::vector<Completion>& found) {
  const auto all = slow(documents, asked);
  std::set<std::string> texts;
  for (const Completion& one : found) {
    CHECK(texts.insert(one.text).second);
    CHECK(std::any_of(all.begin(), all.end(), [&](const Shown& shown) {
      return shown.text == one.text && shown.score == one.score;
    }));
  }
  CHECK(found.empty() == all.empty());
  if (found.empty()) return;
  CHECK(found.front().text == all.front().text);
  CHECK(std::is_sorted(found.begin(), found.end(), comes_before));
  if (found.size() == asked.most) return;
  std::set<std::string> missing;
  for (const Shown& one : all)
    if (!texts.contains(one.text)) missing.insert(one.id);
  CHECK(missing.size() <= found.size());
}

constexpr const char* mappings = R"({"properties": {"s": {"type": "completion"}}})";

TEST_CASE("completion: random inputs and questions against a slow search") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Fixture house;
    const auto index = house.create("i", mappings);
    Documents documents;
    for (int i = 0; i < 300; ++i) {
      const std::string id = std::to_string(random() % 200);
      if (random() % 5 == 0 && documents.contains(id)) {
        house.remove(*index, id);
        documents.erase(id);
      } else {
        std::vector<Input> inputs;
        for (std::size_t k = random() % 3 + 1; k > 0; --k)
          inputs.push_back({text_of(random, random() % 3 + 1),
                            static_cast<std::uint32_t>(random() % (seed % 2 == 0 ? 4 : 1000))});
        house.put(*index, id, source_of(inputs).dump());
        documents[id] = inputs;
      }
      if (i % 60 == 59) REQUIRE(index->refresh(house.soon()).ok());
    }
    if (seed % 3 == 0) REQUIRE(index->force_merge(1, house.soon()).ok());
    for (int q = 0; q < 60; ++q) {
      CompletionAsked asked{.field = "s", .text = text_of(random, random() % 2 + 1)};
      asked.text.resize(random() % asked.text.size() + 1);
      if (!is_utf8(asked.text)) continue;
      asked.kind = q % 2 == 0 ? CompletionAsked::Kind::prefix : CompletionAsked::Kind::fuzzy;
      asked.prefix_length = random() % 3;
      asked.most = random() % 8 + 1;
      CAPTURE(asked.text);
      CAPTURE(asked.prefix_length);
      const auto wanted = slow(documents, asked);
      const auto found = fast(*index, asked);
      REQUIRE(found.size() == std::min(asked.most, wanted.size()));
      std::set<std::string> ids;
      for (std::size_t i = 0; i < found.size(); ++i) {
        CAPTURE(i);
        CHECK(found[i].score == wanted[i].score);
        CHECK(found[i].text == wanted[i].text);
        const auto id = index->view()->id(found[i].doc, house.soon());
        CHECK(ids.insert(*id).second);
        const auto& own = documents.at(*id);
        CHECK(std::any_of(own.begin(), own.end(),
                          [&](const Input& one) { return one.text == found[i].text; }));
      }
      asked.skip_duplicates = true;
      check_distinct(documents, asked, fast(*index, asked));
    }
  }
}

TEST_CASE("completion: beginnings by a pattern") {
  Fixture house;
  const auto index = house.create("i", mappings);
  house.put(*index, "1", R"({"s": ["Nevermind", "Nirvana"]})");
  house.put(*index, "2", R"({"s": {"input": "Nora Jones", "weight": 7}})");
  house.put(*index, "3", R"({"s": "Nervous"})");
  REQUIRE(index->refresh(house.soon()).ok());
  const auto texts = [&](const std::string& pattern) {
    std::string out;
    CompletionAsked asked{.field = "s", .kind = CompletionAsked::Kind::regexp, .text = pattern};
    asked.flags = 0xff;
    for (const Completion& one : fast(*index, asked)) out += one.text + ";";
    return out;
  };
  CHECK(texts("n[ei]r") == "Nervous;Nirvana;");
  CHECK(texts("n") == "Nora Jones;Nervous;Nevermind;");
  CHECK(texts("n.{2}a") == "Nora Jones;");
  CHECK(texts(".*jones") == "Nora Jones;");
  CHECK(texts("x") == "");
}

TEST_CASE("completion: separators, left out words, other analyzers, long inputs") {
  Fixture house;
  const auto index = house.create("i", R"({"properties": {
    "apart": {"type": "completion", "analyzer": "stop"},
    "together": {"type": "completion", "preserve_separators": false},
    "gaps": {"type": "completion", "analyzer": "stop", "preserve_position_increments": false},
    "short": {"type": "completion", "max_input_length": 5},
    "title": {"type": "text", "fields": {"s": {"type": "completion"}}},
    "words": {"type": "completion", "fields": {"k": {"type": "keyword"}}}}})");
  house.put(*index, "1",
            R"({"apart": "The Beatles", "together": "foof", "gaps": "The Beatles",
                "short": "abcdefgh", "title": "Blue Sea", "words": {"input": ["x y", "z"]}})");
  house.put(*index, "2", R"({"together": "foo fighters"})");
  REQUIRE(index->refresh(house.soon()).ok());
  const auto count = [&](const char* field, const char* text) {
    return fast(*index, {.field = field, .text = text}).size();
  };
  CHECK(count("apart", "beat") == 0);
  CHECK(count("apart", "the beat") == 1);
  CHECK(count("gaps", "beat") == 1);
  CHECK(count("together", "foof") == 2);
  CHECK(count("together", "foo f") == 2);
  CHECK(count("title.s", "blue s") == 1);
  CHECK(count("words", "z") == 1);
  CHECK(count("words", "") == 1);
  CHECK(fast(*index, {.field = "short", .text = "ab"}).front().text == "abcde");
  CHECK(index->view()->count({.node = TermQuery{.field = "words.k", .value = "z"}}, house.soon())
            .value_or(0) == 1);
}

TEST_CASE("completion: what is not taken") {
  Fixture house;
  const auto index = house.create("i", R"({"properties": {
    "s": {"type": "completion"}, "t": {"type": "text"}}})");
  const auto fault = [&](const char* source) {
    WriteOperation operation;
    operation.id = "1";
    operation.source = source;
    const WriteResult done = house.write(*index, operation);
    REQUIRE(done.error);
    const Error* error = &*done.error;
    while (error->cause != nullptr) error = error->cause.get();
    return error->message;
  };
  CHECK(fault(R"({"s": 1})").find("input must be a text") != std::string::npos);
  CHECK(fault(R"({"s": ""})") == "value must have a length > 0");
  CHECK(fault(R"({"s": "a\u001fb"})").find("reserved character") != std::string::npos);
  CHECK(fault(R"({"s": {"weight": 1}})") == "an object needs an [input]");
  CHECK(fault(R"({"s": {"input": "a", "weight": -1}})").find("[0..2147483647]") !=
        std::string::npos);
  CHECK(fault(R"({"s": {"input": "a", "weight": 1.5}})") ==
        "weight must be an integer, but was [1.5]");
  CHECK(fault(R"({"s": {"input": "a", "more": 1}})").find("unknown field name [more]") == 0);
  const auto asked = [&](CompletionAsked wanted) {
    const auto found = index->view()->complete(wanted, house.soon());
    return found.ok() ? std::string() : found.error().message;
  };
  CHECK(asked({.field = "x", .text = "a"}) == "no mapping found for field [x]");
  CHECK(asked({.field = "t", .text = "a"}) == "Field [t] is not a completion suggest field");
  CHECK(asked({.field = "s", .text = "a", .analyzer = "none"}) == "analyzer [none] doesn't exists");
  CHECK(asked({.field = "s", .kind = CompletionAsked::Kind::fuzzy, .text = "abc", .fuzziness = "3"})
            .find("fuzziness") != std::string::npos);
}

TEST_CASE("completion: queries of other kinds say that the field has no terms for them") {
  Fixture house;
  const auto index = house.create("i", mappings);
  house.put(*index, "1", R"({"s": "a"})");
  house.put(*index, "2", R"({})");
  REQUIRE(index->refresh(house.soon()).ok());
  CHECK(index->view()->count({.node = ExistsQuery{.field = "s"}}, house.soon()).value_or(0) == 1);
  const Query others[] = {term("s", "a"),
                          match("s", "a"),
                          {.node = PrefixQuery{.field = "s", .value = "a"}},
                          {.node = RangeQuery{.field = "s", .gte = Json("a")}}};
  for (const Query& one : others) {
    CAPTURE(one.node.index());
    CHECK(!index->view()->count(one, house.soon()).ok());
  }
}

}  // namespace
}  // namespace cairn::index::completion_test
