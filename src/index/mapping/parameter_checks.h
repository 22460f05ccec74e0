// SPDX-License-Identifier: Apache-2.0
// Parameters of a mapping that would be kept and change nothing, or fail every document: they are
// refused when they are set. Errors of all: mapper_parsing_exception.
#pragma once

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"

namespace cairn::index {

/// `_source` of a mapping: sources are kept whole, so includes and excludes are refused.
Status check_source(const Json& source);
/// `locale` of a date: English, or none.
Status check_locale(const Field& field, const Json& value);
/// `null_value`: the field must take it.
Status check_null_value(const Field& field);

}  // namespace cairn::index
