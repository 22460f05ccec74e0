// SPDX-License-Identifier: Apache-2.0
// The numbers of one column, document by document, as functions of scores read them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "index/mapping/values.h"
#include "index/query/runtime_reader.h"
#include "index/query/view_state.h"
#include "index/segment/segment.h"

namespace cairn::index {

/// Of one segment; keeps its column. Those of a runtime field are made when a document is asked
/// for. One without a column has no numbers.
class ColumnNumbers {
 public:
  static Result<ColumnNumbers> open(const QueryContext& context, std::size_t segment,
                                    const Field& field) {
    const Segment& s = context.view.segments[segment].of(field.name);
    ColumnNumbers out;
    out.floating_ = is_number(field.type) && !is_whole_number(field.type);
    const bool is_computed = &s != context.view.segments[segment].segment.get();
    if (field.runtime != nullptr && !is_computed) {
      CAIRN_TRY(out.runtime_, open_runtime(context, segment, field));
    }
    if (out.runtime_ != nullptr) return out;
    if (field.name == "_seq_no") {
      CAIRN_TRY(out.column_, s.column(SectionKind::seq_nos, context.deadline));
    } else {
      CAIRN_TRY(out.column_, s.column(field.name, context.deadline));
    }
    return out;
  }

  /// [first, second) of raw() and number(), ascending; none for a document without a value.
  std::pair<std::uint32_t, std::uint32_t> range(std::uint32_t doc) const {
    if (runtime_ != nullptr)
      return {0, runtime_->go_to(doc) ? static_cast<std::uint32_t>(runtime_->numbers().size()) : 0};
    if (column_ == nullptr) return {0, 0};
    return column_->reader.range(doc);
  }
  std::int64_t raw(std::uint32_t at) const {
    return runtime_ != nullptr ? runtime_->numbers()[at] : column_->reader.value(at);
  }
  double number(std::uint32_t at) const {
    return floating_ ? key_double(raw(at)) : static_cast<double>(raw(at));
  }
  bool none() const {
    if (runtime_ != nullptr) return false;
    return column_ == nullptr || column_->reader.documents_with_values() == 0;
  }

 private:
  std::shared_ptr<const Column> column_;
  std::shared_ptr<RuntimeReader> runtime_;  // of a runtime field; null: the column has them
  bool floating_ = false;
};

}  // namespace cairn::index
