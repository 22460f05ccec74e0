// SPDX-License-Identifier: Apache-2.0
// Folders and stores as places of files.
#include "inference/fetch/file_source.h"

#include <algorithm>
#include <utility>

namespace cairn::inference {
namespace {

constexpr std::size_t step_bytes = 1 << 20;

Error over_limit(const std::string& path, std::size_t limit_bytes) {
  return Error{.kind = ErrorKind::too_large,
               .message = "[" + path + "] has more than " + std::to_string(limit_bytes) + " bytes"};
}

class FolderSource final : public FileSource {
 public:
  FolderSource(os::Files& files, std::string folder) : files_(files), folder_(std::move(folder)) {}
  const std::string& name() const override { return folder_; }

  Result<std::string> read(const std::string& path, std::size_t limit_bytes,
                           const os::Deadline&) override {
    CAIRN_CHECK(there());
    return os::read_file(files_, place(path), limit_bytes);
  }

  Result<std::uint64_t> size(const std::string& path, const os::Deadline&) override {
    CAIRN_CHECK(there());
    CAIRN_TRY(const os::FileInfo info, files_.info(place(path)));
    return info.size_bytes;
  }

  Status stream(const std::string& path, std::uint64_t offset, const TakeBytes& take,
                const os::Deadline& deadline) override {
    CAIRN_TRY(const auto file, files_.open(place(path), os::OpenMode::read));
    std::string buffer(step_bytes, '\0');
    while (true) {
      CAIRN_CHECK(deadline.check("reading [" + path + "]"));
      CAIRN_TRY(const std::size_t count, file->read_at(offset, buffer.data(), buffer.size()));
      if (count == 0) return ok_status();
      CAIRN_CHECK(take(std::string_view(buffer).substr(0, count)));
      offset += count;
    }
  }

 private:
  std::string place(const std::string& path) const { return folder_ + "/" + path; }

  /// A disk that is not mounted is not a folder without models.
  Status there() {
    const auto info = files_.info(folder_);
    if (info.ok()) return ok_status();
    return Error{.kind = ErrorKind::unavailable, .message = info.error().message};
  }

  os::Files& files_;
  const std::string folder_;
};

class StoreSource final : public FileSource {
 public:
  StoreSource(std::string name, OpenStore open) : name_(std::move(name)), open_(std::move(open)) {}
  const std::string& name() const override { return name_; }

  Result<std::string> read(const std::string& path, std::size_t limit_bytes,
                           const os::Deadline& deadline) override {
    CAIRN_TRY(const auto store, opened(deadline));
    CAIRN_TRY(const auto info, store->head(path, deadline));
    if (!info) return none(path);
    if (info->size_bytes > limit_bytes) return over_limit(path, limit_bytes);
    CAIRN_TRY(store::Object object, store->get(path, deadline));
    return std::move(object.bytes);
  }

  Result<std::uint64_t> size(const std::string& path, const os::Deadline& deadline) override {
    CAIRN_TRY(const auto store, opened(deadline));
    CAIRN_TRY(const auto info, store->head(path, deadline));
    if (!info) return none(path);
    return info->size_bytes;
  }

  Status stream(const std::string& path, std::uint64_t offset, const TakeBytes& take,
                const os::Deadline& deadline) override {
    CAIRN_TRY(const auto store, opened(deadline));
    CAIRN_TRY(const auto info, store->head(path, deadline));
    if (!info) return none(path);
    while (offset < info->size_bytes) {
      CAIRN_CHECK(deadline.check("reading [" + path + "]"));
      const std::uint64_t count = std::min<std::uint64_t>(step_bytes, info->size_bytes - offset);
      CAIRN_TRY(const store::Object part,
                store->get(path, deadline, {.offset = offset, .count = count}));
      if (part.info.etag != info->etag || part.bytes.empty()) {
        return Error{.kind = ErrorKind::unavailable,
                     .message = "[" + path + "] changed while it was read"};
      }
      CAIRN_CHECK(take(part.bytes));
      offset += part.bytes.size();
    }
    return ok_status();
  }

 private:
  static Error none(const std::string& path) {
    return Error{.kind = ErrorKind::not_found, .message = "there is no object [" + path + "]"};
  }

  Result<std::shared_ptr<store::Store>> opened(const os::Deadline& deadline) const {
    auto store = open_(deadline);
    if (store.ok() || store.error().kind != ErrorKind::not_found) return store;
    return Error{.kind = ErrorKind::unavailable, .message = store.error().message};
  }

  const std::string name_;
  const OpenStore open_;
};

}  // namespace

std::unique_ptr<FileSource> folder_source(os::Files& files, std::string folder) {
  return std::make_unique<FolderSource>(files, std::move(folder));
}

std::unique_ptr<FileSource> store_source(std::string name, OpenStore open) {
  return std::make_unique<StoreSource>(std::move(name), std::move(open));
}

}  // namespace cairn::inference
