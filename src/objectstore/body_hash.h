// SPDX-License-Identifier: Apache-2.0
// The MD5 of a body on its way in; of a large one beside the writing, on another thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "os/pool.h"

namespace cairn::objectstore {

/// For one thread. Memory: nothing for the first MiB, half a MiB beyond. update() waits when the
/// hashing is that far behind.
class BodyHash {
 public:
  /// `pool` is asked for once the body is large; it outlives this.
  explicit BodyHash(std::function<os::Pool&()> pool);
  ~BodyHash();
  void update(std::string_view bytes);
  /// Hexadecimal. May be called again.
  const std::string& finish();

 private:
  struct Lane;
  void hand_over();

  std::function<os::Pool&()> pool_;
  std::shared_ptr<Lane> lane_;  // shared with the task at work
  std::uint64_t size_ = 0;
  std::string slot_;  // being filled
  std::string md5_;
};

}  // namespace cairn::objectstore
