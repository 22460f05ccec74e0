// SPDX-License-Identifier: Apache-2.0
// Text to the tokens that an index would keep.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"
#include "os/deadline.h"

namespace cairn::search {

/// The first that is given counts: `custom`, `analyzer`, `field`; else the standard analyzer.
struct AnalyzeRequest {
  std::vector<std::string> texts;
  // {"tokenizer": ..., "filter": [...], "char_filter": [...]}, each by name or defined there; null:
  // none.
  Json custom = {};
  Json analysis = {};  // of the index, whose pieces `custom` may name; null: none
  std::optional<std::string> analyzer = {};
  std::optional<std::string> field = {};
  std::size_t max_token_count = 10'000;  // more are refused; index.analyze.max_token_count
};

/// Tokens as the API shows them, offsets in UTF-16 units. `mapping` is that of the index whose
/// analyzers and fields count; null for the built-in ones. Time and memory grow with the texts.
/// Errors: illegal_argument_exception; timeout, cancelled.
Result<Json> analyze(const AnalyzeRequest& request, const index::Mapping* mapping,
                     const os::Deadline& deadline);

}  // namespace cairn::search
