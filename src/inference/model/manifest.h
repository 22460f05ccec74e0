// SPDX-License-Identifier: Apache-2.0
// What a model consists of: its files with sizes and digests, and the names that may stand there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::inference {

struct ModelFile {
  std::string name;  // "config.json", "1_Pooling/config.json"
  std::uint64_t size_bytes = 0;
  std::string sha256;  // 64 lower-case hexadecimal digits
  friend bool operator==(const ModelFile&, const ModelFile&) = default;
};

inline constexpr std::string_view sums_file_name = "SHA256SUMS";
inline constexpr std::size_t manifest_files_max = 1'000;
inline constexpr std::uint64_t model_bytes_max = std::uint64_t{256} << 30U;

/// Errors: invalid_argument for an id that no new model may have: 1 to 200 of a-z, 0-9, `-`, `_`
/// and
/// `.`, a letter or digit at the end and, but for one leading dot, at the beginning.
Status check_new_model_id(std::string_view model_id);

/// Errors: invalid_argument for a name that leads elsewhere, or that no file of a model has.
Status check_file_name(std::string_view name);

/// The lines of `sha256sum`: name and digest. Errors: invalid_argument with the line.
Result<std::vector<std::pair<std::string, std::string>>> read_sums(std::string_view text);
std::string write_sums(const std::vector<ModelFile>& files);

/// The GGUF file that is the whole model: the only one of the list, where it has no
/// model.safetensors and no index of shards. Empty where there is none.
std::string gguf_file_of(const std::vector<ModelFile>& files);
/// Whether a GGUF file stands for the file of this name (see small_files_of_gguf).
bool is_said_by_gguf(std::string_view name);

/// `{"files": [{"name", "size_bytes", "sha256"}]}`. Where a GGUF file is the model, files that it
/// stands for are left out. Errors: invalid_argument: what is missing, a name that stands twice, no
/// config.json beside other weights, several GGUF files, more than may be.
Result<std::vector<ModelFile>> read_manifest(const Json& json);
Json manifest_json(const std::vector<ModelFile>& files);

/// The most that a small file may have: it is read into memory, and as JSON takes many times as much.
std::uint64_t largest_small_file(std::string_view name);
/// Errors: invalid_argument for a file of `size_bytes` that is larger.
Status check_small_file(std::string_view name, std::uint64_t size_bytes);

}  // namespace cairn::inference
