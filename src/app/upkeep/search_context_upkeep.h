// SPDX-License-Identifier: Apache-2.0
// Ends scrolls, points in time and async searches whose time is up.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/threads/thread.h"
#include "search/contexts/search_contexts.h"
#include "tasks/async_searches.h"

namespace cairn::app {

/// Looks every few seconds, so that segments which only an abandoned context keeps go soon, and
/// answers that are no longer kept. Shows how many there are as the gauges
/// cairn_search_open_contexts and cairn_async_searches.
class SearchContextUpkeep {
 public:
  /// The references outlive it. Errors: unavailable (no thread can be had).
  static Result<std::unique_ptr<SearchContextUpkeep>> start(search::SearchContexts& contexts,
                                                            tasks::AsyncSearches& searches);
  /// Ends the work, and shows none any more; so does the destructor. Later calls do nothing.
  void stop();
  ~SearchContextUpkeep() { stop(); }

 private:
  os::Thread thread_;
};

}  // namespace cairn::app
