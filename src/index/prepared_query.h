// SPDX-License-Identifier: Apache-2.0
// A query planned once for one view, and asked as often as a request needs it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/explanation.h"
#include "index/query.h"
#include "os/deadline.h"

namespace cairn::index {

class Plan;
class PreparedQuery;
class View;
struct ViewState;
using PreparedQueryPtr = std::shared_ptr<const PreparedQuery>;

/// What View::prepare gives: fields resolved, texts analysed, terms expanded, nearest vectors
/// found. Immutable, safe from any thread; keeps its view alive. Calls may read segments from the
/// store and block up to their deadline, which they look at every few thousand steps. Errors of all
/// calls: timeout, cancelled, unavailable, corrupt.
class PreparedQuery {
 public:
  using Plans = std::vector<std::pair<std::uint32_t, std::shared_ptr<const Plan>>>;
  PreparedQuery(std::shared_ptr<const ViewState> view, std::shared_ptr<const Plan> plan,
                Plans labelled, std::int64_t now_ms);
  ~PreparedQuery();

  /// The best documents. `post_filter`, of the same view, narrows the hits, not the aggregations;
  /// null for none. Errors besides: illegal_argument_exception, query_shard_exception and
  /// parsing_exception for sort keys and aggregations that do not fit the mapping.
  Result<TopDocs> search(const SearchParams& params, const PreparedQuery* post_filter,
                         const os::Deadline& deadline) const;
  /// How many documents match.
  Result<std::uint64_t> count(const os::Deadline& deadline) const;
  /// Which of `docs` match, in the order given. One walk over each segment, however many they are.
  Result<std::vector<bool>> matches(const std::vector<DocAddress>& docs,
                                    const os::Deadline& deadline) const;
  /// Their scores, in the order given; nothing for those that do not match.
  Result<std::vector<std::optional<float>>> scores(const std::vector<DocAddress>& docs,
                                                   const os::Deadline& deadline) const;
  /// How the score of a document comes about, or why it does not match. The value of the whole is
  /// the score; of what it is a sum, product or maximum of, the details say.
  Result<Explanation> explain(DocAddress doc, const os::Deadline& deadline) const;
  /// What it looks for, in the words of the field's engine; empty unless it was described.
  std::string text() const;
  /// The analysed terms of a text or keyword field that are looked for, each once, ascending.
  std::vector<std::string> terms(std::string_view field) const;
  /// The same query of a view that has the values of runtime fields that a search sorts, groups or
  /// counts by, in the documents that match: for that search alone. `query` itself where it asks
  /// for none. Errors: those of the fields' scripts; circuit_breaking_exception where they are too
  /// many.
  static Result<PreparedQueryPtr> with_values(const PreparedQueryPtr& query,
                                              const SearchParams& params,
                                              const os::Deadline& deadline);
  /// The view that it asks.
  std::shared_ptr<const View> view() const;
  /// The part of the query that has this label (Query::label); null where it has none.
  PreparedQueryPtr part(std::uint32_t label) const;

  /// Those of a part of the documents. What is found for one part serves the next: it is kept as
  /// long as `query` is.
  static PreparedQueryPtr within(const PreparedQueryPtr& query, const WithinQuery& part);
  /// Documents that match any of these, which are of one view; the score is the sum.
  static PreparedQueryPtr any_of(const std::vector<PreparedQueryPtr>& queries);

 private:
  template <class Each>
  Status each_match(const std::vector<DocAddress>& docs, const os::Deadline& deadline,
                    Each each) const;

  std::shared_ptr<const ViewState> view_;
  std::shared_ptr<const Plan> plan_;
  Plans labelled_;
  std::int64_t now_ms_;
  bool keeps_bits_ = false;  // of what it finds
};

}  // namespace cairn::index
