// SPDX-License-Identifier: Apache-2.0
// How far a load is, in a file beside what is loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace cairn::cli {

struct LoadCheckpoint {
  std::string index = {};
  std::string id_field = {};  // empty: ids are made of `load` and the line's number
  std::string load = {};      // drawn when it began: lines that are sent twice are one document
  std::uint64_t lines = 0;    // of the input that are done
  std::uint64_t bytes = 0;    // of the input, up to the end of these
  std::string mark = {};      // of LineSource
  std::uint64_t loaded = 0, rejected = 0;
  std::uint64_t rejects_bytes = 0;  // of the file of rejects that belong to these lines
  bool done = false;                // all of the input

  /// Durable when it returns. Errors: those of the file.
  Status write(const std::string& path) const;
  /// Nothing where there is no such file. Errors: those of the file; corrupt.
  static Result<std::optional<LoadCheckpoint>> read(const std::string& path);
};

}  // namespace cairn::cli
