// SPDX-License-Identifier: Apache-2.0
// A folder of this machine as `cairn add` reads it where the server cannot: by the code that reads
// folders in the server, which the program passes in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "os/deadline.h"

namespace cairn::cli {

struct LocalFile {
  std::string path;  // within the folder
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ms = 0;
  std::string first_id = {};  // of its first document
};

struct LocalListing {
  std::vector<LocalFile> files;       // ascending by path
  std::size_t skipped = 0;            // of a kind that holds no text
  std::vector<std::string> problems;  // what cannot be read, and why
};

struct LocalDocument {
  std::string id;
  std::string source;     // JSON text
  std::string part = {};  // of the file, for people: "message 3"; empty: it is all of it
};

/// For one thread.
class LocalFolder {
 public:
  virtual ~LocalFolder() = default;
  virtual Result<LocalListing> list(const os::Deadline& deadline) = 0;
  /// What the server would index of the file, of which the first has its `first_id`. Errors: why it
  /// cannot be read; none ends an upload.
  virtual Result<std::vector<LocalDocument>> read(const LocalFile& file,
                                                  const os::Deadline& deadline) = 0;
  /// Whether it may have changed since this was asked last; it is watched from the first call on.
  /// Does not wait for a change. Errors: it cannot be watched now.
  virtual Result<bool> changed(const os::Deadline& deadline) = 0;
  /// Why changes are seen late, for people; empty where they are seen at once.
  virtual std::string watch_limit() const = 0;
};

/// What `cairn add` needs of rooms that this one does not know.
struct AddParts {
  /// Errors: those of opening a folder.
  std::function<Result<std::unique_ptr<LocalFolder>>(const std::string& path)> open_folder;
  Json mappings;  // of the index that the server would make
};

}  // namespace cairn::cli
