// SPDX-License-Identifier: Apache-2.0
// The best inputs of a completion field in one segment.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/patterns/regexp.h"
#include "index/query/view_state.h"
#include "os/steps.h"

namespace cairn::index {

/// Terms [first, last) of a dictionary, in its order.
struct TermRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  float factor = 0;  // that weights count by; 0: as they are
};

/// The terms whose paths begin with `path`. Errors: those of reading a dictionary.
Result<TermRange> terms_beginning(const TermsReader& reader, const std::string& path,
                                  const os::Deadline& deadline);

/// The terms whose paths have a beginning that fits; `ask` finds it, and `factor` says what a range
/// counts by. All begin with `start`. What cannot fit is passed over by what it begins with.
struct BeginningAsker {
  std::string start = {};
  std::function<Beginning(std::string_view path)> ask;
  std::function<float(std::string_view beginning)> factor = {};  // empty: 0
};
Result<std::vector<TermRange>> terms_fitting(const TermsReader& reader, const BeginningAsker& asker,
                                             os::Steps& steps);

struct CompletionHit {
  float score = 0;
  std::string path, text;
  std::uint32_t doc = 0;
};
/// At most `most`, the best first: of one score in the order of the dictionary; one a document.
/// Looks at no more terms than it must: a block of the dictionary knows its greatest weight.
Result<std::vector<CompletionHit>> best_completions(const SegmentView& segment,
                                                    const TermsReader& reader,
                                                    const std::vector<TermRange>& ranges,
                                                    std::size_t most, bool skip_duplicates,
                                                    os::Steps& steps);

}  // namespace cairn::index
