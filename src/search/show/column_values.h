// SPDX-License-Identifier: Apache-2.0
// Values of columns and sources as a hit shows them under `fields`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"
#include "index/query.h"
#include "search/request.h"

namespace cairn::search {

/// A date as a format writes it; empty: as dates are shown by default.
Json shown_date(std::int64_t ms, const std::string& format);

/// A value of the source as the field takes it; null where it takes none.
Json shown_value(const index::Field& field, const Json& value, const std::string& format);

/// A value of a column. `format` is of dates or of numbers, and was checked.
Json shown_column(const index::Field& field, const index::SortValue& value,
                  const std::string& format);

/// A field that hits show, the path of its values in the source, and in which format.
struct ShownField {
  const index::Field* field = nullptr;
  std::string path = {};
  std::string format = {};
};
/// The fields that requests with patterns name, each once; the last request says the format.
std::vector<ShownField> shown_fields(const std::vector<FieldRequest>& requests,
                                     const index::Mapping& mapping);

/// Whether `fields` (of the source) and `docvalue_fields` (of columns, at most `most`) can be shown
/// in the formats that they ask for. Errors: illegal_argument_exception.
/// Errors: illegal_argument_exception for more script_fields than there may be.
Status check_script_fields(std::size_t count, std::size_t most);
Status check_formats(const std::vector<FieldRequest>& fields, const index::Mapping& mapping);
Status check_column_formats(const std::vector<FieldRequest>& docvalue_fields,
                            const index::Mapping& mapping, std::size_t most);

}  // namespace cairn::search
