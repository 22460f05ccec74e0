// SPDX-License-Identifier: Apache-2.0
#include "objectstore/extents.h"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <map>

#include "base/bytes.h"
#include "base/checksum.h"
#include "os/blocking.h"
#include "os/metrics.h"

namespace cairn::objectstore {
namespace {

// The file: body | CRC-32C of each block (4 bytes each) | footer. The checksum of a block starts
// from the extent's id and the block's number, so that a block in the wrong place does not verify.
constexpr std::size_t buffered_blocks = 4;
constexpr std::uint64_t write_back_bytes = 8 << 20;
constexpr std::size_t table_chunk = 1024;  // checksums read at a time: those of 64 MiB
constexpr std::string_view magic = "CRNX";
constexpr std::uint32_t extent_version = 1;
constexpr std::size_t footer_bytes = 4 + 4 + 8 + 8 + 4 + 4 + 4;
constexpr std::size_t verified_max = 1 << 16;
constexpr std::uint64_t reserve_step = 4 << 20;
constexpr std::uint64_t reserve_step_max = 64 << 20;

std::uint32_t block_crc(std::uint64_t id, std::uint64_t number, std::string_view block) {
  std::string start;
  put_u64le(start, id);
  put_u64le(start, number);
  return crc32c(block, crc32c(start));
}

std::string footer_of(const ExtentSpan& span, std::string_view table) {
  std::string out(magic);
  put_u32le(out, extent_version);
  put_u64le(out, span.id);
  put_u64le(out, span.size_bytes);
  put_u32le(out, extent_block_bytes);
  put_u32le(out, crc32c(table));
  put_u32le(out, crc32c(out));
  return out;
}

std::uint64_t blocks_of(std::uint64_t bytes) {
  return (bytes + extent_block_bytes - 1) / extent_block_bytes;
}

std::uint64_t file_bytes(std::uint64_t body_bytes) {
  return body_bytes + blocks_of(body_bytes) * 4 + footer_bytes;
}

std::string hex(std::uint64_t number, int digits) {
  static constexpr char symbols[] = "0123456789abcdef";
  std::string out(static_cast<std::size_t>(digits), '0');
  for (auto at = out.rbegin(); at != out.rend(); ++at, number >>= 4) *at = symbols[number & 15];
  return out;
}

std::optional<std::uint64_t> id_of_name(std::string_view name) {
  std::uint64_t id = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), id, 16);
  if (name.size() != 16 || fault != std::errc{} || end != name.data() + name.size())
    return std::nullopt;
  return id;
}

os::Counter& corrupt_blocks() {
  static os::Counter& counter =
      os::metrics().counter("cairn_objectstore_corrupt_blocks_total",
                            "Stored blocks whose checksum did not verify when read");
  return counter;
}

}  // namespace

void VerifiedExtents::mark(std::uint64_t id, std::int64_t since_ns) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = times_ns_.try_emplace(id, since_ns);
  entry->second = std::max(entry->second, since_ns);
  if (is_new) ages_.push_back(id);
  if (ages_.size() <= verified_max) return;
  times_ns_.erase(ages_.front());
  ages_.pop_front();
}

bool VerifiedExtents::is_fresh(std::uint64_t id, std::int64_t within_ms) const {
  const std::lock_guard lock(mutex_);
  const auto found = times_ns_.find(id);
  return found != times_ns_.end() && clock_.steady_ns() - found->second < within_ms * 1'000'000;
}

struct DirectorySync::Round {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t begun = 0;  // syncs, counted from 1
  std::uint64_t ended = 0;
  bool running = false;
  std::map<std::uint64_t, Error> failures;  // the latest few, by sync
};

DirectorySync::DirectorySync(os::Files& files) : files_(files) {}
DirectorySync::~DirectorySync() = default;

DirectorySync::Round& DirectorySync::round_of(const std::string& path) {
  const std::lock_guard lock(mutex_);
  auto& round = rounds_[path];
  if (!round) round = std::make_unique<Round>();
  return *round;
}

