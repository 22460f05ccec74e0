// SPDX-License-Identifier: Apache-2.0
// The footer's bytes.
#include "index/segment/segment_format.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "base/checksum.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

// After the body: its checksum (4), its length (4), the magic (8).
constexpr std::size_t trailer_bytes = 16;

Status read_body(ByteReader& in, SegmentFooter& out, std::string_view key) {
  const auto damaged = [&] { return corrupt_object(key, "the footer is damaged"); };
  const std::uint32_t version = in.u32le().value_or(0);
  if (version < segment_version_least || version > segment_version)
    return corrupt_object(key, "its format is not one that this program knows");
  out.doc_count = in.u32le().value_or(0);
  out.min_seq_no = in.i64le().value_or(0);
  out.max_seq_no = in.i64le().value_or(0);
  const auto sections = in.varint();
  for (std::uint64_t i = 0; sections && i < *sections && !in.failed(); ++i) {
    Section s;
    s.kind = static_cast<SectionKind>(in.u8().value_or(0));
    s.field = in.string().value_or("");
    s.offset = in.varint().value_or(0);
    s.length = in.varint().value_or(0);
    out.sections.push_back(std::move(s));
  }
  const auto fields = in.varint();
  for (std::uint64_t i = 0; fields && i < *fields && !in.failed(); ++i) {
    FieldStatistics f;
    f.field = in.string().value_or("");
    f.terms = static_cast<TermsKind>(in.u8().value_or(0));
    f.has_norms = in.u8().value_or(0) != 0;
    f.term_count = in.varint().value_or(0);
    f.doc_count = in.varint().value_or(0);
    f.sum_total_freq = in.varint().value_or(0);
    f.sum_doc_freq = in.varint().value_or(0);
    f.dims = static_cast<std::uint32_t>(in.varint().value_or(0));
    f.byte_vectors = in.u8().value_or(0) != 0;
    f.rows = static_cast<std::uint32_t>(in.varint().value_or(0));
    f.bound_average = in.f32le().value_or(1);
    f.column = static_cast<ColumnKind>(in.u8().value_or(0));
    out.fields.push_back(std::move(f));
  }
  const auto pages = in.varint();
  for (std::uint64_t i = 0; pages && i < *pages && !in.failed(); ++i)
    out.page_checksums.push_back(in.u32le().value_or(0));
  return in.at_end() ? ok_status() : Status(damaged());
}

}  // namespace

const Section* SegmentFooter::find(SectionKind kind, std::string_view field_name) const {
  for (const Section& s : sections)
    if (s.kind == kind && s.field == field_name) return &s;
  return nullptr;
}

const FieldStatistics* SegmentFooter::field(std::string_view name) const {
  const auto at = std::lower_bound(
      fields.begin(), fields.end(), name,
      [](const FieldStatistics& f, std::string_view wanted) { return f.field < wanted; });
  return at != fields.end() && at->field == name ? &*at : nullptr;
}

std::string encode_footer(const SegmentFooter& footer) {
  std::string out;
  // Programs that do not know nested objects would leave them out of merges.
  const bool has_nested = std::any_of(
      footer.sections.begin(), footer.sections.end(),
      [](const Section& section) { return section.kind == SectionKind::nested; });
  put_u32le(out, has_nested ? segment_version : segment_version_flat);
  put_u32le(out, footer.doc_count);
  put_i64le(out, footer.min_seq_no);
  put_i64le(out, footer.max_seq_no);
  put_varint(out, footer.sections.size());
  for (const Section& s : footer.sections) {
    put_u8(out, static_cast<std::uint8_t>(s.kind));
    put_string(out, s.field);
    put_varint(out, s.offset);
    put_varint(out, s.length);
  }
  put_varint(out, footer.fields.size());
  for (const FieldStatistics& f : footer.fields) {
    put_string(out, f.field);
    put_u8(out, static_cast<std::uint8_t>(f.terms));
    put_u8(out, f.has_norms ? 1 : 0);
    put_varint(out, f.term_count);
    put_varint(out, f.doc_count);
    put_varint(out, f.sum_total_freq);
    put_varint(out, f.sum_doc_freq);
    put_varint(out, f.dims);
    put_u8(out, f.byte_vectors ? 1 : 0);
    put_varint(out, f.rows);
    put_f32le(out, f.bound_average);
    put_u8(out, static_cast<std::uint8_t>(f.column));
  }
  put_varint(out, footer.page_checksums.size());
  for (const std::uint32_t checksum : footer.page_checksums) put_u32le(out, checksum);
  const auto length = static_cast<std::uint32_t>(out.size());
  put_u32le(out, crc32c(out));
  put_u32le(out, length);
  out += segment_magic;
  return out;
}

Result<SegmentFooter> decode_footer(std::string_view tail, std::string_view key) {
  if (tail.size() < trailer_bytes || !tail.ends_with(segment_magic))
    return corrupt_object(key, "it does not end as a segment does");
  ByteReader trailer(tail.substr(tail.size() - trailer_bytes));
  const std::uint32_t checksum = trailer.u32le().value_or(0);
  const std::uint32_t length = trailer.u32le().value_or(0);
  if (length > tail.size() - trailer_bytes)
    return corrupt_object(key, "the footer is longer than what was read");
  const std::string_view body = tail.substr(tail.size() - trailer_bytes - length, length);
  if (crc32c(body) != checksum) return corrupt_object(key, "the footer's checksum differs");
  SegmentFooter out;
  ByteReader in(body);
  CAIRN_CHECK(read_body(in, out, key));
  return out;
}

std::uint32_t encode_weight(float weight) {
  return std::max(1u, std::bit_cast<std::uint32_t>(weight) >> 15);
}

float decode_weight(std::uint32_t code) { return std::bit_cast<float>(code << 15); }

}  // namespace cairn::index
