// SPDX-License-Identifier: Apache-2.0
// The files of a folder and of the folders in it, page by page.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "connectors/source.h"
#include "connectors/sources/files/file_readers.h"
#include "connectors/sources/files/path_rules.h"
#include "os/accounts.h"
#include "os/files/beneath.h"

namespace cairn::connectors {

/// Which of a folder's files are read, and how much of each.
struct DirectoryOptions {
  std::size_t file_bytes_max = 0;
  bool hidden = false;
  bool gitignore = false;
  std::vector<PathPattern> include = {};  // empty: all
  std::vector<PathPattern> exclude = {};
  /// Set: items tell their readers, of those that reach the folder.
  std::shared_ptr<const os::LocalAccounts> accounts = {};
  FileReaders reach_folder = {};
};

/// `path` of a folder beneath a root, where either may be empty.
std::string path_beneath(const std::string& folder, const std::string& path);

/// A walk over the files beneath `folder`, which is beneath `root`. Ascending by name in each
/// folder, a folder's files where its name stands; links to files come last, without those to files
/// that the walk came to under their own names. Counts the files first, so that the first page
/// knows the total. Memory is that of the folders on the way to one file, and of the links. `root`
/// and `options` outlive the walk. Errors: of the folder itself.
Result<std::unique_ptr<Walk>> walk_directory(const os::Beneath& root, std::string folder,
                                             const DirectoryOptions& options,
                                             const os::Deadline& deadline);

}  // namespace cairn::connectors
