// SPDX-License-Identifier: Apache-2.0
// Files of tensors: each array lies within the file and has as many bytes as its shape says.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "inference/model/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::inference;
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto parsed = Safetensors::parse(file);
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
