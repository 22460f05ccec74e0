// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/log_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cairn::objectstore {
namespace {

constexpr std::size_t room_bytes = 256 << 10;  // of one write; whole blocks

// Never touched, so it takes no memory.
alignas(LogFile::block_bytes) char zeros[LogFile::zeros_ahead];

constexpr std::uint64_t block_begin(std::uint64_t at) { return at - at % LogFile::block_bytes; }
constexpr std::uint64_t block_end(std::uint64_t at) {
  return block_begin(at + LogFile::block_bytes - 1);
}

}  // namespace

Result<std::unique_ptr<LogFile>> LogFile::create(os::Files& files, const std::string& path) {
  CAIRN_TRY(auto file, files.open(path, os::OpenMode::truncate));
  const bool direct = file->set_direct(true) && file->write_at(0, {zeros, block_bytes}).ok();
  if (!direct) (void)file->set_direct(false);
  auto log = std::unique_ptr<LogFile>(new LogFile(std::move(file), 0, direct));
  if (direct) log->reach_ = block_bytes;
  CAIRN_CHECK(log->fill_to(zeros_ahead));
  CAIRN_CHECK(log->sync_all());
  return log;
}

Result<std::unique_ptr<LogFile>> LogFile::reopen(os::Files& files, const std::string& path) {
  CAIRN_TRY(auto file, files.open(path, os::OpenMode::append));
  CAIRN_TRY(const std::uint64_t size, file->size());
  return std::unique_ptr<LogFile>(new LogFile(std::move(file), size, false));
}

Status LogFile::append(std::string_view bytes) {
  const std::uint64_t end = filled_end(size_ + bytes.size());
  // What is long is not written twice.
  const bool fill_first = bytes.size() <= zeros_ahead / 8;
  Status done = fill_first ? fill_to(end) : ok_status();
  if (done.ok()) done = append_now(bytes);
  if (done.ok() && !fill_first) done = fill_to(end);
  return synced(std::move(done));
}

Status LogFile::append_now(std::string_view bytes) {
  if (direct_) return append_blocks(bytes);
  CAIRN_CHECK(file_->write_at(size_, bytes));
  size_ += bytes.size();
  reach_ = std::max(reach_, size_);
  return ok_status();
}

Status LogFile::fill_to(std::uint64_t end) {
  while (reach_ < end) {
    const auto take = static_cast<std::size_t>(std::min<std::uint64_t>(zeros_ahead, end - reach_));
    CAIRN_CHECK(file_->write_at(reach_, {zeros, take}));
    reach_ += take;
  }
  return ok_status();
}

char* LogFile::blocks() {
  if (blocks_ == nullptr) blocks_ = os::direct_memory(room_bytes);
  return blocks_.get();
}

Status LogFile::append_blocks(std::string_view bytes) {
  char* const memory = blocks();
  while (!bytes.empty()) {
    const std::uint64_t from = block_begin(size_);
    const auto filled = static_cast<std::size_t>(size_ - from);
    const std::size_t take = std::min(bytes.size(), room_bytes - filled);
    const std::size_t end = filled + take;
    const auto whole = static_cast<std::size_t>(block_end(end));
    std::memcpy(memory + filled, bytes.data(), take);
    std::memset(memory + end, 0, whole - end);
    CAIRN_CHECK(file_->write_at(from, {memory, whole}));
    size_ += take;
    reach_ = std::max(reach_, from + whole);
    const auto last = static_cast<std::size_t>(block_begin(end));
    std::memmove(memory, memory + last, end - last);
    bytes.remove_prefix(take);
  }
  return ok_status();
}

Status LogFile::allocate(std::uint64_t offset, std::uint64_t length) {
  CAIRN_CHECK(file_->allocate(offset, length, true));
  reserved_ = std::max(reserved_, offset + length);
  return ok_status();
}

Status LogFile::close() {
  if (!file_) return ok_status();
  const auto file = std::exchange(file_, nullptr);
  if (has_failed()) return ok_status();
  return std::max(reach_, reserved_) > size_ ? file->truncate(size_) : ok_status();
}

}  // namespace cairn::objectstore
