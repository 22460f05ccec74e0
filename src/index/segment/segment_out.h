// SPDX-License-Identifier: Apache-2.0
// Writing the frame of a segment object: sections, page checksums, footer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/segment/segment_format.h"

namespace cairn::index {

/// Where the bytes of a segment go, in order.
using ByteSink = std::function<Status(std::string_view bytes)>;

/// Bytes in, framed bytes out to a sink. After the first error of the sink nothing more is written,
/// and finish() gives that error.
class SegmentOut {
 public:
  explicit SegmentOut(ByteSink sink) : sink_(std::move(sink)) {}

  /// Starts a section; ends the one before.
  void begin(SectionKind kind, std::string_view field = {});
  void write(std::string_view bytes);
  std::uint64_t section_offset() const;  // within the section that is being written
  /// A whole section at once.
  void section(SectionKind kind, std::string_view field, std::string_view bytes);

  /// A section that a reader takes into memory when it opens the segment: written at the end, so
  /// that one read brings all of them with the footer.
  void hot_section(SectionKind kind, std::string_view field, std::string bytes);

  SegmentFooter& footer() { return footer_; }
  /// Writes the footer. The size of the whole object and its checksum are known afterwards.
  Status finish();
  std::uint64_t size() const { return size_; }
  std::uint32_t checksum() const { return checksum_; }
  std::uint64_t hot_offset() const { return hot_offset_; }  // where the hot sections begin

 private:
  void end_section();
  void push(std::string_view bytes);  // to the sink

  ByteSink sink_;
  SegmentFooter footer_;
  Status status_ = ok_status();
  std::uint64_t size_ = 0;
  std::uint64_t hot_offset_ = 0;
  struct Hot {
    SectionKind kind;
    std::string field;
    std::string bytes;
  };
  std::vector<Hot> hot_;
  std::uint32_t checksum_ = 0;  // CRC-32C of all
  std::uint32_t page_checksum_ = 0;
  std::size_t page_filled_ = 0;
  bool inside_ = false;
};

}  // namespace cairn::index
