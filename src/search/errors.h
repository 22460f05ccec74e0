// SPDX-License-Identifier: Apache-2.0
// The errors of search requests, with the wire names and texts that clients know.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::search {

/// parsing_exception, with `line` and `col` of the dotted `path` in `text`.
Error parsing_error(std::string_view text, std::string_view path, std::string message);
/// x_content_parse_exception: "[line:column] message".
Error content_error(std::string_view text, std::string_view path, std::string message);
/// illegal_argument_exception.
Error illegal_argument(std::string message);
/// action_request_validation_exception: "Validation Failed: 1: message;".
Error validation_error(std::string_view message);
/// illegal_argument_exception for a member that the platform knows and Cairn does not offer.
Error not_offered(std::string_view what, std::string_view instead);
/// A fault of the request that the index room found where it read a part of it (the detail `_at`, as
/// of index::make_aggregations), with its position in `text`; nothing for any other.
std::optional<Error> request_error(std::string_view text, const Error& found);
/// search_phase_execution_exception around what an index answered.
Error phase_error(std::string_view index, std::string_view uuid, Error cause);

}  // namespace cairn::search
