// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "inference/quoted_answer.h"

namespace cairn::inference::quoted_answer_test {
namespace {

using Strings = std::vector<std::string>;

const os::Deadline never = os::Deadline::never();

struct Taken {
  Strings pieces = {};
  std::string text = {};
  std::optional<FinishReason> finished = {};
};

/// All choices of an answer to the tokens "One", " two", " three".
std::vector<Taken> take(Strings stops, QuotedAnswer::Params params, std::uint64_t tokens) {
  QuotedAnswer answer({.tokens = {"One", " two", " three"}, .prompt_tokens = 7},
                      StopFinder::make(std::move(stops)).value(), params);
  std::vector<Taken> out(params.choices);
  for (;;) {
    CHECK(answer.wait_ms(0, never));
    const auto piece = answer.next(never);
    REQUIRE(piece.ok());
    if (!*piece) break;
    Taken& choice = out.at((*piece)->choice);
    CHECK_FALSE(choice.finished);
    choice.pieces.push_back((*piece)->text);
    choice.text += (*piece)->text;
    choice.finished = (*piece)->finished;
  }
  CHECK(answer.prompt_tokens() == 7);
  CHECK(answer.new_tokens() == tokens);
  return out;
}

TEST_CASE("quoted answer: token by token, to its end") {
  const auto all = take({}, {.model_name = "m"}, 3);
  CHECK(all[0].pieces == Strings{"One", " two", " three"});
  CHECK(all[0].finished == FinishReason::stop);
}

TEST_CASE("quoted answer: choices are the same, and counted each") {
  for (const Taken& one : take({}, {.choices = 3}, 9)) CHECK(one.text == "One two three");
}

TEST_CASE("quoted answer: cut at the most tokens") {
  const auto cut = take({}, {.choices = 2, .most_tokens = 2}, 4);
  CHECK(cut[1].text == "One two");
  CHECK(cut[1].finished == FinishReason::length);
  CHECK(take({}, {.most_tokens = 3}, 3)[0].finished == FinishReason::stop);
}

TEST_CASE("quoted answer: ends before a stop string, in each choice") {
  for (const Taken& one : take({"o th"}, {.choices = 2}, 6)) {
    CHECK(one.text == "One tw");
    CHECK(one.finished == FinishReason::stop);
  }
  // What only begins one is given out in the end.
  CHECK(take({"three four"}, {}, 3)[0].text == "One two three");
  CHECK(take({" two four"}, {.most_tokens = 2}, 2)[0].text == "One two");
}

TEST_CASE("quoted answer: looks at the deadline") {
  QuotedAnswer answer({.tokens = {"One"}}, StopFinder::make({}).value(), {});
  CHECK(answer.next(os::Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
}

}  // namespace
}  // namespace cairn::inference::quoted_answer_test
