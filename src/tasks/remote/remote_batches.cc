// SPDX-License-Identifier: Apache-2.0
#include "tasks/remote/remote_batches.h"

#include <utility>

namespace cairn::tasks {
namespace {

// The other server ends a scroll by itself as well; nobody waits long for it.
constexpr std::int64_t most_goodbye_ms = 3'000;

}  // namespace

RemoteBatches::RemoteBatches(std::unique_ptr<RemoteScroll> scroll, std::size_t page_size,
                             KeepAlive keep_alive)
    : scroll_(std::move(scroll)), page_size_(page_size), keep_alive_(std::move(keep_alive)) {}

RemoteBatches::~RemoteBatches() {
  // Whatever ends the work, its stop token must not end this.
  if (!page_.scroll_id.empty())
    scroll_->close(page_.scroll_id, os::Deadline::in_ms(most_goodbye_ms));
}

Result<std::unique_ptr<RemoteBatches>> RemoteBatches::open(std::unique_ptr<RemoteScroll> scroll,
                                                           std::size_t page_size,
                                                           KeepAlive keep_alive,
                                                           const Compute& compute,
                                                           const os::Deadline& deadline) {
  std::unique_ptr<RemoteBatches> out(
      new RemoteBatches(std::move(scroll), page_size, std::move(keep_alive)));
  CAIRN_CHECK(out->take(out->scroll_->open(out->keep_alive_(), deadline), compute));
  out->total_ = out->page_.total;
  if (out->seen_ > out->total_) return out->too_many();
  return out;
}

Error RemoteBatches::failed(std::string what) const {
  return scroll_->worded({.kind = ErrorKind::unavailable, .message = std::move(what)});
}

Error RemoteBatches::too_many() const {
  return failed("gave more documents than the [" + std::to_string(total_) +
                "] that it said it has");
}

Status RemoteBatches::take(Result<std::string> text, const Compute& compute) {
  if (!text.ok()) return text.error();
  Result<HitPage> read = Error{};
  CAIRN_CHECK(compute([&] { read = read_hit_page(*text, page_size_); }));
  if (!read.ok()) {
    if (page_.scroll_id.empty()) page_.scroll_id = scroll_id_in(*text);  // to be ended
    return scroll_->worded(read.error());
  }
  page_ = *std::move(read);
  at_ = 0;
  seen_ += page_.hits.size();
  return ok_status();
}

Result<search::WalkedPage> RemoteBatches::next(std::size_t count, std::size_t bytes,
                                               const Compute& compute,
                                               const os::Deadline& deadline) {
  if (at_ == page_.hits.size() && seen_ < total_) {
    CAIRN_CHECK(take(scroll_->next(page_.scroll_id, keep_alive_(), deadline), compute));
    // Documents that are missing would be missing for ever, and nobody would know.
    if (page_.hits.empty())
      return failed("gave [" + std::to_string(seen_) + "] documents of [" + std::to_string(total_) +
                    "]: its scroll was ended early, or lost a page");
    if (seen_ > total_) return too_many();
  }
  search::WalkedPage out;
  std::size_t held = 0;
  while (at_ < page_.hits.size() && out.documents.size() < count && (held == 0 || held < bytes)) {
    RemoteHit& hit = page_.hits[at_++];
    held += hit.source.size();
    out.documents.push_back({.id = std::move(hit.id),
                             .seq_no = given_++,
                             .routing = std::move(hit.routing),
                             .source = std::move(hit.source)});
  }
  return out;
}

}  // namespace cairn::tasks
