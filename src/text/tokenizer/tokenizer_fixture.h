// SPDX-License-Identifier: Apache-2.0
// Tokenizers of a few lines, for tests.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace cairn::text::tokenizer::fixture {

using Strings = std::vector<std::string>;

inline constexpr std::string_view any_model =
    R"({"type":"WordPiece","unk_token":"?","vocab":{"?":0}})";

inline Tokenizer parsed(const std::string& file) {
  auto out = Tokenizer::parse(file);
  REQUIRE_MESSAGE(out.ok(), (out.ok() ? "" : out.error().message));
  return std::move(out).value();
}

/// The words that a model would get, by these components.
inline Strings words(std::string_view normalizer, std::string_view pre_tokenizer,
                     std::string_view text) {
  const Tokenizer made = parsed("{\"normalizer\":" + std::string(normalizer) +
                                ",\"pre_tokenizer\":" + std::string(pre_tokenizer) +
                                ",\"model\":" + std::string(any_model) + "}");
  auto out = made.words(text);
  REQUIRE(out.ok());
  return std::move(out).value();
}

/// Tokens of a text with `(begin-end)`, the range of bytes.
inline std::string shown(const Tokenizer& made, std::string_view text,
                         EncodeOptions options = {.match_special_tokens = true}) {
  Encoding out;
  options.with_ranges = true;
  REQUIRE(made.encode(text, options, os::Deadline::never(), out).ok());
  std::string all;
  for (std::size_t i = 0; i < out.ids.size(); ++i) {
    all += std::string(made.token(out.ids[i])) + "(" + std::to_string(out.ranges[i].begin) + "-" +
           std::to_string(out.ranges[i].end) + ") ";
  }
  if (!all.empty()) all.pop_back();
  return all;
}

}  // namespace cairn::text::tokenizer::fixture
