// SPDX-License-Identifier: Apache-2.0
// The data folder as a whole: who may use it, which format it has, and its directories.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/files/files.h"

namespace cairn::objectstore {

inline constexpr int data_format = 6;  // what this program writes, and the highest that it reads

/// While a file of that name lies in a folder, a backup is being restored into it.
inline constexpr std::string_view restoring_name = "RESTORING";

/// The line of VERSION.
std::string version_line(int format = data_format);
/// What came with a format, which an older program would misread; empty for the first one.
std::string_view format_news(int format);
/// The format of the folder, of what this program reads. Changes nothing, and takes no lock.
/// Errors: those of DataFolder::look but for the lock's.
Result<int> format_of_folder(os::Files& files, const std::string& path);

/// Holds the lock of the folder while it lives.
class DataFolder {
 public:
  /// Makes the folder and its directories where they are missing, takes LOCK, reads or writes
  /// VERSION, and empties tmp/. Everything it made is durable when it returns.
  /// Errors: conflict when another process has it; unsupported for a newer format; conflict for a
  /// folder of something else; corrupt where VERSION, or the state of the metadata, is damaged or
  /// lost.
  static Result<DataFolder> open(os::Files& files, const std::string& path);
  /// Changes nothing. Takes LOCK where it is there and can be taken. Judges VERSION alone.
  /// Errors: those of open; not_found where there is no data folder.
  static Result<DataFolder> look(os::Files& files, const std::string& path);
  /// The metadata are open: an older folder has the format of this program from now on.
  Status raise_version(os::Files& files) const;
  /// Somebody may have removed LOCK, and made another one: takes it anew.
  /// Errors: conflict where another process has it by now.
  Status keep_lock(os::Files& files);

  const std::string& path() const { return path_; }
  std::string metadata() const { return path_ + "/objects/meta"; }
  std::string extents() const { return path_ + "/objects/extents"; }
  std::string spare() const { return path_ + "/objects/spare"; }
  std::string temporary() const { return path_ + "/tmp"; }

 private:
  DataFolder(std::string path, std::unique_ptr<os::File> lock, bool is_old)
      : path_(std::move(path)), lock_(std::move(lock)), is_old_(is_old) {}
  std::string path_;
  std::unique_ptr<os::File> lock_;
  bool is_old_ = false;
};

}  // namespace cairn::objectstore
