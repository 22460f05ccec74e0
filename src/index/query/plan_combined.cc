// SPDX-License-Identifier: Apache-2.0
// Plans of words over several fields that are scored as one: BM25F, as the field's engine computes
// it.
#include <algorithm>
#include <cmath>

#include "index/errors.h"
#include "index/query/explain.h"
#include "index/query/plan.h"
#include "index/view.h"

namespace cairn::index {
namespace {

struct WeightedField {
  const Field* field = nullptr;
  float weight = 1;
};
using FieldWeights = std::vector<WeightedField>;

/// What the fields have together.
struct CombinedTotals {
  std::uint64_t doc_count = 0;
  float average = 1;
};

CombinedTotals totals_of(const ViewState& view, const FieldWeights& fields) {
  CombinedTotals out;
  std::uint64_t sum = 0;
  for (const auto& [field, weight] : fields) {
    const FieldTotals own = field_totals(view, field->name);
    out.doc_count = std::max(out.doc_count, own.doc_count);
    sum += static_cast<std::uint64_t>(static_cast<double>(weight) *
                                      static_cast<double>(own.sum_total_freq));
  }
  if (out.doc_count > 0)
    out.average = static_cast<float>(static_cast<double>(sum) / static_cast<double>(out.doc_count));
  return out;
}

/// The lengths of one document in all of the fields as one length. Fields without norms have none.
struct CombinedNorms {
  std::vector<std::pair<std::string_view, float>> norms;  // with the weight of each field

  std::uint8_t of(std::uint32_t doc) const {
    float length = 0;
    bool any = false;
    for (const auto& [bytes, weight] : norms) {
      if (bytes.empty()) continue;
      any = true;
      const auto norm = static_cast<std::uint8_t>(bytes[doc]);
      if (norm != 0) length += weight * static_cast<float>(decode_length(norm));
    }
    return any ? encode_length(static_cast<std::uint32_t>(std::lround(length))) : std::uint8_t{1};
  }
};

/// The documents that have a word in any of the fields. The lists stand in a heap, by document.
class CombinedScorer final : public Scorer {
 public:
  struct List {
    PostingsIterator at;
    float weight = 1;
    bool counted = true;  // its frequencies are known
  };
  CombinedScorer(std::vector<List> lists, CombinedNorms norms, float weight,
                 std::shared_ptr<const InverseLengths> inverse, os::Steps& steps)
      : lists_(std::move(lists)),
        norms_(std::move(norms)),
        weight_(weight),
        inverse_(std::move(inverse)),
        steps_(steps) {
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      cost_ += lists_[i].at.cursor().doc_freq();
      if (lists_[i].at.doc() != no_more) heap_.push_back(i);
    }
    std::make_heap(heap_.begin(), heap_.end(), later());
    doc_ = least();
  }
  std::uint32_t next() override { return seek(doc_ + 1); }
  std::uint32_t seek(std::uint32_t target) override {
    while (!heap_.empty() && lists_[heap_.front()].at.doc() < target) {
      if (!steps_.go_on()) return doc_ = no_more;
      std::pop_heap(heap_.begin(), heap_.end(), later());
      if (lists_[heap_.back()].at.seek(target) == no_more)
        heap_.pop_back();
      else
        std::push_heap(heap_.begin(), heap_.end(), later());
    }
    return doc_ = least();
  }
  float frequency() const override {
    float sum = 0;
    for (List& list : lists_)
      if (list.at.doc() == doc_)
        sum += list.weight * (list.counted ? static_cast<float>(list.at.freq()) : 1.0f);
    return sum;
  }
  float score() override {
    (void)steps_.go_on(lists_.size() / 4);
    return bm25_score(weight_, frequency(), (*inverse_)[norms_.of(doc_)]);
  }
  std::uint64_t cost() const override { return cost_; }

