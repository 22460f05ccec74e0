// SPDX-License-Identifier: Apache-2.0
// Words to their stems, by the Snowball algorithms.
#pragma once

#include <string>
#include <string_view>

namespace cairn::text {

/// One algorithm by its Snowball name ("porter", "german", ...). A small value; safe from any
/// thread (each thread keeps its own state and a cache of recent words).
class Stemmer {
 public:
  /// Whether there is an algorithm of that name.
  static bool exists(std::string_view algorithm);
  explicit Stemmer(std::string_view algorithm);  // of an existing algorithm
  /// The stem of a word in lower case. The view holds until the next call on this thread.
  std::string_view stem(std::string_view word) const;

 private:
  std::size_t number_;
};

}  // namespace cairn::text
