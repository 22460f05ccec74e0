// SPDX-License-Identifier: Apache-2.0
// What an upload keeps in a file, so that another process can go on with it. Not part of the
// installed headers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/files/files.h"

namespace cairn::objectclient {

struct UploadState {
  std::string upload_id = {};
  std::string parameters = {};  // a digest of all that the upload was begun with
  std::string source = {};      // the path of the file
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::uint64_t part_bytes = 0;
  friend bool operator==(const UploadState&, const UploadState&) = default;
};

/// The file, held by one process at a time. For one thread.
class UploadStateFile {
 public:
  /// Makes its folder where it is missing. Errors: conflict, where another upload holds it; those
  /// of files.
  static Result<UploadStateFile> open(std::string path);
  /// Lets go of it.
  ~UploadStateFile();
  UploadStateFile(UploadStateFile&&) = default;
  UploadStateFile& operator=(UploadStateFile&&) = delete;

  /// Nothing where there is none, or one that nobody can read.
  Result<std::optional<UploadState>> read() const;
  /// Durable when it returns.
  Status write(const UploadState& state) const;
  void remove() const;

 private:
  UploadStateFile(std::string path, std::unique_ptr<os::File> lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  std::unique_ptr<os::File> lock_;
};

}  // namespace cairn::objectclient
