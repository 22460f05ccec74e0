// SPDX-License-Identifier: Apache-2.0
#include "objectstore/data_folder.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"
#include "objectstore/metadata/metadata_state.h"
#include "os/log.h"
#include "os/mirror/mirror_copy.h"
#include "os/mirror/mirror_marker.h"
#include "os/mirror/mirrored_files.h"

namespace cairn::objectstore {
namespace {

constexpr std::string_view version_text = "cairn data format ";

// What a folder of Cairn may hold before its VERSION file is there: what a first start that was
// cut short has made, what a node that stands by has, and what people put there before it.
constexpr std::array known_names = {"LOCK",       "VERSION",   "keys",   "objects",
                                    "tmp",        "audit",     "models", "packed-models",
                                    "lost+found", "cairn.yaml"};

Status check_strange(os::Files& files, const std::string& path) {
  CAIRN_TRY(const auto names, files.list(path));
  for (const std::string& name : names) {
    const bool known = std::find(known_names.begin(), known_names.end(), name) != known_names.end();
    if (known || name.starts_with(".") || name.starts_with(os::mirror_marker_name) ||
        name.starts_with("VERSION.new-"))
      continue;
    return Error{.kind = ErrorKind::conflict,
                 .message = "[" + path + "] holds [" + name +
                            "] and no VERSION file: it is no data folder of Cairn; name an empty "
                            "or a new folder"};
  }
  return ok_status();
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

/// Of two folders one may have lost the line, or have it damaged.
Status mend_version(os::Files& files, const std::string& path) {
  os::MirrorSides* const sides = os::sides_of(files);
  if (sides == nullptr || !sides->both_whole()) return ok_status();
  const std::string file = path + "/VERSION";
  const auto is_whole = [&](int side) {
    const auto text = os::read_file(sides->below(), sides->on(side, file), 4096);
    if (!text.ok() || !text->starts_with(version_text) || !text->ends_with('\n')) return false;
    const std::string_view line = *text;
    return parse_number<int>(
               line.substr(version_text.size(), line.size() - version_text.size() - 1))
        .has_value();
  };
  const bool first = is_whole(0);
  if (first == is_whole(1)) return ok_status();
  return os::copy_over(*sides, first ? 1 : 0, file, {});
}

/// Changed by itself, one folder of a mirror would differ from the other without anybody knowing.
Status check_mirrored(os::Files& files, const std::string& path) {
  if (os::sides_of(files) != nullptr) return ok_status();
  CAIRN_TRY(const bool marked, is_there(files, path + "/" + std::string(os::mirror_marker_name)));
  if (!marked) return ok_status();
  return Error{.kind = ErrorKind::conflict,
               .message = "[" + path + "] is a folder of a mirror, and is to be changed as such"};
}

/// What a restore that was cut short has left is no data folder yet.
Status check_whole(os::Files& files, const std::string& path) {
  CAIRN_TRY(const bool restoring, is_there(files, path + "/" + std::string(restoring_name)));
  if (!restoring) return ok_status();
  return Error{.kind = ErrorKind::conflict,
               .message = "a restore into [" + path +
                          "] has not ended: run the same cairn backup restore again, which goes on "
                          "where it was, or remove the folder"};
}

/// The format that the folder has; 0 for a new one.
Result<int> read_version(os::Files& files, const std::string& path) {
  CAIRN_CHECK(check_whole(files, path));
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

std::string version_line(int format) {
  return std::string(version_text) + std::to_string(format) + "\n";
}

std::string_view format_news(int format) {
  static constexpr std::array<std::string_view, data_format + 1> news = {
      "",
      "",
      "versions of objects, states of buckets, encryption",
      "the second time of uploads in records of objects",
      "objects/meta.state, which says what must lie in the metadata",
      "journals of buckets",
      "MIRROR: the folder may be one of two, and is never written without telling the other"};
  return format < 0 || format > data_format ? std::string_view()
                                            : news[static_cast<std::size_t>(format)];
}

Result<int> format_of_folder(os::Files& files, const std::string& given) {
  const std::string path = without_slashes(given);
  CAIRN_TRY(const int format, read_version(files, path));
  if (format != 0) return format;
  return Error{.kind = ErrorKind::not_found,
               .message = "[" + path + "] is no data folder of Cairn: it has no VERSION file"};
}

Result<DataFolder> DataFolder::open(os::Files& files, const std::string& given) {
  const std::string path = without_slashes(given);
  CAIRN_CHECK(check_mirrored(files, path));
  CAIRN_CHECK(os::make_directories_durably(files, path));
  CAIRN_TRY(auto lock, lock_folder(files, path));
  CAIRN_CHECK(check_database_lock(files, path));
  CAIRN_CHECK(mend_version(files, path));
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
  CAIRN_CHECK(format_of_folder(files, path));
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
