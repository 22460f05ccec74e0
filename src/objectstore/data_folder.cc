// SPDX-License-Identifier: Apache-2.0
#include "objectstore/data_folder.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"
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

Status check_version(os::Files& files, const std::string& path) {
  const std::string file = path + "/VERSION";
  const auto text = os::read_file(files, file, 4096);
  if (!text.ok() && text.error().kind == ErrorKind::not_found) {
    CAIRN_CHECK(check_strange(files, path));
    return os::replace_file(files, file,
                            std::string(version_text) + std::to_string(data_format) + "\n");
  }
  CAIRN_CHECK(text);
  const std::string_view line = trim(*text);
  const auto number = line.starts_with(version_text)
                          ? parse_number<int>(line.substr(version_text.size()))
                          : std::nullopt;
  if (!number || *number < 1) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = "[" + file + "] does not say [" + std::string(version_text) +
                            "N]; restore the file, or name another data folder"};
  }
  if (*number > data_format) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = "[" + path + "] has data format " + std::to_string(*number) +
                            " and this program reads up to " + std::to_string(data_format) +
                            "; start the newer program that wrote it, or name another folder"};
  }
  // An older folder is read as it is; what is written from now on an older program cannot read.
  if (*number == data_format) return ok_status();
  return os::replace_file(files, file,
                          std::string(version_text) + std::to_string(data_format) + "\n");
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

}  // namespace

Result<DataFolder> DataFolder::open(os::Files& files, const std::string& given) {
  std::string path = given;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  CAIRN_CHECK(os::make_directories_durably(files, path));
  auto lock = files.lock(path + "/LOCK");
  if (!lock.ok() && lock.error().kind == ErrorKind::conflict) {
    return Error{.kind = ErrorKind::conflict,
                 .message = "the data folder [" + path +
                            "] is in use by another process of Cairn; stop that one first, or "
                            "name another folder"};
  }
  CAIRN_CHECK(lock);
  CAIRN_CHECK(check_version(files, path));
  CAIRN_CHECK(make_layout(files, path));
  DataFolder folder(path, std::move(*lock));
  CAIRN_CHECK(empty_temporary(files, folder.temporary()));
  return folder;
}

}  // namespace cairn::objectstore
