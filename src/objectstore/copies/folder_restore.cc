// SPDX-License-Identifier: Apache-2.0
#include "objectstore/copies/folder_restore.h"

#include <utility>

#include "base/strings.h"
#include "objectstore/metadata/metadata_check.h"
#include "objectstore/metadata/metadata_state.h"

namespace cairn::objectstore {
namespace {

constexpr std::size_t secret_bytes_max = 1 << 20;

std::string metadata_folder(const std::string& path) { return path + "/objects/meta"; }
std::string marker_file(const std::string& path) {
  return path + "/" + std::string(restoring_name);
}

Error taken(const std::string& path, const std::string& why) {
  return {.kind = ErrorKind::conflict,
          .message = "[" + path + "] " + why +
                     "; name a new or an empty folder, or move this one away first"};
}

/// True where an earlier restore of the same name was cut short.
Result<bool> is_begun(os::Files& files, const std::string& path, const std::string& name) {
  const auto marker = os::read_file(files, marker_file(path), 4096);
  if (!marker.ok() && marker.error().kind != ErrorKind::not_found) return marker.error();
  if (marker.ok() && *marker != name + "\n")
    return taken(path,
                 "holds the beginning of another restore, of [" + std::string(trim(*marker)) + "]");
  return marker.ok();
}

Status check_empty(os::Files& files, const std::string& path) {
  CAIRN_TRY(const auto names, files.list(path));
  for (const std::string& name : names)
    if (name != "LOCK" && name != "lost+found") return taken(path, "holds [" + name + "] already");
  return ok_status();
}

Status remove_files(os::Files& files, const std::string& folder) {
  CAIRN_TRY(const auto names, files.list(folder));
  for (const std::string& name : names) CAIRN_CHECK(files.remove(folder + "/" + name));
  return ok_status();
}

/// "keys/master.key", and nothing that leads out of the folder or into the objects.
bool is_plain(const std::string& path) {
  const auto parts = split(path, '/');
  for (const std::string_view part : parts)
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos)
      return false;
  return parts.size() > 1 && parts[0] != "objects" && parts[0] != "tmp";
}

}  // namespace

FolderRestore::FolderRestore(os::Files& files, std::string path, std::unique_ptr<os::File> lock)
    : files_(files),
      path_(std::move(path)),
      lock_(std::move(lock)),
      extents_(files, {.directory = path_ + "/objects/extents",
                       .temporary = path_ + "/tmp",
                       .cached_bytes_max = 4 << 20}) {}

Result<std::unique_ptr<FolderRestore>> FolderRestore::begin(os::Files& files,
                                                            const std::string& path,
                                                            const std::string& name) {
  CAIRN_CHECK(os::make_directories_durably(files, path));
  auto lock = files.lock(path + "/LOCK");
  if (!lock.ok() && lock.error().kind == ErrorKind::conflict)
    return taken(path, "is in use by another process");
  CAIRN_CHECK(lock);
  CAIRN_TRY(const bool goes_on, is_begun(files, path, name));
  if (!goes_on) {
    CAIRN_CHECK(check_empty(files, path));
    CAIRN_CHECK(os::replace_file(files, marker_file(path), name + "\n"));
  }
  CAIRN_CHECK(os::make_directories_durably(files, path + "/keys", 0700));
  for (const char* folder : {"/objects/meta", "/objects/extents", "/tmp", "/audit"})
    CAIRN_CHECK(os::make_directories_durably(files, path + folder));
  CAIRN_CHECK(remove_files(files, metadata_folder(path)));
  CAIRN_CHECK(remove_files(files, path + "/tmp"));
  return std::unique_ptr<FolderRestore>(new FolderRestore(files, path, std::move(*lock)));
}

Status FolderRestore::write(const std::string& path, const NextBytes& next) {
  CAIRN_TRY(const auto file, files_.open(path, os::OpenMode::truncate));
  for (;;) {
    CAIRN_TRY(const std::string bytes, next());
    if (bytes.empty()) return file->sync_all();
    CAIRN_CHECK(file->append(bytes));
  }
}

Status FolderRestore::put_metadata_file(const std::string& name, const NextBytes& next) {
  if (name.empty() || name.find('/') != std::string::npos || name.starts_with("."))
    return Error{.kind = ErrorKind::corrupt,
                 .message = "[" + name + "] is no name of a file of the metadata"};
  return write(metadata_folder(path_) + "/" + name, next);
}

Status FolderRestore::put_extent(std::uint64_t id, std::uint64_t size_bytes,
                                 const NextBytes& next) {
  const ExtentSpan span{.id = id, .size_bytes = size_bytes};
  const auto there = files_.info(extents_.path_of(id));
  if (there.ok()) {
    if (extents_.verify(span).ok()) return ok_status();
    CAIRN_CHECK(extents_.remove(id));
  }
  CAIRN_TRY(const auto writer, extents_.create(id, size_bytes));
  std::uint64_t written = 0;
  for (;;) {
    CAIRN_TRY(const std::string bytes, next());
    if (bytes.empty()) break;
    written += bytes.size();
    CAIRN_CHECK(writer->write(bytes));
  }
  if (written != size_bytes)
    return Error{.kind = ErrorKind::corrupt,
                 .message = "extent " + std::to_string(id) + " has " + std::to_string(written) +
                            " bytes where " + std::to_string(size_bytes) + " were said"};
  CAIRN_CHECK(writer->finish());
  return ok_status();
}

Status FolderRestore::put_file(const std::string& path, bool is_secret, const NextBytes& next) {
  if (!is_plain(path))
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "[" + path + "] is no file that a backup of a data folder holds"};
  const std::string target = path_ + "/" + path;
  const std::string folder = target.substr(0, target.rfind('/'));
  CAIRN_CHECK(os::make_directories_durably(files_, folder, is_secret ? 0700 : 0750));
  if (!is_secret) {
    CAIRN_CHECK(write(target, next));
    return files_.sync_directory(folder);
  }
  std::string all;
  for (;;) {
    CAIRN_TRY(const std::string bytes, next());
    if (bytes.empty()) break;
    all += bytes;
    if (all.size() > secret_bytes_max)
      return Error{.kind = ErrorKind::too_large,
                   .message = "[" + path + "] is too long for a file of keys"};
  }
  return os::replace_file(target, all, 0600);
}

Status FolderRestore::finish(int format, std::uint64_t starts) {
  MetadataState state;
  state.has_database = true;
  state.starts = starts;
  CAIRN_CHECK(note_files(files_, metadata_folder(path_), state));
  CAIRN_CHECK(os::replace_file(files_, metadata_state_path(metadata_folder(path_)), encode(state)));
  CAIRN_CHECK(os::replace_file(files_, path_ + "/VERSION", version_line(format)));
  CAIRN_CHECK(files_.remove(marker_file(path_)));
  return files_.sync_directory(path_);
}

}  // namespace cairn::objectstore
