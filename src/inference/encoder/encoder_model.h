// SPDX-License-Identifier: Apache-2.0
// Models of transformer layers behind the interface of all models.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "inference/model/model.h"
#include "os/deadline.h"

namespace cairn::inference {

/// Reads a folder in the Hugging Face layout: config.json, model.safetensors (or its shards),
/// tokenizer.json (or vocab.txt), the files of sentence-transformers. The head of a masked language
/// model makes sparse vectors, a classifier reranks, everything else makes dense vectors.
/// Takes time in proportion to the weights; packed ones of an earlier load are only read. Packed
/// weights that cannot be written are logged alone. Errors: those of load_model; timeout, cancelled.
Result<std::shared_ptr<const Model>> load_encoder_model(const ModelFiles& files,
                                                        std::string_view config_json,
                                                        const LoadOptions& options,
                                                        const os::Deadline& deadline);

}  // namespace cairn::inference
