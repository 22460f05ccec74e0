// SPDX-License-Identifier: Apache-2.0
// Ends scrolls and points in time that nobody has asked for in their time.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/threads/thread.h"
#include "search/contexts/search_contexts.h"

namespace cairn::app {

/// Looks every few seconds, so that segments which only an abandoned context keeps go soon, and
/// shows how many are open as the gauge cairn_search_open_contexts.
class SearchContextUpkeep {
 public:
  /// `contexts` outlive it. Errors: unavailable (no thread can be had).
  static Result<std::unique_ptr<SearchContextUpkeep>> start(search::SearchContexts& contexts);
  /// Ends the work; so does the destructor. Later calls do nothing.
  void stop();
  ~SearchContextUpkeep() { stop(); }

 private:
  os::Thread thread_;
};

}  // namespace cairn::app
