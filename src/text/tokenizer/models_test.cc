// SPDX-License-Identifier: Apache-2.0
// The three models, beside slow clear versions of themselves; the trie beside a map.
#include "text/tokenizer/model.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "text/tokenizer/tokenizer_fixture.h"
#include "text/tokenizer/trie.h"

namespace cairn::text::tokenizer::models_test {
namespace {

using namespace fixture;

TEST_CASE("tokenizer: the trie finds what a map of the same keys has") {
  constexpr unsigned seed = 1;
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::map<std::string, std::uint32_t, std::less<>> keys;
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    std::string key(1 + random() % 5, '\0');
    for (char& c : key) c = static_cast<char>(random() % (i % 2 == 0 ? 3 : 256));
    keys[key] = i;
  }
  const Trie trie = Trie::build({keys.begin(), keys.end()});
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 7, '\0');
    for (char& c : text) c = static_cast<char>(random() % (round % 2 == 0 ? 3 : 256));
    std::pair<std::uint32_t, std::size_t> wanted{0, 0};
    for (std::size_t length = 1; length <= text.size(); ++length)
      if (const auto found = keys.find(text.substr(0, length)); found != keys.end())
        wanted = {found->second + 1, length};
    CHECK(trie.longest(text) == wanted);
  }
  CHECK(Trie::build({}).longest("a").second == 0);
}

