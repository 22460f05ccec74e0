// SPDX-License-Identifier: Apache-2.0
// Memory that was used for a while and is not needed any more.
#pragma once

namespace cairn::os {

/// Gives what malloc keeps for later back to the system, in every arena. Takes some milliseconds.
void return_free_memory();

}  // namespace cairn::os
