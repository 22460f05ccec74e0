// SPDX-License-Identifier: Apache-2.0
// The simple normalizers, and reading all of them.
#include "text/tokenizer/normalizers.h"

#include <utility>

#include "text/regex.h"

namespace cairn::text::tokenizer {
namespace {

// No tokenizer has nearly as many; each is a pass over the text.
constexpr std::size_t most_normalizers = 64;
constexpr std::size_t most_content_bytes = 1024;

class Lowercase : public Normalizer {
 public:
  Status apply(Work& work) const override {
    const std::string_view text = work.text.bytes();
    Rewrite out(work.text);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t from = at;
      const UChar32 c = next_character(text, at);
      if (c < 0x80) {
        out.put(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c, from);
        continue;
      }
      lowered(c, [&](UChar32 one) { out.put(one, from); });
    }
    return out.finish();
  }
};

class StripAccents : public Normalizer {
 public:
  Status apply(Work& work) const override {
    const std::string_view text = work.text.bytes();
    if (is_ascii(text)) return ok_status();
    Rewrite out(work.text);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t from = at;
      const UChar32 c = next_character(text, at);
      if (c < 0x300 || (U_GET_GC_MASK(c) & U_GC_M_MASK) == 0) out.put(c, from);
    }
    return out.finish();
  }
};

class Strip : public Normalizer {
 public:
  Strip(bool left, bool right) : left_(left), right_(right) {}

  Status apply(Work& work) const override {
    const std::string_view text = work.text.bytes();
    std::size_t begin = 0;
    std::size_t end = text.size();
    while (left_ && begin < end) {
      std::size_t next = begin;
      if (!is_space(next_character(text, next))) break;
      begin = next;
    }
    while (right_ && end > begin) {
      std::size_t before = end;
      if (!is_space(previous_character(text, before))) break;
      end = before;
    }
    if (begin == 0 && end == text.size()) return ok_status();
    Rewrite out(work.text);
    out.keep(begin, end);
    return out.finish();
  }

 private:
  bool left_;
  bool right_;
};

class Prepend : public Normalizer {
 public:
  explicit Prepend(std::string lead) : lead_(std::move(lead)) {}

  Status apply(Work& work) const override {
    const std::string_view text = work.text.bytes();
    if (text.empty()) return ok_status();
    Rewrite out(work.text);
    out.put(lead_, 0);
    out.keep(0, text.size());
    return out.finish();
  }

 private:
  std::string lead_;
};

/// What takes the place of a match stands for its last byte.
class ReplaceText : public Normalizer {
 public:
  ReplaceText(std::string text, std::string content)
      : text_(std::move(text)), content_(std::move(content)) {}

  Status apply(Work& work) const override {
    const std::string_view text = work.text.bytes();
    std::size_t at = text.find(text_);
    if (at == std::string_view::npos) return ok_status();
    Rewrite out(work.text);
    std::size_t begin = 0;
    for (; at != std::string_view::npos && !out.full(); at = text.find(text_, begin)) {
      out.keep(begin, at);
      begin = at + text_.size();
      out.put_after(content_, begin);
    }
    out.keep(begin, text.size());
    return out.finish();
  }

 private:
  std::string text_;
  std::string content_;
};

class ReplaceMatches : public Normalizer {
 public:
  ReplaceMatches(Regex regex, std::string content)
      : regex_(std::move(regex)), content_(std::move(content)) {}

  Status apply(Work& work) const override {
    const std::string_view text = work.text.bytes();
    CAIRN_TRY(const auto found, regex_.find_all(text));
    if (found.empty()) return ok_status();
    Rewrite out(work.text);
    std::size_t begin = 0;
    for (const auto& [from, to] : found) {
      if (out.full()) break;
      out.keep(begin, from);
      out.put_after(content_, to);
      begin = to;
    }
    out.keep(begin, text.size());
    return out.finish();
  }

 private:
  Regex regex_;
  std::string content_;
};

using MadeNormalizer = Result<std::unique_ptr<const Normalizer>>;

template <class Step, class... Values>
MadeNormalizer made(Values&&... values) {
  return std::unique_ptr<const Normalizer>(std::make_unique<Step>(std::forward<Values>(values)...));
}

