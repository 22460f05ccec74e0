// SPDX-License-Identifier: Apache-2.0
// The target of sync runs in this process: indices, through the way that every document takes.
#pragma once

#include <memory>
#include <string>

#include "connectors/new_index.h"
#include "connectors/target.h"
#include "index/indices.h"
#include "ingest/ingest.h"

namespace cairn::connectors {

/// Makes the index as it is wanted where it is not there yet, unless nothing is wanted of it; then the
/// first document does. Errors: those of the index; status_exception where it is to be searched by
/// meaning, and is there without a semantic_text field.
Status make_index_for(index::Indices& indices, const std::string& index, const NewIndex& wanted,
                      const os::Deadline& deadline);

/// The references outlive the target.
std::unique_ptr<Target> ingest_target(index::Indices& indices, ingest::Ingest& ingest);

}  // namespace cairn::connectors
