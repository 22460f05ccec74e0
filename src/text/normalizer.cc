// SPDX-License-Identifier: Apache-2.0
// Normalizers by ICU. Text that is all ASCII takes short ways.
#include "text/normalizer.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "text/regex.h"

namespace cairn::text {
namespace {

constexpr UChar32 replacement = 0xfffd;

Error wrong_normalizer(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "tokenizer: normalizer: " + std::move(message)};
}

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
}

void append(std::string& out, UChar32 c) {
  char bytes[U8_MAX_LENGTH];
  std::int32_t length = 0;
  UBool fault = false;
  U8_APPEND(bytes, length, U8_MAX_LENGTH, c, fault);
  if (!fault) out.append(bytes, static_cast<std::size_t>(length));
}

/// Calls `each` with every character; faulty bytes come as U+FFFD.
template <class Each>
void for_each_character(std::string_view text, Each each) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto length = static_cast<std::int64_t>(text.size());
  std::int64_t at = 0;
  while (at < length) {
    UChar32 c = 0;
    U8_NEXT(bytes, at, length, c);
    each(c < 0 ? replacement : c);
  }
}

/// One character at a time, by itself: no final sigma, as the tokenizers that models were made
/// with.
void append_lower(std::string& out, UChar32 c) {
  if (c == 0x130) {  // the one character whose lower case is two
    out += "i\xcc\x87";
    return;
  }
  append(out, u_tolower(c));
}

void lowercase(std::string& text) {
  if (is_ascii(text)) {
    for (char& c : text) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return;
  }
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](UChar32 c) { append_lower(out, c); });
  text = std::move(out);
}

void drop(std::string& text, std::uint32_t categories) {
  if (is_ascii(text)) return;
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](UChar32 c) {
    if ((U_GET_GC_MASK(c) & categories) == 0) append(out, c);
  });
  text = std::move(out);
}

void apply_form(const icu::Normalizer2& form, std::string& text) {
  if (is_ascii(text)) return;
  std::string out;
  out.reserve(text.size());
  icu::StringByteSink<std::string> sink(&out);
  UErrorCode status = U_ZERO_ERROR;
  form.normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())), sink,
                     nullptr, status);
  if (U_SUCCESS(status)) text = std::move(out);
}

Result<const icu::Normalizer2*> form_of(std::string_view type) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* form = nullptr;
  if (type == "NFC") form = icu::Normalizer2::getNFCInstance(status);
  if (type == "NFD") form = icu::Normalizer2::getNFDInstance(status);
  if (type == "NFKC") form = icu::Normalizer2::getNFKCInstance(status);
  if (type == "NFKD") form = icu::Normalizer2::getNFKDInstance(status);
  if (form == nullptr || U_FAILURE(status)) return wrong_normalizer("Unicode data is missing");
  return form;
}

bool is_ideograph(UChar32 c) {
  constexpr std::pair<UChar32, UChar32> ranges[] = {
      {0x4e00, 0x9fff},   {0x3400, 0x4dbf},   {0x20000, 0x2a6df}, {0x2a700, 0x2b73f},
      {0x2b740, 0x2b81f}, {0x2b920, 0x2ceaf}, {0xf900, 0xfaff},   {0x2f800, 0x2fa1f}};
  return c >= 0x3400 && std::any_of(std::begin(ranges), std::end(ranges), [c](const auto& range) {
           return c >= range.first && c <= range.second;
         });
}

struct BertOptions {
  bool clean = true;
  bool space_ideographs = true;
  bool strip_accents = true;
  bool lowercase = true;
  const icu::Normalizer2* decompose = nullptr;
};

bool is_control(UChar32 c) {
  return c == 0 || c == replacement ||
         (U_GET_GC_MASK(c) & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK | U_GC_CS_MASK)) != 0;
}

void clean(const BertOptions& options, std::string& text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](UChar32 c) {
    if (options.clean) {
      if (c == '\t' || c == '\n' || c == '\r' || (c >= 0x80 && u_isUWhiteSpace(c))) {
        out += ' ';
        return;
      }
      if (c < 0x20 || c >= 0x7f) {
        if (is_control(c)) return;
      }
    }
    const bool spaced = options.space_ideographs && is_ideograph(c);
    if (spaced) out += ' ';
    append(out, c);
    if (spaced) out += ' ';
  });
  text = std::move(out);
}

void apply_bert(const BertOptions& options, std::string& text) {
  if (options.clean || options.space_ideographs) clean(options, text);
  if (options.strip_accents) {
    apply_form(*options.decompose, text);
    drop(text, U_GC_MN_MASK);
  }
  if (options.lowercase) lowercase(text);
}

