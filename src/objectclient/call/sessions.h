// SPDX-License-Identifier: Apache-2.0
// Sessions with directory buckets: credentials good for minutes, one set for each bucket.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "base/threads.h"
#include "objectclient/credentials.h"

namespace cairn::objectclient {

/// Safe from any thread. Keeps the hundred buckets that were asked for last. With two minutes left
/// one caller asks anew while the others go on, with one minute left all wait for it.
class SessionCache {
 public:
  using Fetch = std::function<Result<Credentials>()>;
  /// `clock` outlives it.
  explicit SessionCache(const os::Clock& clock) : clock_(clock) {}
  /// Of the bucket, for the credentials with that id. Errors: those of `fetch`.
  Result<std::shared_ptr<const Credentials>> get(const std::string& bucket,
                                                 const std::string& access_key_id,
                                                 const Fetch& fetch);
  void forget(const std::string& bucket, const std::string& access_key_id);

 private:
  struct Entry {
    std::mutex fetching;
    Mutex mutex;
    std::shared_ptr<const Credentials> held CAIRN_GUARDED_BY(mutex);
    std::shared_ptr<const Credentials> get() {
      MutexLock lock(mutex);
      return held;
    }
  };
  using Order = std::list<std::pair<std::string, std::shared_ptr<Entry>>>;
  std::shared_ptr<Entry> entry_of(const std::string& name);
  std::int64_t left_ms(const std::shared_ptr<const Credentials>& credentials) const;

  const os::Clock& clock_;
  Mutex mutex_;
  Order order_ CAIRN_GUARDED_BY(mutex_);  // asked for last first
  std::unordered_map<std::string, Order::iterator> places_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::objectclient
