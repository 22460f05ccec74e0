// SPDX-License-Identifier: Apache-2.0
#include "objectstore/extents/extent_writer.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "objectstore/extents/extent_file.h"
#include "objectstore/extents/extents.h"
#include "os/threads/blocking.h"

namespace cairn::objectstore {
namespace {

constexpr std::size_t gathered_bytes = 256 << 10;
constexpr std::uint64_t write_back_bytes = 8 << 20;
constexpr std::uint64_t reserve_step = 4 << 20;
constexpr std::uint64_t reserve_step_max = 64 << 20;

static_assert(extent_block_bytes % os::direct_alignment == 0);

}  // namespace

ExtentWriter::ExtentWriter(Extents& extents, Params params)
    : extents_(extents),
      file_(std::move(params.file)),
      id_(params.id),
      reserved_(params.reserved_bytes),
      cached_bytes_max_(params.cached_bytes_max) {
  choose_way(params.expected_bytes);
}

/// `bytes` is what the body has at least. Only while nothing is gathered: at the border of blocks.
void ExtentWriter::choose_way(std::uint64_t bytes) {
  if (direct_ || bytes <= cached_bytes_max_) return;
  direct_ = file_->set_direct(true);
  cached_bytes_max_ = UINT64_MAX;  // asked once
}

Status ExtentWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (filled_ == 0) choose_way(size_ + bytes.size());
    const std::size_t whole = bytes.size() - bytes.size() % extent_block_bytes;
    if (filled_ == 0 && whole != 0 && (!direct_ || os::is_direct_aligned(bytes.data(), whole))) {
      sum(bytes.substr(0, whole));
      CAIRN_CHECK(put(bytes.substr(0, whole)));
      bytes.remove_prefix(whole);
      continue;
    }
    gather(bytes);
    if (filled_ < gathered_bytes) continue;
    CAIRN_CHECK(put({gathered_.get(), filled_}));
    filled_ = 0;
  }
  return ok_status();
}

/// Takes from `bytes` what the block that is being filled has room for.
void ExtentWriter::gather(std::string_view& bytes) {
  if (gathered_ == nullptr) gathered_ = os::direct_memory(gathered_bytes);
  const std::size_t in_block = filled_ % extent_block_bytes;
  const std::size_t take = std::min(extent_block_bytes - in_block, bytes.size());
  std::memcpy(gathered_.get() + filled_, bytes.data(), take);
  filled_ += take;
  bytes.remove_prefix(take);
  if (in_block + take == extent_block_bytes)
    sum({gathered_.get() + filled_ - extent_block_bytes, extent_block_bytes});
}

/// Whole blocks, but for the last of the body.
void ExtentWriter::sum(std::string_view blocks) {
  for (std::size_t at = 0; at < blocks.size(); at += extent_block_bytes)
    put_u32le(table_,
              extent_block_crc(id_, table_.size() / 4, blocks.substr(at, extent_block_bytes)));
}

Status ExtentWriter::put(std::string_view bytes) {
  CAIRN_CHECK(reserve(size_ + bytes.size()));
  const os::Blocking waiting;
  CAIRN_CHECK(append(bytes));
  size_ += bytes.size();
  if (direct_) going_out_ = size_;
  if (size_ - going_out_ >= write_back_bytes) begin_to_write_back();
  return ok_status();
}

Status ExtentWriter::append(std::string_view bytes) {
  const Status done = file_->append(bytes);
  if (done.ok() || !direct_) return done;
  const ErrorKind kind = done.error().kind;
  if (kind != ErrorKind::invalid_argument && kind != ErrorKind::unsupported) return done;
  CAIRN_CHECK(leave_direct());
  return file_->append(bytes);  // all of it, whatever was written before the refusal
}

Status ExtentWriter::leave_direct() {
  if (!direct_) return ok_status();
  direct_ = false;
  if (file_->set_direct(false)) return ok_status();
  return Error{.kind = ErrorKind::internal,
               .message = "the file of an extent cannot be written through the page cache again"};
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

/// What was gathered, but for its last block, as it began; that block, table and footer go through
/// the page cache, since they end anywhere.
Status ExtentWriter::put_rest() {
  const std::string_view rest(gathered_.get(), filled_);
  const std::size_t whole = rest.size() - rest.size() % extent_block_bytes;
  if (whole != 0) CAIRN_CHECK(put(rest.substr(0, whole)));
  CAIRN_CHECK(leave_direct());
  if (whole == rest.size()) return ok_status();
  sum(rest.substr(whole));
  return put(rest.substr(whole));
}

// Crash points, in order: before publish nothing has a name, and the system drops the file; between
// publish and the record's commit the file has a name and no reference, and the sweep of the next
// start removes it; after the commit it is durable, since body and folder were synced before.
Result<ExtentSpan> ExtentWriter::finish() {
  CAIRN_CHECK(put_rest());
  const ExtentSpan span{.id = id_, .size_bytes = size_};
  CAIRN_CHECK(file_->append(table_ + extent_footer(span, table_)));
  if (reserved_ > extent_file_bytes(size_)) CAIRN_CHECK(file_->truncate(extent_file_bytes(size_)));
  CAIRN_CHECK(file_->sync_data());
  CAIRN_CHECK(extents_.publish(*file_, id_));
  return span;
}

}  // namespace cairn::objectstore
