// SPDX-License-Identifier: Apache-2.0
#include "index/aggregations/batch.h"

namespace cairn::index {

const std::int64_t* DecodedChunks::find(const ColumnReader& column, std::size_t chunk,
                                        std::size_t& hint) const {
  const auto is_it = [&](const Entry& entry) {
    return entry.column == &column && entry.chunk == chunk;
  };
  if (hint < entries_.size() && is_it(entries_[hint])) return entries_[hint].values.data();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!is_it(entries_[i])) continue;
    hint = i;
    return entries_[i].values.data();
  }
  return nullptr;
}

const std::int64_t* DecodedChunks::get(const ColumnReader& column, std::size_t chunk,
                                       std::size_t& hint) {
  if (const std::int64_t* known = find(column, chunk, hint)) return known;
  // A chunk before this one of the same column is not asked for again.
  std::size_t at = 0;
  while (at < entries_.size() && entries_[at].column != &column) ++at;
  if (at == entries_.size()) {
    if (entries_.size() < most)
      entries_.emplace_back();
    else
      at = next_ = (next_ + 1) % most;
  }
  Entry& entry = entries_[at];
  entry.column = &column;
  entry.chunk = chunk;
  entry.values.resize(std::min<std::size_t>(column_chunk, column.documents()));
  column.decode(chunk, entry.values.data());
  hint = at;
  return entry.values.data();
}

void DecodedChunks::forget() {
  for (Entry& entry : entries_) entry.column = nullptr;
}

void remove_doubles(ValueBatch& batch, Frame& frame) {
  // They lie in this frame.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (kept > 0 && frame.docs[kept - 1] == frame.docs[i] &&
        frame.values[kept - 1] == frame.values[i])
      continue;
    frame.docs[kept] = frame.docs[i];
    frame.values[kept] = frame.values[i];
    ++kept;
  }
  batch.docs = Docs(frame.docs.data(), kept);
  batch.values = frame.values.data();
}

}  // namespace cairn::index
