// SPDX-License-Identifier: Apache-2.0
#include "objectstore/copies/checkpoint.h"

#include <algorithm>

namespace cairn::objectstore {

Result<std::unique_ptr<Checkpoint>> Checkpoint::take(Core& core) {
  std::unique_ptr<Checkpoint> out(new Checkpoint(core));
  // Before the moment, so that nothing which is referenced then has gone.
  out->hold_ = core.collector().hold();
  std::uint64_t bound = 0;
  CAIRN_TRY(out->metadata_, core.kv().freeze([&] {
    bound = core.serial_bound();
    return ok_status();
  }));
  out->metadata_files_ = out->metadata_->files();
  out->database_id_ = out->metadata_->database_id();
  out->starts_ = out->metadata_->starts();
  // An extent has its name before anything refers to it: all that are meant are there.
  CAIRN_CHECK(core.extents().for_each([&](std::uint64_t id) {
    if (id < bound) out->extents_.push_back(id);
    return true;
  }));
  std::sort(out->extents_.begin(), out->extents_.end());
  return out;
}

int Checkpoint::format() const { return data_format; }

Result<std::string> Checkpoint::read_metadata(const FrozenFiles::File& file, std::uint64_t offset,
                                              std::size_t count) {
  if (metadata_ == nullptr)
    return Error{.kind = ErrorKind::conflict, .message = "the files of the metadata were let go"};
  return metadata_->read(file, offset, count);
}

Result<std::uint64_t> Checkpoint::extent_bytes(std::uint64_t id) const {
  CAIRN_TRY(const ExtentSpan span, core_.extents().span_of(id));
  return span.size_bytes;
}

Status Checkpoint::read_extent(std::uint64_t id,
                               const std::function<Status(std::string_view)>& each) const {
  CAIRN_TRY(const ExtentSpan span, core_.extents().span_of(id));
  CAIRN_TRY(const auto reader, core_.extents().open(span));
  for (std::uint64_t at = 0; at < span.size_bytes;) {
    CAIRN_TRY(const std::string_view bytes, reader->read(at));
    at += bytes.size();
    CAIRN_CHECK(each(bytes));
  }
  return ok_status();
}

Status Checkpoint::check() const {
  if (!hold_->broken) return ok_status();
  return Error{.kind = ErrorKind::storage_full,
               .message =
                   "the disk of the data folder got nearly full while the backup held on to "
                   "what was deleted, and the backup gave way; make room and begin again"};
}

}  // namespace cairn::objectstore