void strip(std::string& text, bool left, bool right) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto length = static_cast<std::int64_t>(text.size());
  std::int64_t begin = length;  // of the first character that is no space
  std::int64_t end = 0;         // of the last
  for (std::int64_t at = 0; at < length;) {
    const std::int64_t character = at;
    UChar32 c = 0;
    U8_NEXT(bytes, at, length, c);
    if (c >= 0 && u_isUWhiteSpace(c)) continue;
    begin = std::min(begin, character);
    end = at;
  }
  if (right) text.resize(static_cast<std::size_t>(end));
  if (left) text.erase(0, std::min(text.size(), static_cast<std::size_t>(begin)));
}

Normalize replace_text(std::string pattern, std::string content) {
  return [pattern = std::move(pattern), content = std::move(content)](std::string& text) {
    std::string out;
    std::size_t begin = 0;
    for (auto at = text.find(pattern); at != std::string::npos; at = text.find(pattern, begin)) {
      out.append(text, begin, at - begin).append(content);
      begin = at + pattern.size();
    }
    out.append(text, begin);
    text = std::move(out);
  };
}

Normalize replace_matches(std::shared_ptr<const Regex> regex, std::string content) {
  return [regex = std::move(regex), content = std::move(content)](std::string& text) {
    const auto found = regex->find_all(text);
    if (!found.ok()) return;  // too many steps: the text stays as it is
    std::string out;
    std::size_t begin = 0;
    for (const auto& [from, to] : *found) {
      out.append(text, begin, from - begin).append(content);
      begin = to;
    }
    out.append(text, begin);
    text = std::move(out);
  };
}

Result<Normalize> parse_replace(const Json& json) {
  const Json* pattern = json.find("pattern");
  const std::string content = json.string_or("content");
  if (pattern != nullptr) {
    if (const std::string text = pattern->string_or("String"); !text.empty()) {
      return replace_text(text, content);
    }
    if (const std::string source = pattern->string_or("Regex"); !source.empty()) {
      CAIRN_TRY(Regex regex, Regex::compile(source));
      return replace_matches(std::make_shared<const Regex>(std::move(regex)), content);
    }
  }
  return wrong_normalizer("Replace needs a pattern with String or Regex");
}

Result<Normalize> parse_normalizers(const Json& json) {
  const Json* steps = json.find("normalizers");
  if (steps == nullptr || !steps->is_array()) return wrong_normalizer("Sequence needs normalizers");
  std::vector<Normalize> all;
  for (const Json& step : steps->as_array()) {
    CAIRN_TRY(Normalize one, parse_normalizer(step));
    all.push_back(std::move(one));
  }
  return Normalize([all = std::move(all)](std::string& text) {
    for (const Normalize& step : all) step(text);
  });
}

Result<Normalize> parse_bert(const Json& json) {
  BertOptions options;
  options.clean = json.bool_or("clean_text", true);
  options.space_ideographs = json.bool_or("handle_chinese_chars", true);
  options.lowercase = json.bool_or("lowercase", true);
  options.strip_accents = json.bool_or("strip_accents", options.lowercase);
  CAIRN_TRY(options.decompose, form_of("NFD"));
  return Normalize([options](std::string& text) { apply_bert(options, text); });
}

}  // namespace

Result<Normalize> parse_normalizer(const Json& normalizer) {
  if (normalizer.is_null()) return Normalize([](std::string&) {});
  const std::string type = normalizer.string_or("type");
  if (type == "Sequence") return parse_normalizers(normalizer);
  if (type == "BertNormalizer") return parse_bert(normalizer);
  if (type == "Replace") return parse_replace(normalizer);
  if (type == "Lowercase") return Normalize(lowercase);
  if (type == "StripAccents") {
    return Normalize([](std::string& text) { drop(text, U_GC_M_MASK); });
  }
  if (type == "Strip") {
    const bool left = normalizer.bool_or("strip_left", true);
    const bool right = normalizer.bool_or("strip_right", true);
    return Normalize([left, right](std::string& text) { strip(text, left, right); });
  }
  if (type == "Prepend") {
    const std::string lead = normalizer.string_or("prepend");
    return Normalize([lead](std::string& text) {
      if (!text.empty()) text.insert(0, lead);
    });
  }
  if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD") {
    CAIRN_TRY(const icu::Normalizer2* form, form_of(type));
    return Normalize([form](std::string& text) { apply_form(*form, text); });
  }
  return Error{.kind = ErrorKind::unsupported,
               .message = "tokenizer: normalizer type [" + type + "] is not offered"};
}

}  // namespace cairn::text
