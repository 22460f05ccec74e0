// SPDX-License-Identifier: Apache-2.0
// What a disk gives to the least that a durable store must do: group-committed appends, and whole
// files that are synced and named. Benchmarks print their figures beside these.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "os/files/files.h"

namespace cairn::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The value, or the end of the program with the error's message.
template <class T>
T must(Result<T> result) {
  if (result.ok()) return std::move(*result);
  std::fprintf(stderr, "bench: %s\n", result.error().message.c_str());
  std::exit(1);
}

/// Appends of many threads to one preallocated file, one write and one fdatasync for all that wait:
/// the least that a durable log must do.
class GroupLog {
 public:
  explicit GroupLog(const std::string& path)
      : file_(must(os::system_files().open(path, os::OpenMode::create))) {
    must(file_->allocate(0, 1 << 30, true));
  }
  void append(std::string_view bytes) {
    std::unique_lock lock(mutex_);
    waiting_ += bytes;
    const std::uint64_t mine = gathering_;
    while (written_ < mine) {
      if (busy_) {
        changed_.wait(lock);
        continue;
      }
      busy_ = true;
      std::string batch;
      batch.swap(waiting_);
      const std::uint64_t number = gathering_++;
      lock.unlock();
      must(file_->append(batch));
      must(file_->sync_data());
      lock.lock();
      written_ = number;
      busy_ = false;
      changed_.notify_all();
    }
  }

 private:
  std::unique_ptr<os::File> file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  std::uint64_t gathering_ = 1;
  std::uint64_t written_ = 0;
  bool busy_ = false;
};

/// One file of `bytes`, with its space reserved, synced, and its folder synced.
inline void write_synced_file(const std::string& folder, const std::string& name,
                              std::string_view piece, std::size_t bytes) {
  auto file = must(os::system_files().open(folder + "/" + name, os::OpenMode::truncate));
  must(file->allocate(0, bytes, true));
  for (std::size_t at = 0; at < bytes; at += piece.size()) must(file->append(piece));
  must(file->sync_data());
  must(os::system_files().sync_directory(folder));
}

/// Bytes a second that one core digests.
inline double md5_rate(std::string_view piece, double seconds) {
  const auto begin = Clock::now();
  double bytes = 0;
  Digest digest(DigestKind::md5);
  while (seconds_since(begin) < seconds) {
    digest.update(piece);
    bytes += static_cast<double>(piece.size());
  }
  (void)digest.finish();
  return bytes / seconds_since(begin);
}

struct Figures {
  double per_second = 0;
  double p50_ms = 0;
  double p99_ms = 0;
};

inline Figures figures_of(std::vector<double> times_ms, double seconds) {
  if (times_ms.empty()) return {};
  std::sort(times_ms.begin(), times_ms.end());
  const auto at = [&](double share) {
    return times_ms[static_cast<std::size_t>(share * static_cast<double>(times_ms.size() - 1))];
  };
  return {static_cast<double>(times_ms.size()) / seconds, at(0.5), at(0.99)};
}

/// Runs `work(thread, number)` on `threads` threads for some seconds.
inline Figures measure(int threads, double seconds,
                       const std::function<void(int, std::uint64_t)>& work) {
  std::atomic<bool> stop = false;
  std::vector<std::vector<double>> times(static_cast<std::size_t>(threads));
  std::vector<std::thread> pool;
  const auto begin = Clock::now();
  for (int thread = 0; thread < threads; ++thread) {
    pool.emplace_back([&, thread] {
      for (std::uint64_t number = 0; !stop; ++number) {
        const auto at = Clock::now();
        work(thread, number);
        times[static_cast<std::size_t>(thread)].push_back(seconds_since(at) * 1e3);
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (std::thread& thread : pool) thread.join();
  const double took = seconds_since(begin);
  std::vector<double> all;
  for (const auto& some : times) all.insert(all.end(), some.begin(), some.end());
  return figures_of(std::move(all), took);
}

}  // namespace cairn::bench
