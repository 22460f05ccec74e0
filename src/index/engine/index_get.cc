// SPDX-License-Identifier: Apache-2.0
// Reading one document by its id, beside writers.
#include <algorithm>

#include "index/engine/index_impl.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

// What the platform itself keeps of a document: the terms of a metadata field.
Result<std::vector<std::string>> kept_terms(const Segment& segment, std::string_view field,
                                            std::uint32_t doc, const os::Deadline& deadline) {
  std::vector<std::string> out;
  CAIRN_TRY(const auto column, segment.column(field, deadline));
  const TermsReader* terms = segment.terms(field);
  if (column == nullptr || terms == nullptr) return out;
  const auto [first, last] = column->reader.range(doc);
  for (std::uint32_t i = first; i < last; ++i) {
    const auto ordinal = static_cast<std::uint64_t>(column->reader.value(i));
    CAIRN_TRY(auto name, terms->term_at(ordinal, deadline));
    out.push_back(std::move(name));
  }
  return out;
}

}  // namespace

std::optional<Location> Index::Impl::locate_in_tables(std::string_view id) {
  for (const auto& in : {table, sealing}) {
    if (in == nullptr) continue;
    const auto found = in->ids.find(id);
    if (found == in->ids.end()) continue;
    const MemTable::Version& v = in->versions[found->second];
    return Location{.table = in,
                    .segment = nullptr,
                    .doc = found->second,
                    .version = v.version,
                    .seq_no = v.seq_no};
  }
  return std::nullopt;
}

// Called by the thread that commits, and by get(). Segments are read without the lock, so what was
// there may have moved meanwhile: overwritten into the table, and from there into a new segment. An
// id is absent only at a moment when the tables lack it and no segment is left to look into; a
// document that was found deleted or merged away stays so.
Result<std::optional<Location>> Index::Impl::locate(std::string_view id,
                                                    const os::Deadline& deadline) {
  std::vector<std::shared_ptr<LiveSegment>> looked, left;
  for (;;) {
    {
      const MutexLock lock(state_mutex);
      if (auto found = locate_in_tables(id)) return found;
      left.clear();
      for (const auto& s : segments)
        if (std::find(looked.begin(), looked.end(), s) == looked.end()) left.push_back(s);
      if (left.empty()) return std::optional<Location>();
    }
    CAIRN_CHECK(deadline.check("looking for a document of index [" + name + "]"));
    for (std::size_t i = left.size(); i-- > 0;) {
      CAIRN_TRY(auto found, locate_in_segment(left[i], id, deadline));
      if (found) return std::optional(std::move(*found));
      looked.push_back(left[i]);
    }
  }
}

Result<std::optional<Location>> Index::Impl::locate_in_segment(
    const std::shared_ptr<LiveSegment>& in, std::string_view id, const os::Deadline& deadline) {
  CAIRN_TRY(const auto docs, in->segment->find(id, deadline));
  for (const std::uint32_t doc : docs) {
    {
      const MutexLock lock(state_mutex);
      if (in->is_deleted(doc)) continue;
    }
    Location out{.table = nullptr, .segment = in, .doc = doc};
    CAIRN_TRY(out.version, in->segment->version(doc, deadline));
    CAIRN_TRY(out.seq_no, in->segment->seq_no(doc, deadline));
    return std::optional(std::move(out));
  }
  return std::optional<Location>();
}

Result<std::optional<StoredDocument>> Index::Impl::get(std::string_view id,
                                                       const os::Deadline& deadline) {
  {
    const MutexLock lock(state_mutex);
    if (is_gone()) return gone();
  }
  CAIRN_TRY(const auto found, locate(id, deadline));
  if (!found) return std::optional<StoredDocument>();
  StoredDocument out;
  out.id = id;
  out.version = found->version;
  out.seq_no = found->seq_no;
  if (found->table != nullptr) {
    // Documents of a table move as it grows: they are read under the lock.
    const MutexLock lock(state_mutex);
    CAIRN_TRY(out.source, found->table->builder.source(found->doc));
    out.ignored = found->table->builder.ignored(found->doc);
    out.routing = found->table->builder.routing(found->doc);
  } else {
    const Segment& segment = *found->segment->segment;
    CAIRN_TRY(out.source, segment.source(found->doc, deadline));
    CAIRN_TRY(out.ignored, kept_terms(segment, ignored_field_name, found->doc, deadline));
    CAIRN_TRY(auto routing, kept_terms(segment, routing_field_name, found->doc, deadline));
    if (!routing.empty()) out.routing = std::move(routing.front());
  }
  return std::optional(std::move(out));
}

}  // namespace cairn::index
