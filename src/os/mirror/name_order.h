// SPDX-License-Identifier: Apache-2.0
// One order of changes of names, whichever of the two folders they are made in.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <string_view>

namespace cairn::os {

/// Two threads that change one name must not overtake each other between the folders: a file could
/// be published in a directory that one folder has already and the other not yet, or be replaced by
/// one thread here and by the other there. Names are told apart by their hashes, so some wait for
/// others. Safe from any thread.
class NameOrder {
 public:
  /// Held while a name changes.
  class [[nodiscard]] Turn {
   public:
    std::shared_lock<std::shared_mutex> directories;
    std::unique_lock<std::mutex> first = {};
    std::unique_lock<std::mutex> second = {};  // where the names are two, of two hashes
  };
  Turn of(std::string_view path) { return of(path, path); }
  Turn of(std::string_view from, std::string_view to);
  /// Held where a directory must stay: none is made or removed meanwhile.
  Turn keep_directories();
  /// Held while directories are made or removed: no name changes meanwhile.
  [[nodiscard]] std::unique_lock<std::shared_mutex> change_directories();

 private:
  static constexpr std::size_t mutex_count = 64;

  std::mutex turnstile_;  // keeps others out while somebody waits to change directories
  std::shared_mutex directories_;
  std::array<std::mutex, mutex_count> mutexes_;
};

}  // namespace cairn::os
