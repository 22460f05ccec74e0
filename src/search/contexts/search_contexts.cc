// SPDX-License-Identifier: Apache-2.0
#include "search/contexts/search_contexts.h"

#include <algorithm>

#include "base/encode.h"
#include "format/time.h"
#include "search/errors.h"

namespace cairn::search {
namespace {

constexpr std::size_t id_bytes = 24;
constexpr std::int64_t ns_per_ms = 1'000'000;

bool is_id(std::string_view text) {
  const auto bytes = from_base64url(text);
  return bytes && bytes->size() == id_bytes;
}

Error too_many(std::string message) {
  return {.kind = ErrorKind::rate_limited,
          .code = "too_many_scroll_contexts_exception",
          .message = std::move(message)};
}

std::size_t bytes_of(const Scroll& scroll) {
  return (scroll.body ? scroll.body->size() : 0) + sizeof scroll;
}

Status check_id(std::string_view id, bool scroll) {
  if (is_id(id)) return ok_status();
  return illegal_argument(scroll ? "Cannot parse scroll id"
                                 : "invalid id: [" + std::string(id.substr(0, 64)) + "]");
}

bool is_gone(const SearchContext& context) {
  return std::any_of(context.targets.begin(), context.targets.end(),
                     [](const Target& target) { return target.index->removed(); });
}

}  // namespace

Error context_missing(std::string_view id) {
  Error cause{
      .kind = ErrorKind::not_found,
      .code = "search_context_missing_exception",
      .message = "No search context found for id [" + std::string(id) +
                 "]; it was closed, its keep_alive is over, or the server has started anew"};
  Error error{.kind = ErrorKind::not_found,
              .code = "search_phase_execution_exception",
              .message = "all shards failed"};
  error.details = {{"phase", "query"}, {"grouped:json", "true"}, {"failed_shards:json", "[]"}};
  error.cause = std::make_shared<const Error>(std::move(cause));
  return error;
}

Status SearchContexts::check_keep_alive(std::int64_t ms) const {
  if (ms <= 0) return illegal_argument("[keep_alive] must be a positive time, such as 1m");
  const std::int64_t most = max_keep_alive_ms_;
  if (ms <= most) return ok_status();
  return illegal_argument("Keep alive for request (" + format_time_value(ms) +
                          ") is too large. It must be less than (" +
                          format_time_value(most) + ").");
}

Status SearchContexts::check_room(const std::string& owner,
                                  const std::optional<Scroll>& scroll) const {
  if (const std::size_t most = most_; entries_.size() >= most)
    return too_many("Trying to create too many search contexts. Must be less than or equal to: [" +
                    std::to_string(most) +
                    "]. Close those that are no longer read.");
  std::size_t own = 0;
  std::size_t bytes = scroll ? bytes_of(*scroll) : 0;
  for (const auto& [id, entry] : entries_) {
    own += entry.context->owner == owner ? 1 : 0;
    bytes += entry.scroll ? bytes_of(*entry.scroll) : 0;
  }
  if (own >= options_.max_open_contexts_of_one)
    return too_many(
        "Trying to create too many search contexts with one key. Must be less than or "
        "equal to: [" +
        std::to_string(options_.max_open_contexts_of_one) +
        "]. Close those that are no longer read.");
  if (bytes > options_.max_context_bytes)
    return too_many("The requests of all scrolls would take [" + std::to_string(bytes) +
                    "] bytes of memory, more than [" + std::to_string(options_.max_context_bytes) +
                    "]. Close those that are no longer read.");
  return ok_status();
}

std::vector<SearchContexts::Entry> SearchContexts::take_expired() {
  const std::int64_t now = clock_.steady_ns();
  std::vector<Entry> out;
  for (auto at = entries_.begin(); at != entries_.end();) {
    if (at->second.ends_ns > now) {
      ++at;
      continue;
    }
    out.push_back(std::move(at->second));
    at = entries_.erase(at);
  }
  return out;
}

Status SearchContexts::check_open(const std::string& owner, const std::optional<Scroll>& scroll,
                                  std::int64_t keep_alive_ms) {
  CAIRN_CHECK(check_keep_alive(keep_alive_ms));
  std::vector<Entry> expired;  // let go without the lock
  const MutexLock lock(mutex_);
  expired = take_expired();
  return check_room(owner, scroll);
}

Status SearchContexts::check_ids(const std::vector<std::string>& ids, bool scrolls) {
  for (const std::string& id : ids) CAIRN_CHECK(check_id(id, scrolls));
  return ok_status();
}

Result<std::string> SearchContexts::open(SearchContext context, std::optional<Scroll> scroll,
                                         std::int64_t keep_alive_ms) {
  CAIRN_CHECK(check_keep_alive(keep_alive_ms));
  std::string id = to_base64url(random_.bytes(id_bytes));
  std::vector<Entry> expired;
  const MutexLock lock(mutex_);
  expired = take_expired();
  CAIRN_CHECK(check_room(context.owner, scroll));
  entries_[id] = {.context = std::make_shared<const SearchContext>(std::move(context)),
                  .scroll = std::move(scroll),
                  .keep_alive_ms = keep_alive_ms,
                  .ends_ns = clock_.steady_ns() + keep_alive_ms * ns_per_ms};
  return id;
}

Result<SearchContexts::Found> SearchContexts::find(std::string_view id, std::string_view owner,
                                                   bool scroll,
                                                   std::optional<std::int64_t> keep_alive_ms) {
  CAIRN_CHECK(check_id(id, scroll));
  if (keep_alive_ms) CAIRN_CHECK(check_keep_alive(*keep_alive_ms));
  Entry gone;  // let go without the lock
  std::vector<Entry> expired;
  const MutexLock lock(mutex_);
  expired = take_expired();
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.context->owner != owner ||
      found->second.scroll.has_value() != scroll)
    return context_missing(id);
  if (is_gone(*found->second.context)) {
    gone = std::move(found->second);
    entries_.erase(found);
    return context_missing(id);
  }
  Entry& entry = found->second;
  if (keep_alive_ms) entry.keep_alive_ms = *keep_alive_ms;
  if (keep_alive_ms) entry.ends_ns = clock_.steady_ns() + entry.keep_alive_ms * ns_per_ms;
  return Found{.context = entry.context, .scroll = entry.scroll.value_or(Scroll{})};
}

