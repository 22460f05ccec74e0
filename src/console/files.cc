// SPDX-License-Identifier: Apache-2.0
#include "console/files.h"

#include <algorithm>
#include <utility>

#include "base/compress.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "console/embedded.h"
#include "os/files/files.h"

namespace cairn::console {
namespace {

constexpr std::size_t file_bytes_max = 16 << 20;

/// Parts of letters, digits, and - _ . that is not the first.
bool is_plain_path(std::string_view path) {
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part.front() == '.') return false;
    const bool plain = std::all_of(part.begin(), part.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '-' || c == '_' || c == '.';
    });
    if (!plain) return false;
  }
  return true;
}

class EmbeddedFiles final : public Files {
 public:
  std::optional<File> find(std::string_view path) const override {
    for (const EmbeddedFile& each : embedded_table())
      if (path == each.path)
        return File{.gzipped = std::string(each.begin, each.end),
                    .tag = each.tag,
                    .type = std::string(type_of(path))};
    return std::nullopt;
  }
};

class FolderFiles final : public Files {
 public:
  explicit FolderFiles(std::unique_ptr<os::Files> files) : files_(std::move(files)) {}

  std::optional<File> find(std::string_view path) const override {
    if (!is_plain_path(path)) return std::nullopt;
    const std::string name(path);
    // As the build of the console lays them, or plain.
    auto packed = os::read_file(*files_, name + ".gz", file_bytes_max);
    if (!packed.ok()) {
      packed = os::read_file(*files_, name, file_bytes_max);
      if (!packed.ok()) return std::nullopt;
      packed = gzip(*packed, 1);
    }
    return File{.gzipped = *packed,
                .tag = to_hex(sha256(*packed)).substr(0, 32),
                .type = std::string(type_of(path))};
  }

 private:
  std::unique_ptr<os::Files> files_;
};

}  // namespace

std::unique_ptr<Files> embedded_files() { return std::make_unique<EmbeddedFiles>(); }

Result<std::unique_ptr<Files>> files_of_folder(const std::string& folder) {
  CAIRN_TRY(auto files, os::rooted_files(folder));
  return std::unique_ptr<Files>(std::make_unique<FolderFiles>(std::move(files)));
}

std::string_view type_of(std::string_view path) {
  static constexpr std::pair<std::string_view, std::string_view> types[] = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".txt", "text/plain; charset=utf-8"},
      {".map", "application/json"},
  };
  for (const auto& [ending, type] : types)
    if (path.ends_with(ending)) return type;
  return "application/octet-stream";
}

}  // namespace cairn::console
