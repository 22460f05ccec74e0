// SPDX-License-Identifier: Apache-2.0
#include "os/fake_files.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "os/clock.h"
#include "os/random.h"

namespace cairn::os {
namespace {

constexpr std::size_t page = 4096;

struct Node;
using NodePointer = std::shared_ptr<Node>;
using Entries = std::map<std::string, NodePointer>;

/// One change of a directory: the name now means `node`, or nothing.
struct Change {
  std::string name;
  NodePointer node;
};

void apply_change(Entries& entries, const Change& change) {
  if (change.node)
    entries[change.name] = change.node;
  else
    entries.erase(change.name);
}

struct Node {
  bool is_directory = false;
  std::uint64_t id = 0;
  std::int64_t modified_ns = 0;
  std::int64_t durable_modified_ns = 0;
  std::string data;     // of a file, as programs see it
  std::string durable;  // as the disk has it
  std::uint64_t reserved = 0;
  std::vector<std::pair<std::size_t, std::size_t>> dirty;  // [begin, end) not synced
  Entries entries;                                         // of a directory, as programs see it
  Entries durable_entries;                                 // as the disk has it
  std::vector<Change> changes;                             // since then, in order
  int links = 0;                                           // names, as programs see it
  int handles = 0;
  std::uint64_t charged = 0;  // bytes of the disk that this counts for
  bool locked = false;
};

void mark_dirty(Node& node, std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  if (!node.dirty.empty() && node.dirty.back().second == begin)
    node.dirty.back().second = end;
  else
    node.dirty.emplace_back(begin, end);
}

/// Copies what is there of [begin, end) to the durable bytes.
void persist(Node& node, std::size_t begin, std::size_t end) {
  end = std::min(end, node.data.size());
  if (begin >= end) return;
  if (node.durable.size() < end) node.durable.resize(end);
  node.durable.replace(begin, end - begin, node.data, begin, end - begin);
}

std::vector<std::string> pieces_of(const std::string& path) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < path.size();) {
    std::size_t end = path.find('/', at);
    if (end == std::string::npos) end = path.size();
    if (end > at && path.compare(at, end - at, ".") != 0)
      pieces.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return pieces;
}

Error fake_error(ErrorKind kind, std::string_view what, const std::string& path) {
  return {.kind = kind, .message = std::string(what) + " [" + path + "]"};
}

}  // namespace

struct FakeFiles::Disk {
  mutable std::mutex mutex;
  NodePointer root = std::make_shared<Node>();
  std::uint64_t generation = 0;  // of crashes; files of an older one are dead
  std::uint64_t calls = 0;
  std::uint64_t cut = 0;
  bool is_cut = false;
  std::uint64_t capacity = 1ull << 40;
  std::uint64_t used = 0;
  std::uint64_t next_id = 1;
  std::int64_t last_ns = 0;
  std::function<Status(std::string_view, const std::string&)> fault;

  Disk() { root->is_directory = true; }

  // A later time with every call, so that no two versions of a file share one.
  std::int64_t now_ns() {
    last_ns = std::max(last_ns + 1, system_clock().unix_ms() * 1'000'000);
    return last_ns;
  }

  /// The injected fault, if any. Without the lock.
  Status ask(std::string_view call, const std::string& path) const {
    std::function<Status(std::string_view, const std::string&)> f;
    {
      const std::lock_guard lock(mutex);
      f = fault;
    }
    return f ? f(call, path) : ok_status();
  }

  /// Every call passes here, with the lock.
  Status step(bool changes, const std::string& path) {
    if (changes && !is_cut) {
      ++calls;
      if (cut != 0 && calls >= cut) is_cut = true;
    }
    if (is_cut) return fake_error(ErrorKind::internal, "the power has failed:", path);
    return ok_status();
  }

  NodePointer make_node(bool directory) {
    auto node = std::make_shared<Node>();
    node->is_directory = directory;
    node->id = next_id++;
    node->modified_ns = node->durable_modified_ns = now_ns();
    return node;
  }

  NodePointer find(const std::string& path) const {
    NodePointer node = root;
    for (const std::string& piece : pieces_of(path)) {
      const auto found = node->entries.find(piece);
      if (found == node->entries.end()) return nullptr;
      node = found->second;
    }
    return node;
  }

