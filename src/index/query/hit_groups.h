// SPDX-License-Identifier: Apache-2.0
// Groups of hits: documents that have one value of a field.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "index/query.h"
#include "index/query/view_state.h"
#include "index/segment/segment.h"

namespace cairn::index {

/// Whether hits can be collapsed by this field. Errors: illegal_argument_exception.
Status check_collapse(const Mapping& mapping, const std::string& field);

/// The groups of one segment.
class HitGroups {
 public:
  /// Of a document: alike for documents of one group; nothing for those without a value.
  using Number = std::optional<std::int64_t>;

  static Result<HitGroups> open(const QueryContext& context, std::size_t segment,
                                const std::string& field);
  /// A document with two values is said to the steps of the query, and of no group.
  Number of(std::uint32_t doc, os::Steps& steps) const;
  /// The value of a group as the caller sees it.
  Result<SortValue> show(const Number& group, const os::Deadline& deadline) const;

 private:
  std::shared_ptr<const Column> column_;  // null: no document has a value
  const TermsReader* terms_ = nullptr;    // of a keyword
  bool floating_ = false;
};

}  // namespace cairn::index
