// SPDX-License-Identifier: Apache-2.0
// The token filters.
#include "text/filters.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "base/strings.h"
#include "text/stemming.h"
#include "text/words.h"

namespace cairn::text {
namespace {

void set_term(Tokens& tokens, Token& token, std::string_view term) {
  // The old bytes stay where they are: `terms` is scratch that is cleared with the tokens.
  const std::string copy(term);  // `term` may lie in tokens.terms
  token.term_at = static_cast<std::uint32_t>(tokens.terms.size());
  token.term_size = static_cast<std::uint32_t>(copy.size());
  tokens.terms += copy;
}

/// Gives each token a new term; an empty one drops the token.
class MapFilter final : public TokenFilter {
 public:
  explicit MapFilter(std::function<void(std::string_view, std::string&)> map)
      : map_(std::move(map)) {}
  void run(Tokens& tokens, std::size_t first) const override {
    std::string out;
    std::size_t to = first;
    for (std::size_t i = first; i < tokens.list.size(); ++i) {
      if (!tokens.go_on()) break;
      Token token = tokens.list[i];
      out.clear();
      map_(tokens.term(token), out);
      if (out.empty()) continue;
      if (out != tokens.term(token)) set_term(tokens, token, out);
      tokens.list[to++] = token;
    }
    tokens.list.resize(to);
  }

 private:
  std::function<void(std::string_view, std::string&)> map_;
};

class KeepFilter final : public TokenFilter {
 public:
  explicit KeepFilter(std::function<bool(std::string_view)> keep) : keep_(std::move(keep)) {}
  void run(Tokens& tokens, std::size_t first) const override {
    const auto gone =
        std::remove_if(tokens.list.begin() + static_cast<std::ptrdiff_t>(first), tokens.list.end(),
                       [&](const Token& token) { return !keep_(tokens.term(token)); });
    tokens.list.erase(gone, tokens.list.end());
  }

 private:
  std::function<bool(std::string_view)> keep_;
};

/// A filter of one function over all tokens.
class WholeFilter final : public TokenFilter {
 public:
  using Run = std::function<void(Tokens&, std::size_t)>;
  explicit WholeFilter(Run run) : run_(std::move(run)) {}
  void run(Tokens& tokens, std::size_t first) const override { run_(tokens, first); }

 private:
  Run run_;
};

FilterPtr map_filter(std::function<void(std::string_view, std::string&)> map) {
  return std::make_shared<MapFilter>(std::move(map));
}

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};
using WordSet = std::unordered_set<std::string, StringHash, std::equal_to<>>;

WordSet word_set(std::string_view words) {
  WordSet out;
  for (const auto word : split(words, ' '))
    if (!word.empty()) out.emplace(word);
  return out;
}

std::vector<std::size_t> character_starts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); next_code_point(text, at)) starts.push_back(at);
  starts.push_back(text.size());
  return starts;
}

void fold(std::string_view term, std::string& out) {
  const bool ascii = std::all_of(term.begin(), term.end(), [](char c) { return c > 0; });
  if (ascii) {
    out = term;
    return;
  }
  UErrorCode fault = U_ZERO_ERROR;
  const auto* normal = icu::Normalizer2::getNFKDInstance(fault);
  if (U_FAILURE(fault)) {
    out = term;
    return;
  }
  const auto spread = normal->normalize(
      icu::UnicodeString::fromUTF8({term.data(), static_cast<std::int32_t>(term.size())}), fault);
  for (std::int32_t i = 0; i < spread.length(); i = spread.moveIndex32(i, 1)) {
    const UChar32 c = spread.char32At(i);
    if (u_charType(c) == U_NON_SPACING_MARK) continue;
    switch (c) {
      case 0xDF:
        out += "ss";
        break;
      case 0xE6:
        out += "ae";
        break;
      case 0xC6:
        out += "AE";
        break;
      case 0x153:
        out += "oe";
        break;
      case 0x152:
        out += "OE";
        break;
      case 0xF8:
        out += 'o';
        break;
      case 0xD8:
        out += 'O';
        break;
      case 0x111:
      case 0xF0:
        out += 'd';
        break;
      case 0x110:
      case 0xD0:
        out += 'D';
        break;
      case 0x142:
        out += 'l';
        break;
      case 0x141:
        out += 'L';
        break;
      case 0x131:
        out += 'i';
        break;
      case 0xFE:
        out += "th";
        break;
      case 0xDE:
        out += "TH";
        break;
      default:
        append_utf8(out, static_cast<char32_t>(c));
    }
  }
}

