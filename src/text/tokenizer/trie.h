// SPDX-License-Identifier: Apache-2.0
// Many byte strings, matched at one place of a text in one walk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn::text::tokenizer {

/// A double array: a node's child by byte b stands at (node's offset) XOR b, and says by its label
/// that it is that child. A step is one load; there are no pointers. Immutable once built.
class Trie {
 public:
  using Key = std::pair<std::string_view, std::uint32_t>;

  static constexpr std::uint32_t most_values = (1U << 23) - 1;  // values are below

  /// Keys are not empty. Of equal keys the last counts.
  static Trie build(std::vector<Key> keys);

  /// A place in a walk.
  using Node = std::uint32_t;
  static constexpr Node root = 0;

  /// Goes on by one byte; false where no key does.
  bool step(Node& node, unsigned char byte) const {
    const std::uint32_t child = units_[node].offset ^ byte;
    if (child >= units_.size() || (units_[child].label_value & label_mask) != byte + 1U)
      return false;
    node = child;
    return true;
  }

  /// The value of the key that ends here, + 1, or 0.
  std::uint32_t value_plus_one(Node node) const { return units_[node].label_value >> label_bits; }

  /// The longest key at the start of `text`: its value + 1 and its length, or 0 and 0.
  std::pair<std::uint32_t, std::size_t> longest(std::string_view text, Node from = root) const {
    return longest(text, from, [](std::uint32_t) { return true; });
  }
  /// The same among keys whose value `counts`.
  template <class Counts>
  std::pair<std::uint32_t, std::size_t> longest(std::string_view text, Node from,
                                                Counts counts) const {
    std::pair<std::uint32_t, std::size_t> found{0, 0};
    for (std::size_t i = 0; i < text.size() && step(from, static_cast<unsigned char>(text[i])); ++i)
      if (const auto value = value_plus_one(from); value != 0 && counts(value - 1))
        found = {value, i + 1};
    return found;
  }

  std::size_t size_bytes() const { return units_.capacity() * sizeof(Unit); }

 private:
  static constexpr std::uint32_t label_bits = 9;
  static constexpr std::uint32_t label_mask = (1U << label_bits) - 1;
  struct Unit {
    std::uint32_t offset = 0;
    std::uint32_t label_value = 0;  // value + 1, and in the low bits label + 1; 0: free
  };
  struct Builder;

  std::vector<Unit> units_ = std::vector<Unit>(1);
};

}  // namespace cairn::text::tokenizer
