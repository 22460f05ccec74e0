// SPDX-License-Identifier: Apache-2.0
#include "objectclient/call/sessions.h"

#include <utility>

namespace cairn::objectclient {
namespace {

constexpr std::size_t entries_max = 100;
constexpr std::int64_t renew_session_early_ms = 120'000;
constexpr std::int64_t renew_session_now_ms = 60'000;

std::string name_of(const std::string& bucket, const std::string& access_key_id) {
  return bucket + "\n" + access_key_id;
}

}  // namespace

std::int64_t SessionCache::left_ms(const std::shared_ptr<const Credentials>& credentials) const {
  if (credentials == nullptr) return 0;
  return credentials->expiration_ms ? *credentials->expiration_ms - clock_.unix_ms()
                                    : renew_session_early_ms;
}

std::shared_ptr<SessionCache::Entry> SessionCache::entry_of(const std::string& name) {
  MutexLock lock(mutex_);
  if (const auto found = places_.find(name); found != places_.end()) {
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }
  if (order_.size() >= entries_max) {
    places_.erase(order_.back().first);
    order_.pop_back();
  }
  order_.emplace_front(name, std::make_shared<Entry>());
  places_[name] = order_.begin();
  return order_.front().second;
}

Result<std::shared_ptr<const Credentials>> SessionCache::get(const std::string& bucket,
                                                             const std::string& access_key_id,
                                                             const Fetch& fetch) {
  const auto entry = entry_of(name_of(bucket, access_key_id));
  const auto held = entry->get();
  if (left_ms(held) >= renew_session_early_ms) return held;
  std::unique_lock fetching(entry->fetching, std::defer_lock);
  const bool may_go_on = left_ms(held) >= renew_session_now_ms;
  if (may_go_on) {
    if (!fetching.try_lock()) return held;
  } else {
    fetching.lock();
  }
  // Somebody else may have been here meanwhile.
  if (const auto fresh = entry->get(); fresh != held && left_ms(fresh) >= renew_session_now_ms)
    return fresh;
  auto fetched = fetch();
  if (!fetched.ok()) {
    if (may_go_on) return held;
    return std::move(fetched).error();
  }
  auto fresh = std::make_shared<const Credentials>(std::move(*fetched));
  MutexLock lock(entry->mutex);
  entry->held = fresh;
  return fresh;
}

void SessionCache::forget(const std::string& bucket, const std::string& access_key_id) {
  const auto entry = entry_of(name_of(bucket, access_key_id));
  MutexLock lock(entry->mutex);
  entry->held = nullptr;
}

}  // namespace cairn::objectclient
