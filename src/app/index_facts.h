// SPDX-License-Identifier: Apache-2.0
// What rights ask about indices: which are for everybody (setting index.public), which are of a data
// stream.
#pragma once

#include <functional>

#include "gate/route.h"
#include "index/indices.h"

namespace cairn::app {

/// Asks `indices` at each call; null: there are none yet.
gate::IndexFacts index_facts(std::function<const index::Indices*()> indices);

}  // namespace cairn::app
