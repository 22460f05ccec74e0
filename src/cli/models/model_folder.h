// SPDX-License-Identifier: Apache-2.0
// A model as a folder on this machine: which files count, and what they are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"
#include "os/files/files.h"

namespace cairn::cli {

struct LocalModelFile {
  std::string name;  // beneath the folder: "1_Pooling/config.json"
  std::uint64_t size_bytes = 0;
  std::string sha256 = {};  // once it was read
};

struct LocalModel {
  std::vector<LocalModelFile> files;
  std::vector<std::string>
      left_out;              // weights in other formats, and whatever is no part of a model
  std::string license = {};  // the text, or what the README's head names; or empty
};

/// True for names that a model can consist of: JSON, texts, safetensors, GGUF, licences.
bool is_model_file(std::string_view name);

/// Looks at a folder: what its SHA256SUMS names, else all that can be part of a model, at most
/// 1,000 files in sub-folders at most four deep; GGUF files only where it has no safetensors. Reads
/// every file once for its digest; `progress` gets the bytes read so far and all there are. Errors:
/// not_found; corrupt where a file does not match SHA256SUMS; too_large; cancelled.
Result<LocalModel> look_at_model(os::Files& files, const std::string& folder,
                                 const std::function<void(std::uint64_t, std::uint64_t)>& progress,
                                 const os::Deadline& deadline);

/// The same of a folder's one file, a model by itself.
Result<LocalModel> look_at_file(os::Files& files, const std::string& folder,
                                const std::string& name,
                                const std::function<void(std::uint64_t, std::uint64_t)>& progress,
                                const os::Deadline& deadline);

/// Whether a path or an address ends in the name of a GGUF file.
bool names_gguf(std::string_view source);

/// "My Org/MiniLM_v2/" as "minilm_v2": the last name of a folder or an address, without ".gguf", in
/// the letters that ids of models have; empty where nothing is left.
std::string model_id_of(std::string_view source);

}  // namespace cairn::cli
