// SPDX-License-Identifier: Apache-2.0
// Plans of intervals: texts analysed, words looked up, rules put together as the field's engine
// does.
#include <algorithm>
#include <utility>

#include "index/errors.h"
#include "index/positions/intervals.h"
#include "index/query/explain.h"
#include "index/query/plan.h"
#include "index/query/term_expansion.h"
#include "index/view.h"

namespace cairn::index {
namespace {

using Rule = IntervalsRule;

/// The more intervals, and the shorter, the nearer to the boost.
class BySaturation final : public SpanScoring {
 public:
  BySaturation(float boost, std::int64_t least_length)
      : boost_(boost), least_length_(least_length) {}
  // In single precision, as the field's engine reckons.
  double share(const Span& span) const override {
    const std::int64_t longer = span.end - span.begin - least_length_;
    return static_cast<double>(1.0f / static_cast<float>(std::max<std::int64_t>(longer + 1, 1)));
  }
  float score(std::uint32_t, float frequency) const override { return of(frequency); }
  float of(float frequency) const { return boost_ * (1.0f - 1.0f / (1.0f + frequency)); }

 private:
  float boost_;
  std::int64_t least_length_;
};

// The words that stand in intervals which match: not what is only excluded.
void add_words(const IntervalNode& node, std::string_view field, std::vector<std::string>& out) {
  if (node.field == field) out.insert(out.end(), node.terms.begin(), node.terms.end());
  const bool first_alone = node.kind == IntervalNode::Kind::not_containing ||
                           node.kind == IntervalNode::Kind::not_contained_by ||
                           node.kind == IntervalNode::Kind::not_overlapping;
  for (const IntervalNodePtr& part : node.parts) {
    add_words(*part, field, out);
    if (first_alone) break;
  }
}

class IntervalsPlan final : public Plan {
 public:
  IntervalsPlan(std::string field, IntervalNodePtr root, float boost)
      : field_(std::move(field)), root_(std::move(root)), boost_(boost) {}
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    WordOpener words(context, segment);
    CAIRN_TRY(auto walk, open_intervals(words, *root_));
    return span_scorer(std::move(walk), std::make_unique<BySaturation>(scoring()), context.steps);
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(const ScorerPtr at, scorer(context, doc.segment));
    const bool matches = at != nullptr && at->seek(doc.doc) == doc.doc;
    CAIRN_CHECK(context.steps.status());
    if (!matches) return Explanation::none("no matching intervals");
    const float score = at->score(), frequency = at->frequency();
    return Explanation::match(
        score, "Saturation function on interval frequency, computed as w * S / (S + k) from:",
        {Explanation::match(boost_, "w, weight of this function"),
         Explanation::match(
             1, "k, pivot feature value that would give a score contribution equal to w/2"),
         Explanation::match(frequency,
                            "S, the sloppy frequency of the interval query " + description())});
  }
  std::string description() const override { return field_ + ":" + interval_text(*root_); }
  void add_terms(std::string_view field, std::vector<std::string>& out) const override {
    add_words(*root_, field, out);
  }

 private:
  BySaturation scoring() const { return {boost_, root_->least_length}; }
  std::string field_;
  IntervalNodePtr root_;
  float boost_;
};

/// Makes the nodes of rules.
class IntervalPlanner {
 public:
  explicit IntervalPlanner(const QueryContext& context) : context_(context), nodes_(context) {}

  Result<IntervalNodePtr> plan(const Rule& rule, const Field& field) {
    CAIRN_CHECK(count_clauses(context_, 1));
    CAIRN_TRY(IntervalNodePtr node, unfiltered(rule, field));
    if (!rule.by.empty()) {
      CAIRN_TRY(const IntervalNodePtr by, plan(rule.by.front(), field));
      node = filtered(rule.filter, node, by);
    }
    CAIRN_CHECK(nodes_.status());
    return node;
  }
  /// Null for a field that the mapping does not have. Errors: illegal_argument_exception for one
  /// without positions.
  Result<const Field*> field_of(const std::string& name) const {
    const Field* field = context_.view.mapping->find(name);
    if (field == nullptr) return field;
    if (field->type != FieldType::text)
      return query_error(
          "failed to create query: Can only use interval queries on text fields - not on [" + name +
          "] which is of type [" + std::string(name_of(field->declared_type())) + "]");
    if (field->index_options != IndexOptions::positions)
      return query_error("failed to create query: Cannot create intervals over field [" + name +
                         "] with no positions indexed");
    CAIRN_CHECK(check_searchable(*field));
    return field;
  }

 private:
  Result<IntervalNodePtr> unfiltered(const Rule& rule, const Field& field) {
    if (rule.kind == Rule::Kind::words || rule.kind == Rule::Kind::multi) {
      const Field* own = &field;
      if (!rule.use_field.empty()) {
        CAIRN_TRY(own, field_of(rule.use_field));
      }
      auto node = rule.kind == Rule::Kind::words ? words(rule, *own) : multi(rule, *own);
      if (!node || rule.use_field.empty()) return node;
      return nodes_.of_field(own->name, std::move(*node));
    }
    IntervalNodes parts;
    for (const Rule& part : rule.parts) {
      CAIRN_TRY(auto node, plan(part, field));
      parts.push_back(std::move(node));
    }
    return rule.kind == Rule::Kind::any ? nodes_.any(parts) : together(rule, parts);
  }

