// SPDX-License-Identifier: Apache-2.0
// All documents that match a query, as they were at one moment: in an order that another process
// can go on with, by index and sequence number, or in that of sort keys.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"
#include "index/query.h"
#include "os/deadline.h"
#include "search/options.h"
#include "search/prepared.h"
#include "search/request.h"
#include "search/walk_order.h"

namespace cairn::search {

/// Which documents.
struct WalkRequest {
  std::string_view text = {};  // what `query` was parsed from, for positions in errors
  std::string path = "query";  // of the query in it
  Json query = {};             // null: all
  std::optional<Slice> slice = {};
  Json sort = {};           // as a search has it; null: by index, then by sequence number
  std::int64_t now_ms = 0;  // what `now` means; 0: the clock
  bool with_sources = true;
};

struct WalkedDocument {
  std::string id;
  std::int64_t seq_no = 0;
  std::int64_t primary_term = 1;
  std::string routing = {};  // empty: none
  std::string source = {};   // JSON text, where the request wants it
};

/// Documents of one index, ascending by sequence number or in the order of the sort keys.
struct WalkedPage {
  std::size_t target = 0;
  std::vector<WalkedDocument> documents = {};  // none: the walk is over
};

/// Made by Service::walk(). One thread at a time; keeps the views readable while it lives. Errors
/// of next(): those of PreparedQuery::search and of reading, wrapped as searches wrap them; the
/// walk then stands where it stood.
class DocumentWalk {
 public:
  DocumentWalk(std::vector<WalkTarget> targets, PreparedQueries queries, std::uint64_t total,
               bool with_sources, std::unique_ptr<WalkOrder> order = {});

  /// How many documents match; next() gives as many.
  std::uint64_t total() const { return total_; }
  /// At most `count` documents, and no more once their sources take `bytes`. A page costs what it
  /// shows, and one of some ten thousand documents a pass over all that match. Where there are sort
  /// keys, pages have the next `count` documents in their order, index by index.
  Result<WalkedPage> next(std::size_t count, std::size_t bytes, const os::Deadline& deadline);

 private:
  Status read_block(const os::Deadline& deadline);
  Status read_sorted(std::size_t count, const os::Deadline& deadline);
  Result<WalkedDocument> read(const WalkPlace& place, const os::Deadline& deadline) const;

  std::vector<WalkTarget> targets_;
  PreparedQueries queries_;
  std::uint64_t total_;
  bool with_sources_;
  std::size_t target_ = 0;
  std::int64_t last_ = -1;  // of the documents of target_ that blocks have had
  std::vector<WalkPlace> block_ = {};
  std::size_t at_ = 0;                 // of block_
  std::unique_ptr<WalkOrder> order_;   // null: that of sequence numbers
};

}  // namespace cairn::search
