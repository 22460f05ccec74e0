// SPDX-License-Identifier: Apache-2.0
// Files of tensors: each array lies within the file and has as many bytes as its shape says. And
// indices of such files: each tensor is in a file that the index names.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "inference/model/safetensors.h"
#include "inference/model/shard_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::inference;
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  if (const auto index = read_shard_index(file); index.ok()) {
    for (const auto& [name, shard] : index->tensors)
      if (shard >= index->files.size()) std::abort();
  }
  const auto parsed = Safetensors::parse(file);
  // The head alone tells as much as the whole file.
  const auto head = Safetensors::head_bytes(file, file.size());
  const bool good =
      head.ok() && Safetensors::check_head(file.substr(0, *head), file.size()).ok();
  if (good != parsed.ok()) std::abort();
  if (!parsed.ok()) return 0;
  for (const Tensor& tensor : parsed->tensors()) {
    std::uint64_t bytes = bytes_of(tensor.type);
    for (const std::uint64_t length : tensor.shape) bytes *= length;
    if (bytes != tensor.bytes.size() || parsed->find(tensor.name) == nullptr) std::abort();
    if (bytes != 0 && (tensor.bytes.data() < file.data() ||
                       tensor.bytes.data() + bytes > file.data() + file.size()))
      std::abort();
  }
  return 0;
}
