// SPDX-License-Identifier: Apache-2.0
#include "index/segment/column.h"

#include <algorithm>
#include <numeric>

#include "base/bytes.h"
#include "index/errors.h"
#include "kernels/columns/unpack.h"

namespace cairn::index {
namespace {

constexpr std::uint8_t has_presence = 1, has_starts = 2;

std::size_t chunks_of(std::size_t count) { return (count + column_chunk - 1) / column_chunk; }

void write_packed(std::string& out, const std::vector<std::int64_t>& values) {
  put_u32le(out, static_cast<std::uint32_t>(values.size()));
  std::string directory, data;
  std::vector<std::uint64_t> chunk;
  for (std::size_t start = 0; start < values.size(); start += column_chunk) {
    const std::size_t count = std::min(column_chunk, values.size() - start);
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(start);
    const auto [low, high] = std::minmax_element(from, from + static_cast<std::ptrdiff_t>(count));
    chunk.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      chunk[i] = static_cast<std::uint64_t>(values[start + i]) - static_cast<std::uint64_t>(*low);
    const unsigned bits =
        bits_for(static_cast<std::uint64_t>(*high) - static_cast<std::uint64_t>(*low));
    put_i64le(directory, *low);
    put_i64le(directory, *high);
    put_u64le(directory, data.size());
    put_u8(directory, static_cast<std::uint8_t>(bits));
    if (bits > 0) pack_array(data, chunk.data(), count, bits);
  }
  put_u64le(out, data.size());
  out += directory;
  out += data;
}

}  // namespace

void ColumnWriter::add(std::span<const std::int64_t> values) {
  counts_.push_back(static_cast<std::uint32_t>(values.size()));
  const auto start = static_cast<std::ptrdiff_t>(values_.size());
  values_.insert(values_.end(), values.begin(), values.end());
  std::sort(values_.begin() + start, values_.end());
}

std::string ColumnWriter::finish() const {
  const auto documents = static_cast<std::uint32_t>(counts_.size());
  std::uint32_t present = 0;
  bool single = true;
  for (const std::uint32_t count : counts_) {
    present += count > 0 ? 1 : 0;
    single &= count <= 1;
  }
  const bool partial = present != 0 && present != documents;
  std::string out;
  put_u32le(out, documents);
  put_u32le(out, present);
  put_u8(out, static_cast<std::uint8_t>((partial ? has_presence : 0) | (single ? 0 : has_starts)));
  const auto bounds = std::minmax_element(values_.begin(), values_.end());
  put_i64le(out, values_.empty() ? 0 : *bounds.first);
  put_i64le(out, values_.empty() ? 0 : *bounds.second);
  if (present == 0) return out;
  if (partial) {
    std::string bits((documents + 7) / 8, '\0');
    for (std::uint32_t doc = 0; doc < documents; ++doc)
      if (counts_[doc] > 0) bits[doc / 8] |= static_cast<char>(1 << (doc % 8));
    out += bits;
  }
  if (!single) {
    std::vector<std::int64_t> starts(documents + 1, 0);
    for (std::uint32_t doc = 0; doc < documents; ++doc)
      starts[doc + 1] = starts[doc] + counts_[doc];
    write_packed(out, starts);
    write_packed(out, values_);
    return out;
  }
  // One value a document: missing ones repeat a neighbour's, which costs no bits.
  std::vector<std::int64_t> dense(documents, values_.front());
  for (std::uint32_t doc = 0, at = 0; doc < documents; ++doc)
    dense[doc] = counts_[doc] > 0 ? values_[at++] : dense[doc == 0 ? 0 : doc - 1];
  write_packed(out, dense);
  return out;
}

std::size_t ColumnReader::decode(std::size_t chunk, std::int64_t* out) const {
  const std::size_t count = std::min(column_chunk, values_.count - chunk * column_chunk);
  const unsigned bits = values_.at<std::uint8_t>(chunk, 24);
  const std::int64_t low = values_.base(chunk);
  if (bits == 0)
    std::fill_n(out, count, low);
  else
    kernels::unpack_kernels().unpack(values_.data + values_.at<std::uint64_t>(chunk, 16), count,
                                     bits, low, out);
  return count;
}

void ColumnReader::keep_present(std::vector<std::uint64_t>& words) const {
  if (has_all()) return;
  const std::size_t size = (std::size_t{documents_} + 7) / 8;
  for (std::size_t at = 0; at < words.size(); ++at) {
    std::uint64_t present = 0;
    if (present_ != nullptr && at * 8 < size)
      std::memcpy(&present, present_ + at * 8, std::min<std::size_t>(8, size - at * 8));
    words[at] &= present;
  }
}

bool ColumnReader::may_have(std::uint32_t first, std::uint32_t last, std::int64_t low,
                            std::int64_t high) const {
  if (low > high || greatest_ < low || least_ > high || present_count_ == 0) return false;
  std::size_t from = first, to = std::size_t{last} + 1;
  if (!is_single()) {
    from = static_cast<std::size_t>(starts_.get(first));
    to = static_cast<std::size_t>(starts_.get(to));
  }
  if (from >= to || to > values_.count) return from < to;
  for (std::size_t chunk = from / column_chunk; chunk <= (to - 1) / column_chunk; ++chunk)
    if (values_.base(chunk) <= high && values_.top(chunk) >= low) return true;
  return false;
}

std::optional<ColumnReader::Packed> ColumnReader::open_packed(std::string_view& bytes) {
  ByteReader in(bytes);
  Packed out;
  out.count = in.u32le().value_or(0);
  const std::uint64_t data_size = in.u64le().value_or(0);
  const auto directory = in.bytes(chunks_of(out.count) * Packed::entry);
  const auto data = in.bytes(data_size);
  if (in.failed()) return std::nullopt;
  out.directory = directory->data();
  out.data = data->data();
  for (std::size_t chunk = 0; chunk < chunks_of(out.count); ++chunk) {
    const unsigned bits = out.at<std::uint8_t>(chunk, 24);
    const std::size_t count = std::min(column_chunk, out.count - chunk * column_chunk);
    const std::uint64_t need = bits == 0 ? 0 : packed_array_size(count, bits);
    if (bits > 64 || need > data_size || out.at<std::uint64_t>(chunk, 16) > data_size - need)
      return std::nullopt;
  }
  bytes.remove_prefix(in.position());
  return out;
}

Result<ColumnReader> ColumnReader::open(std::string_view bytes, std::string_view name) {
  const auto damaged = [&] { return corrupt_object(name, "a column is damaged"); };
  ByteReader in(bytes);
  ColumnReader out;
  out.documents_ = in.u32le().value_or(0);
  out.present_count_ = in.u32le().value_or(0);
  const std::uint8_t flags = in.u8().value_or(0);
  out.least_ = in.i64le().value_or(0);
  out.greatest_ = in.i64le().value_or(0);
  if (in.failed()) return damaged();
  if (out.present_count_ == 0) return out;
  if ((flags & has_presence) != 0) {
    const auto bits = in.bytes((std::uint64_t{out.documents_} + 7) / 8);
    if (!bits) return damaged();
    out.present_ = bits->data();
  }
  std::string_view rest = bytes.substr(in.position());
  if ((flags & has_starts) != 0) {
    const auto starts = open_packed(rest);
    if (!starts || starts->count != out.documents_ + 1) return damaged();
    out.starts_ = *starts;
  }
  const auto values = open_packed(rest);
  if (!values) return damaged();
  out.values_ = *values;
  const std::uint64_t need = out.is_single()
                                 ? out.documents_
                                 : static_cast<std::uint64_t>(out.starts_.get(out.documents_));
  if (out.values_.count != need) return damaged();
  return out;
}

}  // namespace cairn::index
