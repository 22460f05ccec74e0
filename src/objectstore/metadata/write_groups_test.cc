// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/write_groups.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "os/threads/no_threads.h"

namespace cairn::objectstore::write_groups_test {
namespace {

// A disk whose writes wait until they are let go, and that counts what each row was written by.
class SlowDisk {
 public:
  rocksdb::Status write(rocksdb::WriteBatch& batch) {
    std::unique_lock lock(mutex_);
    CHECK(!writing_);
    writing_ = true;
    ++begun_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return allowed_ >= begun_; });
    struct Rows : rocksdb::WriteBatch::Handler {
      std::vector<std::string> keys;
      void Put(const rocksdb::Slice& key, const rocksdb::Slice&) override {
        keys.push_back(key.ToString());
      }
    } rows;
    CHECK(batch.Iterate(&rows).ok());
    for (const std::string& key : rows.keys) ++written_[key];
    sizes_.push_back(rows.keys.size());
    writing_ = false;
    return begun_ == failing_ ? rocksdb::Status::IOError("the disk is gone")
                              : rocksdb::Status::OK();
  }
  void allow(int count) {
    const std::lock_guard lock(mutex_);
    allowed_ += count;
    changed_.notify_all();
  }
  /// The write with this number, from 1, fails.
  void fail(int number) { failing_ = number; }
  void wait_begun(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ >= count; });
  }
  std::map<std::string, int> written() { return written_; }
  std::vector<std::size_t> sizes() { return sizes_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int> written_;
  std::vector<std::size_t> sizes_;
  int begun_ = 0, allowed_ = 0, failing_ = 0;
  bool writing_ = false;
};

rocksdb::Status put(WriteGroups& groups, const std::string& key, std::atomic<int>* filled = nullptr,
                    std::size_t bytes = 1) {
  return groups.commit([&](rocksdb::WriteBatch& rows) {
    if (filled != nullptr) ++*filled;
    return rows.Put(key, std::string(bytes, 'x'));
  });
}

/// A writer whose write the disk holds until `count` others have come: what each was told, the
/// first one's first.
std::vector<rocksdb::Status> one_and_those_behind(SlowDisk& disk, WriteGroups& groups, int count,
                                                  std::size_t bytes = 1) {
  std::vector<rocksdb::Status> statuses(static_cast<std::size_t>(count) + 1);
  std::atomic<int> filled = 0;
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { statuses[0] = put(groups, "first"); });
  disk.wait_begun(1);
  for (int i = 1; i <= count; ++i)
    threads.emplace_back([&, i] {
      statuses[static_cast<std::size_t>(i)] = put(groups, "k" + std::to_string(i), &filled, bytes);
    });
  while (filled < count) std::this_thread::yield();
  disk.allow(count + 1);
  threads.clear();
  return statuses;
}

}  // namespace

TEST_CASE("write groups: who comes while the disk is busy is written together, once each") {
  SlowDisk disk;
  WriteGroups groups([&](rocksdb::WriteBatch& rows) { return disk.write(rows); });
  for (const rocksdb::Status& status : one_and_those_behind(disk, groups, 15)) CHECK(status.ok());
  CHECK(disk.sizes() == std::vector<std::size_t>{1, 15});
  CHECK(disk.written().size() == 16);
  for (const auto& [key, times] : disk.written()) CHECK(times == 1);
}

TEST_CASE("write groups: a failed write fails all of its group, and no other") {
  for (const int failing : {1, 2}) {
    SlowDisk disk;
    disk.fail(failing);
    WriteGroups groups([&](rocksdb::WriteBatch& rows) { return disk.write(rows); });
    const auto statuses = one_and_those_behind(disk, groups, 4);
    CHECK(statuses[0].IsIOError() == (failing == 1));
    for (std::size_t i = 1; i < statuses.size(); ++i)
      CHECK(statuses[i].IsIOError() == (failing == 2));
    CHECK(disk.sizes() == std::vector<std::size_t>{1, 4});
  }
}

TEST_CASE("write groups: without a thread of their own, the first writer writes for all") {
  SlowDisk disk;
  const os::NoThreads none;
  WriteGroups groups([&](rocksdb::WriteBatch& rows) { return disk.write(rows); });
  for (const rocksdb::Status& status : one_and_those_behind(disk, groups, 15)) CHECK(status.ok());
  CHECK(disk.sizes() == std::vector<std::size_t>{1, 15});
  CHECK(put(groups, "later").ok());
}

TEST_CASE("write groups: what could not be added leaves nothing, and others stay") {
  SlowDisk disk;
  disk.allow(10);
  WriteGroups groups([&](rocksdb::WriteBatch& rows) { return disk.write(rows); });
  const auto refused = groups.commit([](rocksdb::WriteBatch& rows) {
    CHECK(rows.Put("half", "").ok());
    return rocksdb::Status::InvalidArgument("no");
  });
  CHECK(refused.IsInvalidArgument());
  CHECK(put(groups, "whole").ok());
  CHECK(disk.written() == std::map<std::string, int>{{"whole", 1}});
}

TEST_CASE("write groups: a full group takes nobody in, and all are written in turn") {
  SlowDisk disk;
  WriteGroups groups([&](rocksdb::WriteBatch& rows) { return disk.write(rows); });
  for (const auto& status : one_and_those_behind(disk, groups, 3, WriteGroups::bytes_max))
    CHECK(status.ok());
  CHECK(disk.sizes() == std::vector<std::size_t>{1, 1, 1, 1});
}

TEST_CASE("write groups: many writers, each written once before it goes on") {
  std::map<std::string, int> written;
  WriteGroups groups([&](rocksdb::WriteBatch& batch) {  // one at a time: no lock
    struct Rows : rocksdb::WriteBatch::Handler {
      std::map<std::string, int>* into;
      void Put(const rocksdb::Slice& key, const rocksdb::Slice&) override {
        ++(*into)[key.ToString()];
      }
    } rows;
    rows.into = &written;
    return batch.Iterate(&rows);
  });
  constexpr int threads_count = 8, each = 2'000;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < threads_count; ++thread)
      threads.emplace_back([&, thread] {
        for (int i = 0; i < each; ++i)
          REQUIRE(put(groups, std::to_string(thread) + "/" + std::to_string(i)).ok());
      });
  }
  CHECK(written.size() == threads_count * each);
  for (const auto& [key, times] : written) REQUIRE(times == 1);
}

}  // namespace cairn::objectstore::write_groups_test
