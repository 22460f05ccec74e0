// SPDX-License-Identifier: Apache-2.0
// Plans of pieces of a text: words looked up, one field checked, scores of all words together.
#include <algorithm>
#include <map>
#include <utility>

#include "index/errors.h"
#include "index/positions/spans.h"
#include "index/query/explain.h"
#include "index/query/plan.h"
#include "index/query/term_expansion.h"
#include "index/view.h"

namespace cairn::index {
namespace {

using SpanKind = SpanQuery::Kind;

Error not_made(const std::string& why) { return query_error("failed to create query: " + why); }

/// A document may lack the field that words of another are masked as: it counts as one word long.
std::uint8_t norm_of(std::string_view norms, std::uint32_t doc) {
  return norms.empty() ? std::uint8_t{1}
                       : std::max<std::uint8_t>(1, static_cast<std::uint8_t>(norms[doc]));
}

/// As phrases score, by how far the parts of a piece are apart.
class ByDistance final : public SpanScoring {
 public:
  explicit ByDistance(TermScoring scoring) : scoring_(scoring) {}
  double share(const Span& span) const override {
    return 1.0 / (1.0 + static_cast<double>(span.apart));
  }
  float score(std::uint32_t doc, float frequency) const override {
    return bm25_score(scoring_.weight, frequency,
                      (*scoring_.inverse)[norm_of(scoring_.norms, doc)]);
  }

 private:
  TermScoring scoring_;
};

/// A word that counts for the score, and how many documents have it.
using Counted = std::map<std::pair<std::string, std::string>, std::uint64_t>;

class SpanPlan final : public Plan {
 public:
  SpanPlan(std::string text, SpanTree tree, Counted counted, float boost, std::uint64_t doc_count,
           std::shared_ptr<const InverseLengths> inverse)
      : text_(std::move(text)),
        tree_(std::move(tree)),
        counted_(std::move(counted)),
        doc_count_(doc_count),
        inverse_(std::move(inverse)) {
    double idf = 0;  // as the field's engine adds them up
    for (const auto& [word, doc_freq] : counted_) idf += static_cast<double>(idf_of(doc_freq));
    weight_ = boost * 2.2f * static_cast<float>(idf);
  }
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    WordOpener words(context, segment);
    CAIRN_TRY(auto walk, open_spans(words, tree_));
    const std::string_view norms = context.view.segments[segment].segment->norms(tree_.field);
    return span_scorer(std::move(walk),
                       std::make_unique<ByDistance>(TermScoring{
                           .weight = weight_, .inverse = inverse_.get(), .norms = norms}),
                       context.steps);
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(const ScorerPtr at, scorer(context, doc.segment));
    const bool matches = at != nullptr && at->seek(doc.doc) == doc.doc;
    CAIRN_CHECK(context.steps.status());
    if (!matches) return Explanation::none("no matching term");
    const float score = at->score(), freq = at->frequency();
    const std::string_view norms = context.view.segments[doc.segment].segment->norms(tree_.field);
    const std::uint8_t norm = norm_of(norms, doc.doc);
    return explain_bm25({.what = description(),
                         .doc = doc.doc,
                         .score = score,
                         .weight = weight_,
                         .freq = freq,
                         .norm = norm,
                         .inverse = (*inverse_)[norm],
                         .average = field_totals(context.view, tree_.field).average_length()},
                        explained_idf(),
                        Explanation::match(freq, "phraseFreq=" + number_text(freq)));
  }
  std::string description() const override { return text_; }
  void add_terms(std::string_view field, std::vector<std::string>& out) const override {
    for (const auto& [word, doc_freq] : counted_)
      if (word.first == field) out.push_back(word.second);
  }

 private:
  // Words of a masked field may be in more documents than have the field.
  std::uint64_t count_for(std::uint64_t doc_freq) const { return std::max(doc_count_, doc_freq); }
  float idf_of(std::uint64_t doc_freq) const { return bm25_idf(count_for(doc_freq), doc_freq); }
  Explanation explained_idf() const {
    std::vector<Explanation> parts;
    double sum = 0;
    for (const auto& [word, doc_freq] : counted_) {
      parts.push_back(explain_idf(count_for(doc_freq), doc_freq));
      sum += static_cast<double>(parts.back().value);
    }
    if (parts.size() == 1) return std::move(parts.front());
    return Explanation::match(static_cast<float>(sum), "idf, sum of:", std::move(parts));
  }
  std::string text_;
  SpanTree tree_;
  Counted counted_;
  std::uint64_t doc_count_;
  float weight_ = 0;
  std::shared_ptr<const InverseLengths> inverse_;
};

/// Looks words up, and checks that the parts of each piece are of one field.
class SpanResolver {
 public:
  SpanResolver(const QueryContext& context, float boost) : context_(context), boost_(boost) {}

