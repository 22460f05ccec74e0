// SPDX-License-Identifier: Apache-2.0
// Plans over many terms: ranges of texts, prefixes, wildcards, fuzzy terms.
#include <algorithm>
#include <map>

#include "base/strings.h"
#include "index/document/document.h"
#include "index/errors.h"
#include "index/patterns/edit_distance.h"
#include "index/patterns/wildcard.h"
#include "index/query/plan.h"
#include "index/query/runtime_reader.h"
#include "index/query/term_filter.h"
#include "index/view.h"
#include "text/words.h"

namespace cairn::index {
namespace {

// A term is compared in steps of its length times that of the pattern.
constexpr std::size_t pattern_pieces = 1'024;

std::string folded(std::string_view text) {
  std::string out;
  text::append_lowercase(out, text);
  return out;
}

struct FuzzyTerm {
  float boost = 0;
  std::string term;
};

Result<std::vector<FuzzyTerm>> similar_terms(const QueryContext& context, const FuzzyQuery& query,
                                             std::size_t edits) {
  const auto wanted = letters_of(query.value);
  std::size_t prefix_bytes = 0;
  for (std::size_t i = 0; i < query.prefix_length && prefix_bytes < query.value.size(); ++i)
    text::next_code_point(query.value, prefix_bytes);
  const std::string prefix = query.value.substr(0, prefix_bytes);
  std::map<std::string, float> found;
  for (const SegmentView& s : context.view.segments) {
    const TermsReader* reader = s.segment->terms(query.field);
    if (reader == nullptr) continue;
    TermsWalk walk(*reader, false);
    CAIRN_CHECK(walk.seek(prefix, context.deadline));
    for (;;) {
      CAIRN_TRY(const bool any, walk.next(context.deadline));
      if (!any || !walk.term().starts_with(prefix)) break;
      CAIRN_CHECK(context.steps.take(2 + walk.term().size()));
      // A character is 1 to 4 bytes: most terms differ too much in size already.
      if (walk.term().size() > query.value.size() + 4 * edits + 3 * wanted.size()) continue;
      const auto letters = letters_of(walk.term());
      const std::size_t distance = edit_distance(wanted, letters, edits, query.transpositions);
      if (distance > edits) continue;
      const auto shorter = static_cast<float>(std::min(wanted.size(), letters.size()));
      const float boost =
          distance == 0 ? 1.0f : 1.0f - static_cast<float>(distance) / std::max(shorter, 1.0f);
      if (boost > 0) found.emplace(walk.term(), boost);
    }
  }
  std::vector<FuzzyTerm> out;
  for (const auto& [term, boost] : found) out.push_back({.boost = boost, .term = term});
  std::stable_sort(out.begin(), out.end(),
                   [](const FuzzyTerm& a, const FuzzyTerm& b) { return a.boost > b.boost; });
  const std::size_t most = std::min(query.max_expansions, context.view.options.max_clauses);
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace

TermFilter range_filter(const Field& field, const RangeQuery& query) {
  const auto text = [&](const std::optional<Json>& bound) -> std::optional<std::string> {
    if (!bound) return std::nullopt;
    return normalised(field, bound->is_string() ? bound->as_string() : bound->dump());
  };
  const auto gt = text(query.gt), gte = text(query.gte), lt = text(query.lt), lte = text(query.lte);
  TermFilter filter;
  filter.start = std::max(gt.value_or(""), gte.value_or(""));
  filter.goes_on = [lt, lte](const std::string& term) {
    return (!lt || term < *lt) && (!lte || term <= *lte);
  };
  filter.takes = [gt](const std::string& term) { return !gt || term > *gt; };
  return filter;
}

TermFilter prefix_filter(const Field& field, const PrefixQuery& query) {
  if (query.case_insensitive) {
    const std::string prefix = folded(query.value);
    return {.start = "",
            .goes_on = [](const std::string&) { return true; },
            .takes = [prefix](const std::string& term) { return folded(term).starts_with(prefix); },
            .weight = 4};
  }
  const std::string prefix = normalised(field, query.value);
  return {.start = prefix,
          .goes_on = [prefix](const std::string& term) { return term.starts_with(prefix); },
          .takes = [](const std::string&) { return true; },
          .weight = 1};
}

Result<TermFilter> wildcard_filter(const Field& field, const WildcardQuery& query) {
  const bool fold = query.case_insensitive;
  const bool lower = fold || !field.normalizer.empty();
  const Wildcard pattern(lower ? folded(query.value) : query.value);
  if (pattern.characters() > pattern_pieces)
    return illegal_argument("The pattern of a [wildcard] query may have " +
                            std::to_string(pattern_pieces) + " characters, but it has [" +
                            std::to_string(pattern.characters()) + "]; shorten it");
  const std::string prefix = fold ? std::string() : pattern.prefix();
  return TermFilter{
      .start = prefix,
      .goes_on = [prefix](const std::string& term) { return term.starts_with(prefix); },
      .takes = [pattern, fold](
                   const std::string& term) { return pattern.matches(fold ? folded(term) : term); },
      .weight = 4 + pattern.characters() / 8};
}

Result<std::vector<std::string>> fuzzy_terms(const QueryContext& context, const Field& field,
                                             const FuzzyQuery& query) {
  CAIRN_TRY(const std::size_t edits, edits_for(query.fuzziness, letters_of(query.value).size()));
  FuzzyQuery own = query;
  own.value = normalised(field, query.value);
  std::vector<std::string> out;
  if (edits == 0) return std::vector<std::string>{own.value};
  CAIRN_TRY(auto similar, similar_terms(context, own, edits));
  for (FuzzyTerm& one : similar) out.push_back(std::move(one.term));
  return out;
}

PlanPtr plan_term_range(const QueryContext& context, const Field& field, const RangeQuery& query,
                        float boost) {
  return terms_matching(context, field, range_filter(field, query), boost);
}

namespace {

// Each document counts the same, however near its value is.
PlanPtr plan_runtime_fuzzy(const QueryContext& context, const Field& field, const FuzzyQuery& query,
                           std::size_t edits, float boost) {
  std::size_t prefix_bytes = 0;
  for (std::size_t i = 0; i < query.prefix_length && prefix_bytes < query.value.size(); ++i)
    text::next_code_point(query.value, prefix_bytes);
  const auto make = [wanted = letters_of(query.value), prefix = query.value.substr(0, prefix_bytes),
                     edits, swaps = query.transpositions](os::Steps& steps) -> RuntimeTest::Asks {
    return [&wanted, &prefix, edits, swaps, &steps](const std::string& text) {
      if (!text.starts_with(prefix) || !steps.go_on(2 + text.size())) return false;
      return edit_distance(wanted, letters_of(text), edits, swaps) <= edits;
    };
  };
  return plan_runtime(context, field, {.takes_text = make}, boost,
                      field.name + ":" + query.value + "~" + std::to_string(edits));
}

}  // namespace

Result<PlanPtr> plan_prefix(const QueryContext& context, const PrefixQuery& query, float boost) {
  if (query.field == "_index")
    return plan_index_name(
        context,
        [&](const std::string& name) {
          return name.starts_with(query.case_insensitive ? folded(query.value) : query.value);
        },
        boost);
  CAIRN_TRY(const Field* field, field_with_terms(context, query.field, "prefix"));
  if (field == nullptr) return no_plan();
  return terms_matching(context, *field, prefix_filter(*field, query), boost);
}

Result<PlanPtr> plan_wildcard(const QueryContext& context, const WildcardQuery& query,
                              float boost) {
  if (query.field == "_index")
    return plan_index_name(
        context,
        [&](const std::string& name) {
          return Wildcard(query.case_insensitive ? folded(query.value) : query.value).matches(name);
        },
        boost);
  CAIRN_TRY(const Field* field, field_with_terms(context, query.field, "wildcard"));
  if (field == nullptr) return no_plan();
  if (query.value == "*" && !query.case_insensitive)
    return plan_exists(context, {.field = query.field}, boost);
  CAIRN_TRY(auto filter, wildcard_filter(*field, query));
  return terms_matching(context, *field, std::move(filter), boost);
}

Result<PlanPtr> plan_fuzzy(const QueryContext& context, const FuzzyQuery& query, float boost) {
  CAIRN_TRY(const Field* field, field_with_terms(context, query.field, "fuzzy"));
  if (field == nullptr) return no_plan();
  CAIRN_TRY(const std::size_t edits, edits_for(query.fuzziness, letters_of(query.value).size()));
  FuzzyQuery own = query;
  own.value = normalised(*field, query.value);
  if (field->runtime != nullptr) return plan_runtime_fuzzy(context, *field, own, edits, boost);
  if (edits == 0) return scored_term(context, field->name, own.value, boost);
  CAIRN_TRY(const auto similar, similar_terms(context, own, edits));
  CAIRN_CHECK(count_clauses(context, std::max<std::size_t>(similar.size(), 1) - 1));
  // Terms stand for one another: all count as frequent as the most frequent of them.
  std::vector<std::shared_ptr<TermPlan>> terms;
  std::uint64_t doc_freq = 0;
  for (const FuzzyTerm& one : similar) {
    CAIRN_TRY(auto term, find_term(context, field->name, one.term));
    std::uint64_t own_freq = 0;
    for (const TermPlan::Place& place : term->places)
      if (place.reader != nullptr) own_freq += place.entry.doc_freq;
    doc_freq = std::max(doc_freq, own_freq);
    terms.push_back(std::move(term));
  }
  if (terms.empty()) return no_plan();
  const FieldTotals totals = field_totals(context.view, field->name);
  const float average = totals.average_length();
  const auto inverse = std::make_shared<const InverseLengths>(inverse_lengths(average));
  const float idf = bm25_idf(totals.doc_count, doc_freq);
  auto plan = std::make_shared<BoolPlan>();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i]->weight = boost * similar[i].boost * 2.2f * idf;
    terms[i]->counted_freq = doc_freq;
    terms[i]->inverse = inverse;
    for (TermPlan::Place& place : terms[i]->places)
      if (place.reader != nullptr)
        place.bound_scale = bound_scale(average, place.reader->statistics().bound_average);
    plan->should.push_back(terms[i]);
  }
  if (plan->should.size() == 1) return plan->should.front();
  plan->least_should = 1;
  return PlanPtr(std::move(plan));
}

}  // namespace cairn::index