MadeNormalizer read_replace(const Fields& fields) {
  CAIRN_TRY(std::string content, fields.string("content", ""));
  if (content.size() > most_content_bytes) return fields.wrong("content", "is too long");
  const Json* pattern = fields.find("pattern");
  if (pattern != nullptr) {
    if (const std::string text = pattern->string_or("String"); !text.empty())
      return replace_text(text, std::move(content));
    if (const std::string source = pattern->string_or("Regex"); !source.empty())
      return replace_matches(source, std::move(content));
  }
  return fields.wrong("pattern", "must have String or Regex, not empty");
}

MadeNormalizer read_bert(const Fields& fields) {
  BertOptions options;
  CAIRN_TRY(options.clean, fields.boolean("clean_text", true));
  CAIRN_TRY(options.space_ideographs, fields.boolean("handle_chinese_chars", true));
  CAIRN_TRY(options.lowercase, fields.boolean("lowercase", true));
  CAIRN_TRY(options.strip_accents, fields.boolean("strip_accents", options.lowercase));
  return bert_normalizer(options);
}

MadeNormalizer read_strip(const Fields& fields) {
  CAIRN_TRY(const bool left, fields.boolean("strip_left", true));
  CAIRN_TRY(const bool right, fields.boolean("strip_right", true));
  return made<Strip>(left, right);
}

MadeNormalizer read_prepend(const Fields& fields) {
  CAIRN_TRY(std::string lead, fields.string("prepend"));
  if (lead.size() > most_content_bytes) return fields.wrong("prepend", "is too long");
  return made<Prepend>(std::move(lead));
}

MadeNormalizer read_one(const Fields& fields) {
  CAIRN_TRY(const std::string type, fields.type());
  if (type == "BertNormalizer") return read_bert(fields);
  if (type == "Replace") return read_replace(fields);
  if (type == "Precompiled") return charsmap_normalizer(fields);
  if (type == "Lowercase") return made<Lowercase>();
  if (type == "StripAccents") return made<StripAccents>();
  if (type == "Strip") return read_strip(fields);
  if (type == "Prepend") return read_prepend(fields);
  if (type == "NFC") return unicode_form(UnicodeForm::nfc);
  if (type == "NFD") return unicode_form(UnicodeForm::nfd);
  if (type == "NFKC") return unicode_form(UnicodeForm::nfkc);
  if (type == "NFKD") return unicode_form(UnicodeForm::nfkd);
  return fields.unknown_type(type,
                             "BertNormalizer, NFC, NFD, NFKC, NFKD, StripAccents, Lowercase, "
                             "Replace, Prepend, Strip, Precompiled, Sequence");
}

Status read_steps(const Json& json, const std::string& path, Normalizers& out) {
  const Fields fields(json, path);
  if (json.is_null()) return ok_status();
  CAIRN_TRY(const std::string type, fields.type());
  if (type == "Sequence") {
    CAIRN_TRY(const Json::Array* steps, fields.array("normalizers"));
    if (steps == nullptr) return fields.wrong("normalizers", "must be an array");
    for (std::size_t i = 0; i < steps->size(); ++i) {
      CAIRN_CHECK(read_steps((*steps)[i], path + ".normalizers[" + std::to_string(i) + "]", out));
    }
    return ok_status();
  }
  if (out.size() == most_normalizers)
    return wrong_file("[normalizer] has more than " + std::to_string(most_normalizers) + " steps");
  CAIRN_TRY(auto one, read_one(fields));
  if (one != nullptr) out.push_back(std::move(one));
  return ok_status();
}

}  // namespace

std::unique_ptr<const Normalizer> replace_text(std::string text, std::string content) {
  return std::make_unique<ReplaceText>(std::move(text), std::move(content));
}

Result<std::unique_ptr<const Normalizer>> replace_matches(const std::string& expression,
                                                          std::string content) {
  CAIRN_TRY(Regex regex, Regex::compile(expression));
  return made<ReplaceMatches>(std::move(regex), std::move(content));
}

Result<Normalizers> read_normalizers(const Json& normalizer) {
  Normalizers out;
  CAIRN_CHECK(read_steps(normalizer, "normalizer", out));
  return out;
}

}  // namespace cairn::text::tokenizer
