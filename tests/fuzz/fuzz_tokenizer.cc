// SPDX-License-Identifier: Apache-2.0
// tokenizer.json of a model up to the first byte 0, and a text behind it: every id has a token, a
// limit cuts and changes nothing else, ranges lie in the text, and wanting them changes no id.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "text/tokenizer.h"

namespace {

using namespace cairn::text;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_limit(const Tokenizer& tokenizer, std::string_view text) {
  const TokenIds whole = tokenizer.encode(text);
  for (const std::uint32_t id : whole.ids) require(id < tokenizer.vocabulary_size());
  const TokenIds few = tokenizer.encode(text, 2);
  require(few.ids.size() <= 2 && few.is_truncated == (whole.ids.size() > 2));
  for (std::size_t i = 0; i < few.ids.size(); ++i) require(few.ids[i] == whole.ids[i]);
}

void check_ranges(const Tokenizer& tokenizer, std::string_view text) {
  const auto never = cairn::os::Deadline::never();
  Encoding plain;
  Encoding ranged;
  EncodeOptions options{.match_special_tokens = true};
  const bool done = tokenizer.encode(text, options, never, plain).ok();
  options.with_ranges = true;
  require(tokenizer.encode(text, options, never, ranged).ok() == done);
  if (!done) return;
  require(plain.ids == ranged.ids && ranged.ranges.size() == ranged.ids.size());
  require(plain.type_ids.size() == plain.ids.size() && plain.text_of.size() == plain.ids.size());
  for (const TokenRange range : ranged.ranges)
    require(range.begin <= range.end && range.end <= text.size());
  tokenizer.decode(plain.ids, true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t json_bytes = std::min(all.find('\0'), size);
  const std::string_view file = all.substr(0, json_bytes);
  const std::string_view text = all.substr(json_bytes);
  const auto of_lines = Tokenizer::load({.vocab_txt = file});
  if (of_lines.ok()) check_limit(*of_lines, text);
  const auto beside = Tokenizer::load(
      {.tokenizer_config = file, .special_tokens_map = text, .vocab_txt = "[UNK]\n[CLS]\n[SEP]"});
  if (beside.ok()) check_limit(*beside, text);
  const auto tokenizer = Tokenizer::parse(file);
  if (!tokenizer.ok()) return 0;
  check_limit(*tokenizer, text);
  check_ranges(*tokenizer, text);
  return 0;
}