Status DirectorySync::sync(const std::string& path) {
  Round& round = round_of(path);
  const os::Blocking waiting;
  std::unique_lock lock(round.mutex);
  const std::uint64_t mine = round.begun + 1;  // one that is running may have begun too early
  while (round.ended < mine) {
    if (round.running) {
      round.changed.wait(lock);
      continue;
    }
    round.running = true;
    const std::uint64_t number = ++round.begun;
    lock.unlock();
    Status done = files_.sync_directory(path);
    lock.lock();
    if (!done.ok()) round.failures.emplace(number, std::move(done).error());
    if (round.failures.size() > 16) round.failures.erase(round.failures.begin());
    round.ended = number;
    round.running = false;
    round.changed.notify_all();
  }
  const auto failure = round.failures.find(mine);
  return failure == round.failures.end() ? ok_status() : Status(failure->second);
}

Status Extents::publish(os::File& file, std::uint64_t id) {
  const std::string folder = folder_of(id);
  const std::string path = path_of(id);
  Status named = file.publish(path);
  if (!named.ok() && named.error().kind == ErrorKind::not_found) {
    const std::lock_guard lock(folders_mutex_);
    CAIRN_CHECK(files_.make_directories(folder));
    CAIRN_CHECK(files_.sync_directory(directory_));
    named = file.publish(path);
  }
  CAIRN_CHECK(named);
  if (Status synced = directory_sync_.sync(folder); !synced.ok()) {
    (void)files_.remove(path);  // no record refers to it yet
    return synced;
  }
  return ok_status();
}

std::string Extents::folder_of(std::uint64_t id) const {
  // 64 neighbours share a folder, so that uploads of one time share its sync.
  return directory_ + "/" + hex(id >> 6 & 0xff, 2);
}

std::string Extents::path_of(std::uint64_t id) const { return folder_of(id) + "/" + hex(id, 16); }

Result<std::unique_ptr<ExtentWriter>> Extents::create(std::uint64_t id,
                                                      std::optional<std::uint64_t> expected_bytes) {
  CAIRN_TRY(auto file, files_.create_unnamed(temporary_));
  std::uint64_t reserved = 0;
  if (expected_bytes) {
    reserved = file_bytes(*expected_bytes);
    CAIRN_CHECK(file->allocate(0, reserved, true));
  }
  return std::make_unique<ExtentWriter>(*this, std::move(file), id, reserved);
}

Result<std::unique_ptr<ExtentReader>> Extents::open(const ExtentSpan& span) {
  const std::string path = path_of(span.id);
  auto file = files_.open(path, os::OpenMode::read);
  if (!file.ok() && file.error().kind == ErrorKind::not_found) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the extent file [" + path + "] of a stored object is missing"};
  }
  CAIRN_CHECK(file);
  CAIRN_TRY(const std::uint64_t size, (*file)->size());
  if (size != file_bytes(span.size_bytes)) {
    corrupt_blocks().add();
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the extent file [" + path + "] has " + std::to_string(size) +
                            " bytes and should have " +
                            std::to_string(file_bytes(span.size_bytes))};
  }
  return std::make_unique<ExtentReader>(std::move(*file), span, path, &verified_);
}

Status Extents::verify(const ExtentSpan& span, const Pace& pace) {
  const std::int64_t since_ns = verified_.now_ns();
  Status done = verify_extent(files_, path_of(span.id), span, pace);
  if (done.ok()) verified_.mark(span.id, since_ns);
  if (!done.ok() && done.error().kind == ErrorKind::not_found)
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the extent file [" + path_of(span.id) + "] is missing"};
  return done;
}

Result<std::uint64_t> Extents::remove(std::uint64_t id) {
  const std::string path = path_of(id);
  const auto info = files_.info(path);
  const Status removed = files_.remove(path);
  if (!removed.ok() && removed.error().kind == ErrorKind::not_found) return std::uint64_t{0};
  CAIRN_CHECK(removed);
  return info.ok() ? info->size_bytes : 0;
}

