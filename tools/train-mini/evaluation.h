// SPDX-License-Identifier: Apache-2.0
// How well a model finds and orders what belongs to a query, beside BM25.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "inference/model/model.h"
#include "ranking.h"

namespace cairn::mini {

/// Documents, and queries of which each has one right answer.
struct EvaluationSet {
  std::string name;
  std::vector<std::string> documents;
  std::vector<std::pair<std::string, std::uint32_t>> queries;  // and the number of the document
};

/// Reads lines of `document TAB query TAB query …`. Errors: not_found, invalid_argument.
Result<EvaluationSet> read_evaluation_set(const std::string& name, const std::string& path);

/// Reads lines of one text in several languages, the first line naming them; gives one set for each
/// language but the first: queries in that language, documents in the first.
Result<std::vector<EvaluationSet>> read_translations(const std::string& path);

/// The ways to order the documents of a set.
struct Comparison {
  Quality bm25;
  Quality bm25_english;  // with stemming and without stop words
  Quality dense;
  Quality sparse;
  Quality hybrid;           // reciprocal rank fusion of BM25 and dense
  Quality reranked_bm25;    // the first 50 of BM25 in the order of the reranker
  Quality reranked_hybrid;  // the first 50 of the hybrid, likewise
};

/// Errors: those of the model.
Result<Comparison> compare(const inference::Model& model, const EvaluationSet& set);

/// The quality of the dense vectors alone.
Result<Quality> measure_dense(const inference::Model& model, const EvaluationSet& set);

/// A table for people; one line for each way.
std::string table_of(const EvaluationSet& set, const Comparison& comparison);

}  // namespace cairn::mini
