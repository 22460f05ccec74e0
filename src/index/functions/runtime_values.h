// SPDX-License-Identifier: Apache-2.0
// The values of runtime fields, document by document.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/functions/runtime_source.h"
#include "index/query/runtime_reader.h"
#include "index/query/view_state.h"
#include "os/steps.h"
#include "script/script.h"

namespace cairn::index {

/// The program of a runtime field, compiled once for a view, and those that it reads from.
/// Null where the field has no script. Errors: script_exception; illegal_argument_exception for
/// fields that read from each other in a circle, or from more than five in a row.
Result<std::shared_ptr<const script::Program>> runtime_program(const QueryContext& context,
                                                               const Field& field);

class RuntimeSet;

/// One field in one segment, among those of a set.
class RuntimeValues final : public RuntimeReader {
 public:
  RuntimeValues(const QueryContext& context, const Field& field, RuntimeSet& set);
  ~RuntimeValues() override;
  Status open(std::size_t segment);

  bool go_to(std::uint32_t doc, float score = 0) override;
  bool uses_score() const override;

 private:
  struct Script;
  void read_source(const Json& source);
  bool run_script();
  bool run_sort_key(float score);

  const QueryContext& context_;
  const Field& field_;
  RuntimeSet& set_;
  std::unique_ptr<Script> script_;  // null: values of the source
  std::uint32_t doc_ = UINT32_MAX;
  bool is_none_ = false;  // its documents are objects of a nested field
};

/// The runtime fields that one reader of a segment has opened, each once, whoever asks; one thread.
class RuntimeSet {
 public:
  RuntimeSet(const QueryContext& context, std::size_t segment)
      : context_(context), segment_(segment), sources_(context, segment) {}
  RuntimeSet(const RuntimeSet&) = delete;
  RuntimeSet& operator=(const RuntimeSet&) = delete;
  ~RuntimeSet();

  /// Lives as long as this. Errors: those of runtime_program.
  Result<RuntimeValues*> open(const Field& field);
  SourceReader& sources() { return sources_; }

 private:
  const QueryContext& context_;
  std::size_t segment_;
  SourceReader sources_;
  std::map<std::string, std::unique_ptr<RuntimeValues>, std::less<>> fields_;
};

}  // namespace cairn::index
