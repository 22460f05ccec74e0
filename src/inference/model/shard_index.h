// SPDX-License-Identifier: Apache-2.0
// model.safetensors.index.json: which file of a model has which tensor.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "inference/model/safetensors.h"

namespace cairn::inference {

struct ShardIndex {
  std::vector<std::string> files;  // names beside the index, each once, sorted
  std::vector<std::pair<std::string, std::size_t>> tensors;  // names, and places in `files`
};

/// Errors: invalid_argument for what is no index, or names files elsewhere.
Result<ShardIndex> read_shard_index(std::string_view index_json);

/// The tensors that the index names, from `shards`, which are its files in order; they outlive the
/// result. Errors: invalid_argument where a file has not the tensors that the index names of it.
Result<std::vector<Tensor>> tensors_of(const ShardIndex& index,
                                       std::span<const Safetensors> shards);

}  // namespace cairn::inference