 private:
  std::uint32_t least() const { return heap_.empty() ? no_more : lists_[heap_.front()].at.doc(); }
  struct Later {
    const std::vector<List>& lists;
    bool operator()(std::size_t a, std::size_t b) const {
      return lists[a].at.doc() > lists[b].at.doc();
    }
  };
  Later later() const { return {lists_}; }
  mutable std::vector<List> lists_;  // reading a frequency decodes a block
  std::vector<std::size_t> heap_;    // of those that have documents left
  CombinedNorms norms_;
  float weight_;
  std::shared_ptr<const InverseLengths> inverse_;
  os::Steps& steps_;
  std::uint64_t cost_ = 0;
};

/// One word, or several that stand at one place, in all of the fields.
class CombinedPlan final : public Plan {
 public:
  struct Part {
    std::shared_ptr<TermPlan> term;
    float weight = 1;
  };
  CombinedPlan(FieldWeights fields, std::vector<std::string> words, std::vector<Part> parts,
               CombinedTotals totals, std::uint64_t doc_freq, float boost)
      : fields_(std::move(fields)),
        words_(std::move(words)),
        parts_(std::move(parts)),
        totals_(totals),
        doc_freq_(doc_freq),
        weight_(boost * 2.2f * bm25_idf(totals.doc_count, doc_freq)),
        inverse_(std::make_shared<const InverseLengths>(inverse_lengths(totals.average))) {}

  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    std::vector<CombinedScorer::List> lists;
    for (const Part& part : parts_) {
      const TermPlan::Place& place = part.term->places[segment];
      if (place.reader == nullptr) continue;
      CAIRN_TRY(auto cursor, place.reader->postings(place.entry, context.deadline));
      lists.push_back({.at = PostingsIterator(std::move(cursor)),
                       .weight = part.weight,
                       .counted = place.reader->kind() != TermsKind::plain});
    }
    if (lists.empty()) return ScorerPtr();
    auto out = std::make_unique<CombinedScorer>(std::move(lists), norms_in(context, segment),
                                                weight_, inverse_, context.steps);
    return out->doc() == no_more ? ScorerPtr() : ScorerPtr(std::move(out));
  }

  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(const ScorerPtr at, scorer(context, doc.segment));
    const bool matches = at != nullptr && at->doc() != no_more && at->seek(doc.doc) == doc.doc;
    CAIRN_CHECK(context.steps.status());
    if (!matches) return Explanation::none("no matching term");
    const std::uint8_t norm = norms_in(context, doc.segment).of(doc.doc);
    const float freq = at->frequency();
    return explain_bm25({.what = description(),
                         .doc = doc.doc,
                         .score = at->score(),
                         .weight = weight_,
                         .freq = freq,
                         .norm = norm,
                         .inverse = (*inverse_)[norm],
                         .average = totals_.average},
                        explain_idf(totals_.doc_count, doc_freq_),
                        Explanation::match(freq, "freq, occurrences of term within document"));
  }

  std::string description() const override {
    std::string names, words;
    for (const auto& [field, weight] : fields_)
      names +=
          (names.empty() ? "" : " ") + field->name + (weight == 1 ? "" : "^" + number_text(weight));
    for (const std::string& word : words_) words += (words.empty() ? "" : " ") + word;
    return "CombinedFieldQuery((" + names + ")(" + words + "))";
  }

  void add_terms(std::string_view wanted, std::vector<std::string>& out) const override {
    for (const auto& [field, weight] : fields_)
      if (field->name == wanted) out.insert(out.end(), words_.begin(), words_.end());
  }

 private:
  CombinedNorms norms_in(const QueryContext& context, std::size_t segment) const {
    CombinedNorms out;
    for (const auto& [field, weight] : fields_)
      out.norms.emplace_back(context.view.segments[segment].segment->norms(field->name), weight);
    return out;
  }
  FieldWeights fields_;
  std::vector<std::string> words_;
  std::vector<Part> parts_;
  CombinedTotals totals_;
  std::uint64_t doc_freq_;
  float weight_;
  std::shared_ptr<const InverseLengths> inverse_;
};

