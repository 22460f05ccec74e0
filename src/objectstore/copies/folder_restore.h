// SPDX-License-Identifier: Apache-2.0
// Lays a data folder from what a Checkpoint gave.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectstore/data_folder.h"
#include "objectstore/extents/extents.h"
#include "os/files/files.h"

namespace cairn::objectstore {

/// Gives the next bytes of a file; empty at the end.
using NextBytes = std::function<Result<std::string>()>;

/// Until finish() the folder is none that a server opens. After a crash, or an error, begin() with
/// the same name goes on. put_extent() is safe from several threads at a time.
class FolderRestore {
 public:
  /// `name` is of what is restored. Makes the folder where it is missing, and takes its lock.
  /// Errors: conflict, where something else lies in the folder, or is being restored into it, or a
  /// process uses it; those of the files.
  static Result<std::unique_ptr<FolderRestore>> begin(os::Files& files, const std::string& path,
                                                      const std::string& name);

  Status put_metadata_file(const std::string& name, const NextBytes& next);
  /// Durable when it returns. One that lies there whole already is left as it is, and `next` not
  /// asked. Errors: corrupt, where `next` gives another number of bytes.
  Status put_extent(std::uint64_t id, std::uint64_t size_bytes, const NextBytes& next);
  /// A file beside the objects, `path` relative to the folder: keys, the audit log. What is small
  /// has mode 0600. Errors: invalid_argument for a path that leads elsewhere.
  Status put_file(const std::string& path, bool is_secret, const NextBytes& next);
  /// Makes it a data folder of that format. Durable.
  Status finish(int format, std::uint64_t starts);

 private:
  FolderRestore(os::Files& files, std::string path, std::unique_ptr<os::File> lock);
  Status write(const std::string& path, const NextBytes& next);

  os::Files& files_;
  const std::string path_;
  const std::unique_ptr<os::File> lock_;
  Extents extents_;
};

}  // namespace cairn::objectstore
