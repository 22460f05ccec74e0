// SPDX-License-Identifier: Apache-2.0
// The built files of the console and of the search page: those that the program carries, or those
// of a folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::console {

/// One file, compressed with gzip as it was when the program was built.
struct File {
  std::string gzipped = {};
  std::string tag = {};   // changes with the bytes; of letters and digits
  std::string type = {};  // Content-Type
};

/// Safe from any thread.
class Files {
 public:
  virtual ~Files() = default;
  /// `path` is "index.html", "assets/NAME", "search-page/…": below the folder of built files. Any
  /// other path, and one with a part that begins with a dot, finds nothing.
  virtual std::optional<File> find(std::string_view path) const = 0;
};

/// What the program was built with; finds nothing where it was built without a console.
std::unique_ptr<Files> embedded_files();
/// Reads each file anew when it is asked for, for who works on the console. Nothing outside of the
/// folder, and no symbolic link, is ever read. Errors: not_found, for the folder.
Result<std::unique_ptr<Files>> files_of_folder(const std::string& folder);

/// What a browser is told of a file of this name: "text/html; charset=utf-8".
std::string_view type_of(std::string_view path);

}  // namespace cairn::console
