// SPDX-License-Identifier: Apache-2.0
// Reading the index, and putting the files together.
#include "inference/model/shard_index.h"

#include <algorithm>

#include "format/json.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_tensors = 1'000'000;
constexpr std::size_t most_shards = 1'000;

Error wrong_index(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "model.safetensors.index.json: " + std::move(message)};
}

bool is_file_beside(std::string_view name) {
  return name.size() < 256 && name.ends_with(".safetensors") &&
         name.find_first_of("/\\") == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

}  // namespace

Result<ShardIndex> read_shard_index(std::string_view index_json) {
  const auto json = parse_json(index_json, {.unique_names = true});
  if (!json.ok()) return wrong_index(json.error().message);
  const Json* map = json->find("weight_map");
  if (map == nullptr || !map->is_object() || map->as_object().empty())
    return wrong_index("[weight_map] must be an object of files by tensor");
  if (map->as_object().size() > most_tensors) return wrong_index("[weight_map] is too large");
  ShardIndex out;
  for (const auto& [name, file] : map->as_object()) {
    if (!file.is_string() || !is_file_beside(file.as_string()))
      return wrong_index("[" + name + "] must be in a .safetensors file beside the index");
    out.files.push_back(file.as_string());
  }
  std::sort(out.files.begin(), out.files.end());
  out.files.erase(std::unique(out.files.begin(), out.files.end()), out.files.end());
  if (out.files.size() > most_shards) return wrong_index("[weight_map] names too many files");
  for (const auto& [name, file] : map->as_object()) {
    const auto at = std::lower_bound(out.files.begin(), out.files.end(), file.as_string());
    out.tensors.emplace_back(name, static_cast<std::size_t>(at - out.files.begin()));
  }
  return out;
}

Result<std::vector<Tensor>> tensors_of(const ShardIndex& index,
                                       std::span<const Safetensors> shards) {
  if (shards.size() != index.files.size()) {
    return wrong_index("names " + std::to_string(index.files.size()) + " files, not " +
                       std::to_string(shards.size()));
  }
  std::vector<std::vector<const Tensor*>> by_name;  // of each file
  for (const Safetensors& shard : shards) {
    auto& tensors = by_name.emplace_back();
    for (const Tensor& tensor : shard.tensors()) tensors.push_back(&tensor);
    std::sort(tensors.begin(), tensors.end(),
              [](const Tensor* a, const Tensor* b) { return a->name < b->name; });
  }
  std::vector<Tensor> out;
  out.reserve(index.tensors.size());
  for (const auto& [name, shard] : index.tensors) {
    const auto& tensors = by_name[shard];
    const auto found =
        std::lower_bound(tensors.begin(), tensors.end(), name,
                         [](const Tensor* a, const std::string& b) { return a->name < b; });
    if (found == tensors.end() || (*found)->name != name)
      return wrong_index("[" + name + "] is not in [" + index.files[shard] + "]");
    out.push_back(**found);
  }
  return out;
}

}  // namespace cairn::inference
