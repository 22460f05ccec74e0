// SPDX-License-Identifier: Apache-2.0
#include "index/segment/stored.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "base/compress.h"
#include "base/hash.h"

namespace cairn::index {

StoredWriter::StoredWriter(std::function<void(std::string_view)> write, int level)
    : write_(std::move(write)), level_(level) {}

void StoredWriter::add(std::string_view source) {
  put_string(raw_, source);
  ++next_;
  if (raw_.size() >= stored_block_bytes) end_block();
}

void StoredWriter::end_block() {
  if (next_ == first_) return;
  const std::string compressed = zstd(raw_, level_);
  firsts_.push_back(first_);
  offsets_.push_back(written_);
  write_(compressed);
  written_ += compressed.size();
  raw_.clear();
  first_ = next_;
}

void StoredWriter::add_block(std::string_view compressed, std::uint32_t documents) {
  end_block();
  firsts_.push_back(first_);
  offsets_.push_back(written_);
  write_(compressed);
  written_ += compressed.size();
  next_ += documents;
  first_ = next_;
}

std::string StoredWriter::finish() {
  end_block();
  std::string out;
  put_varint(out, firsts_.size());
  for (std::size_t i = 0; i < firsts_.size(); ++i) {
    put_varint(out, firsts_[i] - (i > 0 ? firsts_[i - 1] : 0));
    put_varint(out, offsets_[i] - (i > 0 ? offsets_[i - 1] : 0));
  }
  put_varint(out, written_ - (offsets_.empty() ? 0 : offsets_.back()));
  return out;
}

std::optional<std::string_view> stored_at(std::string_view raw, std::uint32_t index) {
  ByteReader in(raw);
  for (std::uint32_t i = 0; i < index; ++i)
    if (!in.string()) return std::nullopt;
  return in.string();
}

std::optional<StoredBlocks> StoredBlocks::read(std::string_view bytes) {
  ByteReader in(bytes);
  StoredBlocks out;
  const std::uint64_t count = in.varint().value_or(0);
  std::uint64_t doc = 0, offset = 0;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    doc += in.varint().value_or(0);
    offset += in.varint().value_or(0);
    out.first_documents.push_back(static_cast<std::uint32_t>(doc));
    out.offsets.push_back(offset);
  }
  out.offsets.push_back(offset + in.varint().value_or(0));
  return in.at_end() ? std::optional(std::move(out)) : std::nullopt;
}

std::size_t StoredBlocks::block_of(std::uint32_t doc) const {
  const auto after = std::upper_bound(first_documents.begin(), first_documents.end(), doc);
  return static_cast<std::size_t>(after - first_documents.begin()) - 1;
}

void IdsWriter::add(std::string_view id) {
  if (hashes_.size() % ids_per_block == 0) starts_.push_back(ids_.size());
  put_string(ids_, id);
  hashes_.push_back(fast_hash(id));
}

void IdsWriter::finish(SegmentOut& out) {
  out.section(SectionKind::ids, {}, ids_);
  std::string blocks;
  for (const std::uint64_t start : starts_) put_u64le(blocks, start);
  put_u64le(blocks, ids_.size());
  out.hot_section(SectionKind::id_blocks, {}, std::move(blocks));

  const std::size_t slots = std::bit_ceil(hashes_.size() * 3 / 2 + 1);
  std::vector<std::uint32_t> docs(slots, 0);
  std::vector<std::uint16_t> prints(slots, 0);
  for (std::size_t doc = 0; doc < hashes_.size(); ++doc) {
    std::size_t slot = hashes_[doc] & (slots - 1);
    while (docs[slot] != 0) slot = (slot + 1) & (slots - 1);
    docs[slot] = static_cast<std::uint32_t>(doc + 1);
    prints[slot] = static_cast<std::uint16_t>(hashes_[doc] >> 48);
  }
  std::string table;
  put_u64le(table, slots);
  table.append(reinterpret_cast<const char*>(docs.data()), slots * sizeof(std::uint32_t));
  table.append(reinterpret_cast<const char*>(prints.data()), slots * sizeof(std::uint16_t));
  out.hot_section(SectionKind::id_table, {}, std::move(table));
}

std::optional<IdTable> IdTable::read(std::string_view bytes) {
  ByteReader in(bytes);
  const std::uint64_t slots = in.u64le().value_or(0);
  if (!std::has_single_bit(slots) || slots > bytes.size()) return std::nullopt;
  const auto docs = in.bytes(slots * sizeof(std::uint32_t));
  const auto prints = in.bytes(slots * sizeof(std::uint16_t));
  if (!in.at_end()) return std::nullopt;
  IdTable out;
  out.mask_ = slots - 1;
  out.docs_ = docs->data();
  out.prints_ = prints->data();
  return out;
}

}  // namespace cairn::index
