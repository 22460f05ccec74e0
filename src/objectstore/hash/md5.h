// SPDX-License-Identifier: Apache-2.0
// MD5 whose state can be worked on block by block, several of them side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::objectstore {

using Md5State = std::array<std::uint32_t, 4>;
constexpr std::size_t md5_block_bytes = 64;
/// So many at most are worked on side by side.
constexpr std::size_t md5_lanes_max = 8;

/// One digest on its way, and its next blocks.
struct Md5Lane {
  Md5State* state = nullptr;
  const char* at = nullptr;
};

/// Takes the next `blocks` of each lane in: 1 to `lanes_max` lanes. One after another is what it
/// takes; side by side all take as long as one or two do. Moves every `at` on.
struct Md5Blocks {
  std::string_view name;
  std::size_t lanes_max;
  void (*take)(std::span<Md5Lane> lanes, std::size_t blocks);
};

/// What this processor runs, the plainest first.
const std::vector<Md5Blocks>& usable_md5_blocks();
/// The widest of them.
const Md5Blocks& md5_blocks();

/// The digest of one stream of bytes.
class Md5 {
 public:
  void update(std::string_view bytes);
  /// Takes in what comes before the next whole block of `bytes`, which is what it returns: blocks
  /// that somebody else takes into `state()`. What is behind them is for update().
  std::string_view blocks_of(std::string_view bytes);
  Md5State& state() { return state_; }
  /// Hexadecimal. Nothing can be taken in afterwards.
  std::string finish();

 private:
  Md5State state_ = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::uint64_t size_ = 0;
  std::array<char, md5_block_bytes> rest_;  // size_ % 64 of it
};

}  // namespace cairn::objectstore
