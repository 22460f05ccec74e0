// SPDX-License-Identifier: Apache-2.0
#include "search/stored_values.h"

#include <algorithm>

#include "search/show/column_values.h"
#include "search/show/source_values.h"

namespace cairn::search {

Json stored_values(const std::vector<std::string>& patterns, const index::Mapping& mapping,
                   const Json& source) {
  std::vector<FieldRequest> wanted;
  for (const std::string& pattern : patterns) wanted.push_back({pattern});
  auto fields = shown_fields(wanted, mapping);
  std::erase_if(fields, [](const ShownField& one) { return !one.field->stored; });
  std::size_t bytes = 0;
  // A get shows one document: as long as that is.
  return values_of_source(fields, mapping, source, SIZE_MAX, bytes);
}

}  // namespace cairn::search
