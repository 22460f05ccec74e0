// SPDX-License-Identifier: Apache-2.0
#include "index/vectors/vector_rules.h"

namespace cairn::index {

VectorRules vector_rules(const Field& field) {
  if (!field.model_settings)
    return vector_rules(field.similarity, field.byte_elements,
                        field.exact_vectors || field.bit_elements);
  const ModelSettings& model = *field.model_settings;
  return vector_rules(similarity_of(model.similarity).value_or(Similarity::cosine),
                      model.element_type == "byte", field.exact_vectors);
}

VectorRules vector_rules(Similarity similarity, bool bytes, bool is_exact) {
  // Products of unit vectors order as distances do; those of other vectors do not.
  const bool product = similarity == Similarity::max_inner_product ||
                       (similarity == Similarity::dot_product && bytes);
  return {.nearness = product ? Nearness::product : Nearness::distance,
          .bytes = bytes,
          .unit = bytes && similarity == Similarity::cosine,
          .is_exact = is_exact};
}

}  // namespace cairn::index
