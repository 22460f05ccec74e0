// SPDX-License-Identifier: Apache-2.0
// search_as_you_type: a text that comes with fields of its runs of words and of their beginnings.
#pragma once

#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"

namespace cairn::index {

inline constexpr std::size_t usual_shingles = 3;

/// Reads `max_shingle_size`. Errors: mapper_parsing_exception.
Status read_shingles(Field& field, const Json& value);
/// The fields that come with it: `._2gram` to `._4gram`, as many as it has, whose terms are runs of
/// so many words; and `._index_prefix`, whose terms are the first 1 to 20 characters of the longest
/// run from each word. Its analyzers are known already.
std::vector<Field> as_you_type_parts(const Field& field);

}  // namespace cairn::index
