// SPDX-License-Identifier: Apache-2.0
// Templates of search requests: the language of mustache(5), with the functions toJson, join and
// url, and without partials. Source: docs/reference/search-templates.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"

namespace cairn {

/// How a value stands in the text around it: as it is, as a part of a JSON string, of a form.
enum class MustacheEscape { none, json, form };

struct MustacheLimits {
  std::size_t depth = 100;             // of sections within sections
  std::size_t output_bytes = 1 << 20;
  std::uint64_t steps = 2'000'000;     // tags that are filled in, and members that are looked at
};

/// One template, read. Immutable; safe from any thread.
class Mustache {
 public:
  /// Errors: script_exception, with line and column.
  static Result<Mustache> parse(std::string_view text, const MustacheLimits& limits = {});
  /// The text with `values`, an object, filled in; what is missing there is empty. Errors:
  /// script_exception beyond the limits.
  Result<std::string> render(const Json& values, MustacheEscape escape,
                             const MustacheLimits& limits = {}) const;

  struct Node;
  ~Mustache();
  Mustache(Mustache&&) noexcept;
  Mustache& operator=(Mustache&&) noexcept;

 private:
  explicit Mustache(std::unique_ptr<Node> root);
  std::unique_ptr<Node> root_;
};

}  // namespace cairn