Result<std::vector<std::string>> Extents::folders() {
  CAIRN_TRY(auto names, files_.list(directory_));
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<std::uint64_t>> Extents::list(const std::string& folder) {
  CAIRN_TRY(const auto names, files_.list(directory_ + "/" + folder));
  std::vector<std::uint64_t> ids;
  for (const std::string& name : names)
    if (const auto id = id_of_name(name)) ids.push_back(*id);
  return ids;
}

Status Extents::for_each(const std::function<bool(std::uint64_t)>& each) {
  CAIRN_TRY(const auto all, folders());
  for (const std::string& folder : all) {
    CAIRN_TRY(const auto ids, list(folder));
    for (const std::uint64_t id : ids)
      if (!each(id)) return ok_status();
  }
  return ok_status();
}

ExtentWriter::ExtentWriter(Extents& extents, std::unique_ptr<os::File> file, std::uint64_t id,
                           std::uint64_t reserved)
    : extents_(extents), file_(std::move(file)), id_(id), reserved_(reserved) {}

Status ExtentWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (buffer_.empty() && bytes.size() >= extent_block_bytes) {  // without a copy
      const std::size_t whole = bytes.size() - bytes.size() % extent_block_bytes;
      CAIRN_CHECK(put(bytes.substr(0, whole)));
      bytes.remove_prefix(whole);
      continue;
    }
    const std::size_t room = buffered_blocks * extent_block_bytes - buffer_.size();
    const std::size_t take = std::min(room, bytes.size());
    buffer_ += bytes.substr(0, take);
    bytes.remove_prefix(take);
    if (take < room) continue;
    CAIRN_CHECK(put(buffer_));
    buffer_.clear();
  }
  return ok_status();
}

/// Whole blocks, but for the last of the body.
Status ExtentWriter::put(std::string_view blocks) {
  for (std::size_t at = 0; at < blocks.size(); at += extent_block_bytes)
    put_u32le(table_, block_crc(id_, table_.size() / 4, blocks.substr(at, extent_block_bytes)));
  CAIRN_CHECK(reserve(size_ + blocks.size()));
  const os::Blocking waiting;
  CAIRN_CHECK(file_->append(blocks));
  size_ += blocks.size();
  if (size_ - going_out_ >= write_back_bytes) begin_to_write_back();
  return ok_status();
}

/// The disk works while bytes still come, and the sync at the end finds little left to do. Whether
/// it succeeds is the sync's to tell.
void ExtentWriter::begin_to_write_back() {
  if (file_->descriptor() >= 0)
    (void)::sync_file_range(file_->descriptor(), static_cast<off64_t>(going_out_),
                            static_cast<off64_t>(size_ - going_out_), SYNC_FILE_RANGE_WRITE);
  going_out_ = size_;
}

/// Where the size is not known, space is reserved in growing steps ahead of the writing.
Status ExtentWriter::reserve(std::uint64_t end) {
  if (end <= reserved_) return ok_status();
  const std::uint64_t step = std::clamp(reserved_, reserve_step, reserve_step_max);
  CAIRN_CHECK(file_->allocate(reserved_, end - reserved_ + step, true));
  reserved_ = end + step;
  return ok_status();
}

// Crash points, in order: before publish nothing has a name, and the system drops the file; between
// publish and the record's commit the file has a name and no reference, and the sweep of the next
// start removes it; after the commit it is durable, since body and folder were synced before.
Result<ExtentSpan> ExtentWriter::finish() {
  if (!buffer_.empty()) CAIRN_CHECK(put(buffer_));
  const ExtentSpan span{.id = id_, .size_bytes = size_};
  CAIRN_CHECK(file_->append(table_ + footer_of(span, table_)));
  if (reserved_ > file_bytes(size_)) CAIRN_CHECK(file_->truncate(file_bytes(size_)));
  CAIRN_CHECK(file_->sync_data());
  CAIRN_CHECK(extents_.publish(*file_, id_));
  return span;
}

