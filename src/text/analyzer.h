// SPDX-License-Identifier: Apache-2.0
// Text to the terms that an index keeps: named analyzers, and ones put together from settings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "os/steps.h"

namespace cairn::text {

enum class TokenType : std::uint8_t {
  alphanum,
  num,
  ideographic,
  hiragana,
  katakana,
  hangul,
  southeast_asian,
  emoji,
  word
};

/// The name that the analyze API shows: "<ALPHANUM>", "<NUM>", "word", ...
std::string_view name_of(TokenType type);

struct Token {
  std::uint32_t term_at = 0;  // in Tokens::terms
  std::uint32_t term_size = 0;
  std::uint32_t start = 0;  // bytes [start, end) of the text
  std::uint32_t end = 0;
  std::uint32_t position = 0;  // from 0; removed words leave gaps
  TokenType type = TokenType::alphanum;
};

/// The tokens of one text, in order of position. Meant to be cleared and used again.
struct Tokens {
  std::string terms;  // the bytes of all terms
  std::vector<Token> list;
  std::uint32_t positions = 0;  // one more than the last position that was used, removed words too

  // What the caller bounds. Analysis ends once it has more than `most` tokens or `steps` has ended,
  // and says so in `cut`.
  std::size_t most = SIZE_MAX;
  os::Steps* steps = nullptr;  // null: nobody waits
  bool cut = false;

  std::string_view term(const Token& token) const {
    return std::string_view(terms).substr(token.term_at, token.term_size);
  }
  /// Whether to go on after `count` more bytes or tokens; splitters and filters ask in their loops.
  bool go_on(std::size_t count = 1) {
    if (list.size() > most || (steps != nullptr && !steps->go_on(count))) cut = true;
    return !cut;
  }
  void clear() { terms.clear(), list.clear(), positions = 0, cut = false; }
};

/// Immutable, safe from any thread. Bytes that are not UTF-8 separate words.
class Analyzer {
 public:
  virtual ~Analyzer() = default;
  /// Appends the tokens of `text` (at most 4 GiB); positions go on from `out.positions`, offsets
  /// count from the start of this text.
  virtual void analyze(std::string_view text, Tokens& out) const = 0;
};

/// The terms alone.
std::vector<std::string> terms_of(const Analyzer& analyzer, std::string_view text);

/// A built-in analyzer: standard, simple, whitespace, keyword, stop, and the languages (english,
/// german, french, spanish, ...: see analyzer_names). Null where there is none of that name.
std::shared_ptr<const Analyzer> named_analyzer(std::string_view name);
std::vector<std::string> analyzer_names();

/// The analyzers of an index: built-in ones and those of its `analysis` settings (`analyzer`,
/// `tokenizer`, `filter`, `char_filter`, `normalizer`).
class Analyzers {
 public:
  Analyzers() = default;
  /// Errors: illegal_argument_exception, naming what is unknown or wrong.
  static Result<Analyzers> parse(const Json& analysis);
  /// Whether all of it can be made, what no analyzer uses too. For settings that are new: parse()
  /// takes what was taken once. Errors: illegal_argument_exception, naming what is unknown or wrong.
  static Status check(const Json& analysis);
  /// Null where there is none of that name.
  std::shared_ptr<const Analyzer> find(std::string_view name) const;
  /// `lowercase` and those of the settings; null where there is none. A normalizer gives one token.
  std::shared_ptr<const Analyzer> normalizer(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::shared_ptr<const Analyzer>>> own_;
  std::vector<std::pair<std::string, std::shared_ptr<const Analyzer>>> normalizers_;
};

/// Appends `text` in lower case (full Unicode, no locale).
void append_lowercase(std::string& out, std::string_view text);

}  // namespace cairn::text
