// SPDX-License-Identifier: Apache-2.0
// The name of this machine.
#pragma once

#include <string>

namespace cairn::os {
std::string host_name();  // as gethostname(2) says; "localhost" where it says nothing
}  // namespace cairn::os
