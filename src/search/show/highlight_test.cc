// SPDX-License-Identifier: Apache-2.0
#include "search/show/highlight.h"

#include <doctest/doctest.h>

namespace cairn::search::highlight_test {
namespace {

std::vector<std::string> fragments(std::string_view text,
                                   const std::set<std::string, std::less<>>& terms,
                                   const HighlightField& settings = {}) {
  const os::Deadline forever = os::Deadline::never();
  os::Steps steps(forever);
  auto found = fragments_of(text, *text::named_analyzer("english"), terms, settings, steps);
  REQUIRE(found.ok());
  return std::move(*found);
}

}  // namespace

TEST_CASE("fragments: the sentence around a match, with every form of the word marked") {
  const std::string text =
      "Nothing here. The foxes run through the wood at night and nobody sees them there. "
      "A fox was seen. The end of it.";
  const auto found = fragments(text, {"fox"}, {.pattern = {}, .fragment_size = 70});
  REQUIRE(found.size() == 2);
  CHECK(found[0].starts_with("The <em>foxes</em> run"));
  CHECK(found[1].starts_with("A <em>fox</em> was seen."));
}

TEST_CASE("fragments: long sentences are cut at words, short ones joined") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "word ";
  text += "needle ";
  for (int i = 0; i < 100; ++i) text += "word ";
  const auto found = fragments(text, {"needl"}, {.pattern = {}, .fragment_size = 60});
  REQUIRE(found.size() == 1);
  CHECK(found[0].find("<em>needle</em>") != std::string::npos);
  CHECK(found[0].size() <= 60 + 9);
  CHECK(found[0].starts_with("word"));
  CHECK(found[0].ends_with("word"));
}

TEST_CASE("fragments: number, order, the whole text, tags and encoding") {
  const std::string text = "One cat. Nothing. Two cats and a dog. Nothing more. A dog.";
  HighlightField settings{.pattern = {}, .fragment_size = 20, .number_of_fragments = 1};
  CHECK(fragments(text, {"cat", "dog"}, settings) ==
        std::vector<std::string>{"Two <em>cats</em> and a <em>dog</em>."});
  settings.number_of_fragments = 0;
  settings.pre_tag = "<b>";
  settings.post_tag = "</b>";
  CHECK(fragments("a <i>cat</i>", {"cat"}, settings) ==
        std::vector<std::string>{"a <i><b>cat</b></i>"});
  settings.encode_html = true;
  CHECK(fragments("a <i>cat</i>", {"cat"}, settings) ==
        std::vector<std::string>{"a &lt;i&gt;<b>cat</b>&lt;/i&gt;"});
  CHECK(fragments(text, {"bird"}).empty());
}

TEST_CASE("fragments: never cut within a character") {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "äöü";
  text += " cat ";
  for (int i = 0; i < 60; ++i) text += "äöü";
  for (std::size_t size = 1; size < 40; ++size)
    for (const auto& one : fragments(text, {"cat"}, {.pattern = {}, .fragment_size = size}))
      CHECK(one.find("<em>cat</em>") != std::string::npos);
}

TEST_CASE("fragments: long tags around every word are bounded before they are written") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "cat ";
  const HighlightField settings{
      .pattern = {}, .pre_tag = std::string(1000, 'x'), .number_of_fragments = 0};
  const os::Deadline forever = os::Deadline::never();
  os::Steps steps(forever);
  const auto shown = [&](std::size_t most) {
    return fragments_of(text, *text::named_analyzer("english"), {"cat"}, settings, steps, most);
  };
  CHECK(shown(101'000).ok());
  REQUIRE(!shown(100'000).ok());
  CHECK(shown(100'000).error().code == "circuit_breaking_exception");
}

}  // namespace cairn::search::highlight_test
