// SPDX-License-Identifier: Apache-2.0
// Decoders behind the interface of all models.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "inference/model/model.h"
#include "os/deadline.h"

namespace cairn::inference {

/// Keys and values of the texts that one call works on take at most this much memory, in fp32 twice
/// as much.
inline constexpr std::size_t most_embedding_kv_bytes = std::size_t{512} << 20U;

/// Reads a folder in the Hugging Face layout whose `model_type` is a decoder's. Makes dense
/// vectors: the state of the last token, of length 1 where the files of sentence-transformers say
/// so or are missing. `automatic` is int8. Takes time in proportion to the weights. Errors: those
/// of load_model; timeout, cancelled.
Result<std::shared_ptr<const Model>> load_decoder_model(const ModelFiles& files,
                                                        std::string_view config_json,
                                                        const LoadOptions& options,
                                                        const os::Deadline& deadline);

/// Reads the small files as a load does. Errors: as load_decoder_model().
Result<ModelTraits> traits_of_decoder(const ModelFiles& files, std::string_view config_json);
Status check_decoder_files(const ModelFiles& files, std::string_view config_json);

}  // namespace cairn::inference
