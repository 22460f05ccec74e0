// SPDX-License-Identifier: Apache-2.0
// What changes about the indices of a process while it runs.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads.h"

namespace cairn::index {

/// Which indices a write makes by itself: action.auto_create_index.
class AutoCreateRule {
 public:
  /// "true", "false", or patterns with + and -, of which the first that fits decides.
  /// Errors: illegal_argument_exception.
  static Result<AutoCreateRule> parse(std::string_view text);
  /// Why an index of this name is not made by a write: index_not_found_exception.
  Status check(std::string_view name) const;

 private:
  struct Entry {
    std::string pattern;
    bool admits = true;
  };
  std::string text_ = "true";
  bool any_ = true;
  std::vector<Entry> entries_ = {};
};

/// Safe from any thread.
class LiveSettings {
 public:
  explicit LiveSettings(std::size_t buckets) : max_buckets(buckets) {}

  std::atomic<std::size_t> max_buckets;             // that a search answers with
  std::atomic<bool> patterns_name_indices{false};   // that are deleted, closed, opened
  std::atomic<bool> indices_close{true};            // they may be closed

  void set_auto_create(AutoCreateRule rule) {
    const MutexLock lock(mutex_);
    auto_create_ = std::make_shared<const AutoCreateRule>(std::move(rule));
  }
  std::shared_ptr<const AutoCreateRule> auto_create() const {
    const MutexLock lock(mutex_);
    return auto_create_;
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const AutoCreateRule> auto_create_ CAIRN_GUARDED_BY(mutex_) =
      std::make_shared<const AutoCreateRule>();
};

}  // namespace cairn::index
