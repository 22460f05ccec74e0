// SPDX-License-Identifier: Apache-2.0
// How a field's mapping says that its vectors are compared and kept.
#pragma once

#include "index/mapping/mapping.h"
#include "index/vectors/vector_layout.h"

namespace cairn::index {

/// Of a dense_vector field, or of a semantic_text field with dense embeddings.
VectorRules vector_rules(const Field& field);
VectorRules vector_rules(Similarity similarity, bool bytes, bool is_exact);

}  // namespace cairn::index
