// SPDX-License-Identifier: Apache-2.0
// Plans of the words that stand out in texts, chosen as the field's engine chooses them.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "index/errors.h"
#include "index/mapping/values.h"
#include "index/query/plan.h"
#include "index/view.h"
#include "text/words.h"

namespace cairn::index {
namespace {

using WordCounts = std::map<std::string, std::size_t>;

/// The words of a text as the field keeps them.
Status count_words(const QueryContext& context, const Field& field, const std::string& analyzer,
                   const std::string& text, WordCounts& out) {
  if (field.type == FieldType::keyword) {
    CAIRN_TRY(std::string term, exact_term(field, Json(text)));
    ++out[std::move(term)];
    return ok_status();
  }
  const auto chosen =
      analyzer.empty() ? field.index_analysis : context.view.mapping->analyzers().find(analyzer);
  if (chosen == nullptr)
    return query_error("[more_like_this] analyzer [" + analyzer + "] not found");
  text::Tokens tokens;
  tokens.steps = &context.steps;
  chosen->analyze(text, tokens);
  CAIRN_CHECK(context.steps.status());
  for (const text::Token& token : tokens.list) {
    CAIRN_CHECK(context.steps.take());
    ++out[std::string(tokens.term(token))];
  }
  return ok_status();
}

struct Outstanding {
  float score = 0;
  std::string word;
};

class Chooser {
 public:
  Chooser(const QueryContext& context, const MoreLikeThisQuery& query)
      : context_(context),
        query_(query),
        stop_words_(query.stop_words.begin(), query.stop_words.end()) {
    for (const SegmentView& segment : context.view.segments) documents_ += segment.live;
  }

  /// The best words of one field, the least of them first.
  Result<std::vector<Outstanding>> choose(const Field& field, const WordCounts& counts,
                                          const WordCounts& unlike) const {
    std::vector<Outstanding> out;
    for (const auto& [word, count] : counts) {
      if (count < query_.min_term_freq || unlike.contains(word) || is_noise(word)) continue;
      CAIRN_CHECK(context_.steps.take(32));
      CAIRN_TRY(const auto term, find_term(context_, field.name, word));
      const std::uint64_t found = doc_freq_of(*term);
      if (found == 0 || found < query_.min_doc_freq || found > query_.max_doc_freq) continue;
      const double idf =
          std::log(static_cast<double>(documents_ + 1) / static_cast<double>(found + 1)) + 1;
      out.push_back({.score = static_cast<float>(static_cast<double>(count) * idf), .word = word});
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const Outstanding& a, const Outstanding& b) { return a.score > b.score; });
    if (out.size() > query_.max_query_terms) out.resize(query_.max_query_terms);
    std::reverse(out.begin(), out.end());
    return out;
  }

 private:
  bool is_noise(const std::string& word) const {
    std::size_t length = 0;
    for (std::size_t at = 0; at < word.size(); ++length) text::next_code_point(word, at);
    return (query_.min_word_length > 0 && length < query_.min_word_length) ||
           (query_.max_word_length > 0 && length > query_.max_word_length) ||
           stop_words_.contains(word);
  }
  const QueryContext& context_;
  const MoreLikeThisQuery& query_;
  std::set<std::string> stop_words_;
  std::uint64_t documents_ = 0;
};

/// The words of texts by field, those of fields that the mapping lacks left out.
Result<std::map<std::string, WordCounts>> words_by_field(
    const QueryContext& context, const MoreLikeThisQuery& query,
    const std::vector<MoreLikeThisQuery::Text>& texts) {
  std::map<std::string, WordCounts> out;
  for (const auto& [name, text] : texts) {
    const Field* field = context.view.mapping->find(name);
    if (field == nullptr) continue;
    if (field->type != FieldType::text && field->type != FieldType::keyword)
      return illegal_argument("more_like_this only supports text/keyword fields: [" + name + "]");
    CAIRN_CHECK(check_searchable(*field));
    CAIRN_CHECK(count_words(context, *field, query.analyzer, text, out[name]));
  }
  return out;
}

}  // namespace

Result<PlanPtr> plan_more_like_this(const QueryContext& context, const MoreLikeThisQuery& query,
                                    float boost) {
  CAIRN_TRY(const auto like, words_by_field(context, query, query.like));
  CAIRN_TRY(auto unlike, words_by_field(context, query, query.unlike));
  const Chooser chooser(context, query);
  auto plan = std::make_shared<BoolPlan>();
  for (const auto& [name, counts] : like) {
    const Field& field = *context.view.mapping->find(name);
    CAIRN_TRY(const auto words, chooser.choose(field, counts, unlike[name]));
    CAIRN_CHECK(count_clauses(context, words.size()));
    for (const Outstanding& one : words) {
      // Against the least of them, as the engine has it.
      const float own =
          query.boost_terms > 0 ? query.boost_terms * one.score / words.front().score : 1.0f;
      CAIRN_TRY(auto term, scored_term(context, name, one.word, boost * own));
      plan->should.push_back(std::move(term));
    }
  }
  if (plan->should.empty()) return no_plan();
  CAIRN_TRY(const std::size_t least,
            minimum_should_match(query.minimum_should_match, plan->should.size()));
  plan->least_should = std::max<std::size_t>(least, 1);
  if (plan->should.size() == 1 && plan->least_should == 1) return plan->should.front();
  return PlanPtr(std::move(plan));
}

}  // namespace cairn::index
