// SPDX-License-Identifier: Apache-2.0
// Queries with known answers, as token ids, for fitting what is built on the vectors.
#pragma once

#include <string>
#include <vector>

#include "corpus.h"
#include "text/tokenizer.h"
#include "training_set.h"

namespace cairn::mini {

/// Queries and documents, the answer of a query being the document of its number.
struct Questions {
  std::string name;
  std::vector<Ids> queries;
  std::vector<Ids> documents;
};

/// Sets of the development or test split, each of another kind of wording.
std::vector<Questions> questions_of(const Corpus& corpus, Split split,
                                    const text::Tokenizer& tokenizer);

}  // namespace cairn::mini
