// SPDX-License-Identifier: Apache-2.0
// Lines on their way to a server together, and what became of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bulk/line_source.h"
#include "format/json.h"

namespace cairn::cli {

/// A line as the server gets it.
struct BatchItem {
  InputLine line;
  std::string id;
};

/// A line that is not loaded, and why.
struct RejectedLine {
  InputLine line;
  int status = 0;
  Json error;
  /// {"line", "status", "error", "document"}: with its end; the document as JSON where it is some.
  std::string encode() const;
};

/// The id of a line: the field's, or one of the load and the number. Errors: invalid_argument, for
/// a line that is no JSON object, or has no such field; for the file of rejects.
Result<std::string> id_of_line(const InputLine& line, const std::string& id_field,
                               const std::string& load);

/// The body of POST /{index}/_bulk.
std::string bulk_text(const std::vector<BatchItem>& items);

/// What an answer says of the items, in their order.
struct BatchOutcome {
  std::uint64_t loaded = 0;
  std::vector<RejectedLine> rejected = {};
  std::vector<BatchItem> again = {};  // the server had no room for them: 429 and 503
  bool all_forbidden = false;
};

/// Errors: corrupt, where the answer is not one to these items.
Result<BatchOutcome> judge_answer(std::vector<BatchItem> items, const Json& answer);

}  // namespace cairn::cli
