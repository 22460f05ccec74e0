// SPDX-License-Identifier: Apache-2.0
// Plans of phrases, and of phrases whose last word may go on.
#include <algorithm>
#include <map>

#include "base/strings.h"
#include "index/errors.h"
#include "index/query/explain.h"
#include "index/query/plan.h"
#include "index/view.h"

namespace cairn::index {
namespace {

// Terms by their position in the phrase; several at one position are alternatives.
std::vector<PhrasePlanPart> phrase_parts(const text::Tokens& tokens) {
  std::vector<PhrasePlanPart> parts;
  for (const text::Token& token : tokens.list) {
    if (parts.empty() || parts.back().offset != token.position)
      parts.push_back({.terms = {}, .offset = token.position});
    parts.back().terms.emplace_back(tokens.term(token));
  }
  return parts;
}

Result<std::vector<std::string>> expand_prefix(const QueryContext& context,
                                               const std::string& field, const std::string& prefix,
                                               std::size_t most) {
  std::map<std::string, bool> found;
  for (const SegmentView& s : context.view.segments) {
    const TermsReader* reader = s.segment->terms(field);
    if (reader == nullptr) continue;
    TermsWalk walk(*reader, false);
    CAIRN_CHECK(walk.seek(prefix, context.deadline));
    for (std::size_t n = 0; n < most; ++n) {
      CAIRN_CHECK(context.steps.take(2));
      CAIRN_TRY(const bool any, walk.next(context.deadline));
      if (!any || !walk.term().starts_with(prefix)) break;
      found.emplace(walk.term(), true);
    }
  }
  std::vector<std::string> out;
  for (const auto& [term, seen] : found) {
    if (out.size() == most) break;
    out.push_back(term);
  }
  return out;
}

class PhrasePlan final : public Plan {
 public:
  PhrasePlan(std::string field, std::vector<PhrasePlanPart> parts, std::uint32_t slop, float weight,
             std::shared_ptr<const InverseLengths> inverse)
      : field_(std::move(field)),
        groups_(groups_of(parts)),
        parts_(std::move(parts)),
        slop_(slop),
        weight_(weight),
        inverse_(std::move(inverse)) {}

  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    const Segment& s = *context.view.segments[segment].segment;
    const TermsReader* reader = s.terms(field_);
    if (reader == nullptr || reader->kind() != TermsKind::positions) return ScorerPtr();
    std::vector<PhrasePart> parts;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      PhrasePart part{
          .terms = {}, .positions = {}, .offset = parts_[i].offset, .group = groups_[i]};
      for (const std::string& term : parts_[i].terms) {
        CAIRN_CHECK(context.steps.take(32));
        CAIRN_TRY(const auto entry, reader->find(term, context.deadline));
        if (!entry) continue;
        CAIRN_TRY(auto cursor, reader->postings(*entry, context.deadline));
        CAIRN_TRY(auto positions, reader->positions(*entry, context.deadline));
        part.terms.emplace_back(std::move(cursor));
        part.positions.push_back(std::move(positions));
      }
      if (part.terms.empty()) return ScorerPtr();
      parts.push_back(std::move(part));
    }
    return phrase_scorer(std::move(parts), slop_,
                         {.weight = weight_, .inverse = inverse_.get(), .norms = s.norms(field_)},
                         context.steps);
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(const ScorerPtr at, scorer(context, doc.segment));
    const bool matches = at != nullptr && at->doc() != no_more && at->seek(doc.doc) == doc.doc;
    CAIRN_CHECK(context.steps.status());
    if (!matches) return Explanation::none("no matching phrase");
    const FieldTotals totals = field_totals(context.view, field_);
    std::vector<Explanation> idfs;
    float sum = 0;
    for (const PhrasePlanPart& part : parts_) {
      for (const std::string& term : part.terms) {
        CAIRN_TRY(const auto found, find_term(context, field_, term));
        const std::uint64_t doc_freq = doc_freq_of(*found);
        if (doc_freq == 0) continue;
        idfs.push_back(explain_idf(totals.doc_count, doc_freq));
        sum += idfs.back().value;
      }
    }
    const std::string_view norms = context.view.segments[doc.segment].segment->norms(field_);
    const auto norm = norms.empty() ? std::uint8_t{1} : static_cast<std::uint8_t>(norms[doc.doc]);
    const float freq = at->frequency();
    return explain_bm25({.what = description(),
                         .doc = doc.doc,
                         .score = at->score(),
                         .weight = weight_,
                         .freq = freq,
                         .norm = norm,
                         .inverse = (*inverse_)[norm],
                         .average = totals.average_length()},
                        Explanation::match(sum, "idf, sum of:", std::move(idfs)),
                        Explanation::match(freq, "phraseFreq=" + number_text(freq)));
  }
  std::string description() const override {
    std::string out = field_ + ":\"";
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto& terms = parts_[i].terms;
      out += i == 0 ? "" : " ";
      out += terms.size() == 1 ? terms.front() : "(" + join(terms, " ") + ")";
    }
    return out + "\"" + (slop_ == 0 ? "" : "~" + std::to_string(slop_));
  }
  void add_terms(std::string_view field, std::vector<std::string>& out) const override {
    if (field != field_) return;
    for (const PhrasePlanPart& part : parts_)
      out.insert(out.end(), part.terms.begin(), part.terms.end());
  }

 private:
  // The first part with the same terms, of each part.
  static std::vector<std::uint32_t> groups_of(const std::vector<PhrasePlanPart>& parts) {
    std::map<std::vector<std::string>, std::uint32_t> first;
    std::vector<std::uint32_t> out;
    for (const PhrasePlanPart& part : parts)
      out.push_back(
          first.try_emplace(part.terms, static_cast<std::uint32_t>(out.size())).first->second);
    return out;
  }
  std::string field_;
  std::vector<std::uint32_t> groups_;
  std::vector<PhrasePlanPart> parts_;
  std::uint32_t slop_;
  float weight_;
  std::shared_ptr<const InverseLengths> inverse_;
};

}  // namespace

