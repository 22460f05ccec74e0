// SPDX-License-Identifier: Apache-2.0
// The files that the folders of all models of layers have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "inference/encoder/config.h"
#include "inference/layers/tensors.h"
#include "inference/model/model.h"
#include "text/tokenizer.h"

namespace cairn::inference {

/// What sentence-transformers' files say. Without modules.json: the mean of all tokens, as a unit
/// vector.
struct SentenceFiles {
  bool has_modules = false;
  Pooling pooling;
  std::vector<std::pair<std::string, DenseLayer>> dense;  // by folder
  bool normalises = true;
  bool makes_terms = false;  // a sparse vector instead of a dense one
  SentenceSettings settings;

  /// Numbers of a vector, for hidden states of this many.
  std::size_t dimensions(std::size_t hidden) const;
  /// "cosine" or "dot_product".
  std::string_view similarity() const;
  /// What stands before a text, by its side of a search.
  const std::string& prompt(InputType type) const;
};

/// Errors: those of the files; invalid_argument, unsupported.
Result<SentenceFiles> read_sentence_files(const ModelFiles& files);

/// The contents of a file; empty where it is missing. Errors: those of the files but not_found.
Result<std::string> read_if_there(const ModelFiles& files, const std::string& name);

/// tokenizer.json, or vocab.txt, and what stands beside it.
Result<text::Tokenizer> read_tokenizer(const ModelFiles& files);

/// The bytes of model.safetensors, its shards or the GGUF file that config.json names, and views
/// into them. Does not move once filled.
struct TensorFiles {
  std::vector<FileBytes> bytes;
  Tensors tensors;
};
Status read_tensor_files(const ModelFiles& files, TensorFiles& out);

}  // namespace cairn::inference
