// SPDX-License-Identifier: Apache-2.0
// What all operations of a rendering share: its values, its limits, and the place at work.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "inference/templates/lexer.h"
#include "inference/templates/value.h"
#include "os/steps.h"

namespace cairn::inference {

/// What one rendering may cost.
struct TemplateLimits {
  std::uint64_t steps = 1'000'000;  // an expression, an element, or 64 bytes of a string each
  std::size_t output_bytes = 1 << 20;
  int calls = 64;  // of macros, within each other
};

}  // namespace cairn::inference

namespace cairn::inference::templates {

inline constexpr int most_nested_values = 100;
inline constexpr std::size_t most_string_bytes = 16 << 20;

/// One rendering; one thread. The deadline outlives it.
class Machine {
 public:
  Machine(const TemplateLimits& wanted, const os::Deadline& deadline)
      : limits(wanted), steps_(deadline, "rendering a chat template") {}

  Heap heap;
  Place place;  // of the expression at work
  TemplateLimits limits;
  std::int64_t now_s = 0;

  /// Errors: too_large beyond the limit; timeout, cancelled.
  Status spend(std::uint64_t steps);
  /// The same, for a string of that many bytes, which is refused where it is huge.
  Status spend_bytes(std::uint64_t bytes);
  /// The same, for a string and its origins.
  Status spend_text(const Text& text);
  /// For a string that becomes a value of its own.
  Status spend_piece(std::uint64_t bytes);
  /// For looking for a key.
  Status spend_key(const Value& key) { return spend(key.bytes().size() / 64); }
  /// Refuses a string that has become huge.
  Status keep_within(const Text& made) const;
  std::uint64_t left() const { return limits.steps - taken_; }

  /// invalid_argument at the place at work.
  Error fault(std::string_view message) const { return template_error(place, message); }
  Error too_large(std::string_view what) const;

 private:
  os::Steps steps_;
  std::uint64_t taken_ = 0;
};

/// Arguments of a call, as they stand in the template.
struct Arguments {
  std::vector<Value> values;  // those with names come last
  std::vector<std::string_view> names;

  std::size_t positional() const { return values.size() - names.size(); }
  /// One for each of `parameters`, null where it is absent. Errors: invalid_argument, naming what
  /// is too much.
  Result<std::vector<const Value*>> bind(const Machine& machine, std::string_view callee,
                                         std::initializer_list<std::string_view> parameters) const;
};

}  // namespace cairn::inference::templates
