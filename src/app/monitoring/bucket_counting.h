// SPDX-License-Identifier: Apache-2.0
// Counts buckets once after the start, and again where a failed change left doubt.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "objectstore/engine.h"
#include "os/deadline.h"
#include "os/threads/thread.h"

namespace cairn::app {

/// Counts every bucket whose usage nobody knows, at the pace of a background job. Blocks. Errors:
/// cancelled and timeout; a bucket that fails is left to the next look.
Status count_buckets(objectstore::Engine& engine, const os::Deadline& deadline);

/// A thread that does so every few seconds, where there is something to count.
class BucketCounting {
 public:
  /// The engine outlives it. Errors: unavailable (no thread can be had).
  static Result<std::unique_ptr<BucketCounting>> start(objectstore::Engine& engine);
  /// Ends the work; so does the destructor. Later calls do nothing.
  void stop();
  ~BucketCounting() { stop(); }

 private:
  os::Thread thread_;
};

}  // namespace cairn::app
