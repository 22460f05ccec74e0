// SPDX-License-Identifier: Apache-2.0
// Walking a folder of a model, and digests of what it holds.
#include "cli/models/model_folder.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"

namespace cairn::cli {
namespace {

constexpr std::size_t files_max = 1'000;
constexpr int depth_max = 4;
constexpr std::size_t step_bytes = 1 << 20;
constexpr std::size_t license_max = 256 << 10;
constexpr std::size_t sums_max = 1 << 20;
constexpr std::string_view sums_name = "SHA256SUMS";

bool is_license(std::string_view name) {
  const std::string lower = lower_ascii(name);
  return lower.starts_with("license") || lower.starts_with("licence") ||
         lower.starts_with("copying") || lower.starts_with("notice");
}

Error bad_folder(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument, .message = std::move(message)};
}

Status walk_model(os::Files& files, const std::string& folder, const std::string& below, int depth,
                  LocalModel& out) {
  CAIRN_TRY(std::vector<std::string> names, files.list(folder + "/" + below));
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (name.starts_with('.')) continue;
    const std::string path = below + name;
    CAIRN_TRY(const os::FileInfo info, files.info(folder + "/" + path));
    if (info.is_directory) {
      if (depth + 1 < depth_max) CAIRN_CHECK(walk_model(files, folder, path + "/", depth + 1, out));
      continue;
    }
    if (path == sums_name) continue;
    if (!is_model_file(path)) {
      out.left_out.push_back(path);
      continue;
    }
    if (out.files.size() == files_max) return bad_folder("[" + folder + "] has over 1000 files");
    out.files.push_back({.name = path, .size_bytes = info.size_bytes});
  }
  return ok_status();
}

/// Digests by name, of a file SHA256SUMS.
Result<std::map<std::string, std::string>> sums_of(const std::string& text) {
  std::map<std::string, std::string> out;
  for (const std::string_view line : split(text, '\n')) {
    if (trim(line).empty()) continue;
    if (line.size() < 67) return bad_folder("SHA256SUMS has a line that is no digest and name");
    std::string name(line.substr(66));
    if (name.starts_with("./")) name.erase(0, 2);
    for (const std::string_view part : split(name, '/')) {
      if (part.empty() || part == "..") return bad_folder("SHA256SUMS names [" + name + "]");
    }
    out[std::move(name)] = lower_ascii(line.substr(0, 64));
  }
  return out;
}

/// `license: apache-2.0` of the head of a README, as model hubs have it.
std::string license_of_readme(const std::string& text) {
  if (!text.starts_with("---")) return {};
  for (const std::string_view line : split(text, '\n')) {
    if (line == "---" && line.data() != text.data()) break;
    if (line.starts_with("license:")) return "license: " + std::string(trim(line.substr(8)));
  }
  return {};
}

void find_license(os::Files& files, const std::string& folder, LocalModel& model) {
  for (const LocalModelFile& file : model.files) {
    if (!is_license(file.name)) continue;
    const auto text = os::read_file(files, folder + "/" + file.name, license_max);
    if (!text.ok()) continue;
    if (!model.license.empty()) model.license += "\n";
    model.license += *text;
  }
  if (!model.license.empty()) return;
  const auto readme = os::read_file(files, folder + "/README.md", license_max);
  if (readme.ok()) model.license = license_of_readme(*readme);
}

using Sums = std::map<std::string, std::string>;  // digest by name

/// Beside other weights, GGUF files are the same model once more.
void leave_out_gguf(LocalModel& model) {
  const bool has_others =
      std::any_of(model.files.begin(), model.files.end(), [](const LocalModelFile& file) {
        return file.name == "model.safetensors" || file.name == "model.safetensors.index.json";
      });
  if (!has_others) return;
  std::erase_if(model.files, [&](const LocalModelFile& file) {
    if (!names_gguf(file.name)) return false;
    model.left_out.push_back(file.name);
    return true;
  });
}

