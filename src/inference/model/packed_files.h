// SPDX-License-Identifier: Apache-2.0
// Packed weights on disk: what a start can make again, but would take long to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kernels/buffer.h"
#include "os/files/files.h"
#include "os/files/mapped_file.h"

namespace cairn::inference {

/// One file for each model in one folder. Whoever reads one has to check that it is whole and is
/// the one that was meant. Safe from any thread.
class PackedFiles {
 public:
  /// `files` must outlive this. `reserve_bytes` of the disk stay free.
  PackedFiles(os::Files& files, std::string folder, std::uint64_t reserve_bytes = 0)
      : files_(files), folder_(std::move(folder)), reserve_bytes_(reserve_bytes) {}

  /// Whether there is a file of the model whose first bytes hold `mark`, such as the version of
  /// what it was made of.
  bool has(std::string_view model_id, std::string_view mark) const;
  /// The bytes of a model's file. Errors: not_found; those of the file.
  Result<kernels::Buffer<std::byte>> read(std::string_view model_id) const;
  /// Memory that shows what `fill` appends to a file beside the packed ones, which has no name and
  /// goes with the memory. Errors: storage_full; unsupported where the disk cannot do that; those
  /// of `fill` and of the file.
  using Append = std::function<Status(std::string_view bytes)>;
  Result<os::MappedFile> map_copy(const std::function<Status(const Append& append)>& fill) const;
  /// Puts the file in place of the one that is there. A cut leaves the old one, or none.
  /// Errors: storage_full; those of the file.
  Status write(std::string_view model_id, std::string_view bytes) const;
  /// Also well where there is none.
  Status remove(std::string_view model_id) const;
  /// Removes the files of all other models, and what a cut left. Also well without a folder.
  Status keep_only(const std::vector<std::string>& model_ids) const;

 private:
  Status check_space(std::uint64_t bytes) const;
  Status write_beside(const std::string& path, std::string_view bytes) const;
  std::string path_of(std::string_view model_id) const;

  os::Files& files_;
  std::string folder_;
  std::uint64_t reserve_bytes_;
};

}  // namespace cairn::inference
