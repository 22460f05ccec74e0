// SPDX-License-Identifier: Apache-2.0
// Pre-tokenizers by character classes and regular expressions.
#include "text/pre_tokenizer.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <memory>
#include <string>
#include <utility>

#include "text/regex.h"

namespace cairn::text {
namespace {

Error wrong_pre_tokenizer(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "tokenizer: pre_tokenizer: " + std::move(message)};
}

/// What becomes of a character: dropped between words, a word alone, or part of a word. Neighbours
/// with different kinds of `word` and `other_word` are parted.
enum class Part { dropped, alone, word, other_word };

/// Cuts where the part of neighbours differs and around what stands alone.
template <class Classify>
void cut(std::string_view text, std::vector<std::string_view>& out, Classify part_of) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto length = static_cast<std::int64_t>(text.size());
  std::int64_t begin = 0;
  Part open = Part::dropped;
  std::int64_t at = 0;
  const auto close = [&](std::int64_t end) {
    if (open != Part::dropped && end > begin) {
      out.push_back(
          text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    }
  };
  while (at < length) {
    const std::int64_t character = at;
    UChar32 c = 0;
    U8_NEXT(bytes, at, length, c);
    const Part part = part_of(c);
    if (part != open || part == Part::alone) {
      close(character);
      begin = character;
      open = part;
    }
  }
  close(length);
}

bool is_space(UChar32 c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return u_isUWhiteSpace(c) != 0;
}

bool is_punctuation(UChar32 c) {
  if (c < 0x80) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
  }
  return (U_GET_GC_MASK(c) & U_GC_P_MASK) != 0;
}

bool is_word(UChar32 c) {  // \w of Unicode regular expressions
  if (c < 0) return false;
  if (c < 0x80) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  return u_isUAlphabetic(c) != 0 || u_hasBinaryProperty(c, UCHAR_JOIN_CONTROL) != 0 ||
         (U_GET_GC_MASK(c) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0;
}

void bert(std::string_view text, std::vector<std::string_view>& out) {
  cut(text, out, [](UChar32 c) {
    return is_space(c) ? Part::dropped : is_punctuation(c) ? Part::alone : Part::word;
  });
}

void whitespace_split(std::string_view text, std::vector<std::string_view>& out) {
  cut(text, out, [](UChar32 c) { return is_space(c) ? Part::dropped : Part::word; });
}

void whitespace(std::string_view text, std::vector<std::string_view>& out) {
  cut(text, out, [](UChar32 c) {
    return is_space(c) ? Part::dropped : is_word(c) ? Part::word : Part::other_word;
  });
}

void punctuation(std::string_view text, std::vector<std::string_view>& out) {
  cut(text, out, [](UChar32 c) { return is_punctuation(c) ? Part::alone : Part::word; });
}

PreTokenize digits(bool individual) {
  return [individual](std::string_view text, std::vector<std::string_view>& out) {
    cut(text, out, [individual](UChar32 c) {
      const bool digit = c >= 0 && (U_GET_GC_MASK(c) & U_GC_N_MASK) != 0;
      return !digit ? Part::word : individual ? Part::alone : Part::other_word;
    });
  };
}

Result<PreTokenize> parse_split(const Json& json) {
  const Json* pattern = json.find("pattern");
  const std::string behavior = json.string_or("behavior", "Isolated");
  const bool removed = behavior == "Removed";
  if ((!removed && behavior != "Isolated") || json.bool_or("invert")) {
    return Error{.kind = ErrorKind::unsupported,
                 .message =
                     "tokenizer: pre_tokenizer Split is offered with behavior Isolated or "
                     "Removed and without invert"};
  }
  std::string source = pattern == nullptr ? "" : pattern->string_or("Regex");
  if (source.empty() && pattern != nullptr && !pattern->string_or("String").empty()) {
    source = "\\Q" + pattern->string_or("String") + "\\E";
  }
  if (source.empty()) return wrong_pre_tokenizer("Split needs a pattern with String or Regex");
  CAIRN_TRY(Regex compiled, Regex::compile(source));
  auto regex = std::make_shared<const Regex>(std::move(compiled));
  return PreTokenize([regex, removed](std::string_view text, std::vector<std::string_view>& out) {
    const auto found = regex->find_all(text);
    std::size_t begin = 0;
    const auto add_until = [&](std::size_t end) {
      if (end > begin) out.push_back(text.substr(begin, end - begin));
      begin = end;
    };
    if (found.ok()) {  // else too many steps: the text stays whole
      for (const auto& [from, to] : *found) {
        add_until(from);
        if (!removed) add_until(to);
        begin = to;
      }
    }
    add_until(text.size());
  });
}

Result<PreTokenize> parse_pre_tokenizers(const Json& json) {
  const Json* steps = json.find("pretokenizers");
  if (steps == nullptr || !steps->is_array())
    return wrong_pre_tokenizer("Sequence needs pretokenizers");
  std::vector<PreTokenize> all;
  for (const Json& step : steps->as_array()) {
    CAIRN_TRY(PreTokenize one, parse_pre_tokenizer(step));
    all.push_back(std::move(one));
  }
  return PreTokenize(
      [all = std::move(all)](std::string_view text, std::vector<std::string_view>& out) {
        std::vector<std::string_view> pieces{text};
        std::vector<std::string_view> finer;
        for (const PreTokenize& step : all) {
          finer.clear();
          for (const std::string_view piece : pieces) step(piece, finer);
          std::swap(pieces, finer);
        }
        out.insert(out.end(), pieces.begin(), pieces.end());
      });
}

}  // namespace

Result<PreTokenize> parse_pre_tokenizer(const Json& pre_tokenizer) {
  if (pre_tokenizer.is_null()) {
    return PreTokenize([](std::string_view text, std::vector<std::string_view>& out) {
      if (!text.empty()) out.push_back(text);
    });
  }
  const std::string type = pre_tokenizer.string_or("type");
  if (type == "Sequence") return parse_pre_tokenizers(pre_tokenizer);
  if (type == "BertPreTokenizer") return PreTokenize(bert);
  if (type == "WhitespaceSplit") return PreTokenize(whitespace_split);
  if (type == "Whitespace") return PreTokenize(whitespace);
  if (type == "Punctuation" && pre_tokenizer.string_or("behavior", "Isolated") == "Isolated") {
    return PreTokenize(punctuation);
  }
  if (type == "Digits") return digits(pre_tokenizer.bool_or("individual_digits"));
  if (type == "Split") return parse_split(pre_tokenizer);
  return Error{.kind = ErrorKind::unsupported,
               .message = "tokenizer: pre_tokenizer type [" + type + "] is not offered"};
}

}  // namespace cairn::text
