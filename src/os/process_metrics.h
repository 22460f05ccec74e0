// SPDX-License-Identifier: Apache-2.0
// What Prometheus' own client libraries tell of a process, under the same names.
#pragma once

#include "os/metrics.h"

namespace cairn::os {

/// Adds the families process_… to a registry: CPU time, memory, descriptors, threads, start. Each
/// is asked of the kernel when it is shown; one that the kernel does not tell is 0.
void add_process_metrics(Metrics& metrics);

}  // namespace cairn::os
