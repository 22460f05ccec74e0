// SPDX-License-Identifier: Apache-2.0
// The steps and how they are read.
#include "text/tokenizer/decoders.h"

#include <optional>
#include <utility>

#include "base/strings.h"
#include "text/regex.h"
#include "text/tokenizer/byte_level.h"
#include "text/tokenizer/characters.h"

namespace cairn::text::tokenizer {
namespace {

constexpr std::size_t most_decoders = 32;
constexpr std::string_view replacement_bytes = "\xef\xbf\xbd";  // U+FFFD

std::string replaced(std::string_view text, std::string_view old, std::string_view content) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = text.find(old); at != std::string_view::npos; at = text.find(old, begin)) {
    out.append(text.substr(begin, at - begin)).append(content);
    begin = at + old.size();
  }
  return out.append(text.substr(begin));
}

std::string cleaned(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> changes[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [old, content] : changes)
    if (text.find(old) != std::string::npos) text = replaced(text, old, content);
  return text;
}

/// WordPiece: pieces join, words are parted.
class WordPieceDecoder : public Decoder {
 public:
  WordPieceDecoder(std::string prefix, bool cleanup)
      : prefix_(std::move(prefix)), cleanup_(cleanup) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::string& token = tokens[i];
      if (i > 0 && token.starts_with(prefix_)) {
        token.erase(0, prefix_.size());
      } else if (i > 0) {
        token.insert(0, " ");
      }
      if (cleanup_) token = cleaned(std::move(token));
    }
  }

 private:
  std::string prefix_;
  bool cleanup_;
};

class MetaspaceDecoder : public Decoder {
 public:
  MetaspaceDecoder(std::string mark, bool drops_first)
      : mark_(std::move(mark)), drops_first_(drops_first) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      tokens[i] = replaced(tokens[i], mark_, i == 0 && drops_first_ ? "" : " ");
  }

 private:
  std::string mark_;
  bool drops_first_;
};

void join(std::vector<std::string>& tokens) {
  std::string all;
  for (const std::string& token : tokens) all += token;
  tokens.assign(1, std::move(all));
}

/// The text with U+FFFD in place of what is no UTF-8.
std::string repaired(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) append_character(out, next_character(text, at));
  return out;
}

class ByteLevelDecoder : public Decoder {
 public:
  void apply(std::vector<std::string>& tokens) const override {
    for (std::string& token : tokens)
      if (auto bytes = spelled_bytes(token)) token = std::move(*bytes);
    join(tokens);
    tokens.front() = repaired(tokens.front());
  }
};

class ByteFallbackDecoder : public Decoder {
 public:
  void apply(std::vector<std::string>& tokens) const override {
    std::vector<std::string> out;
    std::string bytes;
    const auto flush = [&] {
      if (is_utf8(bytes)) {
        if (!bytes.empty()) out.push_back(bytes);
      } else {
        out.insert(out.end(), bytes.size(), std::string(replacement_bytes));
      }
      bytes.clear();
    };
    for (std::string& token : tokens) {
      if (const auto byte = byte_of_token(token)) {
        bytes.push_back(*byte);
        continue;
      }
      flush();
      out.push_back(std::move(token));
    }
    flush();
    tokens = std::move(out);
  }

 private:
  static std::optional<char> byte_of_token(std::string_view token) {  // <0x41>
    if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
    const auto digit = [](char c) {
      if (c >= '0' && c <= '9') return c - '0';
      if (c >= 'a' && c <= 'f') return c - 'a' + 10;
      return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    const int high = digit(token[3]);
    const int low = digit(token[4]);
    if (high < 0 || low < 0) return std::nullopt;
    return static_cast<char>(high * 16 + low);
  }
};

class FuseDecoder : public Decoder {
 public:
  void apply(std::vector<std::string>& tokens) const override { join(tokens); }
};

class ReplaceDecoder : public Decoder {
 public:
  ReplaceDecoder(std::string text, std::optional<Regex> regex, std::string content)
      : text_(std::move(text)), regex_(std::move(regex)), content_(std::move(content)) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (std::string& token : tokens)
      token = regex_ ? by_regex(token) : replaced(token, text_, content_);
  }

 private:
  std::string by_regex(const std::string& token) const {
    const auto found = regex_->find_all(token);
    if (!found.ok()) return token;  // more steps than a token may need
    std::string out;
    std::size_t begin = 0;
    for (const auto& [from, to] : *found) {
      out.append(token, begin, from - begin).append(content_);
      begin = to;
    }
    return out.append(token, begin);
  }

