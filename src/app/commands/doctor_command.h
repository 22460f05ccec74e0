// SPDX-License-Identifier: Apache-2.0
// `cairn doctor`: is this installation in order, and what is to be done?
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::app {

std::string_view doctor_help();

/// Prints what it finds, the faults last. The exit status: 1 where something must be done.
int doctor_command(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment);

}  // namespace cairn::app
