// SPDX-License-Identifier: Apache-2.0
#include "objectstore/body_writer.h"

#include "base/checksum.h"

namespace cairn::objectstore {

Status BodyWriter::write(std::string_view bytes) {
  if (bytes.empty()) return ok_status();
  if (!extent_) {
    const std::uint64_t least = std::max(expected_bytes_.value_or(0), size_ + bytes.size());
    if (least > core_.options().inline_bytes_max) {
      CAIRN_CHECK(spill());
    } else {
      small_ += bytes;
    }
  }
  if (extent_) CAIRN_CHECK(extent_->write(bytes));
  size_ += bytes.size();
  return ok_status();
}

Status BodyWriter::spill() {
  CAIRN_CHECK(core_.check_space(std::max<std::uint64_t>(expected_bytes_.value_or(0), size_)));
  CAIRN_TRY(const std::uint64_t id, core_.next_serial());
  CAIRN_TRY(extent_, core_.extents().create(id, expected_bytes_));
  CAIRN_CHECK(extent_->write(small_));
  small_ = {};
  return ok_status();
}

Result<StoredBody> BodyWriter::finish() {
  if (!extent_) return store_body(core_, small_);
  CAIRN_TRY(const ExtentSpan span, extent_->finish());
  return StoredBody{.size_bytes = size_, .extents = {span}};
}

Result<StoredBody> store_body(Core& core, std::string_view body) {
  CAIRN_CHECK(core.check_space(body.size()));
  if (body.size() <= core.options().inline_bytes_max)
    return StoredBody{.size_bytes = body.size(), .row = body, .row_crc = crc32c(body)};
  CAIRN_TRY(const std::uint64_t id, core.next_serial());
  CAIRN_TRY(const auto extent, core.extents().create(id, body.size()));
  CAIRN_CHECK(extent->write(body));
  CAIRN_TRY(const ExtentSpan span, extent->finish());
  return StoredBody{.size_bytes = body.size(), .extents = {span}};
}

}  // namespace cairn::objectstore
