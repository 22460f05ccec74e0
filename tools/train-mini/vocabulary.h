// SPDX-License-Identifier: Apache-2.0
// The tokens of the model: whole words of all languages in fixed shares, and pieces for the rest.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "corpus.h"
#include "text/tokenizer.h"

namespace cairn::mini {

struct VocabularyOptions {
  std::size_t size = 40000;
  std::size_t pieces = 5000;  // of them parts of words
  double least_count = 3;     // of a whole word in the corpus
};

/// tokenizer.json for the corpus.
Result<std::string> make_tokenizer_json(const Corpus& corpus, const VocabularyOptions& options);

/// What the corpus says of each token.
struct TokenStatistics {
  std::vector<float> idf;          // 0 for punctuation and the unknown token
  std::vector<float> probability;  // of a running token, in the language that uses it most
};

TokenStatistics token_statistics(const Corpus& corpus, const text::Tokenizer& tokenizer);

}  // namespace cairn::mini
