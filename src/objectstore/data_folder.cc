// SPDX-License-Identifier: Apache-2.0
#include "objectstore/data_folder.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"
#include "objectstore/metadata/metadata_state.h"
#include "os/log.h"

namespace cairn::objectstore {
namespace {

constexpr std::string_view version_text = "cairn data format ";

// What a folder of Cairn may hold before its VERSION file is there: what a first start that was
// cut short has made, and what people put there before it.
constexpr std::array known_names = {"LOCK",  "VERSION", "keys",       "objects",   "tmp",
                                    "audit", "models",  "lost+found", "cairn.yaml"};

Status check_strange(os::Files& files, const std::string& path) {
  CAIRN_TRY(const auto names, files.list(path));
  for (const std::string& name : names) {
    const bool known = std::find(known_names.begin(), known_names.end(), name) != known_names.end();
    if (known || name.starts_with(".") || name.starts_with("VERSION.new-")) continue;
    return Error{.kind = ErrorKind::conflict,
                 .message = "[" + path + "] holds [" + name +
                            "] and no VERSION file: it is no data folder of Cairn; name an empty "
                            "or a new folder"};
  }
  return ok_status();
}

std::string version_line() {
  return std::string(version_text) + std::to_string(data_format) + "\n";
}

Error damaged(const std::string& file, const std::string& what) {
  return {.kind = ErrorKind::corrupt,
          .message = "[" + file + "] " + what +
                     ". Nothing was changed; see \"VERSION\" in docs/operating/damage.md"};
}

Result<bool> is_there(os::Files& files, const std::string& path) {
  const auto info = files.info(path);
  if (!info.ok() && info.error().kind != ErrorKind::not_found) return info.error();
  return info.ok();
}

std::string metadata_of(const std::string& path) { return path + "/objects/meta"; }

/// Whether a database was there once: what a start that was cut short left is none.
Result<bool> has_database(os::Files& files, const std::string& path) {
  const auto state = read_metadata_state(files, metadata_of(path));
  if (state.ok()) return state->has_database;
  if (state.error().kind != ErrorKind::not_found) return state.error();
  return is_there(files, metadata_of(path) + "/CURRENT");
}

/// The format that the folder has; 0 for a new one.
Result<int> read_version(os::Files& files, const std::string& path) {
  const std::string file = path + "/VERSION";
  const auto text = os::read_file(files, file, 4096);
  if (!text.ok() && text.error().kind == ErrorKind::not_found) {
    CAIRN_TRY(const bool lost, has_database(files, path));
    if (lost)
      return damaged(file, "is missing, and the folder holds a database; write the line [" +
                               version_line().substr(0, version_line().size() - 1) + "] into it");
    CAIRN_CHECK(check_strange(files, path));
    return 0;
  }
  CAIRN_CHECK(text);
  const bool whole = text->starts_with(version_text) && text->ends_with('\n');
  const auto number = whole ? parse_number<int>(std::string_view(*text).substr(
                                  version_text.size(), text->size() - version_text.size() - 1))
                            : std::nullopt;
  if (!number || *number < 1)
    return damaged(file, "is damaged at offset 0: it is not the line [" +
                             std::string(version_text) +
                             "N]; restore it, or name another data folder");
  if (*number > data_format) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = "[" + path + "] has data format " + std::to_string(*number) +
                            " and this program reads up to " + std::to_string(data_format) +
                            "; start the newer program that wrote it, or name another folder"};
  }
  if (*number < data_format) return *number;
  CAIRN_TRY(const bool stated, is_there(files, metadata_state_path(metadata_of(path))));
  if (!stated)
    return damaged(metadata_state_path(metadata_of(path)),
                   "is missing, which says what must lie in the metadata; restore it, or the "
                   "folder, from a copy");
  return *number;
}

Status make_layout(os::Files& files, const std::string& path) {
  CAIRN_CHECK(os::make_directories_durably(files, path + "/keys", 0700));
  for (const char* name : {"/objects/meta", "/objects/extents", "/tmp", "/audit"})
    CAIRN_CHECK(os::make_directories_durably(files, path + name));
  return ok_status();
}

