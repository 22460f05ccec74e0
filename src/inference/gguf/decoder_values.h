// SPDX-License-Identifier: Apache-2.0
// What a GGUF file of a decoder says of its shape.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"
#include "inference/gguf/gguf_file.h"
#include "inference/model/model.h"

namespace cairn::inference {

/// "llama", "qwen2" or "qwen3": also the `model_type` of such a model's config.json. Errors:
/// unsupported for another `general.architecture`, naming it.
Result<std::string> architecture_of(const GgufValues& values);

/// The config.json of the model: sizes, positions, and which tensors there are. Its `gguf_file` is
/// `file_name`. Takes the factors of rope_freqs.weight from the file. Errors: invalid_argument,
/// naming the value; unsupported for a value of the architecture that is not known here, since it
/// could change every answer; those of `read`.
Result<Json> config_of_gguf(const GgufFile& file, std::string_view file_name,
                            const ReadRange& read);

}  // namespace cairn::inference
