// SPDX-License-Identifier: Apache-2.0
// The two folders of a mirror: which of them counts, and what becomes of one that fails.
//
// Order of locks: the gate of changes, then any other one here. A path is one below the root, which
// is the folder that was read at the start; on(side, path) is the same place in either folder.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/files/files.h"
#include "os/mirror/mirror_marker.h"
#include "os/mirror/name_order.h"
#include "os/random.h"
#include "os/threads/pool.h"

namespace cairn::os {

enum class SideState {
  whole,    // holds every change that was acknowledged; is read
  filling,  // takes every change, and is being given what it lacks; is not read
  away,     // takes no changes: lost, or not looked at yet
};
std::string_view name_of(SideState state);

/// The parts of one open file, a file on each side.
struct OpenParts {
  std::string directory = {};  // of one that has no name yet
  std::array<std::unique_ptr<File>, 2> owned = {};
  std::array<std::atomic<File*>, 2> file = {};  // null: not open on that side
  std::array<std::atomic<bool>, 2> direct = {};
  std::atomic<std::uint64_t> dirty_from = 0;  // what was written since a copy looked begins there

  std::string name() const {  // empty while it has none
    const std::lock_guard lock(name_mutex);
    return path;
  }
  void set_name(std::string name) {
    const std::lock_guard lock(name_mutex);
    path = std::move(name);
  }
  mutable std::mutex name_mutex = {};
  std::string path = {};  // guarded by name_mutex

  void install(int side, std::unique_ptr<File> part) {
    owned[static_cast<std::size_t>(side)] = std::move(part);
    file[static_cast<std::size_t>(side)].store(owned[static_cast<std::size_t>(side)].get(),
                                               std::memory_order_release);
  }
  /// What is read of it meanwhile goes on; it closes with the rest.
  void retire(int side) {
    auto& part = owned[static_cast<std::size_t>(side)];
    file[static_cast<std::size_t>(side)].store(nullptr, std::memory_order_release);
    if (part) outlived.push_back(std::move(part));
  }
  std::vector<std::unique_ptr<File>> outlived = {};
  File* part(int side) const {
    return file[static_cast<std::size_t>(side)].load(std::memory_order_acquire);
  }
};

/// Safe from any thread.
class MirrorSides {
 public:
  struct Params {
    std::array<std::string, 2> folders;
    int root = 0;                  // which of them paths name
    std::uint64_t full_bytes = 0;  // a folder with less is full, where the other has twice as much
    std::size_t threads = 0;       // that work for the second side; 0: one side after the other
  };
  MirrorSides(Files& below, Random& random, Params params);

  Files& below() const { return below_; }
  const std::string& folder(int side) const { return folders_[index(side)]; }
  const std::string& root() const { return folder(root_); }
  /// Whether the path lies in the mirror at all.
  bool covers(const std::string& path) const;
  std::string on(int side, const std::string& path) const;

  SideState state(int side) const { return states_[index(side)].load(std::memory_order_acquire); }
  bool takes(int side) const { return state(side) != SideState::away; }
  bool is_whole(int side) const { return state(side) == SideState::whole; }
  bool both_whole() const { return is_whole(0) && is_whole(1); }
  /// The side that is read: the root as long as it is whole.
  int reading() const { return is_whole(root_) || !is_whole(1 - root_) ? root_ : 1 - root_; }
  /// How often the side began to be filled: what was opened before may not be what lies there now.
  std::uint64_t era(int side) const { return eras_[index(side)].load(std::memory_order_acquire); }
  void begin_era(int side) { eras_[index(side)].fetch_add(1); }
  std::string reason(int side) const;  // why it is away
  MirrorMarker marker(int side) const;

  /// For the time of a change.
  std::shared_lock<std::shared_mutex> hold();
  /// While this is held nothing changes.
  std::unique_lock<std::shared_mutex> stop_changes();
  /// Whoever changes names takes a turn of it, behind hold().
  NameOrder& names() { return names_; }

  /// With the gate held: does a step on all sides that take changes, that of reading() first, or
  /// both at one time with `wide`; then settle(). Steps are told the side.
  Status run(bool wide, const std::function<Status(int)>& step);
  /// What follows from a change that was done on some sides and not on others: who failed is put
  /// aside where a whole side has done it. Success only then. A process that is out of descriptors
  /// or memory is no fault of a side. Of a side that is being filled it is none either to lack a
  /// file.
  Status settle(const std::array<std::optional<Status>, 2>& done);

  /// The other side goes on alone, which is durable when this returns success. Errors: those of
  /// writing that down; unavailable, for the last whole side.
  Status put_aside(int side, const std::string& why);
  /// Writes the marker, then has the state. With changes stopped, or before there are any.
  Status set_state(int side, SideState state, MirrorMarker marker, std::string reason = {});
  /// Before anything is open.
  void begin(int side, SideState state, std::optional<MirrorMarker> marker, std::string reason);

  /// Files that are open for writing. A closed one is forgotten by and by.
  void add_open(const std::shared_ptr<OpenParts>& parts);
  std::vector<std::shared_ptr<OpenParts>> open_parts();
  /// The one of that name, if any.
  std::shared_ptr<OpenParts> open_part(const std::string& path);

  /// A file that one side may lack, or have differently.
  void suspect(const std::string& path);
  std::set<std::string> take_suspects();
  /// A file that the side that is being filled still lacks.
  void owe(const std::string& path);
  std::set<std::string> take_owed();
  bool owes_nothing();

  /// The lock of the folder itself, on each side that is there. Errors: conflict.
  Status lock_folder(int side);
  void unlock_folder(int side);
  Result<FileInfo> lock_info(int side);

  /// The smaller of the two, so that both stay with space. One that is full is put aside where the
  /// other is not.
  Result<std::uint64_t> free_bytes();
  std::string draw();

 private:
  static std::size_t index(int side) { return static_cast<std::size_t>(side); }
  Status run_wide(const std::function<Status(int)>& step,
                  std::array<std::optional<Status>, 2>& done);

  Files& below_;
  Random& random_;
  const std::array<std::string, 2> folders_;
  const int root_;
  const std::uint64_t full_bytes_;
  std::array<std::atomic<SideState>, 2> states_;
  std::array<std::atomic<std::uint64_t>, 2> eras_ = {};
  std::unique_ptr<Pool> pool_;  // works for the second side

  std::mutex turnstile_;  // keeps new changes out while somebody waits to stop them
  std::shared_mutex gate_;
  NameOrder names_;

  mutable std::mutex mutex_;  // markers, reasons
  std::array<MirrorMarker, 2> markers_;
  std::array<std::string, 2> reasons_;

  std::mutex lists_mutex_;
  std::vector<std::weak_ptr<OpenParts>> open_;
  std::size_t open_swept_ = 64;  // how many there may be before closed ones are taken out
  std::set<std::string> suspects_;
  std::set<std::string> owed_;

  std::mutex locks_mutex_;
  std::array<std::unique_ptr<File>, 2> locks_;
};

/// Errors of the process, or of the call, and not of a disk.
bool is_of_side(const Error& error);

}  // namespace cairn::os
