// SPDX-License-Identifier: Apache-2.0
// From a corpus to the files of a model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "contrast.h"
#include "corpus.h"
#include "rerank_training.h"
#include "vocabulary.h"

namespace cairn::mini {

struct TrainingOptions {
  std::uint64_t seed = 20240601;
  std::size_t dimensions = 224;
  VocabularyOptions vocabulary;
  ContrastOptions contrast;
  RerankOptions rerank;

  /// Small enough for a test of some seconds.
  static TrainingOptions small();
};

/// Reads everything under the root of an unpacked tree. Errors: not_found without WordNet; corrupt.
Result<Corpus> read_corpus(const std::string& root);

/// The files by name: config.json, model.safetensors, tokenizer.json, tokenizer_config.json. The
/// same corpus and options give the same bytes. `say` receives lines about progress.
Result<std::map<std::string, std::string>> train(const Corpus& corpus,
                                                 const TrainingOptions& options,
                                                 const std::function<void(std::string_view)>& say);

}  // namespace cairn::mini
