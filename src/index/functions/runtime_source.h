// SPDX-License-Identifier: Apache-2.0
// The sources of the documents of a segment, one after another, for scripts and runtime fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"
#include "index/query/view_state.h"

namespace cairn::index {

/// Of one segment; one thread. A block of sources is decompressed once for the documents in it that
/// come one after another.
class SourceReader {
 public:
  SourceReader(const QueryContext& context, std::size_t segment)
      : context_(context), segment_(*context.view.segments[segment].segment) {}

  /// Null where it cannot be read, which the steps of the query say. Lives until another is asked
  /// for. Objects of nested fields have none.
  const Json* of(std::uint32_t doc);

 private:
  Status read(std::uint32_t doc);
  const QueryContext& context_;
  const Segment& segment_;
  std::string raw_;  // the block at hand
  std::size_t block_ = SIZE_MAX;
  std::uint32_t doc_ = UINT32_MAX;
  Json tree_;
};

/// The values at a dotted path of a source, scalars alone: lists are gone through, and a name may
/// have dots itself. Calls `each` for every one.
template <class Each>
void each_scalar(const Json& at, std::string_view path, const Each& each);

template <class Each>
void each_scalar(const Json& at, std::string_view path, const Each& each) {
  if (at.is_array()) {
    for (const Json& element : at.as_array()) each_scalar(element, path, each);
    return;
  }
  if (path.empty()) {
    if (!at.is_object() && !at.is_null()) each(at);
    return;
  }
  if (!at.is_object()) return;
  for (const auto& [name, value] : at.as_object()) {
    if (name.empty() || !path.starts_with(name)) continue;
    if (name.size() == path.size()) {
      each_scalar(value, {}, each);
    } else if (path[name.size()] == '.') {
      each_scalar(value, path.substr(name.size() + 1), each);
    }
  }
}

}  // namespace cairn::index
