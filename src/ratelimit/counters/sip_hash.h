// SPDX-License-Identifier: Apache-2.0
// SipHash-1-3 with 64 bits out (Aumasson and Bernstein, 2012): a table that strangers fill needs a
// hash whose collisions they cannot make.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace cairn::ratelimit {

struct SipKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

namespace sip {
struct State {
  std::uint64_t a, b, c, d;
  void round() {
    a += b, c += d;
    b = std::rotl(b, 13) ^ a, d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b, a += d;
    b = std::rotl(b, 17) ^ c, d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }
  void take(std::uint64_t word) { d ^= word, round(), a ^= word; }
};
}  // namespace sip

inline std::uint64_t sip_hash(const SipKey& key, std::string_view bytes) {
  sip::State state{key.low ^ 0x736f6d6570736575, key.high ^ 0x646f72616e646f6d,
                   key.low ^ 0x6c7967656e657261, key.high ^ 0x7465646279746573};
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    state.take(word);
  }
  std::uint64_t last = static_cast<std::uint64_t>(bytes.size()) << 56;
  for (std::size_t i = 0; i < left; ++i)
    last |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
  state.take(last);
  state.c ^= 0xff;
  state.round(), state.round(), state.round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace cairn::ratelimit
