// SPDX-License-Identifier: Apache-2.0
// What plans, sorts and functions see of runtime fields: their values, document by document.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/query/plan.h"
#include "index/query/view_state.h"

namespace cairn::index {

/// One field in one segment; one thread. Documents may come in any order; asking for the one at
/// hand again costs nothing.
class RuntimeReader {
 public:
  virtual ~RuntimeReader() = default;
  /// To a document, of this score by the query. False where the steps of the query have an error.
  virtual bool go_to(std::uint32_t doc, float score = 0) = 0;
  virtual bool uses_score() const = 0;
  /// Of the document at hand, ascending: as columns have them, and the texts of keywords.
  const std::vector<std::int64_t>& numbers() const { return numbers_; }
  const std::vector<std::string>& texts() const { return texts_; }
  std::size_t count() const { return numbers_.size() + texts_.size(); }

 protected:
  std::vector<std::int64_t> numbers_;
  std::vector<std::string> texts_;
};

/// Opens what the field's script reads. The context outlives it. Errors: those of compiling;
/// illegal_argument_exception for fields that read from each other in a circle.
Result<std::shared_ptr<RuntimeReader>> open_runtime(const QueryContext& context,
                                                    std::size_t segment, const Field& field);

/// Which values of a runtime field are looked for; neither: any.
struct RuntimeTest {
  using Asks = std::function<bool(const std::string& text)>;
  std::function<bool(std::int64_t number)> takes_number = {};
  std::function<Asks(os::Steps& steps)> takes_text = {};
};
/// The documents that have such a value; each scores `boost`. They are looked at one by one, after
/// everything else has said which ones.
PlanPtr plan_runtime(const QueryContext& context, const Field& field, RuntimeTest test, float boost,
                     std::string description);

}  // namespace cairn::index
