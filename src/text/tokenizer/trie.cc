// SPDX-License-Identifier: Apache-2.0
// Building a double array: children are placed in one of the last few blocks of 256 units, so that
// building takes time in proportion to the nodes.
#include "text/tokenizer/trie.h"

#include <algorithm>
#include <array>
#include <bitset>

namespace cairn::text::tokenizer {
namespace {

constexpr std::size_t block_units = 256;
constexpr std::size_t open_blocks = 16;
// A block that disappointed so often takes no more children.
constexpr int most_failures = 8;

struct Block {
  std::bitset<block_units> taken;    // units
  std::bitset<block_units> offsets;  // offsets that a node has: no two nodes share one
  int failures = 0;
};

/// The keys that pass through one node, and the node.
struct Range {
  std::size_t begin;
  std::size_t end;
  std::size_t depth;
  std::uint32_t node;
};

}  // namespace

struct Trie::Builder {
  std::vector<Unit>& units;
  std::vector<Block> blocks = {};
  std::vector<std::size_t> open = {};  // blocks that may take children

  void add_block() {
    if (open.size() == open_blocks) open.erase(open.begin());
    open.push_back(blocks.size());
    blocks.emplace_back();
    units.resize(blocks.size() * block_units);
  }

  static bool fits(const Block& block, unsigned offset, const std::vector<unsigned char>& labels) {
    return !block.offsets[offset] &&
           std::none_of(labels.begin(), labels.end(),
                        [&](unsigned char label) { return block.taken[offset ^ label]; });
  }

  /// An offset at which all labels are free.
  std::uint32_t place(const std::vector<unsigned char>& labels) {
    for (std::size_t i = open.size(); i-- > 0;) {
      Block& block = blocks[open[i]];
      for (unsigned unit = 0; unit < block_units; ++unit) {
        if (block.taken[unit] || !fits(block, unit ^ labels.front(), labels)) continue;
        return take(open[i], unit ^ labels.front(), labels);
      }
      if (++block.failures >= most_failures)
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    }
    add_block();
    return take(blocks.size() - 1, 0, labels);
  }

  std::uint32_t take(std::size_t number, unsigned offset,
                     const std::vector<unsigned char>& labels) {
    Block& block = blocks[number];
    block.offsets.set(offset);
    for (const unsigned char label : labels) block.taken.set(offset ^ label);
    return static_cast<std::uint32_t>(number * block_units + offset);
  }
};

Trie Trie::build(std::vector<Key> keys) {
  std::stable_sort(keys.begin(), keys.end(),
                   [](const Key& a, const Key& b) { return a.first < b.first; });
  Trie out;
  Builder builder{.units = out.units_};
  builder.add_block();
  builder.blocks.front().taken.set(0);    // the root
  builder.blocks.front().offsets.set(0);  // what nodes without children have
  std::vector<Range> waiting{{0, keys.size(), 0, root}};
  std::vector<unsigned char> labels;
  std::vector<std::size_t> begins;
  while (!waiting.empty()) {
    Range range = waiting.back();
    waiting.pop_back();
    while (range.begin < range.end && keys[range.begin].first.size() == range.depth) {
      Unit& unit = out.units_[range.node];
      unit.label_value =
          (unit.label_value & label_mask) | ((keys[range.begin].second + 1) << label_bits);
      ++range.begin;
    }
    if (range.begin == range.end) continue;
    labels.clear();
    begins.clear();
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const auto label = static_cast<unsigned char>(keys[i].first[range.depth]);
      if (labels.empty() || labels.back() != label) {
        labels.push_back(label);
        begins.push_back(i);
      }
    }
    begins.push_back(range.end);
    const std::uint32_t offset = builder.place(labels);
    out.units_[range.node].offset = offset;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::uint32_t child = offset ^ labels[i];
      out.units_[child].label_value = labels[i] + 1U;
      waiting.push_back({begins[i], begins[i + 1], range.depth + 1, child});
    }
  }
  out.units_.shrink_to_fit();
  return out;
}

}  // namespace cairn::text::tokenizer
