// SPDX-License-Identifier: Apache-2.0
#include "os/fake/fake_file.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace cairn::os {
namespace {

class FakeFile final : public File {
 public:
  FakeFile(std::shared_ptr<FakeFiles::Disk> disk, FakeNodePointer node, std::string path,
           bool holds)
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
  bool set_direct(bool direct) override {
    const std::lock_guard lock(disk_->mutex);
    if (direct && disk_->direct_writes == DirectWrites::refused_when_asked) return false;
    direct_ = direct;
    return true;
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
    if (direct_) CAIRN_CHECK(check_direct(offset, bytes));
    if (direct_ && disk_->direct_writes == DirectWrites::refused_half_way && direct_writes_++ > 0) {
      const std::size_t half = bytes.size() / 2;
      direct_ = false;
      CAIRN_CHECK(put(offset, bytes.substr(0, half)));
      direct_ = true;
      return fake_error(ErrorKind::invalid_argument, "cannot be written around the cache:", path_);
    }
    CAIRN_CHECK(disk_->room_for(*node_, offset + bytes.size(), path_));
    if (node_->data.size() < offset + bytes.size()) resize(offset + bytes.size());
    node_->data.replace(offset, bytes.size(), bytes);
    if (direct_) disk_->direct_bytes += bytes.size();
    node_->modified_ns = disk_->now_ns();
    node_->mark_dirty(offset, offset + bytes.size());
    disk_->settle(*node_);
    return ok_status();
  }

  Status check_direct(std::uint64_t offset, std::string_view bytes) const {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    if (disk_->direct_writes != DirectWrites::refused_when_written &&
        (address | offset | bytes.size()) % direct_alignment == 0)
      return ok_status();
    return fake_error(ErrorKind::invalid_argument, "cannot be written around the cache:", path_);
  }

  void resize(std::uint64_t size) {
    const std::size_t before = node_->data.size();
    node_->data.resize(size);
    node_->mark_dirty(before, size);
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
    node_->persist();
    return ok_status();
  }

  std::shared_ptr<FakeFiles::Disk> disk_;
  FakeNodePointer node_;
  std::string path_;
  bool holds_lock_;
  bool direct_ = false;
  int direct_writes_ = 0;
  std::uint64_t generation_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace

std::unique_ptr<File> fake_file(std::shared_ptr<FakeFiles::Disk> disk, FakeNodePointer node,
                                const std::string& path, bool holds_lock) {
  return std::make_unique<FakeFile>(std::move(disk), std::move(node), path, holds_lock);
}

}  // namespace cairn::os
