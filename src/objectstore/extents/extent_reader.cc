// SPDX-License-Identifier: Apache-2.0
#include "objectstore/extents/extent_reader.h"

#include <algorithm>

#include "base/bytes.h"
#include "objectstore/extents/extent_file.h"
#include "os/mirror/mirrored_file.h"
#include "os/threads/blocking.h"

namespace cairn::objectstore {
namespace {

constexpr std::size_t read_blocks = 4;     // at a time
constexpr std::size_t table_chunk = 1024;  // checksums read at a time: those of 64 MiB

}  // namespace

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
      std::min<std::uint64_t>(extent_blocks(offset + most) - first, read_blocks);
  std::size_t count = std::min(wanted * extent_block_bytes, span_.size_bytes - begin);
  const os::Blocking waiting;
  blocks_.resize(count);
  std::uint64_t last = first + extent_blocks(count) - 1;
  const auto fetch = [&](os::File& file) -> Status {
    CAIRN_TRY(const std::size_t got, file.read_at(begin, blocks_.data(), count));
    if (got != count) return corrupt("it ends early");
    if (first < table_first_ || last >= table_first_ + table_.size() / 4) {
      const std::uint64_t entries =
          std::min<std::uint64_t>(table_chunk, extent_blocks(span_.size_bytes) - first);
      table_.resize(entries * 4);
      table_first_ = first;
      const auto read = file.read_at(span_.size_bytes + first * 4, table_.data(), table_.size());
      if (!read.ok() || *read != table_.size()) {
        table_.clear();
        return read.ok() ? corrupt("its table ends early") : read.error();
      }
    }
    for (std::uint64_t number = first; number <= last; ++number) {
      const std::size_t at = (number - first) * extent_block_bytes;
      ByteReader entry(std::string_view(table_).substr((number - table_first_) * 4));
      if (entry.u32le() !=
          extent_block_crc(span_.id, number,
                           std::string_view(blocks_).substr(at, extent_block_bytes)))
        return corrupt("block " + std::to_string(number) + ", at offset " +
                       std::to_string(number * extent_block_bytes));
    }
    return ok_status();
  };
  Status fetched = fetch(*file_);
  const auto place = fetched.ok() ? std::nullopt : os::place_of(*file_);
  if (place && last > first) {  // a block at a time: each folder may lack another one
    last = first;
    count = std::min<std::size_t>(count, extent_block_bytes);
    blocks_.resize(count);
    fetched = fetch(*file_);
  }
  if (place && !fetched.ok()) {
    // Blocks and their checksums from the other folder, into the one where they do not fit.
    fetched = os::read_or_mend(
        *place,
        [&](os::File& file) {
          table_.clear();
          return fetch(file);
        },
        [&](os::File& file) -> Status {
          CAIRN_CHECK(file.write_at(begin, blocks_));
          return file.write_at(span_.size_bytes + table_first_ * 4, table_);
        });
  }
  CAIRN_CHECK(fetched);
  const std::string_view blocks = blocks_;
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
  std::string table(extent_blocks(span.size_bytes) * 4, '\0');
  std::string footer(extent_footer_bytes, '\0');
  CAIRN_TRY(const std::size_t a, file->read_at(span.size_bytes, table.data(), table.size()));
  CAIRN_TRY(const std::size_t b,
            file->read_at(span.size_bytes + table.size(), footer.data(), footer.size()));
  if (a != table.size() || b != footer.size() || footer != extent_footer(span, table)) {
    corrupt_blocks().add();
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the footer of the extent file [" + path +
                            "] does not verify, at offset " + std::to_string(span.size_bytes)};
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