void take_possessive(std::string_view term, std::string& out) {
  // 's with an apostrophe, a right single quotation mark or a full-width apostrophe.
  out = term;
  if (term.empty() || (term.back() != 's' && term.back() != 'S')) return;
  const std::string_view rest = term.substr(0, term.size() - 1);
  for (const std::string_view quote : {"'", "\u2019", "\uFF07"})
    if (rest.ends_with(quote)) out = rest.substr(0, rest.size() - quote.size());
}

void add_ngrams(Tokens& tokens, const Token& token, std::size_t min, std::size_t max, bool edge,
                bool keep_original, std::vector<Token>& out) {
  const std::string term(tokens.term(token));
  const auto starts = character_starts(term);
  const std::size_t length = starts.size() - 1;
  bool whole = false;
  for (std::size_t from = 0; from < (edge ? 1 : length); ++from) {
    for (std::size_t size = min; size <= max && from + size <= length; ++size) {
      if (!tokens.go_on()) return;
      Token piece = token;
      set_term(tokens, piece,
               std::string_view(term).substr(starts[from], starts[from + size] - starts[from]));
      whole |= size == length;
      out.push_back(piece);
    }
  }
  if (keep_original && !whole) out.push_back(token);
}

bool is_cjk(TokenType type) {
  return type == TokenType::ideographic || type == TokenType::hiragana ||
         type == TokenType::katakana || type == TokenType::hangul;
}

// One run of neighbouring CJK tokens: cut to single characters, then paired.
void add_bigrams(Tokens& tokens, const std::vector<Token>& run, std::uint32_t& position,
                 std::vector<Token>& out) {
  std::vector<Token> single;
  for (const Token& token : run) {
    const std::string term(tokens.term(token));
    const auto starts = character_starts(term);
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      Token piece = token;
      piece.term_at = token.term_at + static_cast<std::uint32_t>(starts[i]);
      piece.term_size = static_cast<std::uint32_t>(starts[i + 1] - starts[i]);
      if (token.end - token.start == term.size()) {
        piece.start = token.start + static_cast<std::uint32_t>(starts[i]);
        piece.end = token.start + static_cast<std::uint32_t>(starts[i + 1]);
      }
      single.push_back(piece);
    }
  }
  if (single.size() == 1) {
    single[0].position = position++;
    out.push_back(single[0]);
    return;
  }
  for (std::size_t i = 0; i + 1 < single.size(); ++i) {
    Token pair = single[i];
    set_term(tokens, pair,
             std::string(tokens.term(single[i])) + std::string(tokens.term(single[i + 1])));
    pair.end = single[i + 1].end;
    pair.position = position++;
    out.push_back(pair);
  }
}

void run_bigrams(Tokens& tokens, std::size_t first) {
  std::vector<Token> out, run;
  std::uint32_t position = first < tokens.list.size() ? tokens.list[first].position : 0;
  const auto flush = [&] {
    if (!run.empty()) add_bigrams(tokens, run, position, out);
    run.clear();
  };
  for (std::size_t i = first; i < tokens.list.size(); ++i) {
    const Token token = tokens.list[i];
    if (is_cjk(token.type)) {
      if (!run.empty() && run.back().end != token.start) flush();
      run.push_back(token);
      continue;
    }
    flush();
    out.push_back(token);
    out.back().position = position++;
  }
  flush();
  tokens.list.resize(first);
  tokens.list.insert(tokens.list.end(), out.begin(), out.end());
  tokens.positions = std::max(tokens.positions, position);
}

void run_shingles(Tokens& tokens, std::size_t first, std::size_t min, std::size_t max,
                  bool unigrams) {
  std::vector<Token> out;
  for (std::size_t i = first; i < tokens.list.size(); ++i) {
    if (unigrams) out.push_back(tokens.list[i]);
    std::string joined(tokens.term(tokens.list[i]));
    for (std::size_t n = 2; n <= max && i + n <= tokens.list.size(); ++n) {
      if (!tokens.go_on()) break;
      joined += ' ';
      joined += tokens.term(tokens.list[i + n - 1]);
      if (n < min) continue;
      Token shingle = tokens.list[i];
      shingle.end = tokens.list[i + n - 1].end;
      set_term(tokens, shingle, joined);
      out.push_back(shingle);
    }
  }
  tokens.list.resize(first);
  tokens.list.insert(tokens.list.end(), out.begin(), out.end());
}

