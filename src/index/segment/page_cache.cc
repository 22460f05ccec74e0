// SPDX-License-Identifier: Apache-2.0
#include "index/segment/page_cache.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <thread>

#include "index/segment/segment_format.h"

namespace cairn::index {
namespace {

// The state of a page. Below these bits stands how many readers have it pinned.
constexpr std::uint32_t resident = 1u << 31;
constexpr std::uint32_t used_lately = 1u << 30;
constexpr std::uint32_t changing = 1u << 29;  // one thread fills or drops it
constexpr std::uint32_t pins = changing - 1;

std::size_t page_of(std::uint64_t offset) { return static_cast<std::size_t>(offset / page_bytes); }

}  // namespace

struct FilePages::Pinned {
  Pinned(std::shared_ptr<FilePages> of, std::size_t from, std::size_t to)
      : pages(std::move(of)), first(from), last(to) {}
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { pages->unpin(first, last); }
  std::shared_ptr<FilePages> pages;
  std::size_t first, last;
};

PageCache::PageCache(std::size_t bytes_max)
    : bytes_max_(bytes_max), used_(std::make_shared<std::atomic<std::size_t>>(0)) {}
PageCache::~PageCache() = default;

std::shared_ptr<FilePages> PageCache::open(std::uint64_t size) {
  auto file = std::make_shared<FilePages>(*this, size);
  const MutexLock lock(mutex_);
  std::erase_if(files_, [](const std::weak_ptr<FilePages>& one) { return one.expired(); });
  files_.push_back(file);
  return file;
}

bool PageCache::has_room() const { return used_->load() + page_bytes <= bytes_max_; }

void PageCache::make_room() {
  if (used_->load() <= bytes_max_) return;
  const MutexLock lock(mutex_);
  // Once around takes what was used lately out of that state, the second time it goes.
  for (std::size_t left = 2 * files_.size() + 1; left > 0 && used_->load() > bytes_max_; --left)
    sweep();
}

void PageCache::sweep() {
  if (file_ >= files_.size()) file_ = page_ = 0;
  const auto file = files_.empty() ? nullptr : files_[file_].lock();
  const std::size_t count = file == nullptr ? 0 : file->count_;
  for (; page_ < count; ++page_) {
    if (used_->load() <= bytes_max_) return;
    file->drop(page_);
  }
  ++file_;
  page_ = 0;
}

FilePages::FilePages(PageCache& cache, std::uint64_t size)
    : cache_(cache), used_(cache.used_), size_(size), count_(page_of(size + page_bytes - 1)) {
  try {
    memory_ = os::LargeMemory(count_ * page_bytes);
  } catch (const std::bad_alloc&) {
    count_ = 0;  // read as they are asked for, and not kept
    return;
  }
  memory_.use_small_pages();
  states_ = std::make_unique<std::atomic<std::uint32_t>[]>(count_);
}

FilePages::~FilePages() {
  for (std::size_t page = 0; page < count_; ++page)
    if ((states_[page].load() & resident) != 0) used_->fetch_sub(page_bytes);
}

FilePages::Pin FilePages::pin(std::uint64_t offset, std::uint64_t length) {
  const std::size_t first = page_of(offset), last = page_of(offset + length - 1);
  if (last >= count_) return nullptr;
  for (std::size_t page = first; page <= last; ++page) {
    const std::uint32_t before = states_[page].fetch_add(1, std::memory_order_acquire);
    if ((before & resident) == 0) {
      unpin(first, page);
      return nullptr;
    }
    if ((before & used_lately) == 0) states_[page].fetch_or(used_lately, std::memory_order_relaxed);
  }
  return std::make_shared<const Pinned>(shared_from_this(), first, last);
}

void FilePages::unpin(std::size_t first, std::size_t last) {
  for (std::size_t page = first; page <= last; ++page)
    states_[page].fetch_sub(1, std::memory_order_release);
}

std::optional<FilePages::Range> FilePages::missing(std::uint64_t offset,
                                                   std::uint64_t length) const {
  const std::size_t first = page_of(offset), last = page_of(offset + length - 1);
  std::optional<Range> out;
  for (std::size_t page = first; page <= last; ++page) {
    if (page < count_ && (states_[page].load() & resident) != 0) continue;
    if (!out) out = Range{.start = page * page_bytes, .end = 0};
    out->end = std::min<std::uint64_t>((page + 1) * page_bytes, size_);
  }
  return out;
}

void FilePages::keep(std::uint64_t start, std::string_view bytes) {
  if (bytes.size() > cache_.bytes_max_ / 2) return;
  for (std::size_t page = page_of(start); page < count_ && !bytes.empty(); ++page) {
    const std::size_t count = std::min(bytes.size(), page_bytes);
    if (keep_page(page, bytes.substr(0, count))) used_->fetch_add(page_bytes);
    bytes.remove_prefix(count);
  }
  cache_.make_room();
}

bool FilePages::keep_page(std::size_t page, std::string_view bytes) {
  std::atomic<std::uint32_t>& state = states_[page];
  std::uint32_t now = state.load();
  for (;;) {
    if ((now & resident) != 0) return false;
    if ((now & changing) != 0) {
      std::this_thread::yield();
      now = state.load();
    } else if (state.compare_exchange_weak(now, now | changing)) {
      break;
    }
  }
  // Nobody reads a page that is not resident: who pinned it in passing lets go.
  std::memcpy(static_cast<char*>(memory_.data()) + page * page_bytes, bytes.data(), bytes.size());
  state.fetch_add(resident + used_lately - changing, std::memory_order_release);
  return true;
}

bool FilePages::drop(std::size_t page) {
  std::atomic<std::uint32_t>& state = states_[page];
  std::uint32_t now = state.load();
  if ((now & resident) == 0 || (now & (pins | changing)) != 0) return false;
  if ((now & used_lately) != 0) {
    state.fetch_and(~used_lately);
    return false;
  }
  // Whoever pins it from here on finds it missing.
  if (!state.compare_exchange_strong(now, changing)) return false;
  memory_.give_back(page * page_bytes, page_bytes);
  used_->fetch_sub(page_bytes);
  state.fetch_sub(changing, std::memory_order_release);
  return true;
}

}  // namespace cairn::index
