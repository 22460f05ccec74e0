// SPDX-License-Identifier: Apache-2.0
// What rights ask about indices: which are for everybody (setting index.public), which are of a data
// stream.
#pragma once

#include <memory>

#include "gate/route.h"
#include "index/indices.h"

namespace cairn::app {

/// Asks `indices` as it is at each call; null: there are none yet. The reference outlives what is
/// returned.
gate::IndexFacts index_facts(const std::unique_ptr<index::Indices>& indices);

}  // namespace cairn::app
