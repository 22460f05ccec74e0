// SPDX-License-Identifier: Apache-2.0
#include "index/segment/segment_file.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/checksum.h"
#include "base/threads.h"
#include "index/errors.h"
#include "index/segment/cache_counts.h"
#include "index/segment/segment_format.h"

namespace cairn::index {

namespace {

Error outside(const std::string& name) { return corrupt_object(name, "a range lies outside"); }

class MemoryFile final : public SegmentFile {
 public:
  MemoryFile(std::string name, std::string bytes)
      : name_(std::move(name)), bytes_(std::make_shared<const std::string>(std::move(bytes))) {}
  Result<Bytes> read(std::uint64_t offset, std::uint64_t length,
                     const os::Deadline&) const override {
    if (offset > bytes_->size() || length > bytes_->size() - offset) return outside(name_);
    return Bytes{bytes_, std::string_view(*bytes_).substr(offset, length)};
  }
  Result<Bytes> read_once(std::uint64_t offset, std::uint64_t length,
                          const os::Deadline& deadline) const override {
    return read(offset, length, deadline);
  }
  Result<Bytes> read_checked(std::uint64_t offset, std::uint64_t length, std::uint32_t,
                             const os::Deadline& deadline) const override {
    return read(offset, length, deadline);
  }
  std::uint64_t size() const override { return bytes_->size(); }
  bool in_memory() const override { return true; }
  bool can_stay(std::uint64_t) const override { return true; }
  const std::string& name() const override { return name_; }
  void set_page_checksums(PageChecksums) override {}

 private:
  std::string name_;
  std::shared_ptr<const std::string> bytes_;
};

// What is read once is mostly read in order, a few pieces of a file at a time side by side.
constexpr std::uint64_t ahead_bytes = 512u << 10;
constexpr std::size_t ahead_pieces = 4;

/// Bytes of a file that were fetched ahead of those who read it once. Safe from any thread.
class ReadAhead {
 public:
  using Piece = std::shared_ptr<const std::string>;

  /// Nothing where the range is not in one piece.
  std::optional<Bytes> find(std::uint64_t offset, std::uint64_t length) {
    const MutexLock lock(mutex_);
    for (Kept& kept : kept_) {
      if (kept.bytes == nullptr || offset < kept.start ||
          offset - kept.start > kept.bytes->size() ||
          length > kept.bytes->size() - (offset - kept.start))
        continue;
      kept.used = ++uses_;
      return Bytes{kept.bytes, std::string_view(*kept.bytes).substr(offset - kept.start, length)};
    }
    return std::nullopt;
  }
  /// In the place of the piece that was not used for longest.
  void keep(std::uint64_t start, Piece bytes) {
    const MutexLock lock(mutex_);
    Kept& oldest = *std::min_element(kept_.begin(), kept_.end(),
                                     [](const Kept& a, const Kept& b) { return a.used < b.used; });
    oldest = {.start = start, .bytes = std::move(bytes), .used = ++uses_};
  }

 private:
  struct Kept {
    std::uint64_t start = 0;
    Piece bytes = {};
    std::uint64_t used = 0;
  };
  Mutex mutex_;
  std::array<Kept, ahead_pieces> kept_ CAIRN_GUARDED_BY(mutex_) = {};
  std::uint64_t uses_ CAIRN_GUARDED_BY(mutex_) = 0;
};

class StoreFile final : public SegmentFile {
 public:
  StoreFile(store::Store& store, std::string key, std::uint64_t size,
            std::shared_ptr<PageCache> cache)
      : store_(store),
        cache_(std::move(cache)),
        key_(std::move(key)),
        size_(size),
        pages_(cache_->open(size)) {}

  Result<Bytes> read(std::uint64_t offset, std::uint64_t length,
                     const os::Deadline& deadline) const override {
    if (offset > size_ || length > size_ - offset) return outside(key_);
    if (length == 0) return Bytes{};
    // Bytes that cannot be checked yet are not kept.
    if (checksums_.values.empty()) return read_apart(offset, length, deadline);
    if (auto pin = pages_->pin(offset, length)) return found(std::move(pin), offset, length);
    page_cache_counts().misses.add();
    if (const auto missing = pages_->missing(offset, length)) {
      CAIRN_TRY(const auto bytes, fetch(missing->start, missing->end, deadline));
      pages_->keep(missing->start, *bytes);
      if (auto pin = pages_->pin(offset, length)) return kept(std::move(pin), offset, length);
      // There is no room for all of it: what was brought is used as it is, if that is all.
      if (missing->start <= offset && missing->end >= offset + length)
        return Bytes{bytes, std::string_view(*bytes).substr(offset - missing->start, length)};
    }
    return read_apart(offset, length, deadline);
  }

  Result<Bytes> read_once(std::uint64_t offset, std::uint64_t length,
                          const os::Deadline& deadline) const override {
    if (offset > size_ || length > size_ - offset) return outside(key_);
    if (length == 0) return Bytes{};
    if (length >= ahead_bytes || checksums_.values.empty())
      return read_apart(offset, length, deadline);
    if (auto found = ahead_.find(offset, length)) return *std::move(found);
    const auto [start, end] = pages_around(offset, length);
    CAIRN_TRY(auto bytes,
              fetch(start, std::min(std::max(end, start + ahead_bytes), size_), deadline));
    ahead_.keep(start, bytes);
    return Bytes{bytes, std::string_view(*bytes).substr(offset - start, length)};
  }