void run_longest_shingles(Tokens& tokens, std::size_t first, std::size_t max) {
  std::vector<Token> out;
  for (std::size_t i = first; i < tokens.list.size(); ++i) {
    const std::size_t end = std::min(i + max, tokens.list.size());
    if (!tokens.go_on(end - i)) break;
    Token shingle = tokens.list[i];
    std::string joined(tokens.term(tokens.list[i]));
    for (std::size_t n = i + 1; n < end; ++n) {
      joined += ' ';
      joined += tokens.term(tokens.list[n]);
      shingle.end = tokens.list[n].end;
    }
    set_term(tokens, shingle, joined);
    out.push_back(shingle);
  }
  tokens.list.resize(first);
  tokens.list.insert(tokens.list.end(), out.begin(), out.end());
}

}  // namespace

FilterPtr lowercase_filter() {
  return map_filter([](std::string_view term, std::string& out) { append_lowercase(out, term); });
}

FilterPtr uppercase_filter() {
  return map_filter([](std::string_view term, std::string& out) {
    for (std::size_t at = 0; at < term.size();)
      append_utf8(
          out, static_cast<char32_t>(u_toupper(static_cast<UChar32>(next_code_point(term, at)))));
  });
}

FilterPtr folding_filter() { return map_filter(fold); }

FilterPtr trim_filter() {
  return map_filter([](std::string_view term, std::string& out) { out = trim(term); });
}

FilterPtr reverse_filter() {
  return map_filter([](std::string_view term, std::string& out) {
    const auto starts = character_starts(term);
    for (std::size_t i = starts.size() - 1; i-- > 0;)
      out += term.substr(starts[i], starts[i + 1] - starts[i]);
  });
}

FilterPtr unique_filter() {
  return std::make_shared<WholeFilter>([](Tokens& tokens, std::size_t first) {
    WordSet seen;
    std::size_t to = first;
    for (std::size_t i = first; i < tokens.list.size(); ++i)
      if (seen.emplace(tokens.term(tokens.list[i])).second) tokens.list[to++] = tokens.list[i];
    tokens.list.resize(to);
  });
}

FilterPtr possessive_filter() { return map_filter(take_possessive); }

FilterPtr elision_filter(std::string_view articles) {
  return map_filter([set = word_set(articles)](std::string_view term, std::string& out) {
    out = term;
    for (const std::string_view quote : {"'", "\u2019"}) {
      const auto at = term.find(quote);
      if (at == std::string_view::npos) continue;
      std::string article;
      append_lowercase(article, term.substr(0, at));
      if (set.contains(article)) out = term.substr(at + quote.size());
      return;
    }
  });
}

FilterPtr stop_filter(std::string_view words) {
  return std::make_shared<KeepFilter>(
      [set = word_set(words)](std::string_view term) { return !set.contains(term); });
}

FilterPtr stem_filter(std::string_view algorithm) {
  return map_filter([stemmer = Stemmer(algorithm)](std::string_view term, std::string& out) {
    out = stemmer.stem(term);
  });
}

FilterPtr length_filter(std::size_t min, std::size_t max) {
  return std::make_shared<KeepFilter>([min, max](std::string_view term) {
    const std::size_t length = character_starts(term).size() - 1;
    return length >= min && length <= max;
  });
}

FilterPtr truncate_filter(std::size_t length) {
  return map_filter([length](std::string_view term, std::string& out) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < length && at < term.size(); ++i) next_code_point(term, at);
    out = term.substr(0, at);
  });
}

FilterPtr ngram_filter(std::size_t min, std::size_t max, bool edge, bool keep_original) {
  return std::make_shared<WholeFilter>(
      [min, max, edge, keep_original](Tokens& tokens, std::size_t first) {
        std::vector<Token> out;
        const std::vector<Token> in(tokens.list.begin() + static_cast<std::ptrdiff_t>(first),
                                    tokens.list.end());
        for (const Token& token : in) add_ngrams(tokens, token, min, max, edge, keep_original, out);
        tokens.list.resize(first);
        tokens.list.insert(tokens.list.end(), out.begin(), out.end());
      });
}

FilterPtr cjk_bigram_filter() { return std::make_shared<WholeFilter>(run_bigrams); }

FilterPtr shingle_filter(std::size_t min, std::size_t max, bool unigrams) {
  return std::make_shared<WholeFilter>([min, max, unigrams](Tokens& tokens, std::size_t first) {
    run_shingles(tokens, first, min, max, unigrams);
  });
}

FilterPtr longest_shingle_filter(std::size_t max) {
  return std::make_shared<WholeFilter>(
      [max](Tokens& tokens, std::size_t first) { run_longest_shingles(tokens, first, max); });
}

}  // namespace cairn::text