  std::string text_;
  std::optional<Regex> regex_;
  std::string content_;
};

class StripDecoder : public Decoder {
 public:
  StripDecoder(std::string content, std::size_t start, std::size_t stop)
      : content_(std::move(content)), start_(start), stop_(stop) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (std::string& token : tokens) {
      std::string_view rest = token;
      for (std::size_t i = 0; i < start_ && rest.starts_with(content_); ++i)
        rest.remove_prefix(content_.size());
      for (std::size_t i = 0; i < stop_ && rest.ends_with(content_); ++i)
        rest.remove_suffix(content_.size());
      token = std::string(rest);
    }
  }

 private:
  std::string content_;
  std::size_t start_;
  std::size_t stop_;
};

using MadeDecoder = Result<std::unique_ptr<const Decoder>>;

template <class Step, class... Values>
MadeDecoder made_decoder(Values&&... values) {
  return std::unique_ptr<const Decoder>(std::make_unique<Step>(std::forward<Values>(values)...));
}

MadeDecoder read_replacing(const Fields& fields) {
  CAIRN_TRY(std::string content, fields.string("content", ""));
  const Json* pattern = fields.find("pattern");
  const std::string text = pattern == nullptr ? "" : pattern->string_or("String");
  const std::string source = pattern == nullptr ? "" : pattern->string_or("Regex");
  if (!text.empty())
    return made_decoder<ReplaceDecoder>(text, std::optional<Regex>(), std::move(content));
  if (source.empty()) return fields.wrong("pattern", "must have String or Regex, not empty");
  CAIRN_TRY(Regex regex, Regex::compile(source));
  return made_decoder<ReplaceDecoder>(text, std::optional<Regex>(std::move(regex)),
                                      std::move(content));
}

MadeDecoder read_decoder(const Fields& fields) {
  CAIRN_TRY(const std::string type, fields.type());
  if (type == "ByteLevel") return made_decoder<ByteLevelDecoder>();
  if (type == "ByteFallback") return made_decoder<ByteFallbackDecoder>();
  if (type == "Fuse") return made_decoder<FuseDecoder>();
  if (type == "Replace") return read_replacing(fields);
  if (type == "WordPiece") {
    CAIRN_TRY(std::string prefix, fields.string("prefix", "##"));
    CAIRN_TRY(const bool cleanup, fields.boolean("cleanup", true));
    return made_decoder<WordPieceDecoder>(std::move(prefix), cleanup);
  }
  if (type == "Metaspace") {
    CAIRN_TRY(std::string mark, fields.character("replacement", "▁"));
    CAIRN_TRY(const bool adds, fields.boolean("add_prefix_space", true));
    CAIRN_TRY(const std::string scheme, fields.string("prepend_scheme", adds ? "always" : "never"));
    return made_decoder<MetaspaceDecoder>(std::move(mark), scheme != "never");
  }
  if (type == "Strip") {
    CAIRN_TRY(std::string content, fields.character("content", " "));
    CAIRN_TRY(const auto start, fields.integer("start", 0, 0, INT32_MAX));
    CAIRN_TRY(const auto stop, fields.integer("stop", 0, 0, INT32_MAX));
    return made_decoder<StripDecoder>(std::move(content), static_cast<std::size_t>(start),
                                      static_cast<std::size_t>(stop));
  }
  return fields.unknown_type(
      type, "WordPiece, Metaspace, ByteLevel, ByteFallback, Fuse, Replace, Strip, Sequence");
}

Status read_decoders_into(const Json& json, const std::string& path, Decoders& out) {
  if (json.is_null()) return ok_status();
  const Fields fields(json, path);
  CAIRN_TRY(const std::string type, fields.type());
  if (type == "Sequence") {
    CAIRN_TRY(const Json::Array* steps, fields.array("decoders"));
    if (steps == nullptr) return fields.wrong("decoders", "must be an array");
    for (std::size_t i = 0; i < steps->size(); ++i) {
      CAIRN_CHECK(
          read_decoders_into((*steps)[i], path + ".decoders[" + std::to_string(i) + "]", out));
    }
    return ok_status();
  }
  if (out.size() == most_decoders) return wrong_file("[decoder] has too many steps");
  CAIRN_TRY(auto one, read_decoder(fields));
  out.push_back(std::move(one));
  return ok_status();
}

}  // namespace

Result<Decoders> read_decoders(const Json& decoder) {
  Decoders out;
  CAIRN_CHECK(read_decoders_into(decoder, "decoder", out));
  return out;
}

}  // namespace cairn::text::tokenizer
