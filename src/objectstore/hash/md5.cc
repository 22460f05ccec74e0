// SPDX-License-Identifier: Apache-2.0
// MD5 with plain arithmetic, and the choice between its versions.
#include "objectstore/hash/md5.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/encode.h"
#include "objectstore/hash/md5_steps.h"
#include "os/cpu.h"

namespace cairn::objectstore {
namespace {

template <std::size_t Step>
[[gnu::always_inline]] inline void md5_step(Md5State& s, const std::uint32_t* words) {
  std::uint32_t& a = s[md5_place(Step, 0)];
  const std::uint32_t b = s[md5_place(Step, 1)];
  const std::uint32_t c = s[md5_place(Step, 2)];
  const std::uint32_t d = s[md5_place(Step, 3)];
  a += words[md5_word(Step)] + md5_sines[Step];
  if constexpr (Step < 16) {
    a += d ^ (b & (c ^ d));
  } else if constexpr (Step < 32) {
    a += c & ~d;  // no bit is in both, so that the sum need not wait for b
    a += b & d;
  } else if constexpr (Step < 48) {
    a += b ^ (c ^ d);
  } else {
    a += c ^ (b | ~d);
  }
  a = b + std::rotl(a, md5_turn(Step));
}

/// Some digests, step by step in turns: each step waits for the one before it,
/// and two that do not wait for each other take no longer than one.
template <std::size_t Lanes, std::size_t... Steps>
[[gnu::always_inline]] inline void md5_steps(Md5State (&states)[Lanes],
                                             const std::uint32_t (&words)[Lanes][16],
                                             std::index_sequence<Steps...>) {
  const auto step = [&]<std::size_t Step>() {
    for (std::size_t lane = 0; lane < Lanes; ++lane) md5_step<Step>(states[lane], words[lane]);
  };
  (step.template operator()<Steps>(), ...);
}

template <std::size_t Lanes>
void md5_lanes(std::span<Md5Lane, Lanes> lanes, std::size_t blocks) {
  Md5State states[Lanes];
  for (std::size_t i = 0; i < Lanes; ++i) states[i] = *lanes[i].state;
  for (std::size_t block = 0; block < blocks; ++block) {
    std::uint32_t words[Lanes][16];
    Md5State next[Lanes];
    for (std::size_t i = 0; i < Lanes; ++i) {
      std::memcpy(words[i], lanes[i].at, sizeof words[i]);
      if constexpr (std::endian::native == std::endian::big)
        for (std::uint32_t& word : words[i]) word = __builtin_bswap32(word);
      lanes[i].at += md5_block_bytes;
      next[i] = states[i];
    }
    md5_steps(next, words, std::make_index_sequence<64>());
    for (std::size_t i = 0; i < Lanes; ++i)
      for (std::size_t n = 0; n < next[i].size(); ++n) states[i][n] += next[i][n];
  }
  for (std::size_t i = 0; i < Lanes; ++i) *lanes[i].state = states[i];
}

}  // namespace

void md5_scalar(std::span<Md5Lane> lanes, std::size_t blocks) {
  for (; lanes.size() >= 2; lanes = lanes.subspan(2)) md5_lanes(lanes.first<2>(), blocks);
  if (!lanes.empty()) md5_lanes(lanes.first<1>(), blocks);
}

const std::vector<Md5Blocks>& usable_md5_blocks() {
  static const std::vector<Md5Blocks> usable = [] {
    std::vector<Md5Blocks> out{{"scalar", 2, md5_scalar}};
#if defined(__x86_64__)
    if (os::cpu_features().avx2) out.push_back({"avx2", md5_lanes_max, md5_avx2});
    if (os::cpu_features().avx512) out.push_back({"avx512", md5_lanes_max, md5_avx512});
#endif
    return out;
  }();
  return usable;
}

const Md5Blocks& md5_blocks() {
  static const Md5Blocks& widest = usable_md5_blocks().back();
  return widest;
}

void Md5::update(std::string_view bytes) {
  const std::string_view blocks = blocks_of(bytes);
  Md5Lane lane{&state_, blocks.data()};
  md5_scalar({&lane, 1}, blocks.size() / md5_block_bytes);
}

std::string_view Md5::blocks_of(std::string_view bytes) {
  const std::size_t held = size_ % md5_block_bytes;
  size_ += bytes.size();
  if (held > 0) {
    const std::size_t count = std::min(bytes.size(), md5_block_bytes - held);
    std::memcpy(rest_.data() + held, bytes.data(), count);
    bytes.remove_prefix(count);
    if (held + count < md5_block_bytes) return {};
    Md5Lane lane{&state_, rest_.data()};
    md5_scalar({&lane, 1}, 1);
  }
  // The end can be kept already: the blocks before it do not look at it.
  const std::size_t behind = bytes.size() % md5_block_bytes;
  if (behind > 0) std::memcpy(rest_.data(), bytes.data() + bytes.size() - behind, behind);
  return bytes.substr(0, bytes.size() - behind);
}

std::string Md5::finish() {
  const std::uint64_t bits = size_ * 8;
  std::string end(1 + (119 - size_ % md5_block_bytes) % md5_block_bytes, '\0');
  end[0] = '\x80';
  put_u64le(end, bits);
  update(end);
  std::string digest;
  for (const std::uint32_t word : state_) put_u32le(digest, word);
  return to_hex(digest);
}

}  // namespace cairn::objectstore
