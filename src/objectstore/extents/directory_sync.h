// SPDX-License-Identifier: Apache-2.0
// Makes names durable: one sync of a folder for all who ask at one time.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "os/files/files.h"

namespace cairn::objectstore {

/// Syncs directories so that callers who ask at one time share one sync.
class DirectorySync {
 public:
  explicit DirectorySync(os::Files& files);
  ~DirectorySync();
  /// Returns when a sync that began after this call has ended.
  Status sync(const std::string& path);

 private:
  struct Round;
  Round& round_of(const std::string& path);

  os::Files& files_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Round>> rounds_;
};

}  // namespace cairn::objectstore
