// SPDX-License-Identifier: Apache-2.0
// Reading lists of files strictly: they come from folders and addresses that others fill.
#include "inference/model/manifest.h"

#include <algorithm>
#include <set>

#include "base/strings.h"

namespace cairn::inference {
namespace {

constexpr std::size_t file_name_max = 255;
constexpr std::size_t model_id_max = 200;

Error bad_manifest(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument,
               .code = "illegal_argument_exception",
               .message = std::move(message)};
}

bool is_digest(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool is_id_end(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

Result<ModelFile> read_manifest_file(const Json& json) {
  ModelFile out{.name = json.string_or("name"), .sha256 = json.string_or("sha256")};
  CAIRN_CHECK(check_file_name(out.name));
  if (!is_digest(out.sha256)) {
    return bad_manifest("file [" + out.name + "] needs [sha256]: 64 lower-case hexadecimal digits");
  }
  const std::int64_t size = json.int_or("size_bytes", -1);
  if (size < 0) return bad_manifest("file [" + out.name + "] needs [size_bytes]");
  out.size_bytes = static_cast<std::uint64_t>(size);
  return out;
}

bool is_gguf_name(std::string_view name) {
  return lower_ascii(name).ends_with(".gguf") && name.find('/') == std::string_view::npos;
}

bool has_safetensors(const std::vector<ModelFile>& files) {
  return std::any_of(files.begin(), files.end(), [](const ModelFile& file) {
    return file.name == "model.safetensors" || file.name == "model.safetensors.index.json";
  });
}

/// Whether the list has what says what the model is.
Status check_whole(const std::vector<ModelFile>& files) {
  if (!gguf_file_of(files).empty()) return ok_status();
  std::string several;
  for (const ModelFile& file : files)
    if (is_gguf_name(file.name)) several += " [" + file.name + "]";
  if (!several.empty() && !has_safetensors(files))
    return bad_manifest("the model has several GGUF files:" + several + "; choose one of them");
  const bool has_config = std::any_of(
      files.begin(), files.end(), [](const ModelFile& file) { return file.name == "config.json"; });
  if (has_config) return ok_status();
  return bad_manifest("the model has no config.json, which says what it is");
}

}  // namespace

std::string gguf_file_of(const std::vector<ModelFile>& files) {
  if (has_safetensors(files)) return {};
  std::string out;
  for (const ModelFile& file : files) {
    if (!is_gguf_name(file.name)) continue;
    if (!out.empty()) return {};
    out = file.name;
  }
  return out;
}

bool is_said_by_gguf(std::string_view name) {
  return name == "config.json" || name == "tokenizer.json" || name == "tokenizer_config.json" ||
         name == "generation_config.json" || name == "special_tokens_map.json" ||
         name == "vocab.txt" || name == "chat_template.jinja";
}

Status check_new_model_id(std::string_view model_id) {
  const std::string_view rest = model_id.starts_with('.') ? model_id.substr(1) : model_id;
  bool good = !rest.empty() && model_id.size() <= model_id_max && is_id_end(rest.front()) &&
              is_id_end(rest.back()) && model_id != ".incoming";
  for (const char c : rest) good = good && (is_id_end(c) || c == '-' || c == '_' || c == '.');
  if (good) return ok_status();
  return bad_manifest("Invalid model_id; [" + std::string(model_id) +
                      "] can contain lowercase alphanumeric (a-z and 0-9), hyphens, underscores or "
                      "dots, at most 200 characters; must start and end with alphanumeric");
}

Status check_file_name(std::string_view name) {
  bool good = !name.empty() && name.size() <= file_name_max && name != sums_file_name;
  for (const std::string_view part : split(name, '/')) {
    good = good && !part.empty() && part != "." && part != "..";
  }
  for (const char c : name) {
    good = good && static_cast<unsigned char>(c) > 0x1f && c != '\\' && c != 0x7f;
  }
  if (good) return ok_status();
  return bad_manifest("[" + std::string(name.substr(0, file_name_max)) +
                      "] is not the name of a file of a model");
}

Result<std::vector<std::pair<std::string, std::string>>> read_sums(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  std::set<std::string, std::less<>> seen;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const auto at_line = [&](std::string what) {
      return bad_manifest("line " + std::to_string(number) + " of SHA256SUMS " + std::move(what));
    };
    std::string digest = lower_ascii(line.substr(0, 64));
    if (line.size() < 67 || !is_digest(digest) || line[64] != ' ' ||
        (line[65] != ' ' && line[65] != '*')) {
      return at_line("is not a digest and a name");
    }
    std::string name(line.substr(66));
    if (name.starts_with("./")) name.erase(0, 2);
    if (const Status good = check_file_name(name); !good.ok()) return at_line(good.error().message);
    if (!seen.insert(name).second) return at_line("names [" + name + "] once more");
    if (out.size() == manifest_files_max)
      return at_line("is one too many: a model has at most 1000 files");
    out.emplace_back(std::move(name), std::move(digest));
  }
  return out;
}

std::string write_sums(const std::vector<ModelFile>& files) {
  std::string out;
  for (const ModelFile& file : files) out += file.sha256 + "  " + file.name + "\n";
  return out;
}

Result<std::vector<ModelFile>> read_manifest(const Json& json) {
  const Json* files = json.find("files");
  if (files == nullptr || !files->is_array() || files->as_array().empty()) {
    return bad_manifest("[files] must be an array of the files of the model");
  }
  if (files->as_array().size() > manifest_files_max) {
    return bad_manifest("[files] holds more than 1000 files");
  }
  std::vector<ModelFile> out;
  std::set<std::string> seen;
  std::uint64_t total = 0;
  for (const Json& one : files->as_array()) {
    if (!one.is_object()) return bad_manifest("[files] must hold objects");
    CAIRN_TRY(ModelFile file, read_manifest_file(one));
    if (!seen.insert(file.name).second) {
      return bad_manifest("file [" + file.name + "] is named twice");
    }
    if (file.size_bytes > model_bytes_max || (total += file.size_bytes) > model_bytes_max) {
      return bad_manifest("a model has at most 256 GiB");
    }
    out.push_back(std::move(file));
  }
  CAIRN_CHECK(check_whole(out));
  if (gguf_file_of(out).empty()) return out;
  std::erase_if(out, [](const ModelFile& file) { return is_said_by_gguf(file.name); });
  return out;
}

Json manifest_json(const std::vector<ModelFile>& files) {
  Json list = Json::array();
  for (const ModelFile& file : files) {
    list.push(Json::object(
        {{"name", file.name}, {"size_bytes", file.size_bytes}, {"sha256", file.sha256}}));
  }
  return Json::object({{"files", std::move(list)}});
}

std::uint64_t largest_small_file(std::string_view name) {
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
  if (name == "tokenizer.json" || name == "vocab.txt") return 64 * mebibyte;
  return name == "model.safetensors.index.json" ? 16 * mebibyte : 2 * mebibyte;
}

Status check_small_file(std::string_view name, std::uint64_t size_bytes) {
  const std::uint64_t most = largest_small_file(name);
  if (size_bytes <= most) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message = std::string(name) + " has more than " + std::to_string(most >> 20U) +
                          " MiB"};
}

}  // namespace cairn::inference
