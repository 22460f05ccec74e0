// SPDX-License-Identifier: Apache-2.0
// `cairn limits wait`: the rules for clients, for programs that have no library for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ratelimit/client/retry.h"

namespace cairn::cli {

/// Reads an answer as `curl -i` prints it: heads of interim answers and redirects are passed over.
/// Header fields are found by their lower-case names. Errors: invalid_argument where there is no
/// status line, or a status that is none.
Result<ratelimit::SeenResponse> read_printed_response(std::string_view text);

/// The words behind `limits wait`. Needs no server. The exit status: 0 after waiting, 1 where no
/// limit refused the request, 75 where it is time to give up.
int limits_wait(const std::vector<std::string>& words, std::string_view usage);

}  // namespace cairn::cli
