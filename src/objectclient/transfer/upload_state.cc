// SPDX-License-Identifier: Apache-2.0
#include "objectclient/transfer/upload_state.h"

#include <utility>

#include "format/json.h"
#include "os/files/secret_file.h"

namespace cairn::objectclient {
namespace {

constexpr int format_version = 1;
constexpr int lock_tries_max = 20;

std::string lock_path_of(const std::string& path) { return path + ".lock"; }

Json json_of_state(const UploadState& state) {
  return Json::object({{"version", format_version},
                       {"upload_id", state.upload_id},
                       {"parameters", state.parameters},
                       {"source", state.source},
                       {"size", state.size},
                       {"modified_ns", state.modified_ns},
                       {"part_bytes", state.part_bytes}});
}

}  // namespace

Result<UploadStateFile> UploadStateFile::open(std::string path) {
  os::Files& files = os::system_files();
  if (const auto slash = path.rfind('/'); slash != std::string::npos && slash > 0)
    CAIRN_CHECK(files.make_directories(path.substr(0, slash), 0700));
  const std::string lock_path = lock_path_of(path);
  // Whoever ends removes the lock's file: a lock counts where the file still has its name.
  for (int tries = 0; tries < lock_tries_max; ++tries) {
    auto lock = files.lock(lock_path);
    if (!lock.ok() && lock.error().kind == ErrorKind::conflict)
      return Error{ErrorKind::conflict, {}, "another upload is at work with " + path};
    if (!lock.ok()) return std::move(lock).error();
    const auto held = (*lock)->info();
    const auto named = files.info(lock_path);
    if (held.ok() && named.ok() && held->id == named->id)
      return UploadStateFile(std::move(path), std::move(*lock));
  }
  return Error{ErrorKind::conflict, {}, "other uploads are at work with " + path};
}

UploadStateFile::~UploadStateFile() {
  if (lock_ != nullptr) static_cast<void>(os::system_files().remove(lock_path_of(path_)).ok());
}

Result<std::optional<UploadState>> UploadStateFile::read() const {
  CAIRN_TRY(const auto text, os::read_secret_file(path_));
  if (!text) return std::optional<UploadState>();
  const auto json = parse_json(*text);
  if (!json.ok() || json->int_or("version") != format_version) return std::optional<UploadState>();
  return std::optional(
      UploadState{.upload_id = json->string_or("upload_id"),
                  .parameters = json->string_or("parameters"),
                  .source = json->string_or("source"),
                  .size = static_cast<std::uint64_t>(json->int_or("size")),
                  .modified_ns = json->int_or("modified_ns"),
                  .part_bytes = static_cast<std::uint64_t>(json->int_or("part_bytes"))});
}

Status UploadStateFile::write(const UploadState& state) const {
  return os::write_secret_file(path_, json_of_state(state).dump() + "\n");
}

void UploadStateFile::remove() const { static_cast<void>(os::system_files().remove(path_).ok()); }

}  // namespace cairn::objectclient
