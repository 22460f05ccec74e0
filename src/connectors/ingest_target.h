// SPDX-License-Identifier: Apache-2.0
// The target of sync runs in this process: indices, through the way that every document takes.
#pragma once

#include <memory>
#include <string>

#include "connectors/target.h"
#include "index/indices.h"
#include "ingest/ingest.h"

namespace cairn::connectors {

/// Makes the index with the analyzer of the language as its default one, where the index is not there
/// yet and an analyzer is made for that language; else it does nothing. Errors: those of the index.
Status make_index_for(index::Indices& indices, const std::string& index,
                      const std::string& language, const os::Deadline& deadline);

/// The references outlive the target.
std::unique_ptr<Target> ingest_target(index::Indices& indices, ingest::Ingest& ingest);

}  // namespace cairn::connectors
