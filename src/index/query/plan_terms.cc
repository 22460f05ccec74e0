// SPDX-License-Identifier: Apache-2.0
// Plans of terms: exact ones, analysed text, ids, and fields that exist.
#include <algorithm>
#include <set>

#include "base/strings.h"
#include "index/document/document.h"
#include "index/errors.h"
#include "index/query/plan.h"
#include "index/query/runtime_reader.h"
#include "index/segment/builder.h"
#include "index/view.h"
#include "text/words.h"

namespace cairn::index {
namespace {

bool has_terms(FieldType type) {
  return type == FieldType::text || type == FieldType::keyword || type == FieldType::boolean;
}

bool has_numbers(FieldType type) { return is_number(type) || type == FieldType::date; }

Result<std::string> search_term(const Field& field, const Json& value) {
  if (field.type == FieldType::text) return value.is_string() ? value.as_string() : value.dump();
  auto term = exact_term(field, value);
  if (!term) return query_error("failed to create query: " + term.error().message);
  return term;
}

bool equals_folded(std::string_view a, std::string_view b) {
  std::string low_a, low_b;
  text::append_lowercase(low_a, a);
  text::append_lowercase(low_b, b);
  return low_a == low_b;
}

// What a value of `_id` or `_index` stands for: numbers are taken as they are written.
std::string name_text(const Json& value) {
  return value.is_string() ? value.as_string() : value.dump();
}

// The documents of several terms of one field in one segment.
Result<std::shared_ptr<const BitSet>> union_of(const QueryContext& context, std::size_t segment,
                                               const std::string& field,
                                               const std::vector<std::string>& terms) {
  const Segment& s = *context.view.segments[segment].segment;
  const TermsReader* reader = s.terms(field);
  if (reader == nullptr) return std::shared_ptr<const BitSet>();
  auto bits = std::make_shared<BitSet>(s.doc_count());
  for (const std::string& term : terms) {
    CAIRN_CHECK(context.steps.take(32));
    CAIRN_TRY(const auto entry, reader->find(term, context.deadline));
    if (!entry) continue;
    CAIRN_TRY(auto cursor, reader->postings(*entry, context.deadline));
    CAIRN_CHECK(context.steps.take(cursor.doc_freq() / 4));
    for (std::uint32_t b = 0; b < cursor.block_count(); ++b) {
      cursor.load(b);
      for (std::uint32_t i = 0; i < cursor.count(); ++i) bits->set(cursor.docs()[i]);
    }
  }
  return std::shared_ptr<const BitSet>(std::move(bits));
}

Result<std::vector<PlanPtr>> token_plans(const QueryContext& context, const Field& field,
                                         const MatchQuery& query, const text::Tokens& tokens,
                                         float boost) {
  std::vector<PlanPtr> out;
  for (const text::Token& token : tokens.list) {
    const std::string term(tokens.term(token));
    if (query.prefix && &token == &tokens.list.back()) {
      CAIRN_TRY(auto plan, plan_prefix(context, {.field = field.name, .value = term}, boost));
      out.push_back(std::move(plan));
      continue;
    }
    if (query.fuzziness.empty() || query.fuzziness == "0") {
      CAIRN_TRY(auto plan, scored_term(context, field.name, term, boost));
      out.push_back(std::move(plan));
      continue;
    }
    CAIRN_TRY(auto plan, plan_fuzzy(context,
                                    {.field = field.name,
                                     .value = term,
                                     .fuzziness = query.fuzziness,
                                     .prefix_length = query.prefix_length,
                                     .max_expansions = query.max_expansions,
                                     .transpositions = query.transpositions},
                                    boost));
    out.push_back(std::move(plan));
  }
  return out;
}

// Booleans and texts; numbers are looked for as ranges are.
Result<PlanPtr> plan_runtime_terms(const QueryContext& context, const Field& field,
                                   const std::vector<Json>& values, bool folds, float boost) {
  std::set<std::string> terms;
  std::string shown;
  for (const Json& value : values) {
    CAIRN_TRY(std::string term, search_term(field, value));
    if (shown.size() < 1'000) shown += (shown.empty() ? "" : " ") + field.name + ":" + term;
    terms.insert(std::move(term));
  }
  RuntimeTest test;
  if (field.type == FieldType::boolean)
    test.takes_number = [terms](std::int64_t v) { return terms.contains(v != 0 ? "T" : "F"); };
  else if (folds)
    test.takes_text = [terms](os::Steps&) -> RuntimeTest::Asks {
      return [&terms](const std::string& text) { return equals_folded(text, *terms.begin()); };
    };
  else
    test.takes_text = [terms](os::Steps&) -> RuntimeTest::Asks {
      return [&terms](const std::string& text) { return terms.contains(text); };
    };
  return plan_runtime(context, field, std::move(test), boost, std::move(shown));
}

/// Documents that have one of these fields.
PlanPtr kept_fields_plan(std::vector<std::string> names, float boost) {
  return bits_plan(
      [names = std::move(names)](const QueryContext& c, std::size_t segment) {
        return union_of(c, segment, std::string(field_names_field), names);
      },
      boost);
}

/// The same, or a value of a runtime field; these are asked last.
PlanPtr any_exists(std::vector<std::string> names, std::vector<PlanPtr> runtime, float boost) {
  if (names.empty() && runtime.size() == 1) return runtime.front();
  auto any = std::make_shared<BoolPlan>();
  if (!names.empty()) any->should.push_back(kept_fields_plan(std::move(names), boost));
  for (PlanPtr& one : runtime) any->should.push_back(std::move(one));
  any->least_should = 1;
  return constant_plan(std::move(any), boost);
}

}  // namespace

Status check_searchable(const Field& field) {
  if (!field.index && field.type == FieldType::text)
    return illegal_argument("Cannot search on field [" + field.name + "] since it is not indexed.");
  // What is not indexed is looked for in its column.
  if (!field.index && !field.doc_values)
    return illegal_argument("Cannot search on field [" + field.name +
                            "] since it is not indexed nor has doc values.");
  if (has_terms(field.type) || has_numbers(field.type)) return ok_status();
  return query_error("Field [" + field.name + "] of type [" +
                     std::string(name_of(field.declared_type())) +
                     "] does not support term queries");
}

std::uint64_t doc_freq_of(const TermPlan& plan) {
  std::uint64_t sum = 0;
  for (const TermPlan::Place& place : plan.places)
    if (place.reader != nullptr) sum += place.entry.doc_freq;
  return sum;
}

std::shared_ptr<const InverseLengths> lengths_of(const QueryContext& context,
                                                 std::string_view field) {
  // The words of a query, and often the next query, have one field.
  static thread_local std::pair<float, std::shared_ptr<const InverseLengths>> last;
  const float average = field_totals(context.view, field).average_length();
  if (last.second == nullptr || last.first != average)
    last = {average, std::make_shared<const InverseLengths>(inverse_lengths(average))};
  return last.second;
}

Result<text::Tokens> query_words(const QueryContext& context, const Field& field,
                                 const std::string& analyzer, std::string_view text) {
  auto chosen = field.search_analysis;
  if (!analyzer.empty()) chosen = context.view.mapping->analyzers().find(analyzer);
  if (chosen == nullptr) return query_error("[match] analyzer [" + analyzer + "] not found");
  text::Tokens tokens;
  // Filters may leave out most of the words.
  tokens.most = 16 * context.view.options.max_clauses;
  tokens.steps = &context.steps;
  chosen->analyze(text, tokens);
  CAIRN_CHECK(context.steps.status());
  CAIRN_CHECK(count_clauses(
      context, tokens.cut ? tokens.most : std::max<std::size_t>(tokens.list.size(), 1) - 1));
  return tokens;
}

Result<std::shared_ptr<TermPlan>> find_term(const QueryContext& context, const std::string& field,
                                            const std::string& term) {
  auto plan = std::make_shared<TermPlan>();
  plan->field = field;
  plan->term = term;
  for (const SegmentView& s : context.view.segments) {
    TermPlan::Place place;
    if (const TermsReader* reader = s.segment->terms(field)) {
      CAIRN_TRY(const auto entry, reader->find(term, context.deadline));
      if (entry) {
        place.reader = reader;
        place.entry = *entry;
        place.norms = s.segment->norms(field);
      }
    }
    plan->places.push_back(place);
  }
  return plan;
}

PlanPtr counted_as(const QueryContext& context, std::shared_ptr<TermPlan> plan, float boost,
                   std::uint64_t doc_freq) {
  const FieldTotals totals = field_totals(context.view, plan->field);
  const float average = totals.average_length();
  plan->counted_freq = doc_freq;
  plan->weight = boost * 2.2f * bm25_idf(std::max(totals.doc_count, doc_freq), doc_freq);
  plan->inverse = lengths_of(context, plan->field);
  for (std::size_t i = 0; i < plan->places.size(); ++i) {
    TermPlan::Place& place = plan->places[i];
    if (place.reader == nullptr) continue;
    const float bound_average = place.reader->statistics().bound_average;
    place.bound_scale = bound_scale(average, bound_average);
    place.floor_scale = 1 / bound_scale(bound_average, average);
  }
  return plan;
}

Result<PlanPtr> scored_term(const QueryContext& context, const std::string& field,
                            const std::string& term, float boost) {
  CAIRN_TRY(auto plan, find_term(context, field, term));
  const std::uint64_t doc_freq = doc_freq_of(*plan);
  if (doc_freq == 0) return no_plan();
  return counted_as(context, std::move(plan), boost, doc_freq);
}

PlanPtr plan_index_name(const QueryContext& context,
                        const std::function<bool(const std::string& name)>& fits, float boost) {
  const ViewState& view = context.view;
  if (view.segment_indices.empty()) return fits(view.index_name) ? all_plan(boost) : no_plan();
  std::vector<bool> taken;
  for (const std::string& name : view.segment_indices) taken.push_back(fits(name));
  return bits_plan(
      [taken = std::move(taken)](const QueryContext& c, std::size_t segment)
          -> Result<std::shared_ptr<const BitSet>> {
        if (!taken[segment]) return std::shared_ptr<const BitSet>();
        auto bits = std::make_shared<BitSet>(c.view.segments[segment].segment->doc_count());
        bits->set_all();
        return std::shared_ptr<const BitSet>(std::move(bits));
      },
      boost);
}

Result<PlanPtr> plan_term(const QueryContext& context, const TermQuery& query, float boost) {
  if (query.field == "_id") return plan_ids(context, {.values = {name_text(query.value)}}, boost);
  if (query.field == "_index")
    return plan_index_name(
        context,
        [&](const std::string& name) {
          const std::string pattern = name_text(query.value);
          return wildcard_match(query.case_insensitive ? lower_ascii(pattern) : pattern, name);
        },
        boost);
  const Field* field = context.view.mapping->find(query.field);
  if (field == nullptr) return no_plan();
  if (query.value.is_null()) return illegal_argument("value cannot be null");
  CAIRN_CHECK(check_searchable(*field));
  if (has_numbers(field->type)) return plan_numbers(context, *field, {query.value}, boost);
  if (field->runtime != nullptr)
    return plan_runtime_terms(context, *field, {query.value}, query.case_insensitive, boost);
  CAIRN_TRY(const std::string term, search_term(*field, query.value));
  // Of what is not indexed nothing is known that would make one term worth more than another.
  if (!query.case_insensitive && !field->index)
    return plan_terms(context, {.field = field->name, .values = {query.value}}, boost);
  if (!query.case_insensitive) return scored_term(context, field->name, term, boost);
  // Every spelling of the term that is there; each document scores 1.
  return bits_plan(
      [name = field->name, term](const QueryContext& c,
                                 std::size_t segment) -> Result<std::shared_ptr<const BitSet>> {
        const TermsReader* reader = c.view.segments[segment].segment->terms(name);
        if (reader == nullptr) return std::shared_ptr<const BitSet>();
        std::vector<std::string> spellings;
        TermsWalk walk(*reader, false);
        for (;;) {
          CAIRN_TRY(const bool any, walk.next(c.deadline));
          if (!any) break;
          CAIRN_CHECK(c.steps.take());
          if (walk.term().size() + 8 >= term.size() && equals_folded(walk.term(), term))
            spellings.push_back(walk.term());
        }
        return union_of(c, segment, name, spellings);
      },
      boost);
}

Result<PlanPtr> plan_terms(const QueryContext& context, const TermsQuery& query, float boost) {
  if (query.values.size() > context.view.options.max_terms)
    return illegal_argument("The number of terms [" + std::to_string(query.values.size()) +
                            "] used in the Terms Query request has exceeded the allowed maximum "
                            "of [" +
                            std::to_string(context.view.options.max_terms) +
                            "]. This maximum can be set by changing the "
                            "[index.max_terms_count] index level setting.");
  if (query.field == "_id") {
    IdsQuery ids;
    for (const Json& value : query.values) ids.values.push_back(name_text(value));
    return plan_ids(context, ids, boost);
  }
  if (query.field == "_index")
    return plan_index_name(
        context,
        [&](const std::string& name) {
          return std::any_of(query.values.begin(), query.values.end(), [&](const Json& value) {
            return wildcard_match(name_text(value), name);
          });
        },
        boost);
  const Field* field = context.view.mapping->find(query.field);
  if (field == nullptr || query.values.empty()) return no_plan();
  CAIRN_CHECK(check_searchable(*field));
  if (has_numbers(field->type)) return plan_numbers(context, *field, query.values, boost);
  if (field->runtime != nullptr)
    return plan_runtime_terms(context, *field, query.values, false, boost);
  std::vector<std::string> terms;
  for (const Json& value : query.values) {
    CAIRN_TRY(auto term, search_term(*field, value));
    terms.push_back(std::move(term));
  }
  return bits_plan(
      [name = field->name, terms](const QueryContext& c, std::size_t segment) {
        return union_of(c, segment, name, terms);
      },
      boost);
}

Result<PlanPtr> plan_exists(const QueryContext& context, const ExistsQuery& query, float boost) {
  if (query.field == "_id" || query.field == "_source" || query.field == "_index")
    return all_plan(boost);
  std::vector<std::string> names;
  std::vector<PlanPtr> runtime;
  const auto add = [&](const std::string& pattern) {
    for (const Field* field : context.view.mapping->match(pattern))
      if (field->runtime == nullptr)
        names.push_back(field->name);
      else
        runtime.push_back(plan_runtime(context, *field, {}, boost,
                                       "FieldExistsQuery [field=" + field->name + "]"));
  };
  add(query.field);
  const Field* object = context.view.mapping->find_mapped(query.field);
  if (object != nullptr && object->type == FieldType::object) add(query.field + ".*");
  if (const Field* metadata = metadata_field(query.field)) names.push_back(metadata->name);
  if (names.empty() && runtime.empty()) return no_plan();
  if (!runtime.empty()) return any_exists(std::move(names), std::move(runtime), boost);
  return kept_fields_plan(std::move(names), boost);
}

Result<PlanPtr> plan_ids(const QueryContext& context, const IdsQuery& query, float boost) {
  std::vector<std::shared_ptr<const ScoredList>> lists;
  for (const SegmentView& s : context.view.segments) {
    auto list = std::make_shared<ScoredList>();
    for (const std::string& id : query.values) {
      CAIRN_CHECK(context.steps.take(32));
      CAIRN_TRY(const auto docs, s.segment->find(id, context.deadline));
      for (const std::uint32_t doc : docs)
        if (s.is_live(doc)) list->emplace_back(doc, 1.0f);
    }
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
    lists.push_back(std::move(list));
  }
  return lists_plan(std::move(lists), boost);
}

Result<PlanPtr> plan_text(const QueryContext& context, const MatchQuery& query, float boost) {
  const bool is_name = query.field == "_id" || query.field == "_index";
  const Field* field = context.view.mapping->find(query.field);
  if (field == nullptr && !is_name) return no_plan();
  if (is_name || field->type != FieldType::text) {
    if (!is_name && query.prefix && field->type == FieldType::keyword)
      return plan_prefix(context, {.field = query.field, .value = name_text(query.value)}, boost);
    auto exact = plan_term(context, {.field = query.field, .value = query.value}, boost);
    if (!exact && query.lenient && exact.error().kind == ErrorKind::invalid_argument)
      return no_plan();
    return exact;
  }
  CAIRN_CHECK(check_searchable(*field));
  const std::string text = query.value.is_string() ? query.value.as_string() : query.value.dump();
  CAIRN_TRY(const text::Tokens tokens, query_words(context, *field, query.analyzer, text));
  if (tokens.list.empty()) return query.zero_terms == ZeroTerms::all ? all_plan(boost) : no_plan();
  CAIRN_TRY(auto plans, token_plans(context, *field, query, tokens, boost));
  if (plans.size() == 1) return plans.front();
  auto plan = std::make_shared<BoolPlan>();
  if (query.op == Operator::and_) {
    for (const PlanPtr& p : plans)
      if (p->matches_nothing()) return no_plan();
    plan->must = std::move(plans);
    return PlanPtr(std::move(plan));
  }
  plan->least_should = 1;
  if (!query.minimum_should_match.empty()) {
    CAIRN_TRY(plan->least_should, minimum_should_match(query.minimum_should_match, plans.size()));
  }
  plan->should = std::move(plans);
  return PlanPtr(std::move(plan));
}

}  // namespace cairn::index
