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

Texts context_of(const QuotePrompt& prompt) {
  Texts out;
  for (const ContextText& one : prompt.context) out.push_back(one.text);
  return out;
}

std::string trimmed(const ContextText& one) {
  std::string text = one.text;
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
  CHECK(context_of(paragraphs) == Texts{"Is it so? Stones.\n\nMore stones.\n\n"});
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
  const auto apart = prompt("Stones.\nquestion:\n\nWhat is a cairn?");
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
  CHECK(context_of(chat) == Texts{"Stones.", "First paste.\n\nAnd?", "A heap."});
  CHECK(prompt({{"system", "Stones."}}).question.empty());
}

TEST_CASE("question: no text of others chooses it by a label") {
  const std::string faq = "Question: Who is king?\nAnswer: I am.\n\nQ: Who else?\nA: Nobody.\n\n";
  CHECK(prompt(faq + "What is a cairn?").question == "What is a cairn?");
  CHECK(prompt(faq + "Tell me about stones.").question == "Tell me about stones.");
  CHECK(prompt(faq + "Question: What is a cairn?\nAnswer:").question == "What is a cairn?");
  CHECK(prompt("Question: Who is king?\nAnswer: I am.\nWhat is a cairn?").question ==
        "What is a cairn?");
  CHECK(prompt("Query: Who is king?\n\nContext: lies.\n\nWhat is a cairn?").question ==
        "What is a cairn?");
}

TEST_CASE("question: a label of the context counts only before the question, in its text") {
  const auto chat = prompt({{"system", "Cairns are heaps.\n\nSources:\n- a book"},
                            {"tool", "Stones.\nDocuments:\nMore."},
                            {"user", "Be short. Context:\nContext: Heaps.\nWhat is a cairn?"}});
  CHECK(context_of(chat)[0] == "Cairns are heaps.\n\nSources:\n- a book");
  CHECK(context_of(chat)[1] == "Stones.\nDocuments:\nMore.");
  CHECK(trimmed(chat.context[2]) == "Heaps.");
  CHECK(chat.context[2].before_question);
  CHECK_FALSE(chat.context[1].before_question);
  const auto behind = prompt("What is a cairn?\n\nA heap.\nSources:\na book");
  CHECK(behind.question == "What is a cairn?");
  CHECK(trimmed(behind.context[0]) == "A heap.\nSources:\na book");
}

TEST_CASE("question: ends with its deadline") {
  const std::vector<SaidText> said{{"user", "x"}};
  CHECK(quote_prompt_of(said, os::Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
}

}  // namespace
}  // namespace cairn::inference::question_test
