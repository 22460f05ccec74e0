// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/files/directory_watch.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "os/files/beneath.h"
#include "os/files/folder_watch.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t watched_depth_max = 64;
constexpr std::int64_t between_looks_ms = 1000;  // while folders come and go

std::string watched_path(const std::string& folder, const std::string& name) {
  if (folder.empty()) return name;
  return name.empty() ? folder : folder + "/" + name;
}

class DirectoryWatch final : public SourceWatch {
 public:
  DirectoryWatch(std::unique_ptr<os::Beneath> root, DirectoryWatchParams params,
                 const os::Clock& clock)
      : root_(std::move(root)), params_(std::move(params)), clock_(clock) {}

  Result<bool> changed(const os::Deadline& deadline) override {
    os::FolderWatch::News news;
    if (watch_) news = watch_->take();
    look_wanted_ = look_wanted_ || news.folders || news.lost;
    const std::int64_t now_ms = clock_.steady_ns() / 1'000'000;
    const std::int64_t every_ms = limit_.empty() ? params_.look_ms : params_.look_limited_ms;
    bool out = news.files || news.folders || news.lost;
    if (looked_ms_ && now_ms - *looked_ms_ < (look_wanted_ ? between_looks_ms : every_ms))
      return out;
    const bool first = !looked_ms_;
    CAIRN_TRY(const std::uint64_t hash, look(deadline));
    out = out || (!first && hash != hash_);
    hash_ = hash;
    looked_ms_ = clock_.steady_ns() / 1'000'000;
    look_wanted_ = false;
    return out;
  }

  const std::string& limit() const override { return limit_; }

 private:
  /// Watches all folders that are there, before each is listed: what comes in between is told.
  Result<std::uint64_t> look(const os::Deadline& deadline) {
    limit_.clear();
    if (!watch_) {
      auto opened = os::FolderWatch::open(params_.folders_max);
      if (opened.ok())
        watch_ = *std::move(opened);
      else
        limit_ = opened.error().message;
    }
    if (watch_) watch_->begin_round();
    std::uint64_t hash = 0;
    CAIRN_CHECK(look_into("", 0, hash, deadline));
    if (watch_) watch_->end_round();
    return hash;
  }

  Status look_into(const std::string& folder, std::size_t depth, std::uint64_t& hash,
                   const os::Deadline& deadline) {
    CAIRN_CHECK(deadline.check("looking for changes in the folder"));
    const std::string relative = watched_path(params_.folder, folder);
    if (watch_ && limit_.empty()) {
      const Status added =
          watch_->add(watched_path(params_.root == "/" ? "" : params_.root, relative));
      if (!added.ok() && added.error().kind == ErrorKind::storage_full)
        limit_ = added.error().message;
    }
    auto entries = root_->list(relative);
    if (!entries.ok()) {
      // Of a folder that cannot be read only that is known.
      if (depth == 0) return std::move(entries).error();
      hash = fast_hash(folder + "\n?", hash);
      return ok_status();
    }
    for (const auto& entry : *entries) {
      if (!params_.hidden && entry.name.starts_with('.')) continue;
      const std::string path = watched_path(folder, entry.name);
      if (entry.is_directory) {
        if (depth < watched_depth_max) CAIRN_CHECK(look_into(path, depth + 1, hash, deadline));
        continue;
      }
      hash = fast_hash(path + "\n" + std::to_string(entry.modified_ns) + ":" +
                           std::to_string(entry.size_bytes) + ":" + entry.fault,
                       hash);
    }
    return ok_status();
  }

  std::unique_ptr<os::Beneath> root_;
  DirectoryWatchParams params_;
  const os::Clock& clock_;
  std::unique_ptr<os::FolderWatch> watch_;
  std::string limit_;
  std::optional<std::int64_t> looked_ms_;
  bool look_wanted_ = false;
  std::uint64_t hash_ = 0;
};

}  // namespace

Result<std::unique_ptr<SourceWatch>> watch_directory(DirectoryWatchParams params,
                                                     const os::Clock& clock) {
  CAIRN_TRY(auto root, os::Beneath::open(params.root));
  return std::unique_ptr<SourceWatch>(
      std::make_unique<DirectoryWatch>(std::move(root), std::move(params), clock));
}

}  // namespace cairn::connectors
