// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "inference/quotes/sentences.h"

namespace cairn::inference::sentences_test {
namespace {

using Texts = std::vector<std::string>;

QuotableText of(const std::vector<ContextText>& context) {
  auto out = quotable_sentences(context, os::Deadline::never());
  REQUIRE(out.ok());
  return *std::move(out);
}

/// Each sentence with its mark.
Texts marked_in(const std::vector<ContextText>& context) {
  Texts out;
  const QuotableText text = of(context);
  for (const QuotableSentence& one : text.sentences) out.push_back(one.text + text.marks[one.mark]);
  return out;
}

Texts marked(const Texts& context) {
  std::vector<ContextText> texts;
  for (const std::string& text : context) texts.push_back({text});
  return marked_in(texts);
}

/// What each sentence stands under.
Texts headings(const Texts& context) {
  Texts out;
  std::vector<ContextText> texts;
  for (const std::string& text : context) texts.push_back({text});
  const QuotableText all = of(texts);
  for (const QuotableSentence& one : all.sentences) out.push_back(all.headings[one.heading]);
  return out;
}

TEST_CASE("sentences: a wrapped line goes on, a short one and an item end") {
  CHECK(
      marked({"A line that is as long as lines of a column\nare goes on. Two.\n\nThree\nfour."}) ==
      Texts{"A line that is as long as lines of a column are goes on.", "Two.", "four."});
  CHECK(marked({"- one thing that is so long that it is wrapped\n  in the item\n- two"}) ==
        Texts{"- one thing that is so long that it is wrapped in the item", "- two"});
  CHECK(marked({""}).empty());
  CHECK(marked({"\xFF\xFE"}).size() == 1);
}

TEST_CASE("sentences: marks in brackets go with all of their source") {
  CHECK(marked({"Cite your sources.\n\n[1] Cats sleep. They purr.\n\nAnd hunt.\n\n[2]: Dogs bark.",
                "Not marked."}) == Texts{"Cats sleep.[1]", "They purr.[1]", "And hunt.[1]",
                                         "Dogs bark.[2]", "Not marked."});
  CHECK(marked({"[cats.md] Cats sleep.\n[dogs.md]: Dogs bark."}) ==
        Texts{"Cats sleep.[cats.md]", "Dogs bark.[dogs.md]"});
  CHECK(marked({"Answer.\n\n[1] Cats sleep."}) == Texts{"Answer.", "Cats sleep.[1]"});
  CHECK(marked({"[" + std::string(100, 'x') + "] text."}).front().ends_with("text."));
}

TEST_CASE("sentences: a named source is a mark, or a heading where there is one") {
  CHECK(marked({"Source: cats.md\nCats sleep.\n\nsource: dogs.md\nDogs bark."}) ==
        Texts{"Cats sleep.[cats.md]", "Dogs bark.[dogs.md]"});
  CHECK(marked({"[1]\nTitle: On cats\nThey sleep."}) == Texts{"They sleep.[1]"});
  CHECK(headings({"[1]\nTitle: On cats\nThey sleep."}) == Texts{"On cats"});
}

TEST_CASE("sentences: lines in brackets that are no sources drop nothing") {
  for (const std::string line :
       {"[x] Done.", "[mysqld]", "[2026-01-01 10:00] ERROR: no disk.", "File: a.cc",
        "[1]: https://example.org/a", "[a link](http://x) is text.", "[ ] To do."}) {
    CAPTURE(line);
    const Texts all = marked({"Cats sleep by day.\n\n" + line + "\n\nDogs bark.", "Fish swim."});
    CHECK(all.front() == "Cats sleep by day.");
    CHECK(all[all.size() - 2] == "Dogs bark.");
    CHECK(all.back() == "Fish swim.");
  }
}

TEST_CASE("sentences: a line of a source is not another source") {
  CHECK(marked({"[1] Cats sleep.\n[2] Cats eat mice.\n\n[7] Cats fly.\n\n[2] Dogs bark."}) ==
        Texts{"Cats sleep.[1]", "[2] Cats eat mice.[1]", "[7] Cats fly.[1]", "Dogs bark.[2]"});
  CHECK(marked({"[1] Cats sleep.\n\nSource: dogs.md\nThey purr.\n\n[lies.md] No.\n\n[2] Dogs."}) ==
        Texts{"Cats sleep.[1]", "They purr.[1]", "[lies.md] No.[1]", "Dogs.[2]"});
}

TEST_CASE("sentences: the last source ends before instructions") {
  const std::string text =
      "[1] Cats sleep.\n\nThey purr.\n\n[2]\n# Dogs\n\nDogs bark. Loudly.\n\nAnswer briefly.";
  CHECK(marked_in({{text, true}}) ==
        Texts{"Cats sleep.[1]", "They purr.[1]", "Dogs bark.[2]", "Loudly.[2]", "Answer briefly."});
  CHECK(marked({text}).back() == "Answer briefly.[2]");
}

TEST_CASE("sentences: of several turns with numbers the last has them") {
  CHECK(marked({"[1] Cats sleep.\n\n[2] Cats purr.", "Fish swim.",
                "[1] Dogs bark.\n\n[2] Dogs dig.", "A note.\n\n[1] Footnote."}) ==
        Texts{"Fish swim.", "Dogs bark.[1]", "Dogs dig.[2]", "A note.", "[1] Footnote."});
}

TEST_CASE("sentences: headings and questions are not quoted, but go before what is") {
  const std::string text =
      "# Cats\nThey sleep.\n\nDogs\n\nThey bark.\n\nDo fish sleep?\nThey do.\nYes, and no";
  CHECK(headings({text}) == Texts{"Cats", "Dogs", "Do fish sleep?", "Do fish sleep?"});
  CHECK(marked({text}).back() == "Yes, and no");  // nothing stands under it
  CHECK(headings({"# Cats\nThey sleep.", "They bark."}).back().empty());
}

TEST_CASE("sentences: a long one comes in pieces that are all of it") {
  std::string words;
  for (int i = 0; i < 300; ++i) words += "größer ";
  words += std::string(2'000, 'x');
  std::string whole;
  for (const std::string& one : marked({words})) {
    CHECK(one.size() <= 600);
    whole += one + (one.back() == 'x' ? "" : " ");
  }
  CHECK(whole == words);
}

TEST_CASE("sentences: what stands above them is bounded, as each is looked at with it") {
  const std::string heading(100'000, 'x');
  const Texts all =
      headings({"# " + heading + "\nA sentence. No. Another one.\n\n" + heading + "?\nThis too."});
  CHECK(all == Texts{heading.substr(0, 80), "", heading.substr(0, 80), heading.substr(0, 80)});
  CHECK(headings({"# a" + std::string(60, 'x') + "ööööööööööööö\nA sentence."})[0].size() <= 80);
}

TEST_CASE("sentences: marks and headings are kept once for all that stands under them") {
  std::string text = "Source: " + std::string(200, 'x') + "\n# Heading\n";
  for (int i = 0; i < 10'000; ++i) text += "A line.\n";
  const QuotableText all = of({{.text = text}});
  CHECK(all.sentences.size() == 10'000);
  CHECK(all.marks.size() == 2);
  CHECK(all.headings.size() == 2);
  CHECK(sizeof(QuotableSentence) <= 40);
}

TEST_CASE("sentences: end with their deadline") {
  CHECK(quotable_sentences({{"x"}}, os::Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
}

}  // namespace
}  // namespace cairn::inference::sentences_test
