// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own on the real disk.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/assert.h"

namespace cairn::os {

/// A new, empty folder below the system's folder for temporary files (TMPDIR, or /tmp), open to its
/// owner alone; it goes with the object, and all that is in it. Where the folder or a file of
/// `write` cannot be made, the process ends with a message.
class TestFolder {
 public:
  TestFolder() : path(make()) {}
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  /// The path of a name in the folder, there or not; the name may have folders of its own.
  std::string operator/(std::string_view name) const { return path + "/" + std::string(name); }

  /// Writes a file, over one that is there, and makes the folders on the way; gives its path.
  std::string write(std::string_view name, std::string_view text) const {
    const std::string file = *this / name;
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text << std::flush;
    CAIRN_ASSERT(out.good() && "a file of a test's folder can be written");
    return file;
  }

  const std::string path;

 private:
  static std::string make() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "cairn-test-XXXXXX").string();
    CAIRN_ASSERT(!error && "TMPDIR, where it is set, names a folder");
    CAIRN_ASSERT(::mkdtemp(name.data()) != nullptr && "a folder can be made in TMPDIR or /tmp");
    return name;
  }
};

}  // namespace cairn::os
