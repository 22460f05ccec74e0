// SPDX-License-Identifier: Apache-2.0
// Indices that are for everybody: those with the setting index.public.
#pragma once

#include <memory>

#include "gate/route.h"
#include "index/indices.h"

namespace cairn::app {

/// Asks `indices` as it is at each call; null: there are none yet. The reference outlives what is
/// returned.
gate::PublicIndices public_indices(const std::unique_ptr<index::Indices>& indices);

}  // namespace cairn::app