Result<PlanPtr> plan_phrase(const QueryContext& context, const MatchPhraseQuery& query,
                            float boost) {
  const Field* field = context.view.mapping->find(query.field);
  if (field == nullptr) return no_plan();
  if (field->type != FieldType::text)
    return query.prefix ? plan_prefix(context, {.field = query.field, .value = query.value}, boost)
                        : plan_term(context, {.field = query.field, .value = query.value}, boost);
  CAIRN_CHECK(check_searchable(*field));
  CAIRN_TRY(const text::Tokens tokens, query_words(context, *field, query.analyzer, query.value));
  if (tokens.list.empty()) return query.zero_terms == ZeroTerms::all ? all_plan(boost) : no_plan();
  std::vector<PhrasePlanPart> parts = phrase_parts(tokens);
  if (query.prefix) {
    const std::string last = parts.back().terms.back();
    CAIRN_TRY(parts.back().terms,
              expand_prefix(context, field->name, last,
                            std::min(query.max_expansions, context.view.options.max_clauses)));
    if (parts.back().terms.empty()) return no_plan();
  }
  if (parts.size() == 1) {  // what its one word may go on as: any of these words
    auto any = std::make_shared<BoolPlan>();
    for (const std::string& term : parts[0].terms) {
      CAIRN_TRY(auto plan, scored_term(context, field->name, term, boost));
      any->should.push_back(std::move(plan));
    }
    if (any->should.size() == 1) return any->should.front();
    any->least_should = 1;
    return PlanPtr(std::move(any));
  }
  if (field->index_options != IndexOptions::positions)
    return query_error("field:[" + field->name +
                       "] was indexed without position data; cannot run PhraseQuery");
  float idf = 0;
  const FieldTotals totals = field_totals(context.view, field->name);
  for (const PhrasePlanPart& part : parts) {
    bool any = false;
    for (const std::string& term : part.terms) {
      CAIRN_TRY(const auto found, find_term(context, field->name, term));
      const std::uint64_t doc_freq = doc_freq_of(*found);
      if (doc_freq == 0) continue;
      idf += bm25_idf(totals.doc_count, doc_freq);
      any = true;
    }
    if (!any) return no_plan();
  }
  return PlanPtr(std::make_shared<PhrasePlan>(
      field->name, std::move(parts), static_cast<std::uint32_t>(query.slop), boost * 2.2f * idf,
      lengths_of(context, field->name)));
}

}  // namespace cairn::index