ExtentReader::ExtentReader(std::unique_ptr<os::File> file, const ExtentSpan& span, std::string path,
                           VerifiedExtents* verified)
    : file_(std::move(file)), span_(span), path_(std::move(path)), verified_(verified) {}

Error ExtentReader::corrupt(std::string_view what) const {
  corrupt_blocks().add();
  return {.kind = ErrorKind::corrupt,
          .message = "the extent file [" + path_ + "] does not verify: " + std::string(what)};
}

Result<std::string_view> ExtentReader::read(std::uint64_t offset, std::uint64_t most) {
  if (offset >= span_.size_bytes || most == 0) return std::string_view();
  most = std::min(most, span_.size_bytes - offset);
  const std::uint64_t first = offset / extent_block_bytes;
  const std::uint64_t begin = first * extent_block_bytes;
  const std::uint64_t wanted =
      std::min<std::uint64_t>(blocks_of(offset + most) - first, buffered_blocks);
  const std::size_t count = std::min(wanted * extent_block_bytes, span_.size_bytes - begin);
  const os::Blocking waiting;
  blocks_.resize(count);
  CAIRN_TRY(const std::size_t got, file_->read_at(begin, blocks_.data(), count));
  if (got != count) return corrupt("it ends early");

  const std::uint64_t last = first + blocks_of(count) - 1;
  if (first < table_first_ || last >= table_first_ + table_.size() / 4) {
    const std::uint64_t entries =
        std::min<std::uint64_t>(table_chunk, blocks_of(span_.size_bytes) - first);
    table_.resize(entries * 4);
    table_first_ = first;
    CAIRN_TRY(const std::size_t read,
              file_->read_at(span_.size_bytes + first * 4, table_.data(), table_.size()));
    if (read != table_.size()) return corrupt("its table ends early");
  }
  const std::string_view blocks = blocks_;
  for (std::uint64_t number = first; number <= last; ++number) {
    const std::size_t at = (number - first) * extent_block_bytes;
    ByteReader entry(std::string_view(table_).substr((number - table_first_) * 4));
    if (entry.u32le() != block_crc(span_.id, number, blocks.substr(at, extent_block_bytes)))
      return corrupt("block " + std::to_string(number));
  }
  if (begin <= verified_to_ && begin + count > verified_to_) note_verified(begin + count);
  return blocks.substr(offset - begin, most);
}

/// A slow reader verified its first block long ago: the moment of the beginning counts.
void ExtentReader::note_verified(std::uint64_t end) {
  if (verified_ != nullptr && verified_to_ == 0) verified_since_ns_ = verified_->now_ns();
  verified_to_ = end;
  if (verified_ != nullptr && end == span_.size_bytes)
    verified_->mark(span_.id, verified_since_ns_);
}

Status verify_extent(os::Files& files, const std::string& path, const ExtentSpan& span,
                     const Pace& pace) {
  CAIRN_TRY(auto file, files.open(path, os::OpenMode::read));
  std::string table(blocks_of(span.size_bytes) * 4, '\0');
  std::string footer(footer_bytes, '\0');
  CAIRN_TRY(const std::size_t a, file->read_at(span.size_bytes, table.data(), table.size()));
  CAIRN_TRY(const std::size_t b,
            file->read_at(span.size_bytes + table.size(), footer.data(), footer.size()));
  if (a != table.size() || b != footer.size() || footer != footer_of(span, table)) {
    corrupt_blocks().add();
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the footer of the extent file [" + path + "] does not verify"};
  }
  ExtentReader reader(std::move(file), span, path);
  for (std::uint64_t at = 0; at < span.size_bytes;) {
    CAIRN_TRY(const std::string_view piece, reader.read(at));
    at += piece.size();
    if (pace) CAIRN_CHECK(pace(piece.size()));
  }
  return ok_status();
}

}  // namespace cairn::objectstore
