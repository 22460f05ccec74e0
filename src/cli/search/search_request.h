// SPDX-License-Identifier: Apache-2.0
// The request of `cairn search`: what it is asked of, and how.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/connection.h"
#include "format/json.h"

namespace cairn::cli {

/// Around words that were found, in what a server is asked for. No text holds them.
inline constexpr std::string_view mark_begin = "\x02";
inline constexpr std::string_view mark_end = "\x03";

/// In the `_meta` of a mapping: the folder whose texts `cairn add` sent to the index.
inline constexpr std::string_view folder_member = "cairn_folder";

/// The indices that connectors and `cairn add` filled, ascending.
/// Errors: those of asking; permission_denied where the key may list neither connectors nor
/// indices.
Result<std::vector<std::string>> filled_indices(Connection& connection);

/// By words and by meaning as measures best (docs/reference/hybrid-search.md). `mapping` is the
/// answer of GET /{index}/_mapping: where an index has no title, body and meaning, all of its texts
/// and all of its fields with meaning are asked.
Json hybrid_request(const std::string& words, const Json& mapping, std::size_t size,
                    std::size_t from = 0);

/// "/a,b/_search" with the names as they must stand in a path.
std::string index_path(const std::vector<std::string>& indices, std::string_view rest);

}  // namespace cairn::cli
