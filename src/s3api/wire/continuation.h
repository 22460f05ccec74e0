// SPDX-License-Identifier: Apache-2.0
// The opaque tokens with which listings go on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::s3api {

/// Holds where to go on, and enough to notice a token that is none of ours.
std::string continuation_token(std::string_view start_after);
/// Nothing for a text that this service did not make.
std::optional<std::string> read_continuation_token(std::string_view token);
/// What a page starts after: as the token of the request says, else `otherwise`.
/// Errors: InvalidArgument.
Result<std::string> start_of_page(const std::optional<std::string>& token,
                                  std::string otherwise = {});

}  // namespace cairn::s3api