Result<SearchContexts::Found> SearchContexts::point_in_time(
    std::string_view id, std::string_view owner, std::optional<std::int64_t> keep_alive_ms) {
  return find(id, owner, false, keep_alive_ms);
}

Result<SearchContexts::Found> SearchContexts::scroll(std::string_view id, std::string_view owner,
                                                     std::optional<std::int64_t> keep_alive_ms) {
  return find(id, owner, true, keep_alive_ms);
}

void SearchContexts::advance(std::string_view id, std::vector<index::SortValue> last) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found != entries_.end() && found->second.scroll) found->second.scroll->last = std::move(last);
}

std::size_t SearchContexts::close(const std::vector<std::string>& ids, std::string_view owner) {
  std::vector<Entry> closed;
  const MutexLock lock(mutex_);
  for (const std::string& id : ids) {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.context->owner != owner) continue;
    closed.push_back(std::move(found->second));
    entries_.erase(found);
  }
  return closed.size();
}

std::size_t SearchContexts::close_scrolls(std::string_view owner) {
  std::vector<Entry> closed;
  const MutexLock lock(mutex_);
  for (auto at = entries_.begin(); at != entries_.end();) {
    if (!at->second.scroll || at->second.context->owner != owner) {
      ++at;
      continue;
    }
    closed.push_back(std::move(at->second));
    at = entries_.erase(at);
  }
  return closed.size();
}

std::size_t SearchContexts::end_expired() {
  std::vector<Entry> expired;
  const MutexLock lock(mutex_);
  expired = take_expired();
  return entries_.size();
}

}  // namespace cairn::search
