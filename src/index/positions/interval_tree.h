// SPDX-License-Identifier: Apache-2.0
// Rules of intervals as the field's engine has them: what is equal is one node, choices stand at
// the top of what heeds gaps, so that no shorter choice hides a longer one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/query/view_state.h"

namespace cairn::index {

struct IntervalNode;
using IntervalNodePtr = std::shared_ptr<const IntervalNode>;
using IntervalNodes = std::vector<IntervalNodePtr>;

/// Immutable.
struct IntervalNode {
  enum class Kind {
    nothing,
    words,         // any of `terms` of `field`
    field,         // of another field, which the words below it name
    block,         // parts right behind one another
    ordered,       // parts one behind the other
    unordered,     // parts in any order, over one another too
    repeated,      // `count` intervals of the part, one after the other
    any,           // of all parts, but for those around others
    extended,      // of the part, `before` and `after` positions longer
    place_before,  // the position before each interval of the part
    place_behind,  // and the one behind it
    few_gaps,      // with `count` positions in between at most
    containing,    // of the first part, compared with the second
    contained_by,
    overlapping,
    not_containing,
    not_contained_by,
    not_overlapping
  };
  Kind kind = Kind::nothing;
  std::string field;
  std::string text;  // what words are called
  std::vector<std::string> terms;
  IntervalNodes parts;
  std::int64_t before = 0, after = 0, count = 0;
  // Worked out when it is made.
  std::int64_t least_length = 0;  // no interval is shorter, as the engine reckons
  std::size_t words = 0;          // to be opened, those that stand in it several times each time
  std::size_t id = 0;
};

/// Makes nodes, as the engine's functions of these names do. One thread.
class IntervalBuilder {
 public:
  using Kind = IntervalNode::Kind;

  /// It outlives the builder.
  explicit IntervalBuilder(const QueryContext& context) : context_(context) {}

  IntervalNodePtr nothing() { return made(IntervalNode{}); }
  IntervalNodePtr word(const std::string& field, std::string term);
  /// The terms that a pattern stands for. Another pattern for the same terms is not equal, nor is
  /// one of another kind (any number but 0).
  IntervalNodePtr words_like(const std::string& field, std::string pattern, std::size_t kind,
                             std::vector<std::string> terms);
  IntervalNodePtr of_field(const std::string& field, IntervalNodePtr part);
  IntervalNodePtr block(const IntervalNodes& parts);
  IntervalNodePtr ordered(const IntervalNodes& parts);
  IntervalNodePtr unordered(const IntervalNodes& parts);
  IntervalNodePtr any(const IntervalNodes& parts);
  IntervalNodePtr extended(IntervalNodePtr part, std::int64_t before, std::int64_t after);
  IntervalNodePtr few_gaps(const IntervalNodePtr& part, std::int64_t most);
  IntervalNodePtr compared(Kind kind, const IntervalNodePtr& part, const IntervalNodePtr& with);
  IntervalNodePtr before(const IntervalNodePtr& part, const IntervalNodePtr& reference);
  IntervalNodePtr after(const IntervalNodePtr& part, const IntervalNodePtr& reference);

  /// illegal_argument_exception once choices came to more words than a query may have clauses: what
  /// is made from then on is nothing. Timeout, cancelled.
  const Status& status() const { return status_; }

 private:
  IntervalNodePtr made(IntervalNode node);
  IntervalNodePtr made(Kind kind, IntervalNodes parts);
  IntervalNodePtr repeated(const IntervalNodePtr& part, std::size_t count);
  IntervalNodePtr plain_block(IntervalNodes parts);
  IntervalNodes choices_of(const IntervalNodePtr& node);
  IntervalNodes found_choices(const IntervalNodePtr& node);
  IntervalNodes split(const IntervalNodePtr& node);
  template <class MakeOne>
  IntervalNodes combined(const IntervalNodes& parts, MakeOne make);
  bool fits(std::size_t words);

  const QueryContext& context_;
  Status status_ = ok_status();
  std::map<std::string, IntervalNodePtr> known_;  // by what they are made of
  std::map<std::size_t, IntervalNodes> choices_;  // by id
};

/// ORDERED(a,or(b,c)).
std::string interval_text(const IntervalNode& node);

}  // namespace cairn::index
