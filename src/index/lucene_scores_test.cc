// SPDX-License-Identifier: Apache-2.0
// Scores are Lucene's: tests/data/lucene has what it gave the same passages and questions.
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "index/testing.h"
#include "os/files/files.h"

namespace cairn::index::lucene_scores_test {
namespace {

std::vector<std::vector<std::string>> rows(const std::string& name) {
  const auto text = os::read_file(os::system_files(), "tests/data/lucene/" + name, 1u << 20);
  REQUIRE(text.ok());
  std::vector<std::vector<std::string>> out;
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    out.emplace_back();
    for (std::size_t tab = 0; tab != std::string_view::npos;) {
      tab = line.find('\t');
      out.back().emplace_back(line.substr(0, tab));
      if (tab != std::string_view::npos) line.remove_prefix(tab + 1);
    }
  }
  return out;
}

// Runs of ASCII letters and digits in lower case.
std::string words_of(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool kept = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    out += upper ? static_cast<char>(c + 32) : kept ? c : ' ';
  }
  return out;
}

void check_scores(Fixture& house, Index& index) {
  std::map<std::string, std::vector<double>> wanted;
  for (const auto& row : rows("scores.tsv"))
    for (std::size_t i = 2; i < row.size(); ++i)
      wanted[row[0] + " " + row[1]].push_back(2.2 * std::strtod(row[i].c_str(), nullptr));
  CHECK(wanted.size() > 300);
  for (const auto& question : rows("queries.tsv")) {
    for (const char* kind : {"or", "and", "or_filter", "and_filter"}) {
      CAPTURE(kind);
      CAPTURE(question[2]);
      MatchQuery match;
      match.field = "body";
      match.value = question[2];
      if (std::string_view(kind).starts_with("and")) match.op = Operator::and_;
      Query query{.node = match};
      if (std::string_view(kind).ends_with("filter"))
        query.node =
            BoolQuery{.must = {Query{.node = match}}, .filter = {term("folder", question[1])}};
      const auto& scores = wanted[kind + std::string(" ") + question[0]];
      for (const std::uint64_t counted : {std::uint64_t{0}, UINT64_MAX}) {
        const TopDocs found = house.search(index, query, {.track_total_hits = counted});
        REQUIRE(found.hits.size() == scores.size());
        for (std::size_t i = 0; i < scores.size(); ++i)
          CHECK(static_cast<double>(found.hits[i].score) ==
                doctest::Approx(scores[i]).epsilon(1e-5));
      }
    }
  }
}

}  // namespace

TEST_CASE("search: scores are those of Lucene, over one segment and over several") {
  Fixture house;
  const auto index = house.create("passages", R"({"properties": {
      "body": {"type": "text", "analyzer": "whitespace"}, "folder": {"type": "keyword"}}})");
  std::size_t count = 0;
  for (const auto& row : rows("docs.tsv")) {
    Json source = Json::object();
    source.set("folder", row[1]);
    source.set("body", words_of(row[4]));
    house.put(*index, row[0], source.dump());
    if (++count % 90 == 0) REQUIRE(index->refresh(house.soon()).ok());
  }
  REQUIRE(index->refresh(house.soon()).ok());
  CHECK(index->view()->segment_count() > 3);
  check_scores(house, *index);
  REQUIRE(index->flush(house.soon()).ok());
  REQUIRE(index->force_merge(1, house.soon()).ok());
  CHECK(index->view()->segment_count() == 1);
  check_scores(house, *index);
}

}  // namespace cairn::index::lucene_scores_test
