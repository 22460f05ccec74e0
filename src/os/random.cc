// SPDX-License-Identifier: Apache-2.0
// getrandom(2), and xoshiro256** for tests.
#include "os/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "base/assert.h"
#include "base/threads.h"

namespace cairn::os {
namespace {

class SystemRandom final : public Random {
 public:
  std::string bytes(std::size_t count) override {
    std::string out(count, '\0');
    for (std::size_t have = 0; have < count;) {
      const ssize_t got = getrandom(out.data() + have, count - have, 0);
      if (got < 0 && errno == EINTR) continue;
      CAIRN_ASSERT(got > 0);  // no randomness: going on would hand out guessable secrets
      have += static_cast<std::size_t>(got);
    }
    return out;
  }
};

class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {  // splitmix64, as the authors of xoshiro advise
      seed += 0x9E3779B97F4A7C15;
      std::uint64_t v = seed;
      v = (v ^ (v >> 30)) * 0xBF58476D1CE4E5B9;
      v = (v ^ (v >> 27)) * 0x94D049BB133111EB;
      word = v ^ (v >> 31);
    }
  }

  std::string bytes(std::size_t count) override {
    const MutexLock lock(mutex_);
    std::string out(count, '\0');
    for (std::size_t at = 0; at < count; at += 8) {
      const std::uint64_t v = next();
      std::memcpy(out.data() + at, &v, count - at < 8 ? count - at : 8);
    }
    return out;
  }

 private:
  static std::uint64_t rotate(std::uint64_t v, int by) { return (v << by) | (v >> (64 - by)); }
  std::uint64_t next() CAIRN_REQUIRES(mutex_) {
    const std::uint64_t out = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return out;
  }

  Mutex mutex_;
  std::uint64_t state_[4] CAIRN_GUARDED_BY(mutex_) = {};
};

}  // namespace

std::uint64_t Random::number() {
  const std::string eight = bytes(8);
  std::uint64_t v;
  std::memcpy(&v, eight.data(), 8);
  return v;
}

std::uint64_t Random::below(std::uint64_t bound) {
  CAIRN_ASSERT(bound > 0);
  const std::uint64_t uneven = (0 - bound) % bound;  // 2^64 mod bound: these would be favoured
  for (;;) {
    const std::uint64_t v = number();
    if (v >= uneven) return v % bound;
  }
}

Random& system_random() {
  static SystemRandom random;
  return random;
}

std::unique_ptr<Random> seeded_random(std::uint64_t seed) {
  return std::make_unique<SeededRandom>(seed);
}

}  // namespace cairn::os
