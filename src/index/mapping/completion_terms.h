// SPDX-License-Identifier: Apache-2.0
// The terms of completion fields: what an input comes to, its weight, and the input itself.
// Source: docs/internals/formats.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"

namespace cairn::index {

/// What a document gives a completion field.
struct CompletionInput {
  std::string text;
  std::uint32_t weight = 1;
};

/// From a text, or an object with `input` and `weight`. Errors: illegal_argument_exception.
Result<std::vector<CompletionInput>> read_completion(const Field& field, const Json& value);

/// The words of a text as they are compared, with separators as the field has them: one for each
/// way through words that stand in one place. None where the text has no words. Errors:
/// illegal_argument_exception for too many ways.
Result<std::vector<std::string>> completion_paths(const Field& field,
                                                  const text::Analyzer& analyzer,
                                                  std::string_view text);

/// Terms are in the order of their paths.
std::string completion_term(std::string_view path, const CompletionInput& input);
struct CompletionTerm {
  std::string_view path;
  std::uint32_t weight = 0;
  std::string_view text;
};
/// The pieces of a term, in whose bytes they lie; nothing where it is none.
std::optional<CompletionTerm> read_completion_term(std::string_view term);

}  // namespace cairn::index
