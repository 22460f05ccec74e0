// SPDX-License-Identifier: Apache-2.0
// Fetched once, shared by all callers, renewed in time.
#include "objectclient/credentials.h"

#include <atomic>
#include <utility>

#include "os/log.h"

namespace cairn::objectclient {
namespace {

constexpr std::int64_t renew_early_ms = 600'000;
constexpr std::int64_t renew_now_ms = 300'000;
constexpr std::int64_t try_again_ms = 300'000;

class Fixed final : public CredentialsProvider {
 public:
  explicit Fixed(Credentials credentials)
      : credentials_(std::make_shared<const Credentials>(std::move(credentials))) {}
  Result<std::shared_ptr<const Credentials>> get(const os::Deadline&) override {
    return credentials_;
  }

 private:
  const std::shared_ptr<const Credentials> credentials_;
};

class Refreshing final : public CredentialsProvider {
 public:
  Refreshing(FetchCredentials fetch, const os::Clock& clock)
      : fetch_(std::move(fetch)), clock_(clock) {}

  Result<std::shared_ptr<const Credentials>> get(const os::Deadline& deadline) override {
    const auto held = held_credentials();
    if (held != nullptr && left_ms(*held) >= renew_early_ms) return held;
    std::unique_lock fetching(fetching_, std::defer_lock);
    const bool may_go_on = held != nullptr && left_ms(*held) >= renew_now_ms;
    if (may_go_on) {
      if (!fetching.try_lock()) return held;
    } else {
      fetching.lock();
    }
    // Somebody else may have been here meanwhile.
    const auto now_held = held_credentials();
    if (now_held != nullptr && now_held != held && left_ms(*now_held) >= renew_now_ms)
      return now_held;
    return fetch(now_held, deadline);
  }

  bool refreshable() const override { return true; }

  void expire() override {
    const std::lock_guard lock(mutex_);
    held_ = nullptr;
    not_before_ms_ = 0;
  }

 private:
  std::shared_ptr<const Credentials> held_credentials() const {
    const std::lock_guard lock(mutex_);
    return held_;
  }

  std::int64_t left_ms(const Credentials& credentials) const {
    return credentials.expiration_ms ? *credentials.expiration_ms - clock_.unix_ms()
                                     : renew_early_ms;
  }

  Result<std::shared_ptr<const Credentials>> fetch(const std::shared_ptr<const Credentials>& old,
                                                   const os::Deadline& deadline) {
    const bool old_is_good = old != nullptr && left_ms(*old) > 0;
    if (old_is_good && clock_.unix_ms() < not_before_ms_.load()) return old;
    auto fetched = fetch_(deadline);
    if (!fetched.ok()) {
      if (!old_is_good) return fetched.error();
      not_before_ms_ = clock_.unix_ms() + try_again_ms;
      os::log(os::LogLevel::warn, "objectclient", "credentials_not_renewed",
              {{"reason", fetched.error().message}});
      return old;
    }
    auto fresh = std::make_shared<const Credentials>(std::move(*fetched));
    const std::lock_guard lock(mutex_);
    held_ = fresh;
    return fresh;
  }

  const FetchCredentials fetch_;
  const os::Clock& clock_;
  std::mutex fetching_;       // one fetch at a time
  mutable std::mutex mutex_;  // around held_
  std::shared_ptr<const Credentials> held_;
  std::atomic<std::int64_t> not_before_ms_{0};  // of the next fetch, while the old ones are good
};

}  // namespace

std::shared_ptr<CredentialsProvider> static_credentials(Credentials credentials) {
  return std::make_shared<Fixed>(std::move(credentials));
}

std::shared_ptr<CredentialsProvider> refreshing_credentials(FetchCredentials fetch,
                                                            const os::Clock& clock) {
  return std::make_shared<Refreshing>(std::move(fetch), clock);
}

}  // namespace cairn::objectclient
