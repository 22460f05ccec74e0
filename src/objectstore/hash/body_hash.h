// SPDX-License-Identifier: Apache-2.0
// The MD5 of a body on its way in; of a large one beside the writing, and beside those of others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectstore/hash/md5_scheduler.h"

namespace cairn::objectstore {

/// For one thread. Copies nothing.
class BodyHash {
 public:
  /// `scheduler` is asked for once the body is large; it outlives this.
  explicit BodyHash(std::function<Md5Scheduler&()> scheduler);
  ~BodyHash() { settle(); }
  BodyHash(const BodyHash&) = delete;
  BodyHash& operator=(const BodyHash&) = delete;

  /// Takes the next bytes, which stay as they are until the next call: of a large body the scheduler
  /// hashes them meanwhile. Waits for those before.
  void begin(std::string_view bytes);
  /// Returns when no bytes are looked at any more.
  void settle();
  /// Lets the scheduler hash the next bytes while `work` runs on this thread, and returns what it
  /// returned once both have ended.
  Status update(std::string_view bytes, const std::function<Status()>& work);
  /// Hexadecimal. May be called again.
  const std::string& finish();

 private:
  std::function<Md5Scheduler&()> scheduler_;
  Md5 digest_;
  std::uint64_t size_ = 0;
  std::uint64_t last_offer_ = 0;
  std::optional<Md5Scheduler::Work> hashing_;
  std::string md5_;
};

}  // namespace cairn::objectstore