  struct Spot {
    NodePointer directory;
    std::string name;
  };
  Result<Spot> spot(const std::string& path) const {
    std::vector<std::string> pieces = pieces_of(path);
    if (pieces.empty()) return fake_error(ErrorKind::invalid_argument, "no name in", path);
    Spot spot{.directory = root, .name = pieces.back()};
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
      const auto found = spot.directory->entries.find(pieces[i]);
      if (found == spot.directory->entries.end() || !found->second->is_directory)
        return fake_error(ErrorKind::not_found, "no such directory for", path);
      spot.directory = found->second;
    }
    return spot;
  }

  void set_entry(const Spot& at, const NodePointer& node) {
    const auto old = at.directory->entries.find(at.name);
    if (old != at.directory->entries.end()) {
      --old->second->links;
      settle(*old->second);
    }
    if (node) ++node->links;
    Change change{.name = at.name, .node = node};
    apply_change(at.directory->entries, change);
    at.directory->changes.push_back(std::move(change));
  }

  /// Makes the charge of a node what it holds now: nothing once it has neither name nor reader.
  void settle(Node& node) {
    const bool alive = node.links > 0 || node.handles > 0;
    const std::uint64_t now = alive ? std::max<std::uint64_t>(node.data.size(), node.reserved) : 0;
    used += now - node.charged;
    node.charged = now;
  }

  /// Whether the node may come to hold `bytes`.
  Status room_for(const Node& node, std::uint64_t bytes, const std::string& path) const {
    const std::uint64_t now = std::max<std::uint64_t>(node.data.size(), node.reserved);
    if (bytes > now && used + (bytes - now) > capacity)
      return fake_error(ErrorKind::storage_full, "no space left to write", path);
    return ok_status();
  }

  void forget(Node& node, Random* random) {
    if (node.is_directory) return forget_entries(node, random);
    std::string kept = node.durable;
    if (random != nullptr) {
      const bool longer = node.data.size() > kept.size();
      if (random->below(2) == 0) kept.resize(node.data.size());
      for (const auto& [begin, end] : node.dirty) {
        for (std::size_t at = begin; at < end; at = at / page * page + page) {
          const std::size_t stop = std::min({end, at / page * page + page, node.data.size()});
          if (at >= stop || random->below(2) == 0) continue;
          if (kept.size() < stop && !longer) continue;
          if (kept.size() < stop) kept.resize(stop);
          kept.replace(at, stop - at, node.data, at, stop - at);
        }
      }
    }
    node.data = kept;
    node.durable = std::move(kept);
    node.modified_ns = node.durable_modified_ns;
    node.dirty.clear();
    node.reserved = 0;
  }

  void forget_entries(Node& node, Random* random) {
    const std::size_t keep = random == nullptr ? 0 : random->below(node.changes.size() + 1);
    for (std::size_t i = 0; i < keep; ++i) apply_change(node.durable_entries, node.changes[i]);
    node.changes.clear();
    node.entries = node.durable_entries;
  }

  void crash(Random* random) {
    ++generation;
    used = 0;
    std::set<Node*> seen;
    std::vector<NodePointer> todo = {root};
    while (!todo.empty()) {
      const NodePointer node = todo.back();
      todo.pop_back();
      if (seen.insert(node.get()).second) {
        forget(*node, random);
        node->links = 0;
        node->handles = 0;
        node->charged = 0;
        node->locked = false;
        for (const auto& [name, child] : node->entries) todo.push_back(child);
      }
      ++node->links;
      settle(*node);
    }
  }
};

namespace {

class FakeFile final : public File {
 public:
  FakeFile(std::shared_ptr<FakeFiles::Disk> disk, NodePointer node, std::string path, bool holds)
      : disk_(std::move(disk)), node_(std::move(node)), path_(std::move(path)), holds_lock_(holds) {
    generation_ = disk_->generation;
    end_ = node_->data.size();
    ++node_->handles;
  }
  ~FakeFile() override {
    const std::lock_guard lock(disk_->mutex);
    if (generation_ != disk_->generation) return;
    --node_->handles;
    if (holds_lock_) node_->locked = false;
    if (node_->handles == 0 && node_->links > 0) node_->reserved = node_->data.size();
    disk_->settle(*node_);
  }

  Result<std::size_t> read_at(std::uint64_t offset, char* into, std::size_t count) override {
    CAIRN_CHECK(disk_->ask("read", path_));
    const std::lock_guard lock(disk_->mutex);
    CAIRN_CHECK(step(false));
    if (offset >= node_->data.size()) return std::size_t{0};
    return node_->data.copy(into, count, offset);
  }

  Status write_at(std::uint64_t offset, std::string_view bytes) override {
    CAIRN_CHECK(disk_->ask("write", path_));
    const std::lock_guard lock(disk_->mutex);
    CAIRN_CHECK(step(true));
    return put(offset, bytes);
  }

