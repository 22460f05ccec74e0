// SPDX-License-Identifier: Apache-2.0
// GGUF files: each tensor lies within the file, apart from the others, and has as many bytes as its
// shape says. What a decoder's file stands for is read by those who read such files of folders.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "inference/decoder/config.h"
#include "inference/gguf/decoder_tensors.h"
#include "inference/gguf/gguf_file.h"
#include "inference/model/model.h"
#include "text/tokenizer.h"

namespace {

using namespace cairn;
using namespace cairn::inference;

void check_tensors(const GgufFile& head, std::uint64_t file_bytes) {
  std::uint64_t end = 0;
  for (const GgufTensor& tensor : head.tensors()) {
    const NumberLayout layout = layout_of(tensor.type);
    std::uint64_t numbers = 1;
    for (const std::uint64_t length : tensor.shape) numbers *= length;
    if (numbers / layout.numbers * layout.bytes != tensor.bytes) std::abort();
    if (tensor.begin < end || tensor.bytes > file_bytes - tensor.begin) std::abort();
    end = tensor.begin + tensor.bytes;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto head = GgufFile::read(file, file.size());
  if (!head.ok()) return 0;
  if (!head->has_value()) std::abort();  // the whole file is there
  check_tensors(**head, file.size());
  std::string bytes(file);
  if (const auto tensors = decoder_tensors_of(bytes); tensors.ok()) {
    for (const Tensor& tensor : *tensors) {
      if (tensor.bytes.data() < bytes.data() ||
          tensor.bytes.data() + tensor.bytes.size() > bytes.data() + bytes.size())
        std::abort();
    }
  }
  const auto files =
      small_files_of_gguf("m.gguf", size, [&](std::uint64_t offset, std::uint64_t count) {
        return Result<std::string>(std::string(file.substr(offset, count)));
      });
  if (!files.ok()) return 0;
  static_cast<void>(read_decoder_config(files->at("config.json")).ok());
  static_cast<void>(text::Tokenizer::parse(files->at("tokenizer.json")).ok());
  return 0;
}
