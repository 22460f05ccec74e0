// SPDX-License-Identifier: Apache-2.0
#include "objectstore/extents/extent_file.h"

#include "base/bytes.h"
#include "base/checksum.h"

namespace cairn::objectstore {
namespace {

constexpr std::string_view magic = "CRNX";
constexpr std::uint32_t extent_version = 1;

}  // namespace

std::uint32_t extent_block_crc(std::uint64_t id, std::uint64_t number, std::string_view block) {
  std::string start;
  put_u64le(start, id);
  put_u64le(start, number);
  return crc32c(block, crc32c(start));
}

std::string extent_footer(const ExtentSpan& span, std::string_view table) {
  std::string out(magic);
  put_u32le(out, extent_version);
  put_u64le(out, span.id);
  put_u64le(out, span.size_bytes);
  put_u32le(out, extent_block_bytes);
  put_u32le(out, crc32c(table));
  put_u32le(out, crc32c(out));
  return out;
}

std::uint64_t extent_blocks(std::uint64_t body_bytes) {
  return (body_bytes + extent_block_bytes - 1) / extent_block_bytes;
}

std::uint64_t extent_file_bytes(std::uint64_t body_bytes) {
  return body_bytes + extent_blocks(body_bytes) * 4 + extent_footer_bytes;
}

std::optional<std::uint64_t> extent_body_bytes(std::uint64_t file_bytes) {
  if (file_bytes < extent_footer_bytes) return std::nullopt;
  const std::uint64_t rest = file_bytes - extent_footer_bytes;  // blocks, each with its checksum
  const std::uint64_t blocks = (rest + extent_block_bytes + 3) / (extent_block_bytes + 4);
  if (rest < blocks * 4) return std::nullopt;
  const std::uint64_t body = rest - blocks * 4;
  if (extent_file_bytes(body) != file_bytes) return std::nullopt;
  return body;
}

os::Counter& corrupt_blocks() {
  static os::Counter& counter =
      os::metrics().counter("cairn_objectstore_corrupt_blocks_total",
                            "Stored blocks whose checksum did not verify when read");
  return counter;
}

}  // namespace cairn::objectstore