  Status append(std::string_view bytes) override {
    CAIRN_CHECK(disk_->ask("write", path_));
    const std::lock_guard lock(disk_->mutex);
    CAIRN_CHECK(step(true));
    CAIRN_CHECK(put(end_, bytes));
    end_ += bytes.size();
    return ok_status();
  }

  Status allocate(std::uint64_t offset, std::uint64_t length, bool keep_size) override {
    CAIRN_CHECK(disk_->ask("allocate", path_));
    const std::lock_guard lock(disk_->mutex);
    CAIRN_CHECK(step(true));
    CAIRN_CHECK(disk_->room_for(*node_, offset + length, path_));
    node_->reserved = std::max(node_->reserved, offset + length);
    if (!keep_size && node_->data.size() < offset + length) resize(offset + length);
    disk_->settle(*node_);
    return ok_status();
  }

  Status truncate(std::uint64_t size) override {
    CAIRN_CHECK(disk_->ask("truncate", path_));
    const std::lock_guard lock(disk_->mutex);
    CAIRN_CHECK(step(true));
    CAIRN_CHECK(disk_->room_for(*node_, size, path_));
    resize(size);
    node_->reserved = size;
    end_ = size;
    disk_->settle(*node_);
    return ok_status();
  }

  Status sync_data() override { return sync(); }
  Status sync_all() override { return sync(); }

  Result<std::uint64_t> size() override {
    const std::lock_guard lock(disk_->mutex);
    CAIRN_CHECK(step(false));
    return node_->data.size();
  }
  Result<FileInfo> info() override {
    const std::lock_guard lock(disk_->mutex);
    CAIRN_CHECK(step(false));
    return FileInfo{.size_bytes = node_->data.size(),
                    .modified_ms = node_->modified_ns / 1'000'000,
                    .is_directory = node_->is_directory,
                    .modified_ns = node_->modified_ns,
                    .id = node_->id};
  }
  Status set_modified_ns(std::int64_t unix_ns) override {
    const std::lock_guard lock(disk_->mutex);
    CAIRN_CHECK(step(true));
    node_->modified_ns = unix_ns;
    return ok_status();
  }
  int descriptor() const override { return -1; }

  Status publish(const std::string& path) override {
    CAIRN_CHECK(disk_->ask("publish", path));
    const std::lock_guard lock(disk_->mutex);
    CAIRN_CHECK(step(true));
    CAIRN_TRY(const auto spot, disk_->spot(path));
    if (spot.directory->entries.contains(spot.name))
      return fake_error(ErrorKind::already_exists, "something is at", path);
    disk_->set_entry(spot, node_);
    path_ = path;
    return ok_status();
  }

 private:
  Status step(bool changes) {
    if (generation_ != disk_->generation)
      return fake_error(ErrorKind::internal, "opened before the crash:", path_);
    return disk_->step(changes, path_);
  }

  Status put(std::uint64_t offset, std::string_view bytes) {
    if (bytes.empty()) return ok_status();
    CAIRN_CHECK(disk_->room_for(*node_, offset + bytes.size(), path_));
    if (node_->data.size() < offset + bytes.size()) resize(offset + bytes.size());
    node_->data.replace(offset, bytes.size(), bytes);
    node_->modified_ns = disk_->now_ns();
    mark_dirty(*node_, offset, offset + bytes.size());
    disk_->settle(*node_);
    return ok_status();
  }

  void resize(std::uint64_t size) {
    const std::size_t before = node_->data.size();
    node_->data.resize(size);
    mark_dirty(*node_, before, size);
    node_->modified_ns = disk_->now_ns();
  }

  Status sync() {
    if (Status fault = disk_->ask("sync", path_); !fault.ok()) {
      const std::lock_guard lock(disk_->mutex);
      if (generation_ == disk_->generation) node_->dirty.clear();  // and so never written
      return fault;
    }
    const std::lock_guard lock(disk_->mutex);
    CAIRN_CHECK(step(true));
    for (const auto& [begin, end] : node_->dirty) persist(*node_, begin, end);
    node_->durable.resize(node_->data.size());
    node_->durable_modified_ns = node_->modified_ns;
    node_->dirty.clear();
    return ok_status();
  }

