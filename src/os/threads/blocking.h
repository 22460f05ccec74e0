// SPDX-License-Identifier: Apache-2.0
// Tells the server's worker set that this thread is about to wait.
#pragma once

namespace cairn::os {

/// A place that a worker may lend while it waits. The HTTP server installs one per worker thread.
class BlockingPlace {
 public:
  virtual ~BlockingPlace() = default;
  virtual void leave() = 0;   // the thread is about to wait for a disk, a peer or a pool
  virtual void resume() = 0;  // it has work again
};

/// Sets the place of the calling thread; null for none. Returns the one before.
BlockingPlace* set_blocking_place(BlockingPlace* place);

/// Held while waiting. Costs nothing on threads without a place; may be nested.
class Blocking {
 public:
  Blocking();
  ~Blocking();
  Blocking(const Blocking&) = delete;
  Blocking& operator=(const Blocking&) = delete;

 private:
  BlockingPlace* place_;
};

}  // namespace cairn::os
