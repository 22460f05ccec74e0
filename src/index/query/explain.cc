// SPDX-License-Identifier: Apache-2.0
// How scores come about, in the words of the field's engine, which clients read.
#include "index/query/explain.h"

#include <algorithm>

#include "index/errors.h"

namespace cairn::index {

std::string number_text(float number) {
  std::string out;
  JsonWriter(out).number(number);
  return out;
}

Result<std::optional<float>> score_of(const QueryContext& context, const Plan& plan,
                                      DocAddress doc) {
  CAIRN_TRY(const ScorerPtr scorer, plan.scorer(context, doc.segment));
  std::optional<float> out;
  if (scorer != nullptr && scorer->doc() != no_more && scorer->seek(doc.doc) == doc.doc)
    out = scorer->score();
  CAIRN_CHECK(context.steps.status());
  return out;
}

Explanation explain_constant(const std::string& what, float score) {
  return Explanation::match(score, score == 1 ? what : what + "^" + number_text(score));
}

Explanation explain_mismatch(const std::string& what, DocAddress doc) {
  return Explanation::none(what + " doesn't match id " + std::to_string(doc.doc));
}

Explanation explain_idf(std::uint64_t doc_count, std::uint64_t doc_freq) {
  return Explanation::match(
      bm25_idf(doc_count, doc_freq), "idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:",
      {Explanation::counted(doc_freq, "n, number of documents containing term"),
       Explanation::counted(doc_count, "N, total number of documents with field")});
}

Explanation explain_bm25(const Bm25Facts& facts, Explanation idf, Explanation freq) {
  constexpr std::uint8_t last_exact = 39;  // of norms that the engine calls exact
  const char* length =
      facts.norm > last_exact ? "dl, length of field (approximate)" : "dl, length of field";
  std::vector<Explanation> of_tf;
  of_tf.push_back(std::move(freq));
  of_tf.push_back(Explanation::match(bm25_k1, "k1, term saturation parameter"));
  of_tf.push_back(Explanation::match(bm25_b, "b, length normalization parameter"));
  of_tf.push_back(Explanation::match(static_cast<float>(decode_length(facts.norm)), length));
  of_tf.push_back(Explanation::match(facts.average, "avgdl, average length of field"));
  std::vector<Explanation> parts;
  parts.push_back(Explanation::match(facts.weight / idf.value, "boost"));
  parts.push_back(std::move(idf));
  parts.push_back(Explanation::match(
      bm25_share(facts.freq, facts.inverse),
      "tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:", std::move(of_tf)));
  Explanation score = Explanation::match(
      facts.score,
      "score(freq=" + number_text(facts.freq) + "), computed as boost * idf * tf from:",
      std::move(parts));
  return Explanation::match(facts.score,
                            "weight(" + facts.what + " in " + std::to_string(facts.doc) +
                                ") [PerFieldSimilarity], result of:",
                            {std::move(score)});
}

Result<Explanation> Plan::explain(const QueryContext& context, DocAddress doc) const {
  CAIRN_TRY(const auto score, score_of(context, *this, doc));
  if (!score) return explain_mismatch(description(), doc);
  return explain_constant(description(), *score);
}

Result<Explanation> TermPlan::explain(const QueryContext& context, DocAddress doc) const {
  const Place& place = places[doc.segment];
  if (place.reader == nullptr) return Explanation::none("no matching term");
  CAIRN_TRY(auto cursor, place.reader->postings(place.entry, context.deadline));
  PostingsIterator at(std::move(cursor));
  if (at.doc() == no_more || at.seek(doc.doc) != doc.doc)
    return Explanation::none("no matching term");
  const float score = scoring(doc.segment)(doc.doc, at.freq());
  if (inverse == nullptr)
    return Explanation::match(score,
                              "Linear function on the " + field + " field for the " + term +
                                  " feature, computed as w * S from:",
                              {Explanation::match(weight, "w, weight of this function"),
                               Explanation::match(decode_weight(at.freq()), "S, feature value")});
  const FieldTotals totals = field_totals(context.view, field);
  const std::uint64_t doc_freq = counted_freq > 0 ? counted_freq : doc_freq_of(*this);
  const auto norm =
      place.norms.empty() ? std::uint8_t{1} : static_cast<std::uint8_t>(place.norms[doc.doc]);
  const auto freq = static_cast<float>(at.freq());
  return explain_bm25({.what = description(),
                       .doc = doc.doc,
                       .score = score,
                       .weight = weight,
                       .freq = freq,
                       .norm = norm,
                       .inverse = (*inverse)[norm],
                       .average = totals.average_length()},
                      explain_idf(std::max(totals.doc_count, doc_freq), doc_freq),
                      Explanation::match(freq, "freq, occurrences of term within document"));
}

namespace {

/// What clauses of a bool query came to.
struct Clauses {
  const QueryContext& context;
  DocAddress doc;
  std::vector<Explanation> parts = {}, failed = {};

