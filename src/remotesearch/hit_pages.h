// SPDX-License-Identifier: Apache-2.0
// All pages of a scroll. It is ended there when this ends, however that comes about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/deadline.h"
#include "remotesearch/hit_page.h"
#include "remotesearch/remote_scroll.h"

namespace cairn::remotesearch {

/// Holds one page. One thread.
class HitPages {
 public:
  /// How long the scroll has to be kept until the page after the next is asked for; a page is
  /// worked on that long.
  using KeepAlive = std::function<std::int64_t()>;
  /// Runs a body where the caller computes.
  using Compute = std::function<Status(const std::function<void()>& body)>;

  /// Asks for the first page. Errors: those of RemoteScroll and of read_hit_page, with status 502;
  /// where the server gives more documents than it said it has.
  static Result<std::unique_ptr<HitPages>> open(std::unique_ptr<RemoteScroll> scroll,
                                                std::size_t page_size, KeepAlive keep_alive,
                                                const Compute& compute,
                                                const os::Deadline& deadline);
  ~HitPages();
  HitPages(const HitPages&) = delete;
  HitPages& operator=(const HitPages&) = delete;

  std::uint64_t total() const { return total_; }
  /// The page at hand, whose hits may be moved away.
  HitPage& page() { return page_; }
  bool is_last() const { return seen_ == total_; }
  /// Asks for the next page, which is empty after an error; not after the last. Errors: as above,
  /// also where it gives fewer documents than it said.
  Status next(const Compute& compute, const os::Deadline& deadline);

 private:
  HitPages(std::unique_ptr<RemoteScroll> scroll, std::size_t page_size, KeepAlive keep_alive);
  Status take(Result<std::string> text, const Compute& compute);
  Error failed(std::string what) const;
  Error too_many() const;

  std::unique_ptr<RemoteScroll> scroll_;
  const std::size_t page_size_;
  const KeepAlive keep_alive_;
  std::uint64_t total_ = 0;
  std::uint64_t seen_ = 0;  // documents of all pages
  HitPage page_ = {};
};

}  // namespace cairn::remotesearch
