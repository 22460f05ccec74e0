// SPDX-License-Identifier: Apache-2.0
// The documents of a walk in the order of sort keys, over all of its indices.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"
#include "index/query.h"
#include "index/view.h"
#include "os/deadline.h"
#include "search/prepared.h"

namespace cairn::search {

/// The part of one index that a walk goes over: sequence numbers behind `after`, up to `until`.
struct WalkRange {
  std::int64_t after = -1;
  std::int64_t until = INT64_MAX;
};

/// One index of a walk. Walks that share a view see the same documents.
struct WalkTarget {
  std::shared_ptr<index::Index> index;
  std::shared_ptr<const index::View> view;
  WalkRange range = {};
  std::shared_ptr<const Json> filter = {};  // narrows the query; null: nothing does
};

/// A document of a walk.
struct WalkPlace {
  std::size_t target = 0;
  index::DocAddress doc = {};
  std::int64_t seq_no = -1;  // -1: it was not looked at
};

/// One thread. Errors: those of PreparedQuery::search, wrapped as searches wrap them; the order
/// then stands where it stood.
class WalkOrder {
 public:
  /// Reads a query within a sort key, as the mapping of a target has it.
  using ReadFilter = std::function<Result<index::Query>(std::size_t target, const Json& query)>;

  /// `total`: how many documents there are.
  WalkOrder(std::vector<index::SortKey> keys, std::size_t targets, std::uint64_t total);

  /// Finds the first block, which says whether the indices can be sorted so. `read` is asked now
  /// and not later.
  Status begin(const std::vector<WalkTarget>& targets, const PreparedQueries& queries,
               const ReadFilter& read, const os::Deadline& deadline);
  /// The next `count` documents, fewer at the end of a block; none: it is over.
  Result<std::vector<WalkPlace>> next(std::size_t count, const std::vector<WalkTarget>& targets,
                                      const PreparedQueries& queries, const os::Deadline& deadline);

 private:
  Status read_block(const std::vector<WalkTarget>& targets, const PreparedQueries& queries,
                    const ReadFilter& read, const os::Deadline& deadline);

  std::vector<index::SortKey> keys_;  // the last one is the place of a document
  std::uint64_t total_;
  std::vector<std::map<std::string, index::Query>> filters_;  // of each target, by their text
  std::vector<index::SortValue> last_ = {};                   // of the block
  std::vector<WalkPlace> block_ = {};
  std::size_t at_ = 0;           // of block_
  std::size_t hit_bytes_ = 0;    // that a document of the block took; 0: there was none
};

}  // namespace cairn::search
