// SPDX-License-Identifier: Apache-2.0
// The documents of another server, batch by batch.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "remotesearch/hit_pages.h"
#include "tasks/batches.h"

namespace cairn::tasks {

/// Holds one page. Ends the scroll there when it ends itself, however that comes about.
class RemoteBatches final : public Batches {
 public:
  using KeepAlive = remotesearch::HitPages::KeepAlive;

  /// Asks for the first page. What `scroll` was made of outlives the object. Errors: those of
  /// HitPages.
  static Result<std::unique_ptr<RemoteBatches>> open(
      std::unique_ptr<remotesearch::RemoteScroll> scroll, std::size_t page_size,
      KeepAlive keep_alive, const Compute& compute, const os::Deadline& deadline);

  std::uint64_t total() const override { return pages_->total(); }
  /// Errors as above.
  Result<search::WalkedPage> next(std::size_t count, std::size_t bytes, const Compute& compute,
                                  const os::Deadline& deadline) override;

 private:
  explicit RemoteBatches(std::unique_ptr<remotesearch::HitPages> pages)
      : pages_(std::move(pages)) {}

  std::unique_ptr<remotesearch::HitPages> pages_;
  std::int64_t given_ = 0;
  std::size_t at_ = 0;  // of the page at hand
};

}  // namespace cairn::tasks
