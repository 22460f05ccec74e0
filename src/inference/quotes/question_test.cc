// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "inference/quotes/question.h"

namespace cairn::inference::question_test {
namespace {

using Texts = std::vector<std::string>;

QuotePrompt prompt(const std::vector<SaidText>& said) {
  auto out = quote_prompt_of(said, os::Deadline::never());
  REQUIRE(out.ok());
  return *std::move(out);
}

QuotePrompt prompt(const std::string& text) { return prompt({{"user", text}}); }

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
  const std::size_t begin = text.find_first_not_of(" \n");
  return begin == std::string::npos ? "" : text.substr(begin);
}

TEST_CASE("question: the last sentence of the last paragraph that asks, else that paragraph") {
  const auto one = prompt("A cairn is a heap of stones. What is a cairn? Be short.");
  CHECK(one.question == "What is a cairn?");
  REQUIRE(one.context.size() == 2);
  CHECK(trimmed(one.context[0]) == "A cairn is a heap of stones.");
  CHECK(trimmed(one.context[1]) == "Be short.");
  const auto paragraphs = prompt("Is it so? Stones.\n\nMore stones.\n\nTell me about stones.");
  CHECK(paragraphs.question == "Tell me about stones.");
  CHECK(paragraphs.context == Texts{"Is it so? Stones.\n\nMore stones.\n\n"});
  CHECK(prompt("What is a cairn?\n\nA heap of stones.\n").question == "What is a cairn?");
  CHECK(prompt("石。石堆是什么？").question == "石堆是什么？");
  CHECK(prompt("").question.empty());
  CHECK(prompt(" \n\n").context.empty());
}

TEST_CASE("question: labels as prompts of the field have them") {
  const auto before = prompt(
      "Use the context.\n\nContext: Stones.\n\nMore stones.\n\nQuestion: What is\na cairn?\n"
      "Helpful Answer:");
  CHECK(before.question == "What is a cairn?");
  REQUIRE(before.context.size() == 1);
  CHECK(trimmed(before.context[0]) == "Stones.\n\nMore stones.");
  const auto behind =
      prompt("You answer questions.\nQuestion: What is a cairn? \nContext: Stones. \nAnswer:");
  CHECK(behind.question == "What is a cairn?");
  REQUIRE(behind.context.size() == 2);
  CHECK(trimmed(behind.context[1]) == "Stones.");
  const auto apart = prompt("Stones.\nquestion:\n\nWhat is a cairn?\n\nBye");
  CHECK(apart.question == "What is a cairn?");
  CHECK(prompt("Stones.\n\nWhat is a cairn?\n\nAnswer:").question == "What is a cairn?");
  CHECK(prompt("Answer:").question.empty());
}

TEST_CASE(
    "question: of a chat the user's last, and all but what the assistant said may be quoted") {
  const auto chat = prompt({{"system", "Stones."},
                            {"user", "First paste.\n\nAnd?"},
                            {"assistant", "An answer."},
                            {"user", "What is a cairn?"},
                            {"assistant", ""},
                            {"tool", "A heap."}});
  CHECK(chat.question == "What is a cairn?");
  CHECK(chat.context == Texts{"Stones.", "First paste.\n\nAnd?", "A heap."});
  CHECK(prompt({{"system", "Stones."}}).question.empty());
}

TEST_CASE("question: ends with its deadline") {
  const std::vector<SaidText> said{{"user", "x"}};
  CHECK(quote_prompt_of(said, os::Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
}

}  // namespace
}  // namespace cairn::inference::question_test
