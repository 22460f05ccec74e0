// SPDX-License-Identifier: Apache-2.0
// Related tokens for the query side of the sparse encoder: other forms of a word, WordNet's
// synonyms and hypernyms, neighbours among the vectors (which join languages).
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "corpus.h"
#include "inference/static/static_tables.h"
#include "text/tokenizer.h"

namespace cairn::mini {

/// Why a token is related to another.
struct Relation {
  std::uint32_t id = 0;
  float cosine = 0;
  bool same_stem = false;
  float synonym = 0;   // 1 / (senses of the word), of the sense that is shared
  float hypernym = 0;  // the same, one step up
};

/// The relations of every token, by id. `tables` needs vectors, norms and idf.
std::vector<std::vector<Relation>> find_relations(const Corpus& corpus,
                                                  const text::Tokenizer& tokenizer,
                                                  const inference::StaticTables& tables);

/// How much each kind of relation counts. No weight exceeds 0.3.
struct RelationWeights {
  float same_stem = 0.3F;
  float synonym = 0.2F;
  float hypernym = 0.1F;
  float neighbour = 0.2F;  // at cosine 1, falling to 0 at least_cosine
  float least_cosine = 0.5F;
};
inline constexpr float largest_expansion = 0.3F;

/// Sets the expansions of `tables`: the strongest few of each token, rounded as the model file
/// rounds them.
void set_expansions(const std::vector<std::vector<Relation>>& relations,
                    const RelationWeights& weights, inference::StaticTables& tables);

/// The weights among a few choices that `quality` likes best, one at a time, twice around.
RelationWeights fit_weights(const std::function<double(const RelationWeights&)>& quality);

}  // namespace cairn::mini
