// SPDX-License-Identifier: Apache-2.0
// How a score came about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cairn::index {

/// A number, what it is, and what it was made of. Where a document does not match, its value is 0
/// and the description says why.
struct Explanation {
  bool matches = false;
  float value = 0;
  std::optional<std::uint64_t> count = {};  // instead of `value`, where it is a number of things
  std::string description = {};
  std::vector<Explanation> details = {};

  static Explanation match(float value, std::string description,
                           std::vector<Explanation> details = {}) {
    Explanation out{.matches = true, .value = value, .description = std::move(description)};
    out.details = std::move(details);
    return out;
  }
  static Explanation counted(std::uint64_t count, std::string description) {
    return {.matches = true, .count = count, .description = std::move(description)};
  }
  static Explanation none(std::string description, std::vector<Explanation> details = {}) {
    Explanation out{.description = std::move(description)};
    out.details = std::move(details);
    return out;
  }
};

}  // namespace cairn::index
