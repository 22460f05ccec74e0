// SPDX-License-Identifier: Apache-2.0
// The disk behind FakeFiles: what programs see of it, and what it would still have after a crash.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/fake/fake_files.h"
#include "os/random.h"

namespace cairn::os {

struct FakeNode;
using FakeNodePointer = std::shared_ptr<FakeNode>;
using FakeEntries = std::map<std::string, FakeNodePointer>;

/// A file or a directory.
struct FakeNode {
  /// One change of a directory: the name now means `node`, or nothing.
  struct Change {
    std::string name;
    FakeNodePointer node;
  };

  bool is_directory = false;
  std::uint64_t id = 0;
  std::int64_t modified_ns = 0;
  std::int64_t durable_modified_ns = 0;
  std::string data;     // of a file, as programs see it
  std::string durable;  // as the disk has it
  std::uint64_t reserved = 0;
  std::vector<std::pair<std::size_t, std::size_t>> dirty;  // [begin, end) not synced
  FakeEntries entries;                                     // of a directory, as programs see it
  FakeEntries durable_entries;                             // as the disk has it
  std::vector<Change> changes;                             // since then, in order
  int links = 0;                                           // names, as programs see it
  int handles = 0;
  std::uint64_t charged = 0;  // bytes of the disk that this counts for
  bool locked = false;

  void mark_dirty(std::size_t begin, std::size_t end);
  /// What was dirty is durable.
  void persist();
};

Error fake_error(ErrorKind kind, std::string_view what, const std::string& path);

/// What the open files share with their FakeFiles. All but ask() with `mutex` held.
struct FakeFiles::Disk {
  mutable std::mutex mutex;
  FakeNodePointer root = std::make_shared<FakeNode>();
  std::uint64_t generation = 0;  // of crashes; files of an older one are dead
  std::uint64_t calls = 0;
  std::uint64_t cut = 0;
  bool is_cut = false;
  std::uint64_t capacity = 1ull << 40;
  std::uint64_t used = 0;
  std::uint64_t next_id = 1;
  std::int64_t last_ns = 0;
  DirectWrites direct_writes = DirectWrites::taken;
  std::uint64_t direct_bytes = 0;
  std::function<Status(std::string_view, const std::string&)> fault;

  Disk() { root->is_directory = true; }

  /// A later time with every call, so that no two versions of a file share one.
  std::int64_t now_ns();
  /// The injected fault, if any. Without the lock.
  Status ask(std::string_view call, const std::string& path) const;
  /// Every call passes here.
  Status step(bool changes, const std::string& path);

  FakeNodePointer make_node(bool directory);
  FakeNodePointer find(const std::string& path) const;
  struct Spot {
    FakeNodePointer directory;
    std::string name;
  };
  Result<Spot> spot(const std::string& path) const;
  void set_entry(const Spot& at, const FakeNodePointer& node);

  /// Makes the charge of a node what it holds now: nothing once it has neither name nor reader.
  void settle(FakeNode& node);
  /// Whether the node may come to hold `bytes`.
  Status room_for(const FakeNode& node, std::uint64_t bytes, const std::string& path) const;

  /// Forgets what is not durable: all of it, or what `random` says.
  void crash(Random* random);

 private:
  static void forget(FakeNode& node, Random* random);
  static void forget_entries(FakeNode& node, Random* random);
};

/// The names in a path.
std::vector<std::string> fake_path_names(const std::string& path);

}  // namespace cairn::os
