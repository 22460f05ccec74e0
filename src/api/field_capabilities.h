// SPDX-License-Identifier: Apache-2.0
// What the fields of several indices can do, each type of a name for itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/index_names.h"
#include "base/result.h"
#include "format/json.h"

namespace cairn::api {

/// What of the fields is asked for.
struct FieldRequest {
  std::vector<std::string> fields = {};  // names and patterns
  std::vector<std::string> types = {};   // empty: all
  bool unmapped = false;                 // say which indices lack a field that others have
  bool metadata = true;                  // fields that the platform keeps itself
  bool only_metadata = false;
  bool parents = true;       // objects above the fields
  bool multi_fields = true;  // fields below `fields`
  bool nested = true;        // fields of nested objects
  Json runtime_mappings = {};  // runtime fields of the request, in each index; null: none
};

/// {"indices": [...], "fields": {name: {type: {...}}}}. Takes time in proportion to the fields, the
/// patterns and the indices. Errors: timeout, cancelled; those of runtime fields.
Result<Json> field_capabilities(const IndexList& indices, const FieldRequest& request,
                                const os::Deadline& deadline);

}  // namespace cairn::api
