// SPDX-License-Identifier: Apache-2.0
// Which requests compute on the worker that they came to, and which in the pool.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace cairn::api {

/// A worker answers many small requests a millisecond, so one that computes for longer makes others
/// wait; a hand-over to the pool wakes two threads, which a short one is not worth. How long
/// a request will take is known from those like it: the same row on the same path. Until a few of
/// them in a row were short it computes in the pool, and again as soon as one was not. At most
/// `at_once` requests are trusted like that at a time, so that many that turn out long together
/// leave workers free. Large bodies always go to the pool. Safe from any thread.
class WorkPlaces {
 public:
  static constexpr std::int64_t short_ns = 1'000'000;
  static constexpr std::uint8_t trusted_after = 4;  // short ones in a row
  static constexpr std::uint64_t large_body_bytes = 64 << 10;

  explicit WorkPlaces(std::size_t at_once) : at_once_(at_once) {}

  /// While it lives, one request computes on its worker.
  class Here {
   public:
    Here() = default;
    explicit Here(std::atomic<std::size_t>& count) : count_(&count) {}
    Here(Here&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
    Here& operator=(Here&&) = delete;
    ~Here() {
      if (count_ != nullptr) count_->fetch_sub(1, std::memory_order_relaxed);
    }
    explicit operator bool() const { return count_ != nullptr; }

   private:
    std::atomic<std::size_t>* count_ = nullptr;
  };

  /// `kind` is a hash of what is alike. False: to the pool.
  Here stay(std::uint64_t kind) {
    if (short_in_a_row(kind).load(std::memory_order_relaxed) < trusted_after) return {};
    if (here_.fetch_add(1, std::memory_order_relaxed) < at_once_) return Here(here_);
    here_.fetch_sub(1, std::memory_order_relaxed);
    return {};
  }
  /// One of this kind has computed for so long.
  void took(std::uint64_t kind, std::int64_t ns) {
    auto& count = short_in_a_row(kind);
    const std::uint8_t before = count.load(std::memory_order_relaxed);
    if (ns > short_ns) {
      if (before != 0) count.store(0, std::memory_order_relaxed);
    } else if (before < trusted_after) {
      count.store(static_cast<std::uint8_t>(before + 1), std::memory_order_relaxed);
    }
  }

 private:
  std::atomic<std::uint8_t>& short_in_a_row(std::uint64_t kind) {
    return counts_[kind % counts_.size()];  // who shares an entry shares its fate
  }
  const std::size_t at_once_;
  std::atomic<std::size_t> here_{0};
  std::array<std::atomic<std::uint8_t>, 4096> counts_{};
};

}  // namespace cairn::api
