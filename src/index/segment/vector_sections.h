// SPDX-License-Identifier: Apache-2.0
// The sections of a vector index in a segment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "index/segment/segment_out.h"
#include "index/vectors/vector_index_writer.h"

namespace cairn::index {

/// Whether so many rows get an index, or are compared one by one.
bool wants_vector_index(const VectorRules& rules, std::uint32_t rows);
/// Writes the sections of a writer that has taken all rows. `docs`: the document of each.
void write_vector_index(const VectorIndexWriter& writer, const std::string& field,
                        std::vector<std::uint32_t> docs, std::uint32_t doc_count, SegmentOut& out);

}  // namespace cairn::index