  Status require(const PlanPtr& plan, bool scored) {
    CAIRN_TRY(Explanation part, plan->explain(context, doc));
    if (!part.matches) {
      failed.push_back(Explanation::none(
          "no match on required clause (" + plan->description() + ")", {std::move(part)}));
    } else if (scored) {
      parts.push_back(std::move(part));
    } else {
      parts.push_back(Explanation::match(0, "match on required clause, product of:",
                                         {Explanation::match(0, "# clause"), std::move(part)}));
    }
    return ok_status();
  }
  Result<bool> allow(const PlanPtr& plan) {
    CAIRN_TRY(Explanation part, plan->explain(context, doc));
    if (!part.matches) return false;
    parts.push_back(std::move(part));
    return true;
  }
  Status forbid(const PlanPtr& plan) {
    CAIRN_TRY(Explanation part, plan->explain(context, doc));
    if (!part.matches) return ok_status();
    failed.push_back(Explanation::none("match on prohibited clause (" + plan->description() + ")",
                                       {std::move(part)}));
    return ok_status();
  }
};

}  // namespace

Result<Explanation> BoolPlan::explain(const QueryContext& context, DocAddress doc) const {
  Clauses clauses{.context = context, .doc = doc};
  for (const PlanPtr& plan : must) CAIRN_CHECK(clauses.require(plan, true));
  for (const PlanPtr& plan : filter) CAIRN_CHECK(clauses.require(plan, false));
  std::size_t optional = 0;
  for (const PlanPtr& plan : should) {
    CAIRN_TRY(const bool matches, clauses.allow(plan));
    optional += matches ? 1 : 0;
  }
  for (const PlanPtr& plan : must_not) CAIRN_CHECK(clauses.forbid(plan));
  if (!clauses.failed.empty())
    return Explanation::none("Failure to meet condition(s) of required/prohibited clause(s)",
                             std::move(clauses.failed));
  if (clauses.parts.empty()) return Explanation::none("No matching clauses");
  if (optional < least_should)
    return Explanation::none(
        "Failure to match minimum number of optional clauses: " + std::to_string(least_should),
        std::move(clauses.parts));
  CAIRN_TRY(const auto score, score_of(context, *this, doc));
  if (!score) return Explanation::none("No matching clauses");
  return Explanation::match(*score, "sum of:", std::move(clauses.parts));
}

std::string BoolPlan::description() const {
  std::string out;
  const auto add = [&](const std::vector<PlanPtr>& plans, const char* sign) {
    for (const PlanPtr& plan : plans) {
      out += out.empty() ? sign : std::string(" ") + sign;
      out += plan->as_bool() != nullptr ? "(" + plan->description() + ")" : plan->description();
    }
  };
  add(must, "+");
  add(filter, "#");
  add(should, "");
  add(must_not, "-");
  if (least_should > 1) out = "(" + out + ")~" + std::to_string(least_should);
  return out;
}

}  // namespace cairn::index