  Result<SpanTree> resolve(const SpanQuery& query) {
    CAIRN_TRY(auto tree, resolved(query));
    // Its own plan is asked which documents it matched.
    if (query.label != 0 && context_.labelled != nullptr) {
      CAIRN_TRY(auto plan, plan_of(query, tree));
      context_.labelled->emplace_back(query.label, std::move(plan));
    }
    return tree;
  }
  Result<PlanPtr> plan_of(const SpanQuery& query, SpanTree tree) const {
    // Alone it is a query of the field that it really is of.
    while (tree.kind == SpanKind::masked) tree = SpanTree(std::move(tree.parts.front()));
    Counted counted;
    CAIRN_CHECK(count(tree, counted));
    if (counted.empty()) return no_plan();
    auto inverse = lengths_of(context_, tree.field);
    const std::uint64_t doc_count = field_totals(context_.view, tree.field).doc_count;
    return PlanPtr(std::make_shared<SpanPlan>(span_text(query), std::move(tree), std::move(counted),
                                              boost_, doc_count, std::move(inverse)));
  }

 private:
  static SpanTree without_parts(const SpanQuery& query) {
    SpanTree out;
    out.kind = query.kind;
    out.field = query.field;
    out.slop = query.slop;
    out.width = query.width;
    out.before = query.before;
    out.after = query.after;
    out.end = query.end;
    out.in_order = query.in_order;
    return out;
  }
  Result<SpanTree> resolved(const SpanQuery& query) {
    SpanTree out = without_parts(query);
    if (query.kind == SpanKind::term) {
      CAIRN_TRY(out.terms, word_of(query));
      return out;
    }
    if (query.kind == SpanKind::multi) return words_of(query);
    if (query.kind == SpanKind::gap) return out;
    CAIRN_CHECK(count_clauses(context_, query.parts.size() - 1));
    CAIRN_CHECK(check_gaps(query));
    for (const SpanQuery& part : query.parts) {
      CAIRN_TRY(auto one, resolve(part));
      out.parts.push_back(std::move(one));
    }
    if (query.kind == SpanKind::near && out.parts.size() == 1) return std::move(out.parts.front());
    if (query.kind != SpanKind::masked) CAIRN_CHECK(take_field(query, out));
    return out;
  }

  static Status check_gaps(const SpanQuery& query) {
    const auto is_gap = [](const SpanQuery& part) { return part.kind == SpanKind::gap; };
    const auto& parts = query.parts;
    if (std::none_of(parts.begin(), parts.end(), is_gap)) return ok_status();
    if (query.kind != SpanKind::near || !query.in_order)
      return not_made("Gaps can only be added to ordered near queries");
    if (std::all_of(parts.begin(), parts.end(), is_gap))
      return not_made("[span_near] needs a clause that is no [span_gap]");
    return ok_status();
  }

  // Null for one that the mapping does not have: nothing has its words.
  Result<const Field*> text_field(const std::string& name) const {
    const Field* field = context_.view.mapping->find(name);
    if (field == nullptr) return field;
    if (field->type != FieldType::text || field->index_options != IndexOptions::positions)
      return not_made("Span term query requires position data, but field " + name +
                      " was indexed without position data");
    CAIRN_CHECK(check_searchable(*field));
    return field;
  }
  Result<std::vector<std::string>> word_of(const SpanQuery& query) const {
    CAIRN_TRY(const Field* field, text_field(query.field));
    std::vector<std::string> out;
    if (field != nullptr)
      out.push_back(query.value.is_string() ? query.value.as_string() : query.value.dump());
    return out;
  }
  Result<SpanTree> words_of(const SpanQuery& query) const {
    const Query& of = query.of.front();
    SpanTree out = without_parts(query);
    CAIRN_TRY(const Field* field, text_field(query.field));
    if (field == nullptr) return out;
    const Error too_many = not_made(
        "[" + query_text(of) + " ] exceeds maxClauseCount [ Boolean maxClauseCount is set to " +
        std::to_string(context_.view.options.max_clauses) + "]");
    CAIRN_TRY(out.terms, terms_of_query(context_, *field, of, too_many));
    return out;
  }

  static Status take_field(const SpanQuery& query, SpanTree& tree) {
    tree.field = tree.parts.front().field;
    for (std::size_t i = 0; i < tree.parts.size(); ++i) {
      const SpanTree& part = tree.parts[i];
      if (part.field == tree.field) continue;
      if (tree.kind != SpanKind::near) return not_made("Clauses must have same field.");
      if (part.kind == SpanKind::gap) return not_made("[span_near] clauses must have same field");
      return not_made("Cannot add clause " + span_text(query.parts[i]) +
                      " to SpanNearQuery for field " + tree.field);
    }
    return ok_status();
  }

  // What is only excluded does not count.
  Status count(const SpanTree& tree, Counted& out) const {
    for (const std::string& term : tree.terms) {
      CAIRN_CHECK(context_.steps.take(32));
      CAIRN_TRY(const auto found, find_term(context_, tree.field, term));
      const std::uint64_t doc_freq = doc_freq_of(*found);
      if (doc_freq > 0) out[{tree.field, term}] = doc_freq;
    }
    for (const SpanTree& part : tree.parts) {
      CAIRN_CHECK(count(part, out));
      if (tree.kind == SpanKind::without) break;
    }
    return ok_status();
  }

  const QueryContext& context_;
  float boost_;
};

}  // namespace

Result<PlanPtr> plan_spans(const QueryContext& context, const SpanQuery& query, float boost) {
  if (query.kind == SpanKind::gap)
    return not_made("[span_gap] is a clause of [span_near], and no query of its own");
  SpanResolver resolver(context, boost);
  CAIRN_TRY(auto tree, resolver.resolve(query));
  return resolver.plan_of(query, std::move(tree));
}

}  // namespace cairn::index
