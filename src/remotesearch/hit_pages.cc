// SPDX-License-Identifier: Apache-2.0
#include "remotesearch/hit_pages.h"

#include <utility>

namespace cairn::remotesearch {
namespace {

// The other server ends a scroll by itself as well; nobody waits long for it.
constexpr std::int64_t most_goodbye_ms = 3'000;

}  // namespace

HitPages::HitPages(std::unique_ptr<RemoteScroll> scroll, std::size_t page_size,
                   KeepAlive keep_alive)
    : scroll_(std::move(scroll)), page_size_(page_size), keep_alive_(std::move(keep_alive)) {}

HitPages::~HitPages() {
  // Whatever ends the work, its stop token must not end this.
  if (!page_.scroll_id.empty())
    scroll_->close(page_.scroll_id, os::Deadline::in_ms(most_goodbye_ms));
}

Result<std::unique_ptr<HitPages>> HitPages::open(std::unique_ptr<RemoteScroll> scroll,
                                                 std::size_t page_size, KeepAlive keep_alive,
                                                 const Compute& compute,
                                                 const os::Deadline& deadline) {
  std::unique_ptr<HitPages> out(new HitPages(std::move(scroll), page_size, std::move(keep_alive)));
  CAIRN_CHECK(out->take(out->scroll_->open(out->keep_alive_(), deadline), compute));
  out->total_ = out->page_.total;
  if (out->seen_ > out->total_) return out->too_many();
  return out;
}

Error HitPages::failed(std::string what) const {
  return scroll_->worded({.kind = ErrorKind::unavailable, .message = std::move(what)});
}

Error HitPages::too_many() const {
  return failed("gave more documents than the [" + std::to_string(total_) +
                "] that it said it has");
}

Status HitPages::take(Result<std::string> text, const Compute& compute) {
  if (!text.ok()) return text.error();
  Result<HitPage> read = Error{};
  CAIRN_CHECK(compute([&] { read = read_hit_page(*text, page_size_); }));
  if (!read.ok()) {
    if (page_.scroll_id.empty()) page_.scroll_id = scroll_id_in(*text);  // to be ended
    return scroll_->worded(read.error());
  }
  page_ = *std::move(read);
  seen_ += page_.hits.size();
  return ok_status();
}

Status HitPages::next(const Compute& compute, const os::Deadline& deadline) {
  page_.hits.clear();
  CAIRN_CHECK(take(scroll_->next(page_.scroll_id, keep_alive_(), deadline), compute));
  // Documents that are missing would be missing for ever, and nobody would know.
  if (page_.hits.empty())
    return failed("gave [" + std::to_string(seen_) + "] documents of [" + std::to_string(total_) +
                  "]: its scroll was ended early, or lost a page");
  return seen_ > total_ ? Status(too_many()) : ok_status();
}

}  // namespace cairn::remotesearch
