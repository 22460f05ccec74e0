// SPDX-License-Identifier: Apache-2.0
// When credentials were used last, whence, and how often: noted by every request, so without a
// lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "auth/hourly_requests.h"

namespace cairn::auth {

/// One use. Without an address where the client had none, as on a socket of the machine.
struct Use {
  std::int64_t at_ms = 0;  // 0: none is known of
  std::string address = {};
};

/// Safe from any thread. Uses of one millisecond are one use; where two are noted in the same
/// instant, one of them is kept.
class LastUse {
 public:
  /// Whether a note would change anything: asked first, it spares finding out the address.
  bool is_due(std::int64_t now_ms) const {
    return at_ms_.load(std::memory_order_relaxed) != now_ms;
  }
  /// An IPv4 address is the first four bytes. Waits for nobody.
  void note(std::int64_t now_ms, const std::array<std::uint8_t, 16>& address, bool v6);
  void note_without_address(std::int64_t now_ms);
  /// As it was written down. An address that does not parse is none.
  void restore(const Use& use);
  Use get() const;

  /// Every use is a request; also those of one millisecond.
  HourlyRequests& requests() { return requests_; }
  const HourlyRequests& requests() const { return requests_; }

 private:
  enum class Kind : std::uint8_t { none, v4, v6 };
  void write(std::int64_t at_ms, const std::array<std::uint8_t, 16>& address, Kind kind);

  // Odd while the others are being written. They are read again where it has changed meanwhile.
  std::atomic<std::uint32_t> sequence_ = 0;
  std::atomic<std::int64_t> at_ms_ = 0;
  std::atomic<std::uint64_t> high_ = 0, low_ = 0;
  std::atomic<Kind> kind_ = Kind::none;
  HourlyRequests requests_;
};

}  // namespace cairn::auth
