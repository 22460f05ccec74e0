// SPDX-License-Identifier: Apache-2.0
// Queries in the words of the field's engine.
#include <variant>

#include "base/strings.h"
#include "index/query/explain.h"

namespace cairn::index {
namespace {

std::string scalar(const Json& value) {
  return value.is_string() ? value.as_string() : value.dump();
}

std::string in_brackets(const std::vector<std::string>& values) {
  return "(" + join(values, " ") + ")";
}

struct Words {
  std::string operator()(const MatchAllQuery&) const { return "*:*"; }
  std::string operator()(const MatchNoneQuery&) const { return "MatchNoDocsQuery(\"\")"; }
  std::string operator()(const TermQuery& q) const { return q.field + ":" + scalar(q.value); }
  std::string operator()(const TermsQuery& q) const {
    std::vector<std::string> values;
    for (const Json& value : q.values) values.push_back(scalar(value));
    return q.field + ":" + in_brackets(values);
  }
  std::string operator()(const RangeQuery& q) const {
    const auto bound = [](const std::optional<Json>& in, const std::optional<Json>& out) {
      return in ? scalar(*in) : out ? scalar(*out) : std::string("*");
    };
    return q.field + ":" + (q.gt && !q.gte ? "{" : "[") + bound(q.gte, q.gt) + " TO " +
           bound(q.lte, q.lt) + (q.lt && !q.lte ? "}" : "]");
  }
  std::string operator()(const ExistsQuery& q) const {
    return "FieldExistsQuery [field=" + q.field + "]";
  }
  std::string operator()(const IdsQuery& q) const { return "_id:" + in_brackets(q.values); }
  std::string operator()(const PrefixQuery& q) const { return q.field + ":" + q.value + "*"; }
  std::string operator()(const WildcardQuery& q) const { return q.field + ":" + q.value; }
  std::string operator()(const RegexpQuery& q) const { return q.field + ":/" + q.value + "/"; }
  std::string operator()(const FuzzyQuery& q) const {
    return q.field + ":" + q.value + "~" + q.fuzziness;
  }
  std::string operator()(const MatchQuery& q) const {
    return q.field + ":" + scalar(q.value) + (q.prefix ? "*" : "");
  }
  std::string operator()(const MatchPhraseQuery& q) const {
    const std::string slop = q.slop > 0 ? "~" + std::to_string(q.slop) : "";
    return q.field + ":\"" + q.value + (q.prefix ? "*\"" : "\"") + slop;
  }
  std::string operator()(const BoolQuery& q) const {
    std::vector<std::string> clauses;
    const auto add = [&](const std::vector<Query>& queries, const char* sign) {
      for (const Query& query : queries) {
        const bool nested = std::holds_alternative<BoolQuery>(query.node);
        clauses.push_back(sign + (nested ? "(" + query_text(query) + ")" : query_text(query)));
      }
    };
    add(q.must, "+");
    add(q.filter, "#");
    add(q.should, "");
    add(q.must_not, "-");
    return join(clauses, " ");
  }
  std::string operator()(const ConstantScoreQuery& q) const {
    return "ConstantScore(" + (*this)(BoolQuery{.must = q.filter}) + ")";
  }
  std::string operator()(const DisMaxQuery& q) const {
    std::vector<std::string> queries;
    for (const Query& query : q.queries) queries.push_back(query_text(query));
    const std::string breaker = q.tie_breaker > 0 ? "~" + number_text(q.tie_breaker) : "";
    return "(" + join(queries, " | ") + ")" + breaker;
  }
  std::string operator()(const BoostingQuery& q) const {
    return "FunctionScoreQuery(" + (*this)(BoolQuery{.must = q.positive}) +
           ", scored by boost(queryboost(" + (*this)(BoolQuery{.must = q.negative}) + ")^" +
           number_text(q.negative_boost) + "))";
  }
  std::string operator()(const KnnQuery& q) const {
    return "KnnFloatVectorQuery:" + q.field + vector(q.vector) + "[" + std::to_string(q.k) + "]";
  }
  std::string operator()(const SparseQuery& q) const {
    std::vector<std::string> tokens;
    for (const auto& [token, weight] : q.weights)
      tokens.push_back(q.field + ":" + token + "^" + number_text(weight));
    return join(tokens, " ");
  }
  std::string operator()(const DenseScoreQuery& q) const {
    return "VectorSimilarity:" + q.field + vector(q.vector);
  }
  std::string operator()(const TermsSetQuery& q) const {
    std::vector<std::string> values;
    for (const Json& value : q.values) values.push_back(q.field + ":" + scalar(value));
    return "CoveringQuery(" + join(values, ", ") + ")";
  }
  std::string operator()(const WithinQuery& q) const {
    return "DocRange[" + std::to_string(q.from) + ", " + std::to_string(q.to) + ")";
  }
  std::string operator()(const NestedQuery& q) const {
    return "ToParentBlockJoinQuery (" + query_text(q.query.front()) + ")";
  }
  std::string operator()(const DocumentsQuery& q) const {
    return "ToChildBlockJoinQuery (" + query_text(q.query.front()) + ")";
  }
  std::string operator()(const MoreLikeThisQuery& q) const {
    std::vector<std::string> texts;
    for (const auto& [field, text] : q.like) texts.push_back(field + ":" + text);
    return "like:" + in_brackets(texts);
  }
  std::string operator()(const SpanQuery& q) const { return span_text(q); }
  // Its plan knows the words.
  std::string operator()(const IntervalsQuery& q) const { return q.field + ":intervals"; }
  std::string operator()(const FunctionScoreQuery& q) const {
    return "function score (" + (q.query.empty() ? "*:*" : query_text(q.query.front())) +
           ", functions: [" + std::to_string(q.functions.size()) + "])";
  }
  std::string operator()(const ScriptScoreQuery& q) const {
    return "script_score (" + (q.query.empty() ? "*:*" : query_text(q.query.front())) +
           ", script: {" + script_text(q.script) + "})";
  }
  std::string operator()(const ScriptQuery& q) const {
    return "ScriptQuery(" + script_text(q.script) + ")";
  }
  std::string operator()(const DistanceFeatureQuery& q) const {
    return "LongDistanceFeatureQuery(field=" + q.field + ",origin=" + scalar(q.origin) +
           ",pivotDistance=" + std::to_string(q.pivot_ms) + ")";
  }
  std::string operator()(const RankFeatureQuery& q) const {
    return "FeatureQuery(field=_feature, feature=" + q.field + ")";
  }
  std::string operator()(const BlendedQuery& q) const {
    std::vector<std::string> terms;
    for (const auto& [name, weight] : q.fields)
      for (const std::string& word : q.words)
        terms.push_back(name + ":" + word + (weight == 1 ? "" : "^" + number_text(weight)));
    return "blended(terms:" + in_brackets(terms) + ")";
  }
  std::string operator()(const CombinedFieldsQuery& q) const {
    std::vector<std::string> fields;
    for (const auto& [name, weight] : q.fields)
      fields.push_back(weight == 1 ? name : name + "^" + number_text(weight));
    return "CombinedFieldQuery(" + in_brackets(fields) + "(" + q.value + "))";
  }
  std::string operator()(const SliceQuery& q) const {
    return "TermsSliceQuery[field=" + q.field + ", id=" + std::to_string(q.id) +
           ", max=" + std::to_string(q.max) + "]";
  }
  // The first number stands for the others.
  static std::string vector(const std::vector<float>& values) {
    return values.empty() ? "[]" : "[" + number_text(values.front()) + ",...]";
  }
};

}  // namespace

std::string span_text(const SpanQuery& query) {
  using Kind = SpanQuery::Kind;
  std::vector<std::string> texts;
  for (const SpanQuery& part : query.parts) texts.push_back(span_text(part));
  const std::string parts = join(texts, ", ");
  const auto number = [](std::uint32_t n) { return ", " + std::to_string(n); };
  switch (query.kind) {
    case Kind::term:
      return query.field + ":" + scalar(query.value);
    case Kind::multi:
      return "SpanMultiTermQueryWrapper(" + query_text(query.of.front()) + ")";
    case Kind::gap:
      return "SpanGap(" + query.field + ":" + std::to_string(query.width) + ")";
    case Kind::near:
      return "spanNear([" + parts + "]" + number(query.slop) +
             (query.in_order ? ", true)" : ", false)");
    case Kind::any:
      return "spanOr([" + parts + "])";
    case Kind::without:
      return "spanNot(" + parts + number(query.before) + number(query.after) + ")";
    case Kind::first:
      return "spanFirst(" + parts + number(query.end) + ")";
    case Kind::containing:
      return "SpanContaining(" + parts + ")";
    case Kind::within:
      return "SpanWithin(" + parts + ")";
    case Kind::masked:
      return "mask(" + parts + ") as " + query.field;
  }
  return {};
}

std::string query_text(const Query& query) { return std::visit(Words{}, query.node); }

std::string script_text(const Script& script) {
  const bool kept = !script.id.empty();
  return std::string("Script{type=") + (kept ? "stored, lang=null" : "inline, lang='painless'") +
         ", idOrCode='" + (kept ? script.id : script.source) + "', options={}, params=" +
         (script.params.is_object() ? plain_text(script.params) : "{}") + "}";
}

}  // namespace cairn::index
