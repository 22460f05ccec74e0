// SPDX-License-Identifier: Apache-2.0
// Fills in the embeddings of the semantic_text fields of a batch.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "index/indices.h"
#include "inference/service.h"
#include "ingest/options.h"
#include "os/deadline.h"

namespace cairn::ingest {

/// Cuts every text of a semantic_text field into chunks and embeds them, many in one call of an
/// endpoint. One entry an operation: why its `semantic` could not be filled, or nothing.
/// Operations that have no JSON object as source are passed over: writing them gives the error.
std::vector<std::optional<Error>> embed(std::span<index::WriteOperation> operations,
                                        const index::Mapping& mapping,
                                        inference::Service& inference, const Options& options,
                                        const os::Deadline& deadline);

}  // namespace cairn::ingest
