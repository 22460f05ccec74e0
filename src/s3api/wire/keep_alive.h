// SPDX-License-Identifier: Apache-2.0
// Signs of life: while a handler works or waits long, its client gets white space, so that it does
// not take silence for a dead connection.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "os/threads/blocking.h"

namespace cairn::s3api {

struct Call;

/// One thread for all calls of a service. Safe from any thread.
class KeepAliveTimer {
 public:
  /// A client hears something `interval_ms` after its work began, and so often from then on.
  explicit KeepAliveTimer(std::int64_t interval_ms);
  ~KeepAliveTimer();
  KeepAliveTimer(const KeepAliveTimer&) = delete;
  KeepAliveTimer& operator=(const KeepAliveTimer&) = delete;

 private:
  friend class KeepAlive;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// While it lives, the client of a call is shown that its request does. Held by the handler around
/// work whose answer is one of those that may follow a 200 and white space. Nothing may touch the
/// reply meanwhile: so the thread has lent its place, and guards inside this one do nothing.
class KeepAlive {
 public:
  explicit KeepAlive(Call& call);
  ~KeepAlive();
  KeepAlive(const KeepAlive&) = delete;
  KeepAlive& operator=(const KeepAlive&) = delete;

  /// Errors: those of sending, once a sign of life could not be sent.
  Status check() const;

 private:
  friend class KeepAliveTimer;
  struct Entry;
  const os::Blocking place_;  // given back last
  KeepAliveTimer& timer_;
  std::unique_ptr<Entry> entry_;
};

}  // namespace cairn::s3api
