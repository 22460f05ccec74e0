// SPDX-License-Identifier: Apache-2.0
// `cairn init`: what a first installation needs besides its settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::app {

std::string_view init_help();

/// `cairn init tls`: certificates of a small authority of one's own, for trials and closed
/// networks.
int init_command(const std::vector<std::string>& words);

}  // namespace cairn::app
