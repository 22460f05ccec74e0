// SPDX-License-Identifier: Apache-2.0
// All that a folder of files says of an encoder.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "inference/encoder/config.h"
#include "inference/encoder/model_folder.h"
#include "inference/encoder/packed_encoder.h"
#include "inference/layers/tensors.h"
#include "inference/model/model.h"
#include "os/deadline.h"
#include "text/tokenizer.h"

namespace cairn::inference {

/// What the small files of an encoder's folder say.
struct EncoderParts {
  explicit EncoderParts(text::Tokenizer read) : tokenizer(std::move(read)) {}

  std::string model_id;
  EncoderConfig config;  // its head is the one that counts
  text::Tokenizer tokenizer;
  std::size_t most_tokens = 0;  // of one text, with the special ones
  SentenceFiles sentences;

  /// Numbers of a dense vector; 0: makes none.
  std::size_t dimensions() const;
  /// What stands before a text, by its side of a search.
  const std::string& prompt(InputType type) const { return sentences.prompt(type); }
};

/// What an encoder is for and what its vectors are like, without reading its weights.
struct EncoderSummary {
  TaskType task = TaskType::text_embedding;
  std::size_t dimensions = 0;  // of dense vectors; 0: makes none
  std::string similarity;
};
/// Errors: those of read_encoder_config() and of the files of sentence-transformers.
Result<EncoderSummary> summarise_encoder(const ModelFiles& files, std::string_view config_json);

/// Reads all but the weights. Errors: as load_encoder_model().
Result<EncoderParts> read_encoder_parts(const ModelFiles& files, std::string_view config_json);

/// The bytes of the weights and views into them. Does not move.
struct WeightFiles : TensorFiles {
  std::vector<FileBytes> dense;  // of each dense layer behind the pooling
};
/// Errors: as load_encoder_model().
Result<std::unique_ptr<WeightFiles>> read_weight_files(const ModelFiles& files,
                                                       const EncoderParts& parts);

/// Packs all weights for the arithmetic. Tables keep pointing into `files`. Takes time in
/// proportion to the weights. Errors: as load_encoder_model().
Result<PackedEncoder> pack_encoder(const EncoderParts& parts, WeightFiles& files,
                                   const LayerArithmetic& arithmetic, const os::Deadline& deadline);

}  // namespace cairn::inference
