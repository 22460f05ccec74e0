// SPDX-License-Identifier: Apache-2.0
// What goes on behind a mirrored engine: folders are filled, what one lacks is mended.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "os/mirror/mirror.h"
#include "os/threads/thread.h"

namespace cairn::objectstore {

class Engine;

/// What a data folder's mirror compares, and leaves out.
os::MirrorRules mirror_rules();

/// One thread. Once a second it looks whether both folders are there, and mends the files that were
/// read around; at the start, and whenever it is asked, it fills the folder that is behind.
class MirrorKeeper {
 public:
  /// Both outlive it. Reads and writes of a filling take at most so many bytes in a second.
  /// Errors: unavailable (no thread can be had).
  static Result<std::unique_ptr<MirrorKeeper>> start(Engine& engine, os::Mirror& mirror,
                                                     std::uint64_t fill_bytes_per_second);
  ~MirrorKeeper();
  MirrorKeeper(const MirrorKeeper&) = delete;
  MirrorKeeper& operator=(const MirrorKeeper&) = delete;

  /// Has the folder that is away filled in the background. Errors: conflict, where none is, or one
  /// is being filled.
  Status fill();
  /// Puts the folder aside: 0 that of data.dir, 1 that of data.mirror. Errors: conflict.
  Status leave(int side) { return mirror_.leave(side); }
  os::MirrorStatus status() const { return mirror_.status(); }
  /// Why the last filling ended before its end; empty where none did.
  std::string fault() const;
  void stop();

 private:
  MirrorKeeper(Engine& engine, os::Mirror& mirror, std::uint64_t rate)
      : engine_(engine), mirror_(mirror), rate_(rate) {}
  void run(const std::stop_token& stop);
  void fill_now(const std::stop_token& stop);
  void mend_suspects();

  Engine& engine_;
  os::Mirror& mirror_;
  const std::uint64_t rate_;
  mutable std::mutex mutex_;  // what follows
  std::condition_variable_any changed_;
  bool wanted_ = true;
  bool filling_ = false;
  std::string fault_;
  os::Thread thread_;
};

}  // namespace cairn::objectstore
