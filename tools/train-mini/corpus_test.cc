// SPDX-License-Identifier: Apache-2.0
// The readers of the corpus, by example.
#include "corpus.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "random.h"
#include "ranking.h"
#include "roff.h"
#include "train.h"

namespace cairn::mini {
namespace {

TEST_CASE("roff: sections and blocks, without code, tables and comments") {
  const auto sections = sections_of_page(
      ".\\\" a comment\n.TH LS 1\n.SH NAME\nls \\- list\n.SH \"EXIT  STATUS\"\n"
      "First\nline with \\fBbold\\fP and a \\-dash.\n.PP\n.B second\n.nf\ncode here\n.fi\n"
      ".TS\ntable\n.TE\n.IP \\(bu 4\nitem\n.if n .ad l\n.ie n \\{\\\nhidden\n.\\}\n"
      ".BR open (2),\ntext\\c\n.SS Sub\nGr\\(:o\\(sse \\[u00E4]\n");
  REQUIRE(sections.size() == 2);
  CHECK(sections[0].heading == "NAME");
  CHECK(sections[0].blocks == std::vector<std::string>{"ls - list"});
  CHECK(sections[1].heading == "EXIT STATUS");
  CHECK(sections[1].blocks == std::vector<std::string>{"First line with bold and a -dash.",
                                                       "second", "item open(2), text", "Sub",
                                                       "Gro\xcc\x88ße ä"});
}

TEST_CASE("roff: text that is no page, and unfinished escapes, give nothing bad") {
  CHECK(sections_of_page("").empty());
  CHECK(sections_of_page(".so man1/other.1\n").empty());
  for (const auto* text : {"\\", "\\f", "\\f(", "\\f[", "\\*", "\\h'", "\\s", "\\[", "\\(a"}) {
    CAPTURE(text);
    const auto sections = sections_of_page(".SH A\nx" + std::string(text));
    REQUIRE(sections.size() == 1);
    CHECK(sections[0].blocks.size() == 1);
  }
}

TEST_CASE("corpus: the test corpus holds what its files hold") {
  const auto corpus = read_corpus("tests/data/mini-corpus");
  REQUIRE(corpus.ok());
  CHECK(corpus->senses.size() == 1340);
  const auto has_definition = [&](std::string_view lemma, std::string_view definition) {
    for (const Sense& sense : corpus->senses) {
      if (sense.lemmas.front() == lemma && sense.definition == definition) return true;
    }
    return false;
  };
  CHECK(has_definition("puppy", "a young dog"));
  bool joined = false;
  for (const Translations& block : corpus->translations) {
    CHECK(block.texts.size() >= 2);
    if (block.texts.front().second != "measure the weight of a thing") continue;
    joined = block.texts[1].second == "das Gewicht eines Dings messen" &&
             block.texts[2].second == "mesurer le poids d'une chose";
  }
  CHECK(joined);
  bool heading = false;
  for (const Pair& pair : corpus->pairs) {
    heading = heading || (pair.kind == PairKind::heading &&
                          pair.first == "The garden module: Adding a plant" &&
                          pair.second.starts_with("A plant is added with its name"));
  }
  CHECK(heading);
}

TEST_CASE("corpus: splits are stable and take about a twentieth each") {
  int test = 0;
  int development = 0;
  for (int i = 0; i < 10000; ++i) {
    const Split split = split_of("key" + std::to_string(i));
    test += split == Split::test;
    development += split == Split::development;
  }
  CHECK(test > 400);
  CHECK(test < 600);
  CHECK(development > 400);
  CHECK(development < 600);
}

TEST_CASE("random: functions without libm agree with it") {
  for (double x = -50; x < 50; x += 0.37) {
    CHECK(exp_of(x) == doctest::Approx(std::exp(x)).epsilon(1e-12));
    CHECK(log_of(std::exp(x)) == doctest::Approx(x).epsilon(1e-12));
  }
  CHECK(exp_of(-1000) == 0);
  CHECK(log_of(1) == 0);
  Random random(1);
  double sum = 0;
  double square = 0;
  for (int i = 0; i < 20000; ++i) {
    const double value = random.normal();
    sum += value;
    square += value * value;
    CHECK(random.below(7) < 7);
  }
  CHECK(std::abs(sum / 20000) < 0.03);
  CHECK(square / 20000 == doctest::Approx(1).epsilon(0.05));
}

TEST_CASE("ranking: BM25 orders as its formula says") {
  const Bm25 bm25(text::named_analyzer("standard"),
                  {"red car", "red red sea", "blue sea at night"});
  const auto hits = bm25.search("red sea", 10);
  REQUIRE(hits.size() == 3);
  CHECK(hits[0].document == 1);
  CHECK(hits[1].document == 0);
  const double idf = std::log(1 + (3 - 2 + 0.5) / (2 + 0.5));
  const double norm = 1.2 * (0.25 + 0.75 * 2 / 3.0);
  CHECK(hits[1].score == doctest::Approx(idf * 2.2 / (1 + norm)));
  CHECK(bm25.search("nothing", 10).empty());
}

TEST_CASE("ranking: measures") {
  Quality quality;
  for (const std::size_t rank : {1, 2, 11, 0}) quality.add(rank);
  const Quality mean = quality.mean();
  CHECK(mean.mrr_10 == doctest::Approx(1.5 / 4));
  CHECK(mean.recall_10 == doctest::Approx(0.5));
  CHECK(mean.recall_100 == doctest::Approx(0.75));
}

}  // namespace
}  // namespace cairn::mini
