// SPDX-License-Identifier: Apache-2.0
#include "tasks/remote/remote_batches.h"

#include <utility>

namespace cairn::tasks {

using remotesearch::HitPages;

Result<std::unique_ptr<RemoteBatches>> RemoteBatches::open(
    std::unique_ptr<remotesearch::RemoteScroll> scroll, std::size_t page_size, KeepAlive keep_alive,
    const Compute& compute, const os::Deadline& deadline) {
  CAIRN_TRY(auto pages,
            HitPages::open(std::move(scroll), page_size, std::move(keep_alive), compute, deadline));
  return std::unique_ptr<RemoteBatches>(new RemoteBatches(std::move(pages)));
}

Result<search::WalkedPage> RemoteBatches::next(std::size_t count, std::size_t bytes,
                                               const Compute& compute,
                                               const os::Deadline& deadline) {
  if (at_ == pages_->page().hits.size() && !pages_->is_last()) {
    at_ = 0;
    CAIRN_CHECK(pages_->next(compute, deadline));
  }
  auto& hits = pages_->page().hits;
  search::WalkedPage out;
  std::size_t held = 0;
  while (at_ < hits.size() && out.documents.size() < count && (held == 0 || held < bytes)) {
    remotesearch::RemoteHit& hit = hits[at_++];
    held += hit.source.size();
    out.documents.push_back({.id = std::move(hit.id),
                             .seq_no = given_++,
                             .routing = std::move(hit.routing),
                             .source = std::move(hit.source)});
  }
  return out;
}

}  // namespace cairn::tasks
