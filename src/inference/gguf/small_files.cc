// SPDX-License-Identifier: Apache-2.0
// A head, read piece by piece until it is whole, as the small files of a folder.
#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "inference/gguf/decoder_values.h"
#include "inference/gguf/gguf_file.h"
#include "inference/gguf/tokenizer_values.h"
#include "inference/model/model.h"

namespace cairn::inference {
namespace {

constexpr std::uint64_t first_head_bytes = std::uint64_t{8} << 20U;  // more than most heads have

Result<SmallFiles> small_files_of(const GgufFile& file, std::string_view name,
                                  const ReadRange& read) {
  CAIRN_TRY(const Json config, config_of_gguf(file, name, read));
  CAIRN_TRY(TokenizerTexts texts, tokenizer_of_gguf(file.values()));
  SmallFiles out;
  out["config.json"] = config.dump(true);
  out["tokenizer.json"] = std::move(texts.tokenizer_json);
  out["tokenizer_config.json"] = std::move(texts.tokenizer_config);
  out["generation_config.json"] = std::move(texts.generation_config);
  return out;
}

}  // namespace

namespace {

Result<SmallFiles> whole_head_of(std::string_view name, std::uint64_t size_bytes,
                                 const ReadRange& read) {
  for (std::uint64_t count = first_head_bytes;; count *= 2) {
    CAIRN_TRY(const std::string begin, read(0, std::min(count, size_bytes)));
    CAIRN_TRY(const std::optional<GgufFile> file, GgufFile::read(begin, size_bytes));
    if (file) return small_files_of(*file, name, read);
    if (count >= size_bytes || count > GgufFile::most_head_bytes)
      return gguf_value_error("the head", "is not whole");
  }
}

}  // namespace

Result<SmallFiles> small_files_of_gguf(std::string_view name, std::uint64_t size_bytes,
                                       const ReadRange& read) {
  try {  // a head may say more than there is memory for
    return whole_head_of(name, size_bytes, read);
  } catch (const std::bad_alloc&) {
    return Error{
        .kind = ErrorKind::rate_limited,
        .message = "there is not enough memory for the head of [" + std::string(name) + "]"};
  }
}

}  // namespace cairn::inference
