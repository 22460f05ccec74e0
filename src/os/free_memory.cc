// SPDX-License-Identifier: Apache-2.0
#include "os/free_memory.h"

#include <malloc.h>

namespace cairn::os {

void return_free_memory() { ::malloc_trim(0); }

}  // namespace cairn::os
