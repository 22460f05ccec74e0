// SPDX-License-Identifier: Apache-2.0
#include "format/json_spans.h"

#include "format/json_strict.h"

namespace cairn {
namespace {

/// Goes over a text that is taken for JSON; false at the first byte that does not fit.
class SpanCursor {
 public:
  explicit SpanCursor(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  bool take(char wanted) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool over() {
    skip_space();
    return at_ == text_.size();
  }
  /// Between the quotes.
  bool text(std::string_view& out) {
    skip_space();
    const std::size_t from = at_ + 1;
    if (!skip_text()) return false;
    out = text_.substr(from, at_ - 1 - from);
    return true;
  }
  bool value(std::string_view& out) {
    skip_space();
    const std::size_t from = at_;
    if (at_ >= text_.size()) return false;
    const char first = text_[at_];
    const bool whole = first == '"'                   ? skip_text()
                       : first == '{' || first == '[' ? skip_nested()
                                                      : skip_scalar();
    out = text_.substr(from, at_ - from);
    return whole;
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool skip_text() {
    if (at_ >= text_.size() || text_[at_] != '"') return false;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '"') {
        ++at_;
        return true;
      }
    }
    at_ = text_.size();
    return false;
  }
  bool skip_nested() {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        if (!skip_text()) return false;
        continue;
      }
      ++at_;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) return true;
    }
    return false;
  }
  bool skip_scalar() {
    const std::size_t from = at_;
    while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != ',' && text_[at_] != ']' &&
           text_[at_] != '}')
      ++at_;
    return at_ > from;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// What stands between `open` and `close`, separated by commas. `one` takes what is there.
Status for_each_part(std::string_view text, char open, char close,
                     const std::function<Result<bool>(SpanCursor&)>& one) {
  SpanCursor cursor(text);
  const auto wrong = [&](std::string_view what) { return json_error_at(text, cursor.at(), what); };
  if (!cursor.take(open))
    return wrong(open == '{' ? "an object was expected" : "a list was expected");
  if (!cursor.take(close)) {
    do {
      CAIRN_TRY(const bool fits, one(cursor));
      if (!fits) return wrong("a value was expected");
    } while (cursor.take(','));
    if (!cursor.take(close)) return wrong("a comma or an end was expected");
  }
  if (!cursor.over()) return wrong("nothing more was expected");
  return ok_status();
}

}  // namespace

Status for_each_json_member(
    std::string_view text,
    const std::function<Status(std::string_view name, std::string_view value)>& each) {
  return for_each_part(text, '{', '}', [&](SpanCursor& cursor) -> Result<bool> {
    std::string_view name, value;
    if (!cursor.text(name) || !cursor.take(':') || !cursor.value(value)) return false;
    CAIRN_CHECK(each(name, value));
    return true;
  });
}

Status for_each_json_element(std::string_view text,
                             const std::function<Status(std::string_view value)>& each) {
  return for_each_part(text, '[', ']', [&](SpanCursor& cursor) -> Result<bool> {
    std::string_view value;
    if (!cursor.value(value)) return false;
    CAIRN_CHECK(each(value));
    return true;
  });
}

}  // namespace cairn
