// SPDX-License-Identifier: Apache-2.0
// Searches that go on: points in time and scrolls, each kept under an id for as long as it is asked
// for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "os/clock.h"
#include "os/random.h"
#include "search/embedder.h"
#include "search/options.h"
#include "search/request.h"
#include "search/run/execution.h"

namespace cairn::search {

/// Where a scroll is: everything but the documents that it walks over.
struct Scroll {
  std::shared_ptr<const std::string> body = {};  // of the request that began it
  SearchParameters parameters = {};              // of its URL
  std::int64_t now_ms = 0;                       // what `now` means in its queries
  std::shared_ptr<const EmbeddedTexts> embedded = {};
  std::vector<index::SortValue> last = {};  // sort values of the last hit; empty: before the first
  std::uint64_t total = 0;
  std::optional<float> max_score = {};
};

/// Documents as they were at one moment. Immutable.
struct SearchContext {
  std::string owner;
  std::vector<Target> targets;
};

/// All open contexts of a process; a restart ends them. Safe from any thread, blocks on nothing.
/// A context is seen by its owner alone: to others it is missing. Errors of calls with an id:
/// illegal_argument_exception for a text that is no id; search_context_missing_exception for one
/// that is not open (any more), whose index is gone, or that is somebody else's.
class SearchContexts {
 public:
  /// The references outlive the object.
  SearchContexts(const Options& options, const os::Clock& clock, os::Random& random)
      : options_(options),
        clock_(clock),
        random_(random),
        most_(options.max_open_contexts),
        max_keep_alive_ms_(options.max_keep_alive_ms) {}

  /// How many there may be, and for how long each is kept, from now on. Those that are open stay.
  void set_most(std::size_t most) { most_ = most; }
  void set_max_keep_alive(std::int64_t ms) { max_keep_alive_ms_ = ms; }

  /// Errors: illegal_argument_exception for a time that is not positive or too long;
  /// too_many_scroll_contexts_exception, where there are too many, or too many of one owner, or
  /// their requests take too much memory.
  Result<std::string> open(SearchContext context, std::optional<Scroll> scroll,
                           std::int64_t keep_alive_ms);

  /// The errors of open(), before there is anything to be kept: what costs much is not done for
  /// nothing. Another caller may take the room meanwhile.
  Status check_open(const std::string& owner, const std::optional<Scroll>& scroll,
                    std::int64_t keep_alive_ms);
  /// Errors: illegal_argument_exception for a text that is the id of none, open or not.
  static Status check_ids(const std::vector<std::string>& ids, bool scrolls);

  struct Found {
    std::shared_ptr<const SearchContext> context;
    Scroll scroll;  // as it was; of a point in time empty
  };
  /// The point in time with this id, and how long it is kept from now on (nothing: as before).
  Result<Found> point_in_time(std::string_view id, std::string_view owner,
                              std::optional<std::int64_t> keep_alive_ms);
  Result<Found> scroll(std::string_view id, std::string_view owner,
                       std::optional<std::int64_t> keep_alive_ms);
  /// The next page begins behind `last`. Nothing happens where the scroll is gone.
  void advance(std::string_view id, std::vector<index::SortValue> last);

  /// Ends those of `ids` that are the owner's. Gives how many there were.
  std::size_t close(const std::vector<std::string>& ids, std::string_view owner);
  /// Ends all scrolls of the owner.
  std::size_t close_scrolls(std::string_view owner);
  /// Ends what nobody has asked for in its time. Gives how many are left.
  std::size_t end_expired();

 private:
  struct Entry {
    std::shared_ptr<const SearchContext> context;
    std::optional<Scroll> scroll;
    std::int64_t keep_alive_ms = 0;
    std::int64_t ends_ns = 0;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  Status check_keep_alive(std::int64_t ms) const;
  Status check_room(const std::string& owner, const std::optional<Scroll>& scroll) const
      CAIRN_REQUIRES(mutex_);
  Result<Found> find(std::string_view id, std::string_view owner, bool scroll,
                     std::optional<std::int64_t> keep_alive_ms);
  // Expired contexts, handed out so that their segments are let go without the lock.
  std::vector<Entry> take_expired() CAIRN_REQUIRES(mutex_);

  const Options& options_;
  const os::Clock& clock_;
  os::Random& random_;
  std::atomic<std::size_t> most_;
  std::atomic<std::int64_t> max_keep_alive_ms_;
  mutable Mutex mutex_;
  Entries entries_ CAIRN_GUARDED_BY(mutex_);
};

/// 404, for an id that is not open.
Error context_missing(std::string_view id);

}  // namespace cairn::search