/// Reads each file once.
Status digest_files(os::Files& files, const std::string& folder, const Sums& sums,
                    const std::function<void(std::uint64_t, std::uint64_t)>& progress,
                    const os::Deadline& deadline, LocalModel& out) {
  std::uint64_t total = 0;
  std::uint64_t done = 0;
  for (const LocalModelFile& file : out.files) total += file.size_bytes;
  std::string buffer(step_bytes, '\0');
  for (LocalModelFile& file : out.files) {
    CAIRN_TRY(const auto opened, files.open(folder + "/" + file.name, os::OpenMode::read));
    Digest digest(DigestKind::sha256);
    std::uint64_t at = 0;
    while (true) {
      CAIRN_CHECK(deadline.check("reading [" + file.name + "]"));
      CAIRN_TRY(const std::size_t count, opened->read_at(at, buffer.data(), buffer.size()));
      if (count == 0) break;
      digest.update(std::string_view(buffer).substr(0, count));
      at += count;
      progress(done += count, total);
    }
    file.size_bytes = at;
    file.sha256 = to_hex(digest.finish());
    const auto named = sums.find(file.name);
    if (named != sums.end() && named->second != file.sha256) {
      return Error{.kind = ErrorKind::corrupt,
                   .message = "[" + folder + "/" + file.name + "] does not match SHA256SUMS"};
    }
  }
  return ok_status();
}

}  // namespace

bool names_gguf(std::string_view source) {
  constexpr std::string_view ending = ".gguf";
  return source.size() > ending.size() && lower_ascii(source).ends_with(ending) &&
         source[source.size() - ending.size() - 1] != '/';
}

bool is_model_file(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  const std::string base =
      lower_ascii(slash == std::string_view::npos ? name : name.substr(slash + 1));
  if (names_gguf(name) && slash == std::string_view::npos) return true;
  for (const std::string_view ending : {".json", ".txt", ".md", ".safetensors"}) {
    if (base.ends_with(ending)) return !name.starts_with("onnx/") && !name.starts_with("openvino/");
  }
  return is_license(base);
}

Result<LocalModel> look_at_model(os::Files& files, const std::string& folder,
                                 const std::function<void(std::uint64_t, std::uint64_t)>& progress,
                                 const os::Deadline& deadline) {
  LocalModel out;
  CAIRN_CHECK(walk_model(files, folder, "", 0, out));
  Sums sums;
  if (files.info(folder + "/" + std::string(sums_name)).ok()) {
    CAIRN_TRY(const std::string text,
              os::read_file(files, folder + "/" + std::string(sums_name), sums_max));
    CAIRN_TRY(sums, sums_of(text));
    out = LocalModel();
    for (const auto& [name, digest] : sums) {
      CAIRN_TRY(const os::FileInfo info, files.info(folder + "/" + name));
      out.files.push_back({.name = name, .size_bytes = info.size_bytes});
    }
  } else {
    leave_out_gguf(out);
  }
  CAIRN_CHECK(digest_files(files, folder, sums, progress, deadline, out));
  find_license(files, folder, out);
  return out;
}

Result<LocalModel> look_at_file(os::Files& files, const std::string& folder,
                                const std::string& name,
                                const std::function<void(std::uint64_t, std::uint64_t)>& progress,
                                const os::Deadline& deadline) {
  CAIRN_TRY(const os::FileInfo info, files.info(folder + "/" + name));
  LocalModel out;
  out.files.push_back({.name = name, .size_bytes = info.size_bytes});
  CAIRN_CHECK(digest_files(files, folder, {}, progress, deadline, out));
  return out;
}

std::string model_id_of(std::string_view source) {
  while (source.ends_with('/')) source.remove_suffix(1);
  source = source.substr(source.rfind('/') + 1);
  if (names_gguf(source)) source.remove_suffix(std::string_view(".gguf").size());
  std::string out;
  for (const char c : lower_ascii(source)) {
    const bool kept =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (kept) out += c;
  }
  const auto is_end = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  while (!out.empty() && !is_end(out.back())) out.pop_back();
  while (!out.empty() && !is_end(out.front())) out.erase(0, 1);
  return out;
}

}  // namespace cairn::cli
