// SPDX-License-Identifier: Apache-2.0
// How well the model that ships chooses what to quote: the figures of docs/reference/inference.md.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "base/strings.h"
#include "inference/model/model_store.h"
#include "inference/quotes/quotation.h"
#include "inference/static/static_quoter.h"
#include "os/files/files.h"

namespace cairn::inference::static_quoter_test {
namespace {

constexpr std::size_t beside = 5;  // other texts of a context
const os::Deadline never = os::Deadline::never();

const StaticParts& shipped() {
  static const auto parts = [] {
    const auto files = files_of_folder(os::system_files(), "cairn-mini", "models/cairn-mini");
    return load_static_parts(files, parse_json(files.read("config.json").value()).value()).value();
  }();
  return *parts;
}

/// The best score of each text's sentences for a question.
std::vector<float> best_scores(const std::string& question, const std::vector<std::string>& texts) {
  std::vector<float> out;
  for (const std::string& text : texts) {
    const auto sentences = quotable_sentences({{text}}, never).value();
    const auto scores = quote_scores(shipped(), question, sentences, never).value();
    out.push_back(*std::max_element(scores.begin(), scores.end()));
  }
  return out;
}

struct Shares {
  double right = 0;  // the answering text's best sentence is the best, and quoted
  double wrong = 0;  // another's is
  double none = 0;   // without the answering text something is quoted
};

struct Measure {
  std::vector<std::string> texts;
  std::vector<std::vector<std::string>> questions{2};  // with words of the answer, in others

  Measure() {
    const std::string file =
        os::read_file(os::system_files(), "tests/data/mini-eval/questions.tsv", 1 << 20).value();
    for (const std::string_view line : split(file, '\n')) {
      const auto parts = split(line, '\t');
      if (line.starts_with('#') || parts.size() != 3) continue;
      texts.emplace_back(parts[0]);
      for (std::size_t kind = 0; kind < 2; ++kind) questions[kind].emplace_back(parts[kind + 1]);
    }
    REQUIRE(texts.size() == 102);
  }

  Shares of(std::size_t kind, bool nearest) const {
    Shares out;
    const double one = 1.0 / static_cast<double>(texts.size());
    std::mt19937 random(7);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::vector<float> scores = best_scores(questions[kind][i], texts);
      const float own = scores[i];
      scores.erase(scores.begin() + static_cast<std::ptrdiff_t>(i));
      if (!nearest) {
        for (std::size_t k = 0; k < beside; ++k)
          std::swap(scores[k], scores[k + random() % (scores.size() - k)]);
        scores.resize(beside);
      }
      const float other = *std::max_element(scores.begin(), scores.end());
      const float bar = QuoteOptions().bar;
      if (own >= bar && own >= other) out.right += one;
      if (other >= bar && other > own) out.wrong += one;
      if (other >= bar) out.none += one;
    }
    return out;
  }
};

TEST_CASE("static quoter: the shares of questions that the reference tells") {
  const Measure measure;
  const Shares any = measure.of(0, false);
  const Shares nearest = measure.of(0, true);
  const Shares reworded = measure.of(1, false);
  const Shares reworded_nearest = measure.of(1, true);
  for (const Shares& one : {any, nearest, reworded, reworded_nearest})
    MESSAGE("right " << one.right << ", wrong " << one.wrong << ", none " << one.none);
  CHECK(any.right > 0.94);
  CHECK(any.none < 0.02);
  CHECK(nearest.right > 0.94);
  CHECK(nearest.wrong < 0.01);
  CHECK(nearest.none < 0.11);
  CHECK(reworded.right > 0.08);
  CHECK(reworded.wrong < 0.03);
  CHECK(reworded_nearest.none < 0.2);
}

TEST_CASE("static quoter: a heading counts a little, and never against a sentence") {
  const std::string question = "How long do cats sleep?";
  const QuotableText all{.headings = {"", "Cats sleep long"},
                         .sentences = {{.text = "They do so for twelve hours."},
                                       {.text = "They do so for twelve hours.", .heading = 1},
                                       {.text = "Cats sleep for twelve hours."}}};
  const auto scores = quote_scores(shipped(), question, all, never).value();
  CHECK(scores[1] > scores[0]);
  CHECK(scores[2] > scores[1]);
}

TEST_CASE("static quoter: what has no known token neither asks nor answers") {
  // Both would get the same vector, as if the one said the other.
  const std::vector<std::string> unknown{"ما هو الكيرن؟", "מהו קרן?", "केर्न क्या है?", "แคร์นคืออะไร",
                                         "Τι είναι;",     "?",         "",            "☃☃☃"};
  const QuotableText all{.sentences = {{.text = "☃☃☃."},
                                       {.text = "الحجارة كومة."},
                                       {.text = "A cairn is a heap of stones."}}};
  for (const std::string& question : unknown) {
    CAPTURE(question);
    const auto scores = quote_scores(shipped(), question, all, never).value();
    for (const float score : scores) CHECK(score == -std::numeric_limits<float>::infinity());
    const std::vector<SaidText> said{
        {"system", "الحجارة كومة. A cairn is a heap of stones."}, {"user", question}};
    std::string whole;
    const QuotedText text = quoted_text(shipped(), said, never).value();
    for (const std::string& token : text.tokens) whole += token;
    CHECK(whole.find("cairn-mini-quotes only quotes") != std::string::npos);
  }
  const auto scores = quote_scores(shipped(), "What is a cairn?", all, never).value();
  CHECK(scores[0] == -std::numeric_limits<float>::infinity());
  CHECK(scores[1] == -std::numeric_limits<float>::infinity());
  CHECK(scores[2] > QuoteOptions().bar);
  const QuotableText below{.headings = {"", "What is a cairn"},
                           .sentences = {{.text = "☃☃☃", .heading = 1}}};
  CHECK(quote_scores(shipped(), "What is a cairn?", below, never).value()[0] ==
        -std::numeric_limits<float>::infinity());
}

TEST_CASE("static quoter: the tokens are the text, and those of the prompt are counted") {
  const std::vector<SaidText> said{{"user",
                                    "Größe zählt. Cats sleep for twelve hours — mostly.\n\n"
                                    "How long do cats sleep?"}};
  const auto text = quoted_text(shipped(), said, never).value();
  std::string whole;
  for (const std::string& token : text.tokens) whole += token;
  CHECK(whole == "Cats sleep for twelve hours — mostly.");
  CHECK(text.tokens.size() > 6);
  CHECK(text.prompt_tokens > text.tokens.size() + 5);
}

TEST_CASE("static quoter: ends with its deadline") {
  const std::vector<SaidText> said{{"user", "Cats sleep. Who sleeps?"}};
  CHECK(quoted_text(shipped(), said, os::Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
}

}  // namespace
}  // namespace cairn::inference::static_quoter_test