  Result<Bytes> read_checked(std::uint64_t offset, std::uint64_t length, std::uint32_t checksum,
                             const os::Deadline& deadline) const override {
    if (offset > size_ || length > size_ - offset) return outside(key_);
    if (length == 0) return Bytes{};
    if (!checksums_.values.empty()) {
      if (auto pin = pages_->pin(offset, length)) return found(std::move(pin), offset, length);
      // A few bytes are worth their page only while that pushes out no other.
      if (length >= page_bytes / 8 || cache_->has_room()) return read(offset, length, deadline);
    }
    page_cache_counts().misses.add();
    CAIRN_TRY(const auto bytes, fetch_unchecked(offset, offset + length, deadline));
    if (crc32c(*bytes) != checksum)
      return corrupt_object(key_, "bytes at " + std::to_string(offset) + " have another checksum");
    return Bytes{bytes, *bytes};
  }

  std::uint64_t size() const override { return size_; }
  bool in_memory() const override { return false; }
  bool can_stay(std::uint64_t bytes) const override { return bytes <= cache_->bytes_max() / 2; }
  const std::string& name() const override { return key_; }
  void set_page_checksums(PageChecksums checksums) override { checksums_ = std::move(checksums); }

 private:
  Result<Bytes> read_apart(std::uint64_t offset, std::uint64_t length,
                           const os::Deadline& deadline) const {
    const auto [start, end] = pages_around(offset, length);
    CAIRN_TRY(auto bytes, fetch(start, end, deadline));
    return Bytes{bytes, std::string_view(*bytes).substr(offset - start, length)};
  }

  Bytes found(FilePages::Pin pin, std::uint64_t offset, std::uint64_t length) const {
    page_cache_counts().hits.add();
    return kept(std::move(pin), offset, length);
  }

  Bytes kept(FilePages::Pin pin, std::uint64_t offset, std::uint64_t length) const {
    return Bytes{std::move(pin), std::string_view(pages_->data() + offset, length)};
  }

  // Whole pages; the last one ends where the object does.
  std::pair<std::uint64_t, std::uint64_t> pages_around(std::uint64_t offset,
                                                       std::uint64_t length) const {
    if (checksums_.values.empty()) return {offset, offset + length};
    const std::uint64_t start = offset / page_bytes * page_bytes;
    const std::uint64_t end = (offset + length + page_bytes - 1) / page_bytes * page_bytes;
    return {start, std::min(end, size_)};
  }

  Result<std::shared_ptr<const std::string>> fetch(std::uint64_t start, std::uint64_t end,
                                                   const os::Deadline& deadline) const {
    CAIRN_TRY(auto bytes, fetch_unchecked(start, end, deadline));
    CAIRN_CHECK(check_pages(*bytes, start, checksums_, key_));
    return bytes;
  }

  Result<std::shared_ptr<const std::string>> fetch_unchecked(std::uint64_t start, std::uint64_t end,
                                                             const os::Deadline& deadline) const {
    auto object = store_.get(key_, deadline, {.offset = start, .count = end - start});
    if (!object) {
      if (object.error().kind == ErrorKind::not_found ||
          object.error().kind == ErrorKind::invalid_argument)
        return corrupt_object(key_, "it is missing or shorter than it was");
      return std::move(object).error();
    }
    if (object->bytes.size() != end - start)
      return corrupt_object(key_, "it is shorter than it was");
    return std::make_shared<const std::string>(std::move(object->bytes));
  }

  store::Store& store_;
  std::shared_ptr<PageCache> cache_;
  std::string key_;
  std::uint64_t size_;
  std::shared_ptr<FilePages> pages_;
  PageChecksums checksums_;
  mutable ReadAhead ahead_;
};

}  // namespace

Status check_pages(std::string_view bytes, std::uint64_t start, const PageChecksums& checksums,
                   std::string_view name) {
  // Of the last page only what stands before the footer counts; the footer has its own checksum.
  for (std::size_t page = start / page_bytes; !bytes.empty() && page < checksums.values.size();
       ++page) {
    const std::uint64_t page_start = page * page_bytes;
    const std::uint64_t body =
        checksums.body_size > page_start ? checksums.body_size - page_start : 0;
    const std::size_t count = std::min(bytes.size(), page_bytes);
    if (crc32c(bytes.substr(0, std::min<std::uint64_t>(count, body))) != checksums.values[page])
      return corrupt_object(name, "page " + std::to_string(page) + " has another checksum");
    bytes.remove_prefix(count);
  }
  return ok_status();
}

std::shared_ptr<SegmentFile> memory_file(std::string name, std::string bytes) {
  return std::make_shared<MemoryFile>(std::move(name), std::move(bytes));
}

std::shared_ptr<SegmentFile> store_file(store::Store& store, std::string key, std::uint64_t size,
                                        std::shared_ptr<PageCache> cache) {
  return std::make_shared<StoreFile>(store, std::move(key), size, std::move(cache));
}

}  // namespace cairn::index
