// SPDX-License-Identifier: Apache-2.0
#include "os/fake/fake_files.h"

#include <utility>

#include "os/fake/fake_disk.h"
#include "os/fake/fake_file.h"
#include "os/random.h"

namespace cairn::os {

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

void FakeFiles::set_direct_writes(DirectWrites how) {
  const std::lock_guard lock(disk_->mutex);
  disk_->direct_writes = how;
}

std::uint64_t FakeFiles::direct_bytes() const {
  const std::lock_guard lock(disk_->mutex);
  return disk_->direct_bytes;
}

bool FakeFiles::flip_bit(const std::string& path, std::uint64_t offset) {
  const std::lock_guard lock(disk_->mutex);
  const FakeNodePointer node = disk_->find(path);
  if (!node || node->is_directory || offset >= node->data.size()) return false;
  node->data[offset] = static_cast<char>(node->data[offset] ^ 0x10);
  if (offset < node->durable.size())
    node->durable[offset] = static_cast<char>(node->durable[offset] ^ 0x10);
  return true;
}

Result<std::unique_ptr<File>> FakeFiles::open(const std::string& path, OpenMode mode) {
  CAIRN_CHECK(disk_->ask("open", path));
  const std::lock_guard lock(disk_->mutex);
  FakeNodePointer node = disk_->find(path);
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
  return fake_file(disk_, std::move(node), path);
}

Result<std::unique_ptr<File>> FakeFiles::create_unnamed(const std::string& directory) {
  CAIRN_CHECK(disk_->ask("unnamed", directory));
  const std::lock_guard lock(disk_->mutex);
  CAIRN_CHECK(disk_->step(true, directory));
  const FakeNodePointer at = disk_->find(directory);
  if (!at || !at->is_directory)
    return fake_error(ErrorKind::not_found, "no such directory:", directory);
  return fake_file(disk_, disk_->make_node(false), directory);
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
  const FakeNodePointer node = found->second;
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
  FakeNodePointer node = disk_->root;
  for (const std::string& name : fake_path_names(path)) {
    const auto found = node->entries.find(name);
    FakeNodePointer next = found == node->entries.end() ? nullptr : found->second;
    CAIRN_CHECK(disk_->step(!next, path));
    if (!next) {
      next = disk_->make_node(true);
      disk_->set_entry({.directory = node, .name = name}, next);
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
  const FakeNodePointer node = disk_->find(path);
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
  const FakeNodePointer node = disk_->find(directory);
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
  const FakeNodePointer node = disk_->find(path);
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
  FakeNodePointer node = disk_->find(path);
  CAIRN_CHECK(disk_->step(!node, path));
  if (!node) {
    CAIRN_TRY(const auto spot, disk_->spot(path));
    node = disk_->make_node(false);
    disk_->set_entry(spot, node);
  }
  if (node->locked) return fake_error(ErrorKind::conflict, "locked by another:", path);
  node->locked = true;
  return fake_file(disk_, std::move(node), path, true);
}

Result<std::uint64_t> FakeFiles::free_bytes(const std::string& path) {
  CAIRN_CHECK(disk_->ask("info", path));
  const std::lock_guard lock(disk_->mutex);
  CAIRN_CHECK(disk_->step(false, path));
  return disk_->capacity > disk_->used ? disk_->capacity - disk_->used : 0;
}

}  // namespace cairn::os
