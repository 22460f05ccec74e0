// SPDX-License-Identifier: Apache-2.0
// A folder that the server cannot read, read here and sent.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/add/local_folder.h"
#include "cli/connection.h"

namespace cairn::cli {

struct UploadParams {
  std::string index;
  std::string folder;  // absolute
  const AddParts& parts;
};

struct UploadResult {
  std::uint64_t files = 0;      // that were found
  std::uint64_t unchanged = 0;  // of them, by time and size
  std::uint64_t sent = 0;       // documents
  std::uint64_t removed = 0;    // documents of files that are gone
  std::uint64_t skipped = 0;    // of a kind that holds no text
  std::vector<std::string> problems;
};

/// "machine:/folder", of a folder of this machine.
std::string uploaded_folder_name(const std::string& folder);
/// The same of what an index says of itself where this command filled it; empty for others.
std::string uploaded_from(const Json& index_mapping);

/// Keeps an index up to a folder. For one thread; what the parameters name outlives it.
class FolderUpload {
 public:
  FolderUpload(Connection& connection, const UploadParams& params);
  ~FolderUpload();
  FolderUpload(const FolderUpload&) = delete;
  FolderUpload& operator=(const FolderUpload&) = delete;

  /// Brings the index up to the folder: makes it where it is not there, sends what is new or
  /// changed by time or size, and deletes the documents of files that are gone. Memory does not
  /// grow with the bytes of the folder. A cut upload goes on where it was when it is run again.
  /// What the index holds is asked for by the first run, and by the one after an error; a file that
  /// could not be read is a problem of one run, until it changes. Errors: of reading the folder as
  /// a whole, of the server; a file's are problems.
  Result<UploadResult> run(const os::Deadline& deadline, bool shows_bar);

  /// As LocalFolder::changed.
  Result<bool> changed(const os::Deadline& deadline);
  std::string watch_limit() const;

 private:
  class Upload;
  const std::unique_ptr<Upload> upload_;
};

}  // namespace cairn::cli