/// What lies in tmp/ belongs to a process that is gone: the lock says so.
Status empty_temporary(os::Files& files, const std::string& path) {
  CAIRN_TRY(const auto names, files.list(path));
  for (const std::string& name : names) {
    if (const Status done = files.remove(path + "/" + name); !done.ok()) {
      os::log(os::LogLevel::warn, "objectstore", "temporary_left",
              {{"file", path + "/" + name}, {"reason", done.error().message}});
    }
  }
  return ok_status();
}

/// A crash may leave the next state beside the one that stands.
void remove_unfinished_states(os::Files& files, const std::string& objects) {
  const auto names = files.list(objects);
  if (!names.ok()) return;
  for (const std::string& name : *names)
    if (name.starts_with("meta.state.new-")) (void)files.remove(objects + "/" + name).ok();
}

Error in_use(const std::string& path) {
  return {.kind = ErrorKind::conflict,
          .message = "the data folder [" + path +
                     "] is in use by another process of Cairn; stop that one first, or "
                     "name another folder"};
}

Result<std::unique_ptr<os::File>> lock_folder(os::Files& files, const std::string& path) {
  auto lock = files.lock(path + "/LOCK");
  if (!lock.ok() && lock.error().kind == ErrorKind::conflict) return in_use(path);
  return lock;
}

Result<bool> is_same_file(os::Files& files, os::File& open, const std::string& path) {
  const auto named = files.info(path);
  if (!named.ok() && named.error().kind != ErrorKind::not_found) return named.error();
  CAIRN_TRY(const os::FileInfo mine, open.info());
  return named.ok() && named->id == mine.id;
}

/// Who runs there although LOCK was removed holds the lock of the database still.
Status check_database_lock(os::Files& files, const std::string& path) {
  const std::string lock_file = metadata_of(path) + "/LOCK";
  CAIRN_TRY(const bool there, is_there(files, lock_file));
  if (!there) return ok_status();
  const auto lock = files.lock(lock_file);
  if (!lock.ok() && lock.error().kind == ErrorKind::conflict) return in_use(path);
  CAIRN_CHECK(lock);
  return ok_status();
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

Result<DataFolder> DataFolder::open(os::Files& files, const std::string& given) {
  const std::string path = without_slashes(given);
  CAIRN_CHECK(os::make_directories_durably(files, path));
  CAIRN_TRY(auto lock, lock_folder(files, path));
  CAIRN_CHECK(check_database_lock(files, path));
  CAIRN_TRY(const int format, read_version(files, path));
  CAIRN_CHECK(make_layout(files, path));
  remove_unfinished_states(files, path + "/objects");
  if (format == 0) {
    const std::string state = metadata_state_path(metadata_of(path));
    CAIRN_CHECK(os::replace_file(files, state, encode(MetadataState{})));
    CAIRN_CHECK(os::replace_file(files, path + "/VERSION", version_line()));
  }
  DataFolder folder(path, std::move(lock), format > 0 && format < data_format);
  CAIRN_CHECK(empty_temporary(files, folder.temporary()));
  return folder;
}

Result<DataFolder> DataFolder::look(os::Files& files, const std::string& given) {
  const std::string path = without_slashes(given);
  CAIRN_TRY(const int format, read_version(files, path));
  if (format == 0)
    return Error{.kind = ErrorKind::not_found,
                 .message = "[" + path + "] is no data folder of Cairn: it has no VERSION file"};
  auto lock = lock_folder(files, path);
  // On a disk that takes no writes nobody else writes either.
  const bool free = !lock.ok() && (lock.error().kind == ErrorKind::not_found ||
                                   lock.error().kind == ErrorKind::permission_denied);
  if (!lock.ok() && !free) return std::move(lock).error();
  return DataFolder(path, lock.ok() ? std::move(*lock) : nullptr, false);
}

Status DataFolder::raise_version(os::Files& files) const {
  if (!is_old_) return ok_status();
  return os::replace_file(files, path_ + "/VERSION", version_line());
}

Status DataFolder::keep_lock(os::Files& files) {
  CAIRN_TRY(const bool same, is_same_file(files, *lock_, path_ + "/LOCK"));
  if (same) return ok_status();
  os::log(os::LogLevel::error, "objectstore", "lock_file_removed", {{"file", path_ + "/LOCK"}});
  CAIRN_TRY(lock_, lock_folder(files, path_));
  return ok_status();
}

}  // namespace cairn::objectstore
