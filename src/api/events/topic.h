// SPDX-License-Identifier: Apache-2.0
// What can be listened to.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cairn::api {

/// One kind of event. Values are read by one thread, and only while somebody listens.
struct Topic {
  std::string name;
  /// Cluster privileges, all of which a listener needs.
  std::vector<std::string> privileges;
  std::int64_t period_ms = 1'000;  // between two looks
  bool on_change = false;          // told only where the value is another than before
  /// The value now, as JSON on one line. May take some milliseconds, and must not wait.
  std::function<std::string()> read = {};

  /// Instead of a value: a list that grows. What came after `after`, which is 0 at the beginning,
  /// as JSON, and where that ends; nothing where nothing came.
  struct News {
    std::string text;
    std::uint64_t until = 0;
  };
  std::function<std::optional<News>(std::uint64_t after)> read_after = {};
};

}  // namespace cairn::api
