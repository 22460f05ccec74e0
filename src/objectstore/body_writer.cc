// SPDX-License-Identifier: Apache-2.0
#include "objectstore/body_writer.h"

#include <algorithm>

#include "base/checksum.h"

namespace cairn::objectstore {
namespace {

/// What the disk said, as a fault of this server's. A caller has its own rights and sends its own
/// arguments: "permission denied" of a disk that went read-only is no word about those.
template <class T>
Result<T> from_disk(Result<T> result) {
  if (result.ok()) return result;
  Error error = std::move(result).error();
  switch (error.kind) {
    case ErrorKind::storage_full:
    case ErrorKind::unavailable:
    case ErrorKind::timeout:
    case ErrorKind::cancelled:
    case ErrorKind::corrupt:
      break;
    case ErrorKind::permission_denied:
      error.kind = ErrorKind::unavailable;
      break;
    default:
      error.kind = ErrorKind::internal;
  }
  return error;
}

}  // namespace

BodyWriter::BodyWriter(Core& core, BodyParams params) : core_(core), params_(std::move(params)) {
  if (params_.key) cipher_.emplace(params_.key->key);
}

Status BodyWriter::write(std::string_view bytes) {
  if (bytes.empty()) return ok_status();
  if (!extent_) {
    const std::uint64_t least = std::max(params_.expected_bytes.value_or(0), size_ + bytes.size());
    if (params_.never_in_row || least > core_.options().inline_bytes_max)
      CAIRN_CHECK(spill());
    else
      small_ += bytes;
  }
  if (extent_) CAIRN_CHECK(write_extent(bytes));
  size_ += bytes.size();
  return ok_status();
}

Status BodyWriter::spill() {
  std::optional<std::uint64_t> expected = params_.expected_bytes;
  if (expected && cipher_) expected = sealed_bytes(*expected);
  CAIRN_CHECK(core_.check_space(std::max<std::uint64_t>(expected.value_or(0), size_), params_.own));
  CAIRN_TRY(const std::uint64_t id, core_.next_serial());
  CAIRN_TRY(extent_, from_disk(core_.extents().create(id, expected)));
  const std::string before = std::exchange(small_, {});
  return write_extent(before);
}

Status BodyWriter::write_extent(std::string_view bytes) {
  if (!cipher_) return from_disk(extent_->write(bytes));
  while (!bytes.empty()) {
    if (small_.empty() && bytes.size() >= plain_chunk_bytes) {
      CAIRN_CHECK(seal_chunk(bytes.substr(0, plain_chunk_bytes)));
      bytes.remove_prefix(plain_chunk_bytes);
      continue;
    }
    const std::size_t take = std::min(plain_chunk_bytes - small_.size(), bytes.size());
    small_ += bytes.substr(0, take);
    bytes.remove_prefix(take);
    if (small_.size() < plain_chunk_bytes) continue;
    CAIRN_CHECK(seal_chunk(small_));
    small_.clear();
  }
  return ok_status();
}

Status BodyWriter::seal_chunk(std::string_view plain) {
  sealed_.clear();
  CAIRN_CHECK(cipher_->seal(extent_->id(), chunk_++, plain, sealed_));
  return from_disk(extent_->write(sealed_));
}

Result<StoredBody> BodyWriter::finish_row() {
  CAIRN_CHECK(core_.check_space(small_.size(), params_.own));
  if (cipher_) {
    const std::string_view plain = small_;
    for (std::size_t at = 0; at < plain.size(); at += plain_chunk_bytes)
      CAIRN_CHECK(cipher_->seal(0, chunk_++, plain.substr(at, plain_chunk_bytes), sealed_));
    small_ = std::move(sealed_);
  }
  return StoredBody{.size_bytes = size_, .row = small_, .row_crc = crc32c(small_)};
}

Result<StoredBody> BodyWriter::finish() {
  StoredBody body{.size_bytes = size_};
  if (!extent_) {
    CAIRN_TRY(body, finish_row());
  } else {
    if (cipher_ && !small_.empty()) CAIRN_CHECK(seal_chunk(small_));
    CAIRN_TRY(const ExtentSpan span, from_disk(extent_->finish()));
    body.extents = {span};
  }
  if (params_.key) body.sealed_key = params_.key->sealed;
  return body;
}

Result<StoredBody> store_body(Core& core, std::string_view body, bool own) {
  CAIRN_CHECK(core.check_space(body.size(), own));
  if (body.size() <= core.options().inline_bytes_max)
    return StoredBody{.size_bytes = body.size(), .row = body, .row_crc = crc32c(body)};
  CAIRN_TRY(const std::uint64_t id, core.next_serial());
  CAIRN_TRY(const auto extent, from_disk(core.extents().create(id, body.size())));
  CAIRN_CHECK(from_disk(extent->write(body)));
  CAIRN_TRY(const ExtentSpan span, from_disk(extent->finish()));
  return StoredBody{.size_bytes = body.size(), .extents = {span}};
}

}  // namespace cairn::objectstore
