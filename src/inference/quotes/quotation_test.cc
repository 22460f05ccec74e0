// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "inference/quotes/quotation.h"

namespace cairn::inference::quotation_test {
namespace {

using Places = std::vector<std::size_t>;

float never_alike(std::size_t, std::size_t) { return 0; }

/// The definition, one place after the other.
Places slowly_chosen(const std::vector<float>& scores, const SentenceLikeness& likeness,
                     const QuoteOptions& options) {
  Places out;
  std::vector<bool> seen(scores.size(), false);
  const float best = scores.empty() ? 0 : *std::max_element(scores.begin(), scores.end());
  for (std::size_t turn = 0; turn < scores.size() && out.size() < options.most_sentences; ++turn) {
    std::size_t at = scores.size();
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (!seen[i] && (at == scores.size() || scores[i] > scores[at])) at = i;
    seen[at] = true;
    bool fits = scores[at] >= options.bar;
    if (!out.empty())
      fits = fits && scores[at] >= best - options.margin && scores[at] >= options.further_bar;
    for (const std::size_t other : out) fits = fits && likeness(at, other) <= options.most_likeness;
    if (fits) out.push_back(at);
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST_CASE("quotation: the best within the margin, in the order of the context") {
  const QuoteOptions options{.bar = 0, .further_bar = 0, .margin = 1};
  CHECK(chosen_sentences(std::vector<float>{1.5F, -3, 2, 0.9F, 1.2F, 1.1F}, never_alike, options) ==
        Places{0, 2, 4});
  CHECK(chosen_sentences(std::vector<float>{-0.1F}, never_alike, options).empty());
  CHECK(chosen_sentences(std::vector<float>{}, never_alike, options).empty());
}

TEST_CASE("quotation: a further sentence must be better than the best need be") {
  const QuoteOptions options{.bar = -1, .further_bar = 0, .margin = 1};
  CHECK(chosen_sentences(std::vector<float>{-0.5F, -0.5F}, never_alike, options) == Places{0});
  CHECK(chosen_sentences(std::vector<float>{0.5F, 0}, never_alike, options) == Places{0, 1});
}

TEST_CASE("quotation: nothing is said twice") {
  const auto alike = [](std::size_t a, std::size_t b) { return a / 2 == b / 2 ? 1.0F : 0.0F; };
  CHECK(chosen_sentences(std::vector<float>{1, 1, 1, 1}, alike, {}) == Places{0, 2});
}

TEST_CASE("quotation: the same as by the definition") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> scores(random() % 16);
    for (float& one : scores) one = static_cast<float>(random() % 8) / 2 - 2;
    const std::size_t kinds = 1 + random() % 6;
    const auto alike = [&](std::size_t a, std::size_t b) {
      return a % kinds == b % kinds ? 0.95F : 0.5F;
    };
    const QuoteOptions options{.bar = -1, .further_bar = -0.5F, .margin = 1};
    CHECK(chosen_sentences(scores, alike, options) == slowly_chosen(scores, alike, options));
  }
}

TEST_CASE("quotation: a run of one source has its mark once, behind it") {
  const QuotableText all{
      .marks = {"", "[1]", "[2]"},
      .sentences = {
          {.text = "A.", .mark = 1}, {.text = "B.", .mark = 1}, {.text = "C.", .mark = 2}}};
  CHECK(quotation_of(all, Places{0, 1, 2}, "m") == "A. B. [1] C. [2]");
  CHECK(quotation_of({.sentences = {{.text = "A."}}}, Places{0}, "m") == "A.");
}

TEST_CASE("quotation: that nothing was found is said, not that nothing is there") {
  CHECK(quotation_of({.sentences = {{.text = "A."}}}, Places{}, "m") ==
        "No sentence of the given context was found that answers the question; m-quotes only "
        "quotes.");
  CHECK(quotation_of({}, Places{}, "m") ==
        "No context was given; m-quotes only quotes sentences of a given context.");
}

}  // namespace
}  // namespace cairn::inference::quotation_test
