// SPDX-License-Identifier: Apache-2.0
#include "index/query/term_expansion.h"

#include <algorithm>
#include <set>
#include <variant>

#include "index/errors.h"
#include "index/query/term_filter.h"
#include "index/view.h"

namespace cairn::index {
namespace {

Status add_terms_of(const QueryContext& context, const SegmentView& segment, const Field& field,
                    const TermFilter& filter, std::set<std::string>& out) {
  const TermsReader* reader = segment.segment->terms(field.name);
  if (reader == nullptr) return ok_status();
  const auto takes = filter.make_takes ? filter.make_takes(context.steps) : filter.takes;
  TermsWalk walk(*reader, false);
  CAIRN_CHECK(walk.seek(filter.start, context.deadline));
  while (out.size() <= context.view.options.max_clauses) {
    CAIRN_TRY(const bool any, walk.next(context.deadline));
    if (!any || !filter.goes_on(walk.term())) break;
    CAIRN_CHECK(context.steps.take(2 + walk.term().size() * filter.weight / 8));
    if (takes(walk.term())) out.insert(walk.term());
  }
  return context.steps.status();
}

Result<std::vector<std::string>> all_terms(const QueryContext& context, const Field& field,
                                           const TermFilter& filter, const Error& too_many) {
  std::set<std::string> found;
  for (const SegmentView& segment : context.view.segments)
    CAIRN_CHECK(add_terms_of(context, segment, field, filter, found));
  if (found.size() > context.view.options.max_clauses) return too_many;
  CAIRN_CHECK(count_clauses(context, std::max<std::size_t>(found.size(), 1) - 1));
  return std::vector<std::string>(found.begin(), found.end());
}

struct Expand {
  const QueryContext& context;
  const Field& field;
  const Error& too_many;
  using Terms = Result<std::vector<std::string>>;

  Terms operator()(const PrefixQuery& q) const {
    return all_terms(context, field, prefix_filter(field, q), too_many);
  }
  Terms operator()(const WildcardQuery& q) const {
    CAIRN_TRY(const auto filter, wildcard_filter(field, q));
    return all_terms(context, field, filter, too_many);
  }
  Terms operator()(const RegexpQuery& q) const {
    CAIRN_TRY(const auto filter, regexp_filter(context, field, q));
    return all_terms(context, field, filter, too_many);
  }
  Terms operator()(const RangeQuery& q) const {
    return all_terms(context, field, range_filter(field, q), too_many);
  }
  Terms operator()(const FuzzyQuery& q) const {
    CAIRN_TRY(auto terms, fuzzy_terms(context, field, q));
    CAIRN_CHECK(count_clauses(context, std::max<std::size_t>(terms.size(), 1) - 1));
    return terms;
  }
  template <class Other>
  Terms operator()(const Other&) const {
    return illegal_argument("the query does not stand for terms of a field");
  }
};

}  // namespace

Result<std::vector<std::string>> terms_of_query(const QueryContext& context, const Field& field,
                                                const Query& query, const Error& too_many) {
  return std::visit(Expand{.context = context, .field = field, .too_many = too_many}, query.node);
}

}  // namespace cairn::index