  IntervalNodePtr together(const Rule& rule, const IntervalNodes& parts) {
    if (parts.empty()) return nodes_.nothing();
    if (parts.size() == 1) return parts.front();
    if (rule.ordered && rule.max_gaps == 0u) return nodes_.block(parts);
    auto node = rule.ordered ? nodes_.ordered(parts) : nodes_.unordered(parts);
    return rule.max_gaps ? nodes_.few_gaps(node, *rule.max_gaps) : node;
  }

  // Several tokens at one position are choices; words that were removed before one belong to it.
  Result<IntervalNodePtr> words(const Rule& rule, const Field& field) {
    CAIRN_TRY(const text::Tokens tokens, query_words(context_, field, rule.analyzer, rule.text));
    const auto word = [&](const text::Token& token) {
      return nodes_.word(field.name, std::string(tokens.term(token)));
    };
    if (tokens.list.size() == 1) return word(tokens.list.front());
    IntervalNodes parts;
    std::int64_t last = -1;
    for (std::size_t i = 0, end = 0; i < tokens.list.size(); i = end) {
      const std::int64_t position = tokens.list[i].position;
      IntervalNodes choices;
      for (; end < tokens.list.size() && tokens.list[end].position == position; ++end)
        choices.push_back(word(tokens.list[end]));
      const auto part = nodes_.any(choices);
      const std::int64_t removed = position - last - 1;
      parts.push_back(removed == 0 ? part : nodes_.extended(part, removed, 0));
      last = position;
    }
    return together(rule, parts);
  }

  Result<IntervalNodePtr> multi(const Rule& rule, const Field& field) {
    CAIRN_TRY(const bool lowers, lowers_letters(rule, field));
    Query of = lowers ? lowered(rule.of.front()) : rule.of.front();
    std::visit(
        [&](auto& node) {
          if constexpr (requires { node.field = field.name; }) node.field = field.name;
        },
        of.node);
    const std::string text = query_text(of).substr(field.name.size() + 1);  // behind field:
    const Error too_many = illegal_argument(
        "Automaton [" + text + "] expanded to too many terms (limit " +
        std::to_string(context_.view.options.max_clauses) + "); make it more precise");
    CAIRN_TRY(auto terms, terms_of_query(context_, field, of, too_many));
    return nodes_.words_like(field.name, text, 1 + of.node.index(), std::move(terms));
  }

  // Patterns are no words, so that they cannot be analysed; but their letters are as the words'
  // are.
  Result<bool> lowers_letters(const Rule& rule, const Field& field) const {
    auto analyzer = field.search_analysis;
    if (!rule.analyzer.empty()) analyzer = context_.view.mapping->analyzers().find(rule.analyzer);
    if (analyzer == nullptr)
      return query_error("[intervals] analyzer [" + rule.analyzer + "] not found");
    const auto terms = text::terms_of(*analyzer, "Q");
    return terms.size() == 1 && terms.front() == "q";
  }
  static void lower(std::string& text) {
    std::string out;
    text::append_lowercase(out, text);
    text = std::move(out);
  }
  static Query lowered(Query query) {
    std::visit(
        [](auto& node) {
          if constexpr (requires { lower(node.value); }) lower(node.value);
          if constexpr (requires { node.gte; })
            for (auto* bound : {&node.gt, &node.gte, &node.lt, &node.lte})
              if (*bound && (*bound)->is_string()) {
                std::string text = (*bound)->as_string();
                lower(text);
                *bound = Json(std::move(text));
              }
        },
        query.node);
    return query;
  }

  IntervalNodePtr filtered(Rule::Filter filter, const IntervalNodePtr& node,
                           const IntervalNodePtr& by) {
    using Kind = IntervalNode::Kind;
    switch (filter) {
      case Rule::Filter::after:
        return nodes_.after(node, by);
      case Rule::Filter::before:
        return nodes_.before(node, by);
      case Rule::Filter::contained_by:
        return nodes_.compared(Kind::contained_by, node, by);
      case Rule::Filter::containing:
        return nodes_.compared(Kind::containing, node, by);
      case Rule::Filter::not_contained_by:
        return nodes_.compared(Kind::not_contained_by, node, by);
      case Rule::Filter::not_containing:
        return nodes_.compared(Kind::not_containing, node, by);
      case Rule::Filter::not_overlapping:
        return nodes_.compared(Kind::not_overlapping, node, by);
      case Rule::Filter::overlapping:
        break;
    }
    return nodes_.compared(Kind::overlapping, node, by);
  }

  const QueryContext& context_;
  IntervalBuilder nodes_;
};

bool names_unknown_field(const Mapping& mapping, const Rule& rule) {
  const auto is_unknown = [&](const Rule& part) { return names_unknown_field(mapping, part); };
  return (!rule.use_field.empty() && mapping.find(rule.use_field) == nullptr) ||
         std::any_of(rule.parts.begin(), rule.parts.end(), is_unknown) ||
         std::any_of(rule.by.begin(), rule.by.end(), is_unknown);
}

}  // namespace

Result<PlanPtr> plan_intervals(const QueryContext& context, const IntervalsQuery& query,
                               float boost) {
  IntervalPlanner planner(context);
  CAIRN_TRY(const Field* field, planner.field_of(query.field));
  const IntervalsRule& rule = query.rule.front();
  if (field == nullptr || names_unknown_field(*context.view.mapping, rule)) return no_plan();
  CAIRN_TRY(auto root, planner.plan(rule, *field));
  return PlanPtr(std::make_shared<IntervalsPlan>(field->name, std::move(root), boost));
}

}  // namespace cairn::index
