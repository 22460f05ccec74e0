// SPDX-License-Identifier: Apache-2.0
// The MD5 of a body on its way in; of a large one beside the writing, on another thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/pool.h"

namespace cairn::objectstore {

/// For one thread. Copies nothing and keeps nothing.
class BodyHash {
 public:
  /// `pool` is asked for once the body is large; it outlives this.
  explicit BodyHash(std::function<os::Pool&()> pool);
  ~BodyHash();
  /// Hashes the next bytes while `work` runs on this thread, and returns what it returned once both
  /// have ended. Where the pool has not begun by then, this thread hashes.
  Status update(std::string_view bytes, const std::function<Status()>& work);
  /// Hexadecimal. May be called again.
  const std::string& finish();

 private:
  struct Job;

  std::function<os::Pool&()> pool_;
  std::shared_ptr<Job> job_;  // shared with the task at work
  std::uint64_t size_ = 0;
  std::string md5_;
};

}  // namespace cairn::objectstore