bool same_analysis(const Field& a, const Field& b) {
  const auto name = [](const Field& field) {
    return field.search_analyzer.empty() ? field.analyzer : field.search_analyzer;
  };
  return a.search_analysis == b.search_analysis ||
         (a.shingles == b.shingles && !a.is_derived && !b.is_derived && name(a) == name(b));
}

Result<FieldWeights> combined_fields(const QueryContext& context,
                                     const CombinedFieldsQuery& query) {
  FieldWeights out;
  for (const auto& [name, weight] : query.fields) {
    const Field* field = context.view.mapping->find(name);
    if (field == nullptr) continue;
    if (field->type != FieldType::text)
      return illegal_argument("Field [" + name + "] of type [" +
                              std::string(name_of(field->declared_type())) +
                              "] does not support [combined_fields] queries");
    CAIRN_CHECK(check_searchable(*field));
    if (!out.empty() && !same_analysis(*out.front().field, *field))
      return illegal_argument(
          "All fields in [combined_fields] query must have the same search analyzer");
    if (!out.empty() && out.front().field->norms != field->norms)
      return illegal_argument(
          "All fields in [combined_fields] query must have norms, or none of them");
    const auto same = [&](const WeightedField& one) { return one.field == field; };
    if (const auto at = std::find_if(out.begin(), out.end(), same); at != out.end())
      at->weight += weight;
    else
      out.push_back({.field = field, .weight = weight});
  }
  return out;
}

Result<PlanPtr> plan_word(const QueryContext& context, const FieldWeights& fields,
                          const std::vector<std::string>& words, const CombinedTotals& totals,
                          float boost) {
  std::vector<CombinedPlan::Part> parts;
  std::uint64_t doc_freq = 0;
  for (const auto& [field, weight] : fields)
    for (const std::string& word : words) {
      CAIRN_CHECK(context.steps.take(32));
      CAIRN_TRY(auto term, find_term(context, field->name, word));
      const std::uint64_t own = doc_freq_of(*term);
      if (own == 0) continue;
      doc_freq = std::max(doc_freq, own);
      parts.push_back({.term = std::move(term), .weight = weight});
    }
  if (parts.empty()) return no_plan();
  return PlanPtr(
      std::make_shared<CombinedPlan>(fields, words, std::move(parts), totals, doc_freq, boost));
}

}  // namespace

Result<PlanPtr> plan_combined(const QueryContext& context, const CombinedFieldsQuery& query,
                              float boost) {
  CAIRN_TRY(const FieldWeights fields, combined_fields(context, query));
  if (fields.empty()) return no_plan();
  CAIRN_TRY(const text::Tokens tokens,
            query_words(context, *fields.front().field, {}, query.value));
  if (tokens.list.empty()) return query.zero_terms == ZeroTerms::all ? all_plan(boost) : no_plan();
  CAIRN_CHECK(count_clauses(context, tokens.list.size() * (fields.size() - 1)));
  const CombinedTotals totals = totals_of(context.view, fields);
  std::vector<PlanPtr> plans;
  for (std::size_t i = 0; i < tokens.list.size();) {
    std::vector<std::string> words;  // at one place
    const std::uint32_t position = tokens.list[i].position;
    for (; i < tokens.list.size() && tokens.list[i].position == position; ++i)
      words.emplace_back(tokens.term(tokens.list[i]));
    CAIRN_TRY(auto plan, plan_word(context, fields, words, totals, boost));
    plans.push_back(std::move(plan));
  }
  if (plans.size() == 1) return plans.front();
  auto all = std::make_shared<BoolPlan>();
  if (query.op == Operator::and_) {
    for (const PlanPtr& plan : plans)
      if (plan->matches_nothing()) return no_plan();
    all->must = std::move(plans);
    return PlanPtr(std::move(all));
  }
  all->least_should = 1;
  if (!query.minimum_should_match.empty()) {
    CAIRN_TRY(all->least_should, minimum_should_match(query.minimum_should_match, plans.size()));
  }
  all->should = std::move(plans);
  return PlanPtr(std::move(all));
}

}  // namespace cairn::index
