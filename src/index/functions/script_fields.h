// SPDX-License-Identifier: Apache-2.0
// The fields of a mapping and the values of a segment, as scripts see them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "index/query/column_numbers.h"
#include "index/query/view_state.h"
#include "script/doc_values.h"
#include "script/script.h"

namespace cairn::index {

/// The view of the context outlives it.
class ScriptFields final : public script::Fields {
 public:
  explicit ScriptFields(const ViewState& view) : view_(view) {}
  std::optional<script::FieldFacts> find(std::string_view name) const override;
  Result<std::int64_t> date(std::string_view text) const override;

 private:
  const ViewState& view_;
};

/// The rows of one field, read some at a time.
class ScriptVectors {
 public:
  static Result<ScriptVectors> open(const QueryContext& context, std::size_t segment,
                                    const std::string& field, bool byte_elements);
  /// Empty for a document without.
  Result<std::span<const float>> of(std::uint32_t doc);

 private:
  std::uint32_t doc_of(std::uint32_t row) const;
  const QueryContext* context_ = nullptr;
  const Segment* segment_ = nullptr;
  std::string field_;
  bool byte_elements_ = false;
  std::uint32_t rows_ = 0, dims_ = 0;
  std::uint32_t at_ = 0;           // the row that was found last
  std::uint32_t first_ = 0;        // of the rows in `read_`
  std::uint32_t count_ = 0;
  Bytes docs_, read_;
  std::vector<float> numbers_;
};

class RuntimeSet;
class RuntimeValues;

/// The documents of one segment, one of which is at hand; one thread.
class ScriptDocument final : public script::Document {
 public:
  /// `runtime`: the runtime fields that others have opened; null: its own.
  ScriptDocument(const QueryContext& context, std::size_t segment, RuntimeSet* runtime = nullptr);
  ~ScriptDocument() override;
  Status open(const std::vector<script::UsedField>& fields);
  void go_to(std::uint32_t doc) { doc_ = doc; }

  std::size_t count(std::size_t field) override;
  bool first_whole(std::size_t field, std::int64_t& out) override;
  bool first_real(std::size_t field, double& out) override;
  std::int64_t whole(std::size_t field, std::size_t i) override;
  double real(std::size_t field, std::size_t i) override;
  std::string text(std::size_t field, std::size_t i) override;
  std::span<const float> vector(std::size_t field) override;
  double chance(std::int64_t seed, std::optional<std::size_t> field) override;
  const Json* source() override;

 private:
  RuntimeSet& runtime();
  struct Values {
    RuntimeValues* runtime = nullptr;  // of a runtime field
    ColumnNumbers numbers = {};
    const TermsReader* terms = nullptr;
    std::unordered_map<std::int64_t, std::string> known = {};  // texts by their ordinals
    std::optional<ScriptVectors> vectors = {};
  };
  const QueryContext& context_;
  std::size_t segment_;
  std::uint32_t doc_ = 0;
  RuntimeSet* runtime_ = nullptr;
  std::unique_ptr<RuntimeSet> own_runtime_;
  std::vector<Values> values_;  // by the numbers of the program's fields
};

}  // namespace cairn::index
