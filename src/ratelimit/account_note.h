// SPDX-License-Identifier: Apache-2.0
// What a limiter remembers beside an account, so that it need not look for it anew each time.
#pragma once

#include <atomic>
#include <cstdint>

namespace cairn::ratelimit {

/// Belongs to one account, whose name does not change while the note is in use; a copy starts
/// empty, since it may become another account's. The first limiter that is asked writes it, others
/// leave it alone. What it says is never believed without a look at the record. Safe from any
/// thread.
class AccountNote {
 public:
  AccountNote() = default;
  AccountNote(const AccountNote& /*other*/) noexcept {}
  AccountNote& operator=(const AccountNote& other) noexcept {
    if (this != &other) state_.store(0, std::memory_order_relaxed);
    return *this;
  }

  // For limiters. `owner` stands for one way of making keys in this process; never 0.
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  struct Content {
    std::uint64_t key = 0;  // 0: the owner has written nothing
    std::uint32_t place = nowhere;
  };
  Content read(std::uint32_t owner) const {
    const std::uint64_t state = state_.load(std::memory_order_acquire);
    if (state >> 32 != owner) return {};
    return {key_.load(std::memory_order_relaxed), static_cast<std::uint32_t>(state)};
  }
  /// Does nothing where there is a key, whosever.
  void write_key(std::uint32_t owner, std::uint64_t key) {
    std::uint64_t expected = 0;
    if (!state_.compare_exchange_strong(expected, being_written, std::memory_order_relaxed)) return;
    key_.store(key, std::memory_order_relaxed);
    write_place(owner, nowhere);
  }
  /// By the owner only, after it has read its key here.
  void write_place(std::uint32_t owner, std::uint32_t place) {
    state_.store(std::uint64_t{owner} << 32 | place, std::memory_order_release);
  }

 private:
  static constexpr std::uint64_t being_written = 1;  // of no owner
  std::atomic<std::uint64_t> state_{0};              // owner and place
  std::atomic<std::uint64_t> key_{0};
};
static_assert(sizeof(AccountNote) == 16);

}  // namespace cairn::ratelimit
