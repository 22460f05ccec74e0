// SPDX-License-Identifier: Apache-2.0
#include "lfs/announcements.h"

#include "base/encode.h"

namespace cairn::lfs {

std::string Announcements::ticket() const { return to_hex(random_.bytes(16)); }

void Announcements::add(const std::string& ticket, std::size_t calls, std::int64_t lifetime_ms) {
  if (calls == 0) return;
  const MutexLock lock(mutex_);
  const std::int64_t now = now_ms();
  forget_old(now);
  if (left_.emplace(ticket, Left{calls, now + lifetime_ms}).second) in_order_.push_back(ticket);
}

bool Announcements::take(std::string_view ticket) {
  const MutexLock lock(mutex_);
  const auto found = left_.find(std::string(ticket));
  if (found == left_.end() || found->second.calls == 0 || found->second.until_ms <= now_ms())
    return false;
  --found->second.calls;
  return true;
}

void Announcements::forget_old(std::int64_t now) {
  while (!in_order_.empty()) {
    const auto oldest = left_.find(in_order_.front());
    const bool over = oldest->second.calls == 0 || oldest->second.until_ms <= now;
    if (!over && in_order_.size() < most_) return;
    left_.erase(oldest);
    in_order_.pop_front();
  }
}

}  // namespace cairn::lfs
