// SPDX-License-Identifier: Apache-2.0
// Space on the disk that is taken while there is some, so that deleting goes on when there is none:
// a delete needs a few bytes before it frees any.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "os/files/files.h"

namespace cairn::objectstore {

/// Safe from any thread.
class SpareSpace {
 public:
  /// `bytes` 0: none is kept. `files` outlives it.
  SpareSpace(os::Files& files, std::string path, std::uint64_t bytes)
      : files_(files), path_(std::move(path)), bytes_(bytes) {}
  /// Takes the space, where `left_bytes` stay free beside it. Blocks.
  void keep(std::uint64_t left_bytes);
  /// Gives it back. False where there was none. Blocks.
  bool give();
  /// It was given, and not taken again since.
  bool is_given() const { return given_.load(); }

 private:
  os::Files& files_;
  const std::string path_;
  const std::uint64_t bytes_;
  std::mutex mutex_;
  bool kept_ = false;
  std::atomic<bool> given_ = false;
};

}  // namespace cairn::objectstore
