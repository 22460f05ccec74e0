// SPDX-License-Identifier: Apache-2.0
// `cairn serve`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::app {

/// What `cairn serve --help` prints.
std::string_view serve_help();

/// Runs until SIGTERM or SIGINT, then drains; a second one ends at once. SIGPIPE is ignored.
/// The exit status, as in cli/exit_codes.h.
int serve(const std::vector<std::string>& words, const std::vector<std::string>& environment);

}  // namespace cairn::app