  std::shared_ptr<FakeFiles::Disk> disk_;
  NodePointer node_;
  std::string path_;
  bool holds_lock_;
  std::uint64_t generation_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace

FakeFiles::FakeFiles() : disk_(std::make_shared<Disk>()) {}
FakeFiles::~FakeFiles() = default;

std::uint64_t FakeFiles::calls() const {
  const std::lock_guard lock(disk_->mutex);
  return disk_->calls;
}

void FakeFiles::cut_at(std::uint64_t call) {
  const std::lock_guard lock(disk_->mutex);
  disk_->cut = call;
}

bool FakeFiles::is_cut() const {
  const std::lock_guard lock(disk_->mutex);
  return disk_->is_cut;
}

void FakeFiles::crash(CrashKeeps keeps, std::uint64_t seed) {
  const auto random = keeps == CrashKeeps::random ? seeded_random(seed) : nullptr;
  const std::lock_guard lock(disk_->mutex);
  disk_->crash(random.get());
  disk_->cut = 0;
  disk_->is_cut = false;
  disk_->calls = 0;
}

void FakeFiles::on_call(std::function<Status(std::string_view, const std::string&)> fault) {
  const std::lock_guard lock(disk_->mutex);
  disk_->fault = std::move(fault);
}

void FakeFiles::set_capacity(std::uint64_t bytes) {
  const std::lock_guard lock(disk_->mutex);
  disk_->capacity = bytes;
}

std::uint64_t FakeFiles::used_bytes() const {
  const std::lock_guard lock(disk_->mutex);
  return disk_->used;
}

bool FakeFiles::flip_bit(const std::string& path, std::uint64_t offset) {
  const std::lock_guard lock(disk_->mutex);
  const NodePointer node = disk_->find(path);
  if (!node || node->is_directory || offset >= node->data.size()) return false;
  node->data[offset] = static_cast<char>(node->data[offset] ^ 0x10);
  if (offset < node->durable.size())
    node->durable[offset] = static_cast<char>(node->durable[offset] ^ 0x10);
  return true;
}

Result<std::unique_ptr<File>> FakeFiles::open(const std::string& path, OpenMode mode, bool) {
  CAIRN_CHECK(disk_->ask("open", path));
  const std::lock_guard lock(disk_->mutex);
  NodePointer node = disk_->find(path);
  const bool makes = !node && mode != OpenMode::read && mode != OpenMode::read_write;
  const bool empties = node && mode == OpenMode::truncate;
  CAIRN_CHECK(disk_->step(makes || empties, path));
  if (node && node->is_directory)
    return fake_error(ErrorKind::invalid_argument, "a directory:", path);
  if (node && mode == OpenMode::create_exclusive)
    return fake_error(ErrorKind::already_exists, "something is at", path);
  if (!node && !makes) return fake_error(ErrorKind::not_found, "no such file:", path);
  if (makes) {
    CAIRN_TRY(const auto spot, disk_->spot(path));
    node = disk_->make_node(false);
    disk_->set_entry(spot, node);
  }
  if (empties) {
    node->data.clear();
    node->reserved = 0;
    disk_->settle(*node);
  }
  return std::unique_ptr<File>(std::make_unique<FakeFile>(disk_, node, path, false));
}

Result<std::unique_ptr<File>> FakeFiles::create_unnamed(const std::string& directory) {
  CAIRN_CHECK(disk_->ask("unnamed", directory));
  const std::lock_guard lock(disk_->mutex);
  CAIRN_CHECK(disk_->step(true, directory));
  const NodePointer at = disk_->find(directory);
  if (!at || !at->is_directory)
    return fake_error(ErrorKind::not_found, "no such directory:", directory);
  return std::unique_ptr<File>(
      std::make_unique<FakeFile>(disk_, disk_->make_node(false), directory, false));
}

Status FakeFiles::rename(const std::string& from, const std::string& to) {
  CAIRN_CHECK(disk_->ask("rename", from));
  const std::lock_guard lock(disk_->mutex);
  CAIRN_CHECK(disk_->step(true, from));
  CAIRN_TRY(const auto a, disk_->spot(from));
  CAIRN_TRY(const auto b, disk_->spot(to));
  const auto found = a.directory->entries.find(a.name);
  if (found == a.directory->entries.end())
    return fake_error(ErrorKind::not_found, "no such file:", from);
  const NodePointer node = found->second;
  if (const auto old = b.directory->entries.find(b.name);
      old != b.directory->entries.end() && old->second->is_directory != node->is_directory)
    return fake_error(ErrorKind::invalid_argument, "a directory and a file:", to);
  disk_->set_entry(b, node);
  disk_->set_entry(a, nullptr);
  return ok_status();
}

Status FakeFiles::remove(const std::string& path) {
  CAIRN_CHECK(disk_->ask("remove", path));
  const std::lock_guard lock(disk_->mutex);
  CAIRN_CHECK(disk_->step(true, path));
  CAIRN_TRY(const auto spot, disk_->spot(path));
  const auto found = spot.directory->entries.find(spot.name);
  if (found == spot.directory->entries.end())
    return fake_error(ErrorKind::not_found, "no such file:", path);
  if (found->second->is_directory)
    return fake_error(ErrorKind::invalid_argument, "a directory:", path);
  disk_->set_entry(spot, nullptr);
  return ok_status();
}

Status FakeFiles::make_directories(const std::string& path, unsigned) {
  CAIRN_CHECK(disk_->ask("mkdir", path));
  const std::lock_guard lock(disk_->mutex);
  NodePointer node = disk_->root;
  for (const std::string& piece : pieces_of(path)) {
    const auto found = node->entries.find(piece);
    NodePointer next = found == node->entries.end() ? nullptr : found->second;
    CAIRN_CHECK(disk_->step(!next, path));
    if (!next) {
      next = disk_->make_node(true);
      disk_->set_entry({.directory = node, .name = piece}, next);
    }
    if (!next->is_directory) return fake_error(ErrorKind::not_found, "not a directory:", path);
    node = next;
  }
  return ok_status();
}

Status FakeFiles::remove_directory(const std::string& path) {
  CAIRN_CHECK(disk_->ask("rmdir", path));
  const std::lock_guard lock(disk_->mutex);
  CAIRN_CHECK(disk_->step(true, path));
  CAIRN_TRY(const auto spot, disk_->spot(path));
  const auto found = spot.directory->entries.find(spot.name);
  if (found == spot.directory->entries.end() || !found->second->is_directory)
    return fake_error(ErrorKind::not_found, "no such directory:", path);
  if (!found->second->entries.empty()) return fake_error(ErrorKind::conflict, "not empty:", path);
  disk_->set_entry(spot, nullptr);
  return ok_status();
}

Status FakeFiles::sync_directory(const std::string& path) {
  CAIRN_CHECK(disk_->ask("sync_directory", path));
  const std::lock_guard lock(disk_->mutex);
  CAIRN_CHECK(disk_->step(true, path));
  const NodePointer node = disk_->find(path);
  if (!node || !node->is_directory)
    return fake_error(ErrorKind::not_found, "no such directory:", path);
  node->durable_entries = node->entries;
  node->changes.clear();
  return ok_status();
}

Result<std::vector<std::string>> FakeFiles::list(const std::string& directory) {
  CAIRN_CHECK(disk_->ask("list", directory));
  const std::lock_guard lock(disk_->mutex);
  CAIRN_CHECK(disk_->step(false, directory));
  const NodePointer node = disk_->find(directory);
  if (!node || !node->is_directory)
    return fake_error(ErrorKind::not_found, "no such directory:", directory);
  std::vector<std::string> names;
  for (const auto& [name, child] : node->entries) names.push_back(name);
  return names;
}

Result<FileInfo> FakeFiles::info(const std::string& path) {
  CAIRN_CHECK(disk_->ask("info", path));
  const std::lock_guard lock(disk_->mutex);
  CAIRN_CHECK(disk_->step(false, path));
  const NodePointer node = disk_->find(path);
  if (!node) return fake_error(ErrorKind::not_found, "no such file:", path);
  return FileInfo{.size_bytes = node->data.size(),
                  .modified_ms = node->modified_ns / 1'000'000,
                  .is_directory = node->is_directory,
                  .modified_ns = node->modified_ns,
                  .id = node->id};
}

Result<std::unique_ptr<File>> FakeFiles::lock(const std::string& path) {
  CAIRN_CHECK(disk_->ask("lock", path));
  const std::lock_guard lock(disk_->mutex);
  NodePointer node = disk_->find(path);
  CAIRN_CHECK(disk_->step(!node, path));
  if (!node) {
    CAIRN_TRY(const auto spot, disk_->spot(path));
    node = disk_->make_node(false);
    disk_->set_entry(spot, node);
  }
  if (node->locked) return fake_error(ErrorKind::conflict, "locked by another:", path);
  node->locked = true;
  return std::unique_ptr<File>(std::make_unique<FakeFile>(disk_, node, path, true));
}

Result<std::uint64_t> FakeFiles::free_bytes(const std::string& path) {
  CAIRN_CHECK(disk_->ask("info", path));
  const std::lock_guard lock(disk_->mutex);
  CAIRN_CHECK(disk_->step(false, path));
  return disk_->capacity > disk_->used ? disk_->capacity - disk_->used : 0;
}

}  // namespace cairn::os
