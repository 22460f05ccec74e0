// SPDX-License-Identifier: Apache-2.0
// The changing part of an index: documents on their way into segments, and what of the segments is
// deleted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "index/segment/bits.h"
#include "index/segment/builder.h"
#include "index/engine/manifest.h"
#include "index/segment/segment.h"

namespace cairn::index {

/// A segment of an index, and its deleted documents. The members that change do so under the state
/// lock of the index; only the thread that commits changes `deleted`.
struct LiveSegment {
  std::shared_ptr<const Segment> segment;
  BitSet deleted;  // as of the last write
  std::uint32_t deleted_count = 0;
  std::shared_ptr<const BitSet> visible;  // as of the last refresh; null: none
  std::uint32_t visible_count = 0;
  bool persisted = false;
  SegmentEntry entry;                   // of a persisted one
  std::uint32_t persisted_deletes = 0;  // how many deletions the manifest knows

  // Where the documents went when this was merged: marks go on to there.
  std::shared_ptr<LiveSegment> merged_into;
  std::vector<std::uint32_t> merged_map;
  bool merging = false;

  /// Marks a document deleted, here or wherever it went.
  void mark_deleted(std::uint32_t doc) {
    const auto [at, there] = follow(doc);
    if (at == nullptr || at->deleted.test(there)) return;
    at->deleted.set(there);
    ++at->deleted_count;
  }
  /// Whether a document is deleted, here or wherever it went.
  bool is_deleted(std::uint32_t doc) {
    const auto [at, there] = follow(doc);
    return at == nullptr || at->deleted.test(there);
  }

 private:
  // Where a document is now; null where a merge has left it out.
  std::pair<LiveSegment*, std::uint32_t> follow(std::uint32_t doc) {
    LiveSegment* at = this;
    while (at->merged_into != nullptr) {
      if (doc >= at->merged_map.size() || at->merged_map[doc] == UINT32_MAX) return {nullptr, 0};
      doc = at->merged_map[doc];
      at = at->merged_into.get();
    }
    return {at, doc};
  }
};

/// Documents that are not in a segment yet. Written by the thread that commits only; `sealed_as` is
/// set under the state lock.
struct MemTable {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  struct Version {
    std::int64_t version = 0;
    std::int64_t seq_no = 0;
  };
  SegmentBuilder builder;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids;  // live ones
  std::vector<Version> versions;                                              // by document
  std::vector<bool> deleted;
  std::uint32_t deleted_count = 0;
  std::shared_ptr<LiveSegment> sealed_as;

  void mark_deleted(std::uint32_t doc) {
    if (sealed_as != nullptr) return sealed_as->mark_deleted(doc);
    if (deleted[doc]) return;
    deleted[doc] = true;
    ++deleted_count;
  }
};

/// What a deleted id leaves behind for a while.
struct Tombstone {
  std::int64_t version = 0;
  std::int64_t seq_no = 0;
  std::int64_t deleted_ms = 0;
};

}  // namespace cairn::index
