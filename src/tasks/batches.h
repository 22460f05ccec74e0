// SPDX-License-Identifier: Apache-2.0
// Where the documents of one part of a task come from, batch by batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/result.h"
#include "os/deadline.h"
#include "search/walk.h"

namespace cairn::tasks {

/// Runs a body where work of tasks computes, and counts what it takes.
using Compute = std::function<Status(const std::function<void()>& body)>;

/// One thread at a time. After an error it stands where it stood.
class Batches {
 public:
  virtual ~Batches() = default;
  /// How many documents there are; next() gives as many.
  virtual std::uint64_t total() const = 0;
  /// At most `count` documents, and no more once their sources take `bytes`; none: it is over.
  /// What is waited for is waited for on the calling thread, and ends with the deadline.
  virtual Result<search::WalkedPage> next(std::size_t count, std::size_t bytes,
                                          const Compute& compute, const os::Deadline& deadline) = 0;
};

/// Documents of this server. `first`: which of the task's indices the walk begins with.
class LocalBatches final : public Batches {
 public:
  LocalBatches(std::unique_ptr<search::DocumentWalk> walk, std::size_t first)
      : walk_(std::move(walk)), first_(first) {}
  std::uint64_t total() const override { return walk_->total(); }
  Result<search::WalkedPage> next(std::size_t count, std::size_t bytes, const Compute& compute,
                                  const os::Deadline& deadline) override {
    Result<search::WalkedPage> page = Error{};
    CAIRN_CHECK(compute([&] { page = walk_->next(count, bytes, deadline); }));
    if (page.ok()) page->target += first_;
    return page;
  }

 private:
  std::unique_ptr<search::DocumentWalk> walk_;
  std::size_t first_;
};

}  // namespace cairn::tasks
