// SPDX-License-Identifier: Apache-2.0
#include "index/segment/segment_out.h"

#include <algorithm>

#include "base/checksum.h"

namespace cairn::index {

void SegmentOut::begin(SectionKind kind, std::string_view field) {
  end_section();
  const std::size_t over = size_ % section_alignment;
  if (over != 0) push(std::string(section_alignment - over, '\0'));
  footer_.sections.push_back(
      {.kind = kind, .field = std::string(field), .offset = size_, .length = 0});
  inside_ = true;
}

void SegmentOut::end_section() {
  if (!inside_) return;
  footer_.sections.back().length = size_ - footer_.sections.back().offset;
  inside_ = false;
}

std::uint64_t SegmentOut::section_offset() const { return size_ - footer_.sections.back().offset; }

void SegmentOut::section(SectionKind kind, std::string_view field, std::string_view bytes) {
  begin(kind, field);
  write(bytes);
  end_section();
}

void SegmentOut::hot_section(SectionKind kind, std::string_view field, std::string bytes) {
  hot_.push_back({.kind = kind, .field = std::string(field), .bytes = std::move(bytes)});
}

void SegmentOut::write(std::string_view bytes) { push(bytes); }

void SegmentOut::push(std::string_view bytes) {
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t count = std::min(rest.size(), page_bytes - page_filled_);
    page_checksum_ = crc32c(rest.substr(0, count), page_checksum_);
    page_filled_ += count;
    rest.remove_prefix(count);
    if (page_filled_ == page_bytes) {
      footer_.page_checksums.push_back(page_checksum_);
      page_checksum_ = 0;
      page_filled_ = 0;
    }
  }
  checksum_ = crc32c(bytes, checksum_);
  size_ += bytes.size();
  if (status_.ok()) status_ = sink_(bytes);
}

Status SegmentOut::finish() {
  end_section();
  hot_offset_ = size_;
  for (const Hot& hot : hot_) section(hot.kind, hot.field, hot.bytes);
  hot_.clear();
  if (page_filled_ > 0) footer_.page_checksums.push_back(page_checksum_);
  std::sort(footer_.fields.begin(), footer_.fields.end(),
            [](const FieldStatistics& a, const FieldStatistics& b) { return a.field < b.field; });
  const std::string bytes = encode_footer(footer_);
  checksum_ = crc32c(bytes, checksum_);
  size_ += bytes.size();
  if (status_.ok()) status_ = sink_(bytes);
  return status_;
}

}  // namespace cairn::index
