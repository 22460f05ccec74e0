// SPDX-License-Identifier: Apache-2.0
// Walking a body of JSON texts, one a line.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace cairn {

/// Gives the lines of a text one after another, without their ends (LF or CR LF). A last line
/// without an end is given too; `unterminated()` then says so.
class NdjsonLines {
 public:
  explicit NdjsonLines(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    const std::size_t end = rest_.find('\n');
    unterminated_ = end == std::string_view::npos;
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(unterminated_ ? rest_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }
  /// Counts from 1; 0 before the first next().
  std::size_t line_number() const { return number_; }
  bool unterminated() const { return unterminated_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
  bool unterminated_ = false;
};

}  // namespace cairn
