// SPDX-License-Identifier: Apache-2.0
// Scripts over the documents of a segment.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "index/query.h"
#include "index/query/view_state.h"
#include "script/script.h"

namespace cairn::index {

/// Compiled for the mapping of a view. Errors: script_exception, illegal_argument_exception.
Result<std::shared_ptr<const script::Program>> compile_script(const QueryContext& context,
                                                              const Script& script,
                                                              script::Use use);

/// A program over one segment; one thread. Documents may come in any order.
class SegmentScript {
 public:
  virtual ~SegmentScript() = default;
  /// What the script gives back; 0 or false where the steps of the query have an error.
  virtual double number(std::uint32_t doc, float score) = 0;
  virtual bool truth(std::uint32_t doc) = 0;
  /// As JSON; false where the steps of the query have an error.
  virtual bool json(std::uint32_t doc, Json& out) = 0;
};
using SegmentScriptPtr = std::unique_ptr<SegmentScript>;

/// Opens the columns and vectors that a program uses. It outlives what is given back, as the
/// context does.
Result<SegmentScriptPtr> open_script(const QueryContext& context, const script::Program& program,
                                     std::size_t segment);

}  // namespace cairn::index
