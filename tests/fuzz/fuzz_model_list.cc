// SPDX-License-Identifier: Apache-2.0
// Lists of files of a model, from places that others fill: no name leads out of the model's folder,
// and what was read is written so that it reads the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/json.h"
#include "inference/model/manifest.h"

namespace {

void check_name(const std::string& name) {
  if (!cairn::inference::check_file_name(name).ok()) std::abort();
  if (name.starts_with("/") || ("/" + name + "/").find("/../") != std::string::npos) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::inference;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(check_new_model_id(text).ok());
  if (const auto sums = read_sums(text); sums.ok()) {
    std::vector<ModelFile> files;
    for (const auto& [name, digest] : *sums) {
      check_name(name);
      files.push_back({.name = name, .sha256 = digest});
    }
    const auto again = read_sums(write_sums(files));
    if (!again.ok() || *again != *sums) std::abort();
  }
  const auto json = cairn::parse_json(text);
  if (!json.ok() || !json->is_object()) return 0;
  if (const auto files = read_manifest(*json); files.ok()) {
    for (const ModelFile& file : *files) check_name(file.name);
    const auto again = read_manifest(manifest_json(*files));
    if (!again.ok() || *again != *files) std::abort();
  }
  return 0;
}