TEST_CASE("tokenizer: Unigram takes the tokens whose scores add up to most") {
  const Tokenizer made = parsed(
      R"({"model":{"type":"Unigram","unk_id":0,"vocab":[["?",0],["a",-1],["b",-1],["ab",-1.5],["abc",-9],["c",-2],["?x",-1]]}})");
  CHECK(shown(made, "abc") == "ab(0-2) c(2-3)");
  CHECK(shown(made, "aba") == "ab(0-2) a(2-3)");
  CHECK(shown(made, "azzb") == "a(0-1) ?(1-3) b(3-4)");  // unknown ones in a row are one
  CHECK(shown(made, "東a") == "?(0-3) a(3-4)");
  CHECK(shown(made, "").empty());
  const Tokenizer bytes = parsed(
      R"({"model":{"type":"Unigram","unk_id":0,"byte_fallback":true,"vocab":[["?",0],["a",-1],["<0x7A>",-5]]}})");
  CHECK(shown(bytes, "az") == "a(0-1) <0x7A>(1-2)");
  CHECK(shown(bytes, "ay") == "a(0-1) ?(1-2)");
  const Tokenizer none = parsed(R"({"model":{"type":"Unigram","unk_id":null,"vocab":[["a",-1]]}})");
  Encoding out;
  CHECK(none.encode("a", {}, os::Deadline::never(), out).ok());
  const auto failed = none.encode("b", {}, os::Deadline::never(), out);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("tokenizer: Unigram tells equal sums apart as the library that wrote the file") {
  // The same three scores in two orders. As doubles nearest to the digits, the first sum is greater;
  // read with two roundings, as there, the second.
  const Tokenizer tokenizer = parsed(
      R"({"model":{"type":"Unigram","unk_id":0,"vocab":[["?",-20],["a",-8.955537200728463],)"
      R"(["bcd",-13.330640790563617],["ef",-7.193246614570337],["abc",-7.193246614570337],)"
      R"(["de",-13.330640790563617],["f",-8.955537200728463]]}})");
  CHECK(shown(tokenizer, "abcdef") == "abc(0-3) de(3-5) f(5-6)");
}

TEST_CASE("tokenizer: BPE merges what was learnt first") {
  const std::string vocab =
      R"("vocab":{"?":0,"a":1,"b":2,"c":3,"ab":4,"bc":5,"abc":6,"<0x64>":7,"▁":8,"▁a":9})";
  const auto with = [&](const std::string& more) {
    return parsed(R"({"model":{"type":"BPE",)" + vocab + more + "}}");
  };
  const Tokenizer made = with(R"(,"unk_token":"?","merges":["b c","a b",["a","bc"]])");
  CHECK(shown(made, "abc") == "abc(0-3)");
  CHECK(shown(made, "abab") == "ab(0-2) ab(2-4)");
  CHECK(shown(made, "azz") == "a(0-1) ?(1-2) ?(2-3)");
  CHECK(shown(with(R"(,"unk_token":"?","fuse_unk":true,"merges":[])"), "azz") == "a(0-1) ?(1-3)");
  CHECK(shown(with(R"(,"unk_token":"?","byte_fallback":true,"merges":[])"), "de") ==
        "<0x64>(0-1) ?(1-2)");
  CHECK(shown(with(R"(,"merges":[])"), "abc") == "a(0-1) b(1-2) c(2-3)");
  CHECK(shown(with(R"(,"ignore_merges":true,"merges":[])"), "abc") == "abc(0-3)");
  CHECK(shown(with(R"(,"unk_token":"?","merges":["▁ a"])"), "▁a▁a▁▁") ==
        "▁a(0-4) ▁a(4-8) ▁(8-11) ▁(11-14)");
}

/// Merges the pair of the least rank, the leftmost of them, until there is none.
std::vector<std::string> merged(std::vector<std::string> symbols,
                                const std::map<std::pair<std::string, std::string>, int>& ranks) {
  for (;;) {
    int best = INT32_MAX;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = ranks.find({symbols[i], symbols[i + 1]});
      if (found == ranks.end() || found->second >= best) continue;
      best = found->second;
      at = i;
    }
    if (best == INT32_MAX) return symbols;
    symbols[at] += symbols[at + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

TEST_CASE("tokenizer: BPE of short and long words is that of the slow rule") {
  constexpr unsigned seed = 2;
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::vector<std::string> tokens{"a", "b", "c"};
  std::map<std::pair<std::string, std::string>, int> ranks;
  std::string vocab = R"("a":0,"b":1,"c":2)";
  std::string merges;
  for (int rank = 0; tokens.size() < 60; ++rank) {
    const std::string left = tokens[random() % tokens.size()];
    const std::string right = tokens[random() % tokens.size()];
    if (left.size() + right.size() > 9 || ranks.count({left, right}) > 0) continue;
    ranks[{left, right}] = rank;
    merges += std::string(merges.empty() ? "" : ",") + "\"" + left + " " + right + "\"";
    if (std::find(tokens.begin(), tokens.end(), left + right) != tokens.end()) continue;
    vocab += ",\"" + left + right + "\":" + std::to_string(tokens.size());
    tokens.push_back(left + right);
  }
  const Tokenizer made =
      parsed(R"({"model":{"type":"BPE","vocab":{)" + vocab + R"(},"merges":[)" + merges + "]}}");
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> symbols;
    std::string text;
    for (std::size_t i = random() % (round % 2 == 0 ? 12 : 90); i-- > 0;) {
      symbols.emplace_back(1, static_cast<char>('a' + random() % 3));
      text += symbols.back();
    }
    CAPTURE(text);
    std::vector<std::string> found;
    for (const auto id : made.encode(text).ids) found.emplace_back(made.token(id));
    CHECK(found == merged(symbols, ranks));
  }
}

TEST_CASE("tokenizer: hostile models are refused, naming the field") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"type":"BPE","vocab":{"a":0},"merges":["a"]})", "model.merges[0]"},
      {R"({"type":"BPE","vocab":{"a":0},"merges":["a b"]})", "model.merges[0]"},
      {R"({"type":"BPE","vocab":{"a":0},"merges":[["a"]]})", "model.merges[0]"},
      {R"({"type":"BPE","vocab":{"a":0}})", "model.merges"},
      {R"({"type":"BPE","vocab":{"a":0},"merges":[],"unk_token":"?"})", "model.unk_token"},
      {R"({"type":"BPE","vocab":{"a":0},"merges":[],"dropout":0.5})", "model.dropout"},
      {R"({"type":"Unigram","vocab":{}})", "model.vocab"},
      {R"({"type":"Unigram","vocab":[["a"]]})", "model.vocab"},
      {R"({"type":"Unigram","vocab":[["a","b"]]})", "model.vocab"},
      {R"({"type":"Unigram","vocab":[["a",0]],"unk_id":1})", "model.unk_id"},
      {R"({"type":"WordPiece","vocab":{"a":0}})", "model.unk_token"},
  };
  for (const auto& [model, field] : cases) {
    CAPTURE(model);
    const auto made = Tokenizer::parse("{\"model\":" + model + "}");
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().kind == ErrorKind::invalid_argument);
    CHECK(made.error().message.find(field) != std::string::npos);
  }
}

TEST_CASE("tokenizer: long words end with their deadline") {
  const Tokenizer made = parsed(
      R"({"model":{"type":"BPE","vocab":{"a":0,"aa":1,"aaaa":2},"merges":["a a","aa aa"]}})");
  Encoding out;
  const std::string text(1'000'000, 'a');
  CHECK(made.encode(text, {}, os::Deadline::never(), out).ok());
  CHECK(out.ids.size() == text.size() / 4);
  const auto late = made.encode(text, {}, os::Deadline::in_ms(0), out);
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().kind == ErrorKind::timeout);
}

}  // namespace
}  // namespace cairn::text::tokenizer::models_test
