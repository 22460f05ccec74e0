// SPDX-License-Identifier: Apache-2.0
#include "auth/last_use.h"

#include <arpa/inet.h>

#include <cstring>

namespace cairn::auth {

// Stores that release, and loads that acquire, keep their order to the sequence beside them.
void LastUse::write(std::int64_t at_ms, const std::array<std::uint8_t, 16>& address, Kind kind) {
  std::uint32_t before = sequence_.load(std::memory_order_relaxed);
  if (before % 2 == 1) return;  // another use of this instant is being noted
  if (!sequence_.compare_exchange_strong(before, before + 1, std::memory_order_acq_rel)) return;
  std::uint64_t halves[2];
  std::memcpy(halves, address.data(), sizeof halves);
  at_ms_.store(at_ms, std::memory_order_release);
  high_.store(halves[0], std::memory_order_release);
  low_.store(halves[1], std::memory_order_release);
  kind_.store(kind, std::memory_order_release);
  sequence_.store(before + 2, std::memory_order_release);
}

void LastUse::note(std::int64_t now_ms, const std::array<std::uint8_t, 16>& address, bool v6) {
  write(now_ms, address, v6 ? Kind::v6 : Kind::v4);
}

void LastUse::note_without_address(std::int64_t now_ms) { write(now_ms, {}, Kind::none); }

void LastUse::restore(const Use& use) {
  std::array<std::uint8_t, 16> bytes{};
  Kind kind = Kind::none;
  if (::inet_pton(AF_INET, use.address.c_str(), bytes.data()) == 1)
    kind = Kind::v4;
  else if (::inet_pton(AF_INET6, use.address.c_str(), bytes.data()) == 1)
    kind = Kind::v6;
  write(use.at_ms, bytes, kind);
}

Use LastUse::get() const {
  while (true) {
    const std::uint32_t before = sequence_.load(std::memory_order_acquire);
    Use out{.at_ms = at_ms_.load(std::memory_order_acquire)};
    const std::uint64_t halves[2] = {high_.load(std::memory_order_acquire),
                                     low_.load(std::memory_order_acquire)};
    const Kind kind = kind_.load(std::memory_order_acquire);
    if (before % 2 == 1 || sequence_.load(std::memory_order_acquire) != before) continue;
    if (kind == Kind::none) return out;
    char text[INET6_ADDRSTRLEN] = {};
    ::inet_ntop(kind == Kind::v6 ? AF_INET6 : AF_INET, halves, text, sizeof text);
    out.address = text;
    return out;
  }
}

}  // namespace cairn::auth
