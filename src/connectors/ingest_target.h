// SPDX-License-Identifier: Apache-2.0
// The target of sync runs in this process: indices, through the way that every document takes.
#pragma once

#include <memory>

#include "connectors/target.h"
#include "index/indices.h"
#include "ingest/ingest.h"

namespace cairn::connectors {

/// The references outlive the target.
std::unique_ptr<Target> ingest_target(index::Indices& indices, ingest::Ingest& ingest);

}  // namespace cairn::connectors
