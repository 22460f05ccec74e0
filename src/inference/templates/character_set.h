// SPDX-License-Identifier: Apache-2.0
// Characters to ask for one by one.
#pragma once

#include <algorithm>
#include <bitset>
#include <string_view>
#include <vector>

#include "inference/templates/text_value.h"

namespace cairn::inference::templates {

/// The characters of a text, found in time that hardly depends on their number.
class CharacterSet {
 public:
  explicit CharacterSet(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const char32_t character = next_character(text, at);
      if (character < ascii_.size()) {
        ascii_.set(character);
      } else {
        others_.push_back(character);
      }
    }
    std::sort(others_.begin(), others_.end());
  }

  bool has(char32_t character) const {
    if (character < ascii_.size()) return ascii_.test(character);
    return std::binary_search(others_.begin(), others_.end(), character);
  }

 private:
  std::bitset<128> ascii_;
  std::vector<char32_t> others_;
};

}  // namespace cairn::inference::templates
