// SPDX-License-Identifier: Apache-2.0
// The tensors of a decoder's GGUF file as folders of the Hugging Face layout have them.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "inference/model/safetensors.h"

namespace cairn::inference {

/// The tensors of a whole file, by the names that folders have, as views into `file`. Files of
/// architecture `llama` have the rows of queries and keys in another order: pairs that turn
/// together stand side by side. They are put back in place, within `file`, which therefore serves
/// this one call. Errors: as of GgufFile::read; invalid_argument for a tensor that the architecture
/// does not have, and for shapes that do not fit the heads.
Result<std::vector<Tensor>> decoder_tensors_of(std::span<char> file);

}  // namespace cairn::inference
