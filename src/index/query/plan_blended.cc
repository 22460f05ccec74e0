// SPDX-License-Identifier: Apache-2.0
// Plans of words that stand for one another in several fields, whose frequencies are made alike:
// who looks for a first name does not mean somebody whose last name it is because that is rarer.
#include <algorithm>
#include <limits>

#include "index/errors.h"
#include "index/mapping/values.h"
#include "index/query/plan.h"

namespace cairn::index {
namespace {

/// A word in a field.
struct BlendedTerm {
  std::shared_ptr<TermPlan> plan;
  float boost = 1;
  std::uint64_t doc_freq = 0;
  std::uint64_t counted = 0;
};

/// As the field's engine does it: all as frequent as the most frequent, and one document more for
/// each that is rarer than the one before, so that of two fields the one with the word goes first.
void blend(const QueryContext& context, std::vector<BlendedTerm>& terms) {
  if (terms.size() < 2) {
    for (BlendedTerm& term : terms) term.counted = term.doc_freq;
    return;
  }
  std::uint64_t most = 0, documents = 0;
  for (const SegmentView& s : context.view.segments) documents += s.segment->doc_count();
  std::vector<BlendedTerm*> order;
  for (BlendedTerm& term : terms) {
    most = std::max(most, term.doc_freq);
    if (term.doc_freq > 0)
      documents =
          std::min(documents, field_totals(context.view, term.plan->field).sum_total_freq);
    order.push_back(&term);
  }
  std::stable_sort(order.begin(), order.end(), [](const BlendedTerm* a, const BlendedTerm* b) {
    return a->doc_freq > b->doc_freq;
  });
  std::uint64_t counted = std::min(documents, most), last = order.front()->doc_freq;
  for (BlendedTerm* term : order) {
    if (term->doc_freq < last) ++counted;
    last = term->doc_freq;
    const std::uint64_t in_field = field_totals(context.view, term->plan->field).doc_count;
    term->counted = std::min({counted, in_field, documents});
  }
}

/// Where a field has terms, adds the words in it; else plans what it can be asked.
Status add_field(const QueryContext& context, const Field& field, const BlendedQuery& query,
                 float boost, std::vector<BlendedTerm>& terms, std::vector<PlanPtr>& others) {
  for (const std::string& word : query.words) {
    if (field.type != FieldType::text && field.type != FieldType::keyword) {
      CAIRN_TRY(auto plan,
                make_plan(context, {.node = TermQuery{.field = field.name, .value = word},
                                    .lenient = true}, boost));
      others.push_back(std::move(plan));
      continue;
    }
    CAIRN_CHECK(check_searchable(field));
    std::string term = word;
    if (field.type == FieldType::keyword) {
      auto exact = exact_term(field, word);
      if (!exact) continue;  // no document has it
      term = std::move(*exact);
    }
    CAIRN_TRY(auto plan, find_term(context, field.name, term));
    const std::uint64_t doc_freq = doc_freq_of(*plan);
    terms.push_back({.plan = std::move(plan), .boost = boost, .doc_freq = doc_freq});
  }
  return ok_status();
}

}  // namespace

Result<PlanPtr> plan_blended(const QueryContext& context, const BlendedQuery& query, float boost) {
  std::vector<BlendedTerm> terms;
  std::vector<PlanPtr> plans;
  CAIRN_CHECK(count_clauses(context, query.fields.size() * query.words.size()));
  for (const auto& [name, weight] : query.fields) {
    const Field* field = context.view.mapping->find(name);
    if (field != nullptr)
      CAIRN_CHECK(add_field(context, *field, query, boost * weight, terms, plans));
  }
  blend(context, terms);
  for (BlendedTerm& term : terms)
    if (term.doc_freq > 0)
      plans.push_back(counted_as(context, std::move(term.plan), term.boost, term.counted));
  return best_of_plan(std::move(plans), query.tie_breaker);
}

}  // namespace cairn::index
