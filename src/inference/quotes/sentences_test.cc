// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "inference/quotes/sentences.h"

namespace cairn::inference::sentences_test {
namespace {

using Texts = std::vector<std::string>;

std::vector<QuotableSentence> of(const Texts& context) {
  auto out = quotable_sentences(context, os::Deadline::never());
  REQUIRE(out.ok());
  return *std::move(out);
}

/// Each sentence with its mark.
Texts marked(const Texts& context) {
  Texts out;
  for (const QuotableSentence& one : of(context)) out.push_back(one.text + one.mark);
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
  CHECK(marked(
            {"Cite your sources.\n\n[1] Cats sleep. They purr.\n\nAnd hunt.\n[dogs.md]: Dogs bark.",
             "Not marked."}) ==
        Texts{"Cats sleep.[1]", "They purr.[1]", "And hunt.[1]", "Dogs bark.[dogs.md]"});
  CHECK(marked({"[a link](http://x) is text. [ ] Todo."}).front() == "[a link](http://x) is text.");
  CHECK(marked({"[" + std::string(100, 'x') + "] text."}).front().ends_with("text."));
}

TEST_CASE("sentences: a named source is a mark, or a heading where there is one") {
  CHECK(marked({"Source: cats.md\nCats sleep.\n\nsource: dogs.md\nDogs bark."}) ==
        Texts{"Cats sleep.[cats.md]", "Dogs bark.[dogs.md]"});
  const auto both = of({"[1]\nTitle: On cats\nThey sleep."});
  REQUIRE(both.size() == 1);
  CHECK(both[0].mark == "[1]");
  CHECK(both[0].heading == "On cats");
}

TEST_CASE("sentences: headings and questions are not quoted, but go before what is") {
  const auto all =
      of({"# Cats\nThey sleep.\n\nDogs\n\nThey bark.\n\nDo fish sleep?\nThey do.\nYes"});
  REQUIRE(all.size() == 4);
  CHECK(all[0].heading == "Cats");
  CHECK(all[1].heading == "Dogs");
  CHECK(all[2].heading == "Do fish sleep?");
  CHECK(all[3].text == "Yes");  // nothing stands under it
  const auto next = of({"# Cats\nThey sleep.", "They bark."});
  CHECK(next[1].heading.empty());
}

TEST_CASE("sentences: a long one comes in pieces that are all of it") {
  std::string words;
  for (int i = 0; i < 300; ++i) words += "größer ";
  words += std::string(2'000, 'x');
  std::string whole;
  for (const QuotableSentence& one : of({words})) {
    CHECK(one.text.size() <= 600);
    whole += one.text + (one.text.back() == 'x' ? "" : " ");
  }
  CHECK(whole == words);
}

TEST_CASE("sentences: what stands above them is bounded, as each is looked at with it") {
  const std::string heading(100'000, 'x');
  const auto all =
      of({"# " + heading + "\nA sentence. No. Another one.\n\n" + heading + "?\nThis too."});
  REQUIRE(all.size() == 4);
  CHECK(all[0].heading == heading.substr(0, 80));
  CHECK(all[1].heading.empty());
  CHECK(all[2].heading == all[0].heading);
  CHECK(all[3].heading == all[0].heading);
  CHECK(of({"# a" + std::string(40, 'x') + std::string(20, 'x') + "ööööööööööööö\nA sentence."})[0]
            .heading.size() <= 80);
}

TEST_CASE("sentences: end with their deadline") {
  CHECK(quotable_sentences({"x"}, os::Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
}

}  // namespace
}  // namespace cairn::inference::sentences_test
