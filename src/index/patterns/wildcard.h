// SPDX-License-Identifier: Apache-2.0
// Patterns with * for any characters and ? for one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::index {

/// Taken apart once. A backslash makes the next character stand for itself. Immutable; safe from
/// any thread.
class Wildcard {
 public:
  explicit Wildcard(std::string_view pattern);

  /// Whether the whole text is as the pattern says. Takes the product of their lengths at most.
  bool matches(std::string_view text) const;
  /// What every text begins with that matches.
  const std::string& prefix() const { return prefix_; }
  /// Of the pattern, each * and ? among them.
  std::size_t characters() const { return characters_; }

 private:
  /// So many characters, whichever they are, and then this text.
  struct Piece {
    std::size_t any = 0;
    std::string text;
  };
  /// What stands between two *.
  struct Run {
    std::vector<Piece> pieces;
    std::size_t characters = 0;
  };
  static std::optional<std::size_t> end_of(const Run& run, std::string_view text, std::size_t at);
  static std::optional<std::size_t> find(const Run& run, std::string_view text, std::size_t at);
  static bool ends_with(const Run& run, std::string_view text, std::size_t least);

  std::vector<Run> runs_;  // one more than there are *
  std::string prefix_;
  std::size_t characters_ = 0;
};

}  // namespace cairn::index
