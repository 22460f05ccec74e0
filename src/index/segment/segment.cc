// SPDX-License-Identifier: Apache-2.0
#include "index/segment/segment.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/compress.h"
#include "base/hash.h"
#include "index/errors.h"
#include "index/segment/nested_section.h"

namespace cairn::index {
namespace {

template <class Number>
Number load(std::string_view bytes, std::size_t i) {
  Number v;
  std::memcpy(&v, bytes.data() + i * sizeof v, sizeof v);
  return v;
}

}  // namespace

Result<std::shared_ptr<const Segment>> Segment::open(std::shared_ptr<SegmentFile> file,
                                                     std::uint64_t hot_offset,
                                                     const os::Deadline& deadline) {
  auto segment = std::make_shared<Segment>();
  segment->file_ = std::move(file);
  CAIRN_CHECK(segment->open_parts(hot_offset, deadline));
  // One that a search has made of values alone has no documents of its own.
  const bool has_documents =
      !segment->file_->in_memory() || segment->footer_.find(SectionKind::stored) != nullptr;
  if (has_documents) CAIRN_CHECK(segment->read_documents());
  return std::shared_ptr<const Segment>(std::move(segment));
}

const std::shared_ptr<const Segment>& Segment::none() {
  static const std::shared_ptr<const Segment> empty = [] {
    auto segment = std::make_shared<Segment>();
    segment->file_ = memory_file("(none)", "");
    return std::shared_ptr<const Segment>(std::move(segment));
  }();
  return empty;
}

// What documents and the objects in them have alike.
Status Segment::open_parts(std::uint64_t hot_offset, const os::Deadline& deadline) {
  CAIRN_CHECK(read_hot(hot_offset, deadline));
  CAIRN_CHECK(read_terms());
  CAIRN_CHECK(read_vector_indexes());
  return read_nested(deadline);
}

Status Segment::read_hot(std::uint64_t hot_offset, const os::Deadline& deadline) {
  // From the start of a page, so that all of it can be verified.
  hot_offset_ = hot_offset / page_bytes * page_bytes;
  if (hot_offset > file_->size()) return corrupt_object(name(), "it is shorter than it was");
  CAIRN_TRY(hot_, file_->read_once(hot_offset_, file_->size() - hot_offset_, deadline));
  CAIRN_TRY(footer_, decode_footer(hot_.view, name()));
  std::uint64_t body = 0;
  for (const Section& s : footer_.sections) {
    body = std::max(body, s.offset + s.length);
    if (s.offset + s.length > file_->size() || s.offset > s.offset + s.length)
      return corrupt_object(name(), "a section lies outside");
  }
  CAIRN_CHECK(check_pages(hot_.view, hot_offset_, {footer_.page_checksums, body}, name()));
  file_->set_page_checksums({footer_.page_checksums, body});
  return ok_status();
}

Status Segment::read_documents() {
  const auto blocks = StoredBlocks::read(hot(SectionKind::stored_blocks, {}));
  const auto table = IdTable::read(hot(SectionKind::id_table, {}));
  id_blocks_ = hot(SectionKind::id_blocks, {});
  const std::size_t id_block_count = (footer_.doc_count + ids_per_block - 1) / ids_per_block;
  if (!blocks || !table || id_blocks_.size() != (id_block_count + 1) * sizeof(std::uint64_t))
    return corrupt_object(name(), "its tables are damaged");
  stored_blocks_ = *blocks;
  id_table_ = *table;
  return ok_status();
}

std::string_view Segment::hot(SectionKind kind, std::string_view field) const {
  const Section* s = footer_.find(kind, field);
  if (s == nullptr || s->offset < hot_offset_) return {};
  return hot_.view.substr(s->offset - hot_offset_, s->length);
}

Status Segment::read_terms() {
  for (const FieldStatistics& statistics : footer_.fields) {
    if (statistics.terms == TermsKind::none) continue;
    TermsReader reader;
    reader.file_ = file_.get();
    reader.statistics_ = &statistics;
    reader.dictionary_ = footer_.find(SectionKind::dictionary, statistics.field);
    reader.postings_ = footer_.find(SectionKind::postings, statistics.field);
    reader.positions_ = footer_.find(SectionKind::positions, statistics.field);
    if (reader.dictionary_ == nullptr || reader.postings_ == nullptr)
      return corrupt_object(name(), "a field lacks its terms");
    const std::string_view index = hot(SectionKind::dictionary_index, statistics.field);
    ByteReader in(index);
    const std::uint64_t blocks = in.varint().value_or(0);
    if (blocks > index.size()) return corrupt_object(name(), "a dictionary is damaged");
    for (std::uint64_t i = 0; i < blocks; ++i)
      reader.block_starts_.push_back(in.varint().value_or(0));
    reader.block_starts_.push_back(reader.dictionary_->length);
    reader.index_ = index;
    for (std::uint64_t i = 0; i < blocks; ++i) {
      const std::size_t size = in.string().value_or("").size();
      reader.first_terms_.push_back({.at = static_cast<std::uint32_t>(in.position() - size),
                                     .size = static_cast<std::uint32_t>(size)});
    }
    if (!in.at_end()) return corrupt_object(name(), "a dictionary is damaged");
    terms_.push_back(std::move(reader));
  }
  return ok_status();
}

Status Segment::read_vector_indexes() {
  for (const FieldStatistics& statistics : footer_.fields) {
    if (footer_.find(SectionKind::vector_index, statistics.field) == nullptr) continue;
    const Section* fine = footer_.find(SectionKind::vector_fine, statistics.field);
    const auto shape = vectors(statistics.field);
    const auto damaged = [&] { return corrupt_object(name(), "an index lacks its vectors"); };
    if (fine == nullptr || !shape) return damaged();
    CAIRN_TRY(VectorIndex index, VectorIndex::open(hot(SectionKind::vector_index, statistics.field),
                                                   footer_.doc_count, fine->length, name()));
    if (index.rows() != shape->rows || index.dims() != shape->dims) return damaged();
    const Section* coarse = footer_.find(SectionKind::vector_coarse, statistics.field);
    if (coarse != nullptr && coarse->length != index.rows() * coarse_row_bytes(index.padded()))
      return damaged();
    index.set_sections(fine->offset,
                       coarse == nullptr ? std::nullopt : std::optional(coarse->offset));
    vector_indexes_.emplace_back(statistics.field, std::move(index));
  }
  return ok_status();
}

// The recursion is as deep as nested fields stand in one another, which the mapping's depth bounds.
Status Segment::read_nested(const os::Deadline& deadline) {
  for (const Section& section : footer_.sections) {
    if (section.kind != SectionKind::nested) continue;
    const std::string_view bytes = hot(SectionKind::nested_parents, section.field);
    const auto owners = NestedOwners::read(bytes, footer_.doc_count);
    const auto damaged = [&] {
      return corrupt_object(name(), "the objects of [" + section.field + "] are damaged");
    };
    if (!owners) return damaged();
    auto objects = std::make_shared<Segment>();
    objects->file_ =
        part_of_file(file_, name() + "/" + section.field, section.offset, section.length);
    CAIRN_CHECK(objects->open_parts(owners->hot_offset, deadline));
    if (objects->doc_count() != owners->parents.size() / sizeof(std::uint32_t)) return damaged();
    nested_.push_back({section.field, std::move(objects), owners->parents});
  }
  return ok_status();
}

const NestedPart* Segment::nested(std::string_view path) const {
  for (const NestedPart& part : nested_)
    if (part.path == path) return &part;
  return nullptr;
}

std::size_t Segment::memory_bytes() const {
  std::size_t sum = sizeof *this + hot_.view.size();
  for (const TermsReader& t : terms_) sum += t.first_terms_.size() * 8 + t.block_starts_.size() * 8;
  for (const auto& [field, index] : vector_indexes_) sum += index.memory_bytes();
  sum += stored_blocks_.count() * 12;
  // In memory its bytes are some of the file's.
  for (const NestedPart& part : nested_)
    sum += part.objects->memory_bytes() - (file_->in_memory() ? part.objects->file_->size() : 0);
  return file_->in_memory() ? file_->size() + sum : sum;
}

Result<Bytes> Segment::section(SectionKind kind, std::string_view field, bool once,
                               const os::Deadline& deadline) const {
  const Section* s = footer_.find(kind, field);
  if (s == nullptr) return Bytes{};
  if (s->offset >= hot_offset_)
    return Bytes{hot_.owner, hot_.view.substr(s->offset - hot_offset_, s->length)};
  return once ? file_->read_once(s->offset, s->length, deadline)
              : file_->read(s->offset, s->length, deadline);
}

Result<Bytes> Segment::stored_block(std::size_t block, bool once,
                                    const os::Deadline& deadline) const {
  const Section* s = footer_.find(SectionKind::stored);
  if (s == nullptr || block >= stored_blocks_.count() ||
      stored_blocks_.offsets[block + 1] > s->length)
    return corrupt_object(name(), "a block of documents is missing");
  const std::uint64_t start = stored_blocks_.offsets[block];
  const std::uint64_t length = stored_blocks_.offsets[block + 1] - start;
  return once ? file_->read_once(s->offset + start, length, deadline)
              : file_->read(s->offset + start, length, deadline);
}

Result<std::string> Segment::source(std::uint32_t doc, const os::Deadline& deadline) const {
  if (stored_blocks_.count() == 0) return corrupt_object(name(), "it holds no documents");
  const std::size_t block = stored_blocks_.block_of(doc);
  CAIRN_TRY(const Bytes compressed, stored_block(block, false, deadline));
  auto raw = unzstd(compressed.view, stored_block_limit);
  if (!raw) return corrupt_object(name(), "a block of documents cannot be decompressed");
  const auto source = stored_at(*raw, doc - stored_blocks_.first_documents[block]);
  if (!source) return corrupt_object(name(), "a block of documents is damaged");
  return std::string(*source);
}

Result<std::string> Segment::id(std::uint32_t doc, const os::Deadline& deadline) const {
  const Section* s = footer_.find(SectionKind::ids);
  const std::size_t block = doc / ids_per_block;
  const auto damaged = [&] { return corrupt_object(name(), "its ids are damaged"); };
  if (s == nullptr || doc >= footer_.doc_count) return damaged();
  const auto start = load<std::uint64_t>(id_blocks_, block);
  const auto end = load<std::uint64_t>(id_blocks_, block + 1);
  if (end < start || end > s->length) return damaged();
  CAIRN_TRY(const Bytes bytes, file_->read(s->offset + start, end - start, deadline));
  const auto found = stored_at(bytes.view, doc % ids_per_block);
  if (!found) return damaged();
  return std::string(*found);
}

Result<std::int64_t> Segment::version(std::uint32_t doc, const os::Deadline& deadline) const {
  CAIRN_TRY(const auto values, column(SectionKind::versions, deadline));
  if (values == nullptr || doc >= values->reader.documents())
    return corrupt_object(name(), "its versions are missing");
  return values->reader.value(doc);
}

Result<std::int64_t> Segment::seq_no(std::uint32_t doc, const os::Deadline& deadline) const {
  CAIRN_TRY(const auto values, column(SectionKind::seq_nos, deadline));
  if (values == nullptr || doc >= values->reader.documents())
    return corrupt_object(name(), "its sequence numbers are missing");
  return values->reader.value(doc);
}

Result<std::vector<std::uint32_t>> Segment::find(std::string_view wanted,
                                                 const os::Deadline& deadline) const {
  std::vector<std::uint32_t> maybe, out;
  if (footer_.find(SectionKind::ids) == nullptr) return out;
  id_table_.candidates(fast_hash(wanted), [&](std::uint32_t doc) {
    maybe.push_back(doc);
    return false;
  });
  for (const std::uint32_t doc : maybe) {
    CAIRN_TRY(const std::string known, id(doc, deadline));
    if (known == wanted) out.push_back(doc);
  }
  return out;
}

const TermsReader* Segment::terms(std::string_view field) const {
  const auto at = std::lower_bound(
      terms_.begin(), terms_.end(), field,
      [](const TermsReader& t, std::string_view wanted) { return t.statistics_->field < wanted; });
  return at != terms_.end() && at->statistics_->field == field ? &*at : nullptr;
}

std::string_view Segment::norms(std::string_view field) const {
  const std::string_view bytes = hot(SectionKind::norms, field);
  return bytes.size() == footer_.doc_count ? bytes : std::string_view();
}

Result<std::shared_ptr<const Column>> Segment::column(std::string_view field,
                                                      const os::Deadline& deadline) const {
  if (footer_.find(SectionKind::column, field) == nullptr) return std::shared_ptr<const Column>();
  CAIRN_TRY(Bytes bytes, section(SectionKind::column, field, false, deadline));
  CAIRN_TRY(auto reader, ColumnReader::open(bytes.view, name()));
  return std::make_shared<const Column>(Column{std::move(bytes), reader});
}

Result<std::shared_ptr<const Column>> Segment::column(SectionKind kind,
                                                      const os::Deadline& deadline) const {
  if (footer_.find(kind) == nullptr) return std::shared_ptr<const Column>();
  CAIRN_TRY(Bytes bytes, section(kind, {}, false, deadline));
  CAIRN_TRY(auto reader, ColumnReader::open(bytes.view, name()));
  return std::make_shared<const Column>(Column{std::move(bytes), reader});
}

std::optional<Vectors> Segment::vectors(std::string_view field) const {
  const FieldStatistics* statistics = footer_.field(field);
  const Section* s = footer_.find(SectionKind::vectors, field);
  if (statistics == nullptr || s == nullptr || statistics->dims == 0) return std::nullopt;
  const Vectors out{
      .rows = statistics->rows, .dims = statistics->dims, .bytes = statistics->byte_vectors};
  if (s->length != out.row_bytes() * out.rows) return std::nullopt;
  return out;
}

Result<Bytes> Segment::vector_rows(std::string_view field, std::uint32_t first, std::uint32_t count,
                                   bool once, const os::Deadline& deadline) const {
  const auto shape = vectors(field);
  const Section* s = footer_.find(SectionKind::vectors, field);
  if (!shape || first > shape->rows || count > shape->rows - first)
    return corrupt_object(name(), "vectors are missing");
  const std::uint64_t start = s->offset + first * shape->row_bytes();
  const std::uint64_t length = count * shape->row_bytes();
  return once ? file_->read_once(start, length, deadline) : file_->read(start, length, deadline);
}

const VectorIndex* Segment::vector_index(std::string_view field) const {
  for (const auto& [name, index] : vector_indexes_)
    if (name == field) return &index;
  return nullptr;
}

Result<Bytes> Segment::vector_row(std::string_view field, const VectorIndex& index,
                                  std::uint32_t row, const os::Deadline& deadline) const {
  const auto shape = vectors(field);
  const Section* s = footer_.find(SectionKind::vectors, field);
  if (!shape || row >= shape->rows) return corrupt_object(name(), "vectors are missing");
  return file_->read_checked(s->offset + row * shape->row_bytes(), shape->row_bytes(),
                             index.row_check(row), deadline);
}

Result<Bytes> Segment::vector_fine(const VectorIndex& index, std::uint32_t list,
                                   const os::Deadline& deadline) const {
  const VectorIndex::List& entry = index.list(list);
  return file_->read_checked(index.fine_section() + entry.fine_offset, index.fine_length(list),
                             entry.fine_check, deadline);
}

bool Segment::keeps_coarse(const VectorIndex& index) const {
  const std::uint64_t bytes = std::uint64_t{index.rows()} * coarse_row_bytes(index.padded());
  return index.coarse_section().has_value() && file_->can_stay(bytes);
}

Result<Bytes> Segment::vector_coarse(const VectorIndex& index, std::uint32_t first,
                                     std::uint32_t count, const os::Deadline& deadline) const {
  const std::size_t bytes = coarse_row_bytes(index.padded());
  return file_->read(*index.coarse_section() + first * bytes, count * bytes, deadline);
}

Result<Bytes> Segment::vector_docs(std::string_view field, const os::Deadline& deadline) const {
  CAIRN_TRY(Bytes bytes, section(SectionKind::vector_docs, field, false, deadline));
  const auto shape = vectors(field);
  if (shape && bytes.view.size() != shape->rows * sizeof(std::uint32_t))
    return corrupt_object(name(), "vectors lack their documents");
  return bytes;
}

Result<Bytes> Segment::chunks(std::string_view field, const os::Deadline& deadline) const {
  CAIRN_TRY(Bytes bytes, section(SectionKind::chunks, field, false, deadline));
  const FieldStatistics* statistics = footer_.field(field);
  if (statistics != nullptr && bytes.view.size() != statistics->rows * sizeof(ChunkRow) &&
      footer_.find(SectionKind::chunks, field) != nullptr)
    return corrupt_object(name(), "chunks are damaged");
  return bytes;
}

}  // namespace cairn::index
