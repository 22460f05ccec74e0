// SPDX-License-Identifier: Apache-2.0
// Families whose first series comes with the first event of its kind.
#pragma once

#include "os/metrics.h"

namespace cairn::app {

/// Shows them from the start, so that an alert tells "never happened" from "no such metric", and
/// those without labels as 0. The words are those of the place that counts; a test compares.
void declare_metrics(os::Metrics& metrics);

}  // namespace cairn::app
