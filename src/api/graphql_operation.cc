// SPDX-License-Identifier: Apache-2.0
// Words at the top level of a document; what stands in braces, strings and comments is passed over.
#include "api/graphql_operation.h"

#include <algorithm>
#include <cctype>

namespace cairn::api {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  /// The next name outside of braces, "{" where a selection begins; empty at the end.
  std::string_view next() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '#') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (c == '"') {
        pass_string();
      } else if (c == '{' || c == '(' || c == '[') {
        rest_.remove_prefix(1);
        if (depth_++ == 0 && c == '{') return "{";
      } else if (c == '}' || c == ')' || c == ']') {
        rest_.remove_prefix(1);
        if (depth_ > 0) --depth_;
      } else if (is_name(c)) {
        std::size_t size = 0;
        while (size < rest_.size() && is_name(rest_[size])) ++size;
        const auto word = rest_.substr(0, size);
        rest_.remove_prefix(size);
        if (depth_ == 0) return word;
      } else {
        rest_.remove_prefix(1);
      }
    }
    return {};
  }

 private:
  void pass_string() {
    const bool block = rest_.starts_with("\"\"\"");
    const std::string_view quote = block ? "\"\"\"" : "\"";
    rest_.remove_prefix(quote.size());
    while (!rest_.empty() && !rest_.starts_with(quote))
      rest_.remove_prefix(rest_.front() == '\\' ? std::min<std::size_t>(2, rest_.size()) : 1);
    rest_.remove_prefix(std::min(quote.size(), rest_.size()));
  }

  std::string_view rest_;
  std::size_t depth_ = 0;
};

}  // namespace

bool is_mutation(std::string_view document, std::string_view operation_name) {
  Words words(document);
  for (auto word = words.next(); !word.empty(); word = words.next()) {
    // A definition: its kind, perhaps a name, and then what it selects.
    const bool mutation = word == "mutation";
    std::string_view name;
    while (!word.empty() && word != "{") {
      word = words.next();
      if (name.empty() && word != "{") name = word;
    }
    if (mutation && (operation_name.empty() || name == operation_name)) return true;
  }
  return false;
}

}  // namespace cairn::api
