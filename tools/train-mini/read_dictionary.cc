// SPDX-License-Identifier: Apache-2.0
// The GNU Collaborative International Dictionary of English, as packaged for dictd.
#include "base/strings.h"
#include "corpus.h"

namespace cairn::mini {
namespace {

/// Drops [remarks], {braces}, /sounds/ and the source after "--".
std::string cleaned(std::string_view text) {
  std::string out;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[') ++depth;
    if (depth == 0 && c == '-' && i + 2 < text.size() && text[i + 1] == '-' && text[i + 2] >= 'A' &&
        text[i + 2] <= 'Z') {
      break;
    }
    if (depth == 0 && c != '{' && c != '}') out += c;
    if (c == ']' && depth > 0) --depth;
  }
  return squeezed(out);
}

/// "1. (Astron.) text" to "text".
std::string_view without_number(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  if (at > 0 && at < text.size() && text[at] == '.') text.remove_prefix(at + 1);
  text = trim(text);
  if (text.size() > 3 && text[0] == '(' && text[1] != 'a') {
    const auto close = text.find(')');
    if (close != std::string_view::npos && close < 20) text.remove_prefix(close + 1);
  }
  return trim(text);
}

/// The word that a line without indent begins with, before pronunciation and grammar.
std::string headword(std::string_view line) {
  const auto end = std::min(line.find('\\'), std::min(line.find('('), line.find('[')));
  return squeezed(line.substr(0, end));
}

class Reader {
 public:
  explicit Reader(Corpus& corpus) : corpus_(corpus) {}

  void line(std::string_view line) {
    if (trim(line).empty()) {
      close_paragraph();
    } else if (line.front() != ' ') {
      close_paragraph();
      word_ = headword(line);
      in_head_ = true;
    } else if (!line.starts_with("         ")) {  // deeper lines are quotations
      if (in_head_ && line.find(']') != std::string_view::npos && paragraph_.empty()) {
        return;  // the end of an etymology
      }
      in_head_ = false;
      paragraph_ += ' ';
      paragraph_ += line;
    }
  }

  void close_paragraph() {
    const std::string all = cleaned(paragraph_);
    const std::string text(without_number(all));
    paragraph_.clear();
    if (word_.empty() || word_.size() > 40 || !is_prose(text)) return;
    const Split split = split_of(word_);
    corpus_.pairs_of(split).push_back({PairKind::dictionary, english, word_, text});
    if (split == Split::training) {
      corpus_.passages.push_back({Source::dictionary, english, word_ + ": " + text});
    }
  }

 private:
  Corpus& corpus_;
  std::string word_;
  std::string paragraph_;
  bool in_head_ = false;
};

}  // namespace

Status read_dictionary(const std::string& root, Corpus& corpus) {
  const auto text = read_unpacked(root + "/usr/share/dictd/gcide.dict.dz");
  if (!text.ok() && text.error().kind == ErrorKind::not_found) return ok_status();
  if (!text.ok()) return text.error();
  Reader reader(corpus);
  for (const std::string_view line : split(*text, '\n')) {
    if (is_utf8(line)) reader.line(line);  // a few are not
  }
  reader.close_paragraph();
  return ok_status();
}

}  // namespace cairn::mini
