// SPDX-License-Identifier: Apache-2.0
// Text to the tokens that an index would keep.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"

namespace cairn::search {

/// The first that is given counts: `custom`, `analyzer`, `field`; else the standard analyzer.
struct AnalyzeRequest {
  std::vector<std::string> texts;
  Json custom = {};  // {"tokenizer": ..., "filter": [...], "char_filter": [...]}; null: none
  std::optional<std::string> analyzer = {};
  std::optional<std::string> field = {};
};

/// Tokens as the API shows them, offsets in UTF-16 units. `mapping` is that of the index whose
/// analyzers and fields count; null for the built-in ones. Errors: illegal_argument_exception.
Result<Json> analyze(const AnalyzeRequest& request, const index::Mapping* mapping);

}  // namespace cairn::search
