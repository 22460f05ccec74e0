// SPDX-License-Identifier: Apache-2.0
// Texts whose beginning few edits lead to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "index/patterns/regexp.h"

namespace cairn::index {

struct EditRules {
  std::size_t edits = 1;
  std::size_t exact = 0;     // units at the beginning without edits
  bool swaps = true;         // neighbours that changed places are one edit
  bool code_points = false;  // units are characters; else bytes
};

/// Asks text after text, in the order of their bytes at best: what a text has in common with the
/// one before is not asked again. One thread.
class PrefixEdits {
 public:
  PrefixEdits(std::string_view wanted, const EditRules& rules);
  /// The shortest beginning of the text that at most so many edits make the wanted text.
  Beginning beginning(std::string_view text);
  /// How many units a text has in common with the wanted one, from the beginning.
  std::size_t agreed(std::string_view text) const;

 private:
  using Row = std::vector<std::uint8_t>;
  Beginning at(std::size_t units, Beginning::Kind kind) const;
  Row next_row(std::size_t depth) const;

  const EditRules rules_;
  const std::uint8_t far_;       // more edits than are allowed
  std::vector<char32_t> wanted_;  // behind the exact ones
  std::vector<char32_t> exact_;
  std::vector<char32_t> text_;        // of the last one
  std::vector<std::size_t> bytes_;    // before each of its units, and at its end
  std::vector<Row> rows_;             // edits from its beginnings to those of `wanted_`
};

}  // namespace cairn::index
