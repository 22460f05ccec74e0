// SPDX-License-Identifier: Apache-2.0
// A walk over text that is known to be JSON: no checks beyond staying inside.
#include "api/forms/locate.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "format/json.h"

namespace cairn::api {
namespace {

class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  void skip_space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// The raw text of a string with its quotes.
  std::string_view string() {
    const std::size_t start = at_;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(start, at_ - start);
  }
  void skip_value() {
    skip_space();
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        ++depth, ++at_;
      } else if (c == '}' || c == ']') {
        if (depth == 0) return;
        --depth, ++at_;
      } else if (c == ',' && depth == 0) {
        return;
      } else {
        ++at_;
        continue;
      }
      if (depth == 0) return;
    }
  }
  bool to_element(std::size_t index) {
    if (!take('[')) return false;
    for (std::size_t i = 0; i < index; ++i) {
      skip_value();
      if (!take(',')) return false;
    }
    skip_space();
    return at_ < text_.size() && text_[at_] != ']';
  }
  /// Stops at the member's value; `name_at` is where its name begins. Of several the last.
  bool to_member(std::string_view name, std::size_t& name_at) {
    if (!take('{')) return false;
    bool found = false;
    std::size_t value_at = at_;
    for (;;) {
      skip_space();
      if (at_ >= text_.size() || text_[at_] != '"') break;
      const std::size_t start = at_;
      const auto raw = string();
      const auto parsed = parse_json(raw);
      if (!take(':')) break;
      skip_space();
      if (parsed.ok() && parsed->is_string() && parsed->as_string() == name) {
        found = true;
        name_at = start;
        value_at = at_;
      }
      skip_value();
      if (!take(',')) break;
    }
    at_ = value_at;
    return found;
  }
  bool at_array() {
    skip_space();
    return at_ < text_.size() && text_[at_] == '[';
  }
  std::size_t at() const { return at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Position> locate(std::string_view text, std::string_view path, bool of_value) {
  Walk walk(text);
  std::size_t name_at = 0;
  if (text.starts_with("\xEF\xBB\xBF")) return std::nullopt;
  for (const auto name : split(path, path_separator)) {
    if (walk.at_array()) {
      const auto index = parse_number<std::size_t>(name);
      if (!index || !walk.to_element(*index)) return std::nullopt;
      name_at = walk.at();
    } else if (!walk.to_member(name, name_at)) {
      return std::nullopt;
    }
  }
  const std::size_t at = of_value ? walk.at() : name_at;
  const std::string_view before = text.substr(0, at);
  const auto line_start = before.rfind('\n');
  return Position{1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
                  line_start == std::string_view::npos ? at + 1 : at - line_start};
}

}  // namespace cairn::api
