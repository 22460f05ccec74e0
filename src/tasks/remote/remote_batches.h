// SPDX-License-Identifier: Apache-2.0
// The documents of another server, batch by batch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "tasks/batches.h"
#include "tasks/remote/hit_page.h"
#include "tasks/remote/remote_scroll.h"

namespace cairn::tasks {

/// Holds one page. Ends the scroll there when it ends itself, however that comes about.
class RemoteBatches final : public Batches {
 public:
  /// How long the scroll has to be kept until the page after the next is asked for; a page is
  /// worked on that long.
  using KeepAlive = std::function<std::int64_t()>;

  /// Asks for the first page. `access` and what `scroll` was made of outlive the object. Errors:
  /// those of RemoteScroll and of read_hit_page, with status 502.
  static Result<std::unique_ptr<RemoteBatches>> open(std::unique_ptr<RemoteScroll> scroll,
                                                     std::size_t page_size, KeepAlive keep_alive,
                                                     const Compute& compute,
                                                     const os::Deadline& deadline);
  ~RemoteBatches() override;
  RemoteBatches(const RemoteBatches&) = delete;
  RemoteBatches& operator=(const RemoteBatches&) = delete;

  std::uint64_t total() const override { return total_; }
  /// Errors as above, also where the server gives fewer documents than it said, or more.
  Result<search::WalkedPage> next(std::size_t count, std::size_t bytes, const Compute& compute,
                                  const os::Deadline& deadline) override;

 private:
  RemoteBatches(std::unique_ptr<RemoteScroll> scroll, std::size_t page_size, KeepAlive keep_alive);
  Status take(Result<std::string> text, const Compute& compute);
  Error failed(std::string what) const;
  Error too_many() const;

  std::unique_ptr<RemoteScroll> scroll_;
  const std::size_t page_size_;
  const KeepAlive keep_alive_;
  std::uint64_t total_ = 0;
  std::uint64_t seen_ = 0;  // documents of all pages
  std::int64_t given_ = 0;
  HitPage page_ = {};
  std::size_t at_ = 0;  // of page_
};

}  // namespace cairn::tasks
