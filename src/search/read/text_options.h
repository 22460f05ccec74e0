// SPDX-License-Identifier: Apache-2.0
// Members that queries for analysed text have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "index/query.h"
#include "search/reader.h"

namespace cairn::search {

/// `operator`; absent: or. Errors: illegal_argument_exception.
Result<index::Operator> read_operator(Reader& in);
/// `zero_terms_query`; absent: none. Errors: parsing_exception.
Result<index::ZeroTerms> read_zero_terms(Reader& in);
/// A number that is not negative. Errors: parsing_exception.
Result<std::size_t> read_unsigned(Reader& in, std::string_view name, std::size_t fallback);

/// `flags` and `flags_value` of a regular expression; absent: all. Errors: illegal_argument_exception.
Result<std::uint32_t> read_regexp_flags(Reader& in);
/// `max_determinized_states`, up to `most`. Errors: illegal_argument_exception.
Result<std::size_t> read_regexp_states(Reader& in, std::size_t most);

}  // namespace cairn::search
