// SPDX-License-Identifier: Apache-2.0
// Regular expressions (ICU syntax, as Java's) over UTF-8, bounded in steps and memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cairn::text {

/// A compiled pattern: `^` and `$` match at lines. Immutable; safe from any thread.
class Regex {
 public:
  /// Errors: invalid_argument, naming the pattern and the place of the fault.
  static Result<Regex> compile(std::string_view pattern);

  /// The matches in `input`, in order, as half-open ranges of bytes.
  /// Errors: invalid_argument when the pattern needs more steps on this input than are allowed.
  Result<std::vector<std::pair<std::size_t, std::size_t>>> find_all(std::string_view input) const;

  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

 private:
  struct Impl;
  explicit Regex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::text
