// SPDX-License-Identifier: Apache-2.0
// The slow, obvious answer to every query, for tests: documents as plain values, looked at one by
// one.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/hash.h"
#include "index/oracle_intervals.h"
#include "index/oracle_regexp.h"
#include "index/oracle_spans.h"
#include "index/query.h"
#include "index/query/explain.h"
#include "index/segment/norms.h"
#include "index/view.h"

namespace cairn::index::oracle {

/// A document of the tests' mapping.
struct Document {
  std::string id;
  std::vector<std::string> body;  // words
  std::vector<std::string> title;
  std::vector<std::string> tags;
  std::vector<std::int64_t> numbers;
  std::optional<double> price;
  std::optional<std::int64_t> day;  // a date, in milliseconds
  std::optional<bool> flag;
  std::vector<float> vector;  // empty or of 4
  std::map<std::string, float> weights;
  std::vector<Document> parts;  // objects of the nested field: words, tags, numbers, parts

  /// One of a few groups, or none.
  std::optional<std::string> kind() const {
    if (!price) return std::nullopt;
    return "k" + std::to_string(static_cast<int>(*price) % 7);
  }

  Json json() const {
    const auto words = [](const std::vector<std::string>& list) {
      std::string out;
      for (const auto& word : list) out += (out.empty() ? "" : " ") + word;
      return out;
    };
    Json out = Json::object();
    if (!body.empty()) out.set("body", words(body));
    if (!title.empty()) out.set("title", words(title));
    if (!tags.empty()) out.set("tags", Json::array_of(tags));
    if (!numbers.empty()) out.set("n", Json::array_of(numbers));
    if (price) out.set("price", *price);
    if (price) out.set("rank", *price + 1);
    if (price) out.set("kind", *kind());
    if (day) out.set("day", *day);
    if (flag) out.set("flag", *flag);
    if (!vector.empty()) out.set("v", Json::array_of(vector));
    if (!weights.empty()) {
      Json sparse = Json::object();
      for (const auto& [token, weight] : weights) sparse.set(token, weight);
      out.set("topics", sparse);
      out.set("s", std::move(sparse));
    }
    if (!parts.empty()) {
      Json::Array objects;
      for (const Document& part : parts) objects.push_back(part.json());
      out.set("parts", Json(std::move(objects)));
    }
    return out;
  }
};

inline constexpr const char* mapping = R"({"properties": {
  "body": {"type": "text"}, "title": {"type": "text", "fields": {"say": {"type": "search_as_you_type"}}},
  "tags": {"type": "keyword"},
  "n": {"type": "long"}, "price": {"type": "double"}, "flag": {"type": "boolean"},
  "v": {"type": "dense_vector", "dims": 4, "similarity": "l2_norm"},
  "s": {"type": "sparse_vector"}, "day": {"type": "date"}, "rank": {"type": "rank_feature"},
  "kind": {"type": "keyword"},
  "parts": {"type": "nested", "properties": {
    "body": {"type": "text"}, "tags": {"type": "keyword"}, "n": {"type": "long"},
    "v": {"type": "dense_vector", "dims": 4, "similarity": "l2_norm"},
    "parts": {"type": "nested", "properties": {
      "body": {"type": "text"}, "tags": {"type": "keyword"}, "n": {"type": "long"}}}}},
  "topics": {"type": "rank_features", "positive_score_impact": false}}})";

/// Evaluates queries over live documents. Statistics of terms come from the view, since deleted
/// documents count in them until they are merged away; a test without deletions checks those.
class Judge {
 public:
  Judge(const std::map<std::string, Document>& documents, const View& view)
      : documents_(documents), view_(view) {}

  /// Score by id.
  std::map<std::string, double> all(const Query& query) {
    std::map<std::string, double> out;
    std::map<std::string, double> nearest;
    for (const auto& [id, doc] : documents_)
      if (const auto score = judge(query, doc, 1)) out[id] = *score;
    return out;
  }

  std::optional<double> judge(const Query& query, const Document& doc, double boost) {
    boost *= static_cast<double>(query.boost);
    return std::visit([&](const auto& node) { return of(node, doc, boost); }, query.node);
  }

 private:
  using Score = std::optional<double>;

  static std::optional<std::vector<std::string>> words_of(const std::string& field,
                                                          const Document& doc) {
    if (field == "body") return doc.body;
    if (field == "title" || field == "title.say") return doc.title;
    if (field == "title.say._2gram") return runs(doc.title, 2);
    if (field == "title.say._3gram") return runs(doc.title, 3);
    return std::nullopt;
  }
  static std::vector<std::string> runs(const std::vector<std::string>& words, std::size_t count) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at + count <= words.size(); ++at) {
      std::string run = words[at];
      for (std::size_t i = 1; i < count; ++i) run += " " + words[at + i];
      out.push_back(std::move(run));
    }
    return out;
  }
  static std::size_t count_of(const std::vector<std::string>& words, const std::string& term) {
    return static_cast<std::size_t>(std::count(words.begin(), words.end(), term));
  }

  TermStatistics statistics(const std::string& field, const std::string& term) {
    const auto found = view_.term_statistics(scope_ + field, term, os::Deadline::never());
    return found.ok() ? *found : TermStatistics{};
  }

  // BM25 as the books have it.
  double bm25(const std::string& field, const std::string& term, double tf, std::size_t length) {
    const TermStatistics s = statistics(field, term);
    const double idf =
        std::log(1 + (static_cast<double>(s.doc_count) - static_cast<double>(s.doc_freq) + 0.5) /
                         (static_cast<double>(s.doc_freq) + 0.5));
    return 2.2 * idf * tf_part(s, tf, length);
  }
  static double tf_part(const TermStatistics& s, double tf, std::size_t length) {
    const double average = static_cast<double>(s.sum_total_freq) / static_cast<double>(s.doc_count);
    const double kept = decode_length(encode_length(static_cast<std::uint32_t>(length)));
    return tf / (tf + 1.2 * (1 - 0.75 + 0.75 * kept / average));
  }

  Score of(const MatchAllQuery&, const Document&, double boost) { return boost; }
  Score of(const MatchNoneQuery&, const Document&, double) { return std::nullopt; }

  Score of(const TermQuery& q, const Document& doc, double boost) {
    if (const auto words = words_of(q.field, doc)) {
      const std::string& term = q.value.as_string();
      const std::size_t tf = count_of(*words, term);
      if (tf == 0) return std::nullopt;
      return boost * bm25(q.field, term, static_cast<double>(tf), words->size());
    }
    if (q.field == "tags") {
      if (count_of(doc.tags, q.value.as_string()) == 0) return std::nullopt;
      return boost * bm25(q.field, q.value.as_string(), 1, 1);
    }
    if (q.field == "flag") {
      if (doc.flag != q.value.as_bool()) return std::nullopt;
      return boost * bm25(q.field, q.value.as_bool() ? "T" : "F", 1, 1);
    }
    if (q.field == "n")
      return std::count(doc.numbers.begin(), doc.numbers.end(), q.value.as_int()) > 0
                 ? Score(boost)
                 : std::nullopt;
    return doc.price == q.value.as_double() ? Score(boost) : std::nullopt;
  }

  Score of(const TermsQuery& q, const Document& doc, double boost) {
    for (const Json& value : q.values)
      if (of(TermQuery{.field = q.field, .value = value}, doc, 1)) return boost;
    return std::nullopt;
  }

  Score of(const TermsSetQuery& q, const Document& doc, double boost) {
    if (doc.numbers.empty()) return std::nullopt;
    std::int64_t least = *std::min_element(doc.numbers.begin(), doc.numbers.end());
    if (q.least_script) {
      CAIRN_ASSERT(q.least_script->source ==
                   "doc['n'].empty ? 99 : Math.min(params.num_terms, doc['n'].value)");
      least = std::min<std::int64_t>(least, static_cast<std::int64_t>(q.values.size()));
    }
    double sum = 0;
    std::int64_t hits = 0;
    for (const Json& value : q.values)
      if (const auto s = of(TermQuery{.field = q.field, .value = value}, doc, boost)) {
        sum += *s;
        ++hits;
      }
    return hits >= std::max<std::int64_t>(least, 1) ? Score(sum) : std::nullopt;
  }

  template <class Value, class Convert>
  static bool in_range(const RangeQuery& q, const Value& v, Convert convert) {
    return (!q.gt || v > convert(*q.gt)) && (!q.gte || v >= convert(*q.gte)) &&
           (!q.lt || v < convert(*q.lt)) && (!q.lte || v <= convert(*q.lte));
  }
  Score of(const RangeQuery& q, const Document& doc, double boost) {
    bool any = false;
    const auto number = [](const Json& j) { return j.as_double(); };
    const auto text = [](const Json& j) { return j.as_string(); };
    if (q.field == "n")
      for (const auto v : doc.numbers) any |= in_range(q, static_cast<double>(v), number);
    if (q.field == "price" && doc.price) any |= in_range(q, *doc.price, number);
    if (q.field == "tags")
      for (const auto& v : doc.tags) any |= in_range(q, v, text);
    return any ? Score(boost) : std::nullopt;
  }

  Score of(const ExistsQuery& q, const Document& doc, double boost) {
    const bool there =
        (q.field == "body" && !doc.body.empty()) || (q.field == "title" && !doc.title.empty()) ||
        (q.field == "tags" && !doc.tags.empty()) || (q.field == "n" && !doc.numbers.empty()) ||
        (q.field == "price" && doc.price) || (q.field == "flag" && doc.flag) ||
        (q.field == "v" && !doc.vector.empty()) || (q.field == "s" && !doc.weights.empty());
    return there ? Score(boost) : std::nullopt;
  }

  Score of(const WithinQuery&, const Document&, double) { return std::nullopt; }  // of places

  // Calls `each` for the objects of `path`, which is "parts." once or more.
  template <class Each>
  static void each_object(const Document& doc, std::string_view path, Each each) {
    const bool last = path.find('.') == std::string_view::npos;
    for (const Document& part : doc.parts)
      if (last)
        each(part);
      else
        each_object(part, path.substr(path.find('.') + 1), each);
  }
  static void strip(Query& query, std::size_t prefix) {
    const auto all = [&](std::vector<Query>& list) {
      for (Query& one : list) strip(one, prefix);
    };
    std::visit(
        [&](auto& node) {
          if constexpr (requires { node.field.erase(0, prefix); }) node.field.erase(0, prefix);
          if constexpr (requires { node.path.erase(0, prefix); }) node.path.erase(0, prefix);
          if constexpr (requires { node.must; }) {
            all(node.must), all(node.should), all(node.filter), all(node.must_not);
          } else if constexpr (requires { node.filter; }) {
            all(node.filter);
          }
          if constexpr (requires { node.queries; }) all(node.queries);
          if constexpr (requires { node.path; }) all(node.query);
        },
        query.node);
  }
  // Each object is judged as a document of its own.
  Score of(const NestedQuery& q, const Document& doc, double boost) {
    Query inner = q.query.front();
    strip(inner, q.path.size() + 1);
    const std::string above = scope_;
    scope_ += q.path + ".";
    std::vector<double> scores;
    each_object(doc, q.path, [&](const Document& part) {
      if (const auto score = judge(inner, part, boost)) scores.push_back(*score);
    });
    scope_ = above;
    if (scores.empty()) return std::nullopt;
    double sum = 0;
    for (const double score : scores) sum += score;
    const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
    switch (q.score_mode) {
      case NestedQuery::ScoreMode::avg:
        return sum / static_cast<double>(scores.size());
      case NestedQuery::ScoreMode::max:
        return *most;
      case NestedQuery::ScoreMode::min:
        return *least;
      case NestedQuery::ScoreMode::sum:
        return sum;
      case NestedQuery::ScoreMode::none:
        break;
    }
    return 0;
  }

  // Asked at the top alone, where documents are none but the document's.
  Score of(const DocumentsQuery& q, const Document& doc, double boost) {
    return judge(q.query.front(), doc, boost);
  }

  Score of(const IdsQuery& q, const Document& doc, double boost) {
    return count_of(q.values, doc.id) > 0 ? Score(boost) : std::nullopt;
  }

  // Whether any word of the field passes.
  template <class Passes>
  Score any_word(const std::string& field, const Document& doc, double boost, Passes passes) {
    const auto words = words_of(field, doc);
    const auto& list = words ? *words : doc.tags;
    return std::any_of(list.begin(), list.end(), passes) ? Score(boost) : std::nullopt;
  }
  Score of(const PrefixQuery& q, const Document& doc, double boost) {
    return any_word(q.field, doc, boost,
                    [&](const std::string& w) { return w.starts_with(q.value); });
  }
  static bool like(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return text.empty();
    if (pattern[0] == '*')
      return like(pattern.substr(1), text) || (!text.empty() && like(pattern, text.substr(1)));
    return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
           like(pattern.substr(1), text.substr(1));
  }
  Score of(const WildcardQuery& q, const Document& doc, double boost) {
    return any_word(q.field, doc, boost, [&](const std::string& w) { return like(q.value, w); });
  }

  Score of(const RegexpQuery& q, const Document& doc, double boost) {
    return any_word(q.field, doc, boost,
                    [&](const std::string& w) { return RegexpMeaning(w).matches(q.value); });
  }

 public:
  // Edits by plain recursion over the table, neighbours swapped count once.
  static std::size_t edits(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
      for (std::size_t j = 0; j <= b.size(); ++j) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        d[i][j] = std::min(
            {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    return d[a.size()][b.size()];
  }

 private:
  Score of(const FuzzyQuery& q, const Document& doc, double boost) {
    const auto words = words_of(q.field, doc);
    const std::size_t most = static_cast<std::size_t>(std::stoi(q.fuzziness));
    // Terms of the whole index that are near; they share the greatest document frequency.
    std::set<std::string> near;
    for (const auto& word : vocabulary)
      if (edits(word, q.value) <= most) near.insert(word);
    std::uint64_t doc_freq = 0;
    for (const auto& word : near) doc_freq = std::max(doc_freq, statistics(q.field, word).doc_freq);
    double sum = 0;
    bool any = false;
    for (const auto& word : near) {
      const std::size_t tf = count_of(*words, word);
      if (tf == 0) continue;
      any = true;
      TermStatistics s = statistics(q.field, word);
      const double idf =
          std::log(1 + (static_cast<double>(s.doc_count) - static_cast<double>(doc_freq) + 0.5) /
                           (static_cast<double>(doc_freq) + 0.5));
      const double share = 1 - static_cast<double>(edits(word, q.value)) /
                                   static_cast<double>(std::min(word.size(), q.value.size()));
      sum += 2.2 * share * idf * tf_part(s, static_cast<double>(tf), words->size());
    }
    return any ? Score(boost * sum) : std::nullopt;
  }

  static std::vector<std::string> split_words(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find(' ', at), text.size());
      if (end > at) out.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return out;
  }
  Score of(const MatchQuery& q, const Document& doc, double boost) {
    auto terms = split_words(q.value.as_string());
    if (q.field.ends_with("gram")) terms = runs(terms, q.field.ends_with("_2gram") ? 2 : 3);
    if (terms.empty()) return std::nullopt;
    double sum = 0;
    std::size_t hits = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const bool goes_on = q.prefix && i + 1 == terms.size();
      const auto s = goes_on ? of(PrefixQuery{.field = q.field, .value = terms[i]}, doc, boost)
                             : of(TermQuery{.field = q.field, .value = terms[i]}, doc, boost);
      if (!s) continue;
      sum += *s;
      ++hits;
    }
    std::size_t need = q.op == Operator::and_ ? terms.size() : 1;
    // One term alone is no list of clauses.
    if (!q.minimum_should_match.empty() && terms.size() > 1)
      need =
          std::max<std::size_t>(need, static_cast<std::size_t>(std::stoi(q.minimum_should_match)));
    return hits >= need ? Score(sum) : std::nullopt;
  }

  Score of(const MatchPhraseQuery& q, const Document& doc, double boost) {
    const auto terms = split_words(q.value);
    const auto words = words_of(q.field, doc);
    if (terms.empty()) return std::nullopt;
    if (terms.size() == 1) return of(TermQuery{.field = q.field, .value = terms[0]}, doc, boost);
    double tf = 0;
    for (std::size_t at = 0; at + terms.size() <= words->size(); ++at)
      tf += std::equal(terms.begin(), terms.end(), words->begin() + static_cast<std::ptrdiff_t>(at))
                ? 1
                : 0;
    if (tf == 0) return std::nullopt;
    double idf = 0;
    for (const auto& term : terms) {
      const TermStatistics s = statistics(q.field, term);
      idf +=
          std::log(1 + (static_cast<double>(s.doc_count) - static_cast<double>(s.doc_freq) + 0.5) /
                           (static_cast<double>(s.doc_freq) + 0.5));
    }
    return boost * 2.2 * idf * tf_part(statistics(q.field, terms[0]), tf, words->size());
  }

  // Words of a field that a query stands for, and whether one of them is it.
  bool stands_for(const Query& query, const std::string& word) {
    Document one;
    one.body = {word};
    Query of = query;
    std::visit(
        [](auto& node) {
          if constexpr (requires { node.field = "body"; }) node.field = "body";
        },
        of.node);
    if (const auto* fuzzy = std::get_if<FuzzyQuery>(&of.node))
      return edits(word, fuzzy->value) <= static_cast<std::size_t>(std::stoi(fuzzy->fuzziness));
    return judge(of, one, 1).has_value();
  }
  Pieces pieces_of(const SpanQuery& q, const Document& doc) {
    if (q.kind == SpanQuery::Kind::term || q.kind == SpanQuery::Kind::multi) {
      Pieces out;
      const auto words = *words_of(q.field, doc);
      for (std::size_t i = 0; i < words.size(); ++i)
        if (q.kind == SpanQuery::Kind::term ? words[i] == q.value.as_string()
                                            : stands_for(q.of.front(), words[i]))
          out.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1, 0});
      return out;
    }
    std::vector<Pieces> parts;
    for (const SpanQuery& part : q.parts) parts.push_back(pieces_of(part, doc));
    return put_together(q, parts);
  }
  // The words that count for the score, each once, with their fields.
  void add_words(const SpanQuery& q, std::set<std::pair<std::string, std::string>>& out) {
    if (q.kind == SpanQuery::Kind::term) out.insert({q.field, q.value.as_string()});
    if (q.kind == SpanQuery::Kind::multi)
      for (const std::string& word : vocabulary)
        if (stands_for(q.of.front(), word)) out.insert({q.field, word});
    for (const SpanQuery& part : q.parts) {
      add_words(part, out);
      if (q.kind == SpanQuery::Kind::without) break;
    }
  }
  Score of(const SpanQuery& q, const Document& doc, double boost) {
    double tf = 0;
    for (const Piece& piece : pieces_of(q, doc)) tf += 1 / (1 + static_cast<double>(piece.apart));
    if (tf == 0) return std::nullopt;
    const std::string field = field_of(q);
    std::set<std::pair<std::string, std::string>> words;
    add_words(q, words);
    const TermStatistics all = statistics(field, "");
    double idf = 0;
    for (const auto& [of_field, word] : words) {
      const auto df = static_cast<double>(statistics(of_field, word).doc_freq);
      const double count = std::max(static_cast<double>(all.doc_count), df);
      if (df > 0) idf += std::log(1 + (count - df + 0.5) / (df + 0.5));
    }
    // A document without the field that others are masked as counts as one word long.
    const std::size_t length = std::max<std::size_t>(words_of(field, doc)->size(), 1);
    return boost * 2.2 * idf * tf_part(all, tf, length);
  }

  Shape shape_of_words(const IntervalsRule& rule, std::vector<Shape> parts) {
    for (const std::string& word : split_words(rule.text))
      parts.push_back({.name = word, .is_it = [word](const std::string& w) { return w == word; }});
    if (parts.size() == 1) return parts.front();
    if (rule.ordered && rule.max_gaps == 0u) return block_of(parts);
    Shape out =
        together(rule.ordered ? Shape::Kind::ordered : Shape::Kind::unordered, std::move(parts));
    if (!rule.max_gaps) return out;
    return shape_of(Shape::Kind::gaps, {std::move(out)}, *rule.max_gaps);
  }
  Shape shape_of_rule(const IntervalsRule& rule) {
    Shape out;
    std::vector<Shape> parts;
    for (const IntervalsRule& part : rule.parts) parts.push_back(shape_of_rule(part));
    if (rule.kind == IntervalsRule::Kind::multi) {
      const Query of = rule.of.front();
      out.name = std::to_string(of.node.index()) + query_text(of);
      out.is_it = [this, of](const std::string& word) { return stands_for(of, word); };
    } else if (rule.kind == IntervalsRule::Kind::any) {
      out = parts.size() == 1 ? parts.front() : shape_of(Shape::Kind::any, std::move(parts));
    } else {
      out = shape_of_words(rule, std::move(parts));
    }
    if (rule.by.empty()) return out;
    out = shape_of(Shape::Kind::filtered, {std::move(out), shape_of_rule(rule.by.front())},
                   static_cast<std::int64_t>(rule.filter));
    out.filter = rule.filter;
    return out;
  }
  Score of(const IntervalsQuery& q, const Document& doc, double boost) {
    const Shape shape = shape_of_rule(q.rule.front());
    const std::int64_t least = least_length(shape);
    double sum = 0;
    for (const Stretch& one : stretches_of(shape, *words_of(q.field, doc)))
      sum += 1.0 / static_cast<double>(std::max<std::int64_t>(one.end - one.begin - least + 1, 1));
    return sum > 0 ? Score(boost * sum / (sum + 1)) : std::nullopt;
  }

  // Words that stand for one another count as frequent everywhere as where they are most frequent.
  Score of(const BlendedQuery& q, const Document& doc, double boost) {
    struct Term {
      std::string field, word;
      double weight, df, counted = 0;
    };
    std::vector<Term> terms;
    double most = 0, documents =
        static_cast<double>(view_.document_count() + view_.deleted_count());
    for (const auto& [field, weight] : q.fields)
      for (const std::string& word : q.words) {
        const TermStatistics s = statistics(field, word);
        terms.push_back({field, word, weight, static_cast<double>(s.doc_freq)});
        most = std::max(most, terms.back().df);
        if (s.doc_freq > 0)
          documents = std::min(documents, static_cast<double>(s.sum_total_freq));
      }
    std::vector<std::size_t> order(terms.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return terms[a].df > terms[b].df; });
    double counted = std::min(documents, most), last = most;
    for (const std::size_t i : order) {
      if (terms[i].df < last) counted += 1;
      last = terms[i].df;
      const auto in_field = static_cast<double>(statistics(terms[i].field, "").doc_count);
      terms[i].counted =
          terms.size() == 1 ? terms[i].df : std::min({counted, in_field, documents});
    }
    std::vector<double> scores;
    for (const Term& one : terms) {
      const auto tf = static_cast<double>(count_of(*words_of(one.field, doc), one.word));
      if (tf == 0) continue;
      const TermStatistics s = statistics(one.field, "");
      const auto count = static_cast<double>(s.doc_count);
      const double idf = std::log(1 + (count - one.counted + 0.5) / (one.counted + 0.5));
      scores.push_back(boost * one.weight * 2.2 * idf *
                       tf_part(s, tf, words_of(one.field, doc)->size()));
    }
    if (scores.empty()) return std::nullopt;
    const double best = *std::max_element(scores.begin(), scores.end());
    const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
    return best + static_cast<double>(q.tie_breaker) * (sum - best);
  }

  // The fields as one, in which words count as often as their fields weigh.
  Score of(const CombinedFieldsQuery& q, const Document& doc, double boost) {
    double count = 0, total = 0, length = 0;
    for (const auto& [field, weight] : q.fields) {
      const TermStatistics s = statistics(field, "");
      count = std::max(count, static_cast<double>(s.doc_count));
      // The engine counts words in whole numbers.
      total += std::floor(static_cast<double>(weight) * static_cast<double>(s.sum_total_freq));
      length +=
          static_cast<double>(weight) *
          decode_length(encode_length(static_cast<std::uint32_t>(words_of(field, doc)->size())));
    }
    const double kept = decode_length(encode_length(static_cast<std::uint32_t>(length + 0.5)));
    double sum = 0;
    std::size_t hits = 0;
    const auto terms = split_words(q.value);
    for (const std::string& term : terms) {
      double tf = 0, df = 0;
      for (const auto& [field, weight] : q.fields) {
        tf += static_cast<double>(weight) *
              static_cast<double>(count_of(*words_of(field, doc), term));
        df = std::max(df, static_cast<double>(statistics(field, term).doc_freq));
      }
      if (tf == 0) continue;
      ++hits;
      const double idf = std::log(1 + (count - df + 0.5) / (df + 0.5));
      sum += boost * 2.2 * idf * tf / (tf + 1.2 * (0.25 + 0.75 * kept / (total / count)));
    }
    std::size_t need = q.op == Operator::and_ ? terms.size() : 1;
    if (!q.minimum_should_match.empty() && q.op == Operator::or_ && terms.size() > 1)
      need =
          std::max<std::size_t>(need, static_cast<std::size_t>(std::stoi(q.minimum_should_match)));
    return hits >= need ? Score(sum) : std::nullopt;
  }

  Score of(const BoolQuery& q, const Document& doc, double boost) {
    if (q.must.empty() && q.should.empty() && q.filter.empty() && q.must_not.empty()) return boost;
    double sum = 0;
    for (const Query& sub : q.must) {
      const auto s = judge(sub, doc, boost);
      if (!s) return std::nullopt;
      sum += *s;
    }
    for (const Query& sub : q.filter)
      if (!judge(sub, doc, 1)) return std::nullopt;
    for (const Query& sub : q.must_not)
      if (judge(sub, doc, 1)) return std::nullopt;
    std::size_t hits = 0;
    for (const Query& sub : q.should)
      if (const auto s = judge(sub, doc, boost)) {
        sum += *s;
        ++hits;
      }
    std::size_t need = q.must.empty() && q.filter.empty() && !q.should.empty() ? 1 : 0;
    if (!q.minimum_should_match.empty())
      need =
          std::max<std::size_t>(need, static_cast<std::size_t>(std::stoi(q.minimum_should_match)));
    return hits >= need ? Score(sum) : std::nullopt;
  }

  Score of(const ConstantScoreQuery& q, const Document& doc, double boost) {
    for (const Query& sub : q.filter)
      if (!judge(sub, doc, 1)) return std::nullopt;
    return boost;
  }

  Score of(const DisMaxQuery& q, const Document& doc, double boost) {
    double best = 0, sum = 0;
    bool any = false;
    for (const Query& sub : q.queries)
      if (const auto s = judge(sub, doc, boost)) {
        best = any ? std::max(best, *s) : *s;
        sum += *s;
        any = true;
      }
    if (!any) return std::nullopt;
    return best + (sum - best) * static_cast<double>(q.tie_breaker);
  }

  Score of(const BoostingQuery& q, const Document& doc, double boost) {
    double sum = 0;
    for (const Query& sub : q.positive) {
      const auto s = judge(sub, doc, boost);
      if (!s) return std::nullopt;
      sum += *s;
    }
    const bool demoted =
        !q.negative.empty() && std::all_of(q.negative.begin(), q.negative.end(),
                                           [&](const Query& sub) { return judge(sub, doc, 1); });
    return demoted ? sum * static_cast<double>(q.negative_boost) : sum;
  }

  static double nearness(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
      sum += d * d;
    }
    return 1 / (1 + sum);
  }
  // How near a document is, by the nearest of its objects where the vectors are theirs. Filters of
  // objects are asked of those.
  Score nearest_of(const KnnQuery& q, const Document& doc) {
    const bool objects = q.field.starts_with("parts.");
    std::vector<const Document*> places;
    if (objects)
      for (const Document& part : doc.parts) places.push_back(&part);
    else
      places.push_back(&doc);
    const auto is_of_objects = [](const Query& filter) {
      const auto* range = std::get_if<RangeQuery>(&filter.node);
      const auto* terms = std::get_if<TermsQuery>(&filter.node);
      return (range != nullptr && range->field.starts_with("parts.")) ||
             (terms != nullptr && terms->field.starts_with("parts."));
    };
    for (const Query& filter : q.filter) {
      if (!is_of_objects(filter)) {
        if (!judge(filter, doc, 1)) return std::nullopt;
        continue;
      }
      Query own = filter;
      strip(own, std::string_view("parts.").size());
      std::erase_if(places, [&](const Document* part) { return !judge(own, *part, 1); });
    }
    Score best;
    for (const Document* place : places)
      if (!place->vector.empty())
        best = std::max(best.value_or(0), nearness(q.vector, place->vector));
    const double far = static_cast<double>(q.similarity.value_or(0));
    if (best && q.similarity && *best < 1 / (1 + far * far) - 1e-9) return std::nullopt;
    return best;
  }
  Score of(const KnnQuery& q, const Document& doc, double boost) {
    const Score own = nearest_of(q, doc);
    if (!own) return std::nullopt;
    std::size_t nearer = 0;
    for (const auto& [id, other] : documents_)
      if (id != doc.id) nearer += nearest_of(q, other).value_or(0) > *own ? 1 : 0;
    return nearer < q.k ? Score(boost * *own) : std::nullopt;
  }

  Score of(const SliceQuery& q, const Document& doc, double boost) {
    std::uint64_t key = fast_hash(doc.id);
    if (q.field == "n") {
      key = 0;
      if (!doc.numbers.empty()) {
        const std::int64_t least = *std::min_element(doc.numbers.begin(), doc.numbers.end());
        key = fast_hash({reinterpret_cast<const char*>(&least), sizeof least});
      }
    }
    return key % q.max == q.id ? Score(boost) : std::nullopt;
  }

  Score of(const SparseQuery& q, const Document& doc, double boost) {
    double sum = 0;
    bool any = false;
    for (const auto& [token, weight] : q.weights)
      if (const auto at = doc.weights.find(token); at != doc.weights.end()) {
        sum += static_cast<double>(weight) * kept_weight(at->second);
        any = true;
      }
    return any ? Score(boost * sum) : std::nullopt;
  }
  // Nine significant bits, cut off.
  static double kept_weight(float weight) {
    int exponent = 0;
    const double fraction = std::frexp(static_cast<double>(weight), &exponent);
    return std::ldexp(std::floor(fraction * 512) / 512, exponent);
  }

  Score of(const MoreLikeThisQuery& q, const Document& doc, double boost) {
    std::vector<std::pair<std::string, std::string>> chosen;
    std::set<std::string> fields;
    for (const auto& text : q.like) fields.insert(text.field);
    for (const std::string& field : fields) {
      std::map<std::string, double> counts;
      std::set<std::string> unlike;
      for (const auto& text : q.like)
        if (text.field == field)
          for (const auto& word : split_words(text.text)) counts[word] += 1;
      for (const auto& text : q.unlike)
        if (text.field == field)
          for (const auto& word : split_words(text.text)) unlike.insert(word);
      std::vector<std::pair<double, std::string>> best;
      for (const auto& [word, count] : counts) {
        const auto df = static_cast<double>(statistics(field, word).doc_freq);
        if (count < static_cast<double>(q.min_term_freq) || unlike.contains(word) || df < 1 ||
            df < static_cast<double>(q.min_doc_freq))
          continue;
        const auto all = static_cast<double>(view_.document_count());
        best.emplace_back(-count * (std::log((all + 1) / (df + 1)) + 1), word);
      }
      std::sort(best.begin(), best.end());
      if (best.size() > q.max_query_terms) best.resize(q.max_query_terms);
      for (const auto& [score, word] : best) chosen.emplace_back(field, word);
    }
    double sum = 0;
    std::size_t hits = 0;
    for (const auto& [field, word] : chosen)
      if (const auto s = of(TermQuery{.field = field, .value = word}, doc, boost)) {
        sum += *s;
        ++hits;
      }
    const std::size_t need = q.minimum_should_match == "30%"
                                 ? chosen.size() * 3 / 10
                                 : static_cast<std::size_t>(std::stoi(q.minimum_should_match));
    return hits >= std::max<std::size_t>(need, 1) ? Score(sum) : std::nullopt;
  }

  Score of(const DistanceFeatureQuery& q, const Document& doc, double boost) {
    if (!doc.day) return std::nullopt;
    const auto pivot = static_cast<double>(q.pivot_ms);
    return boost * pivot / (pivot + std::abs(static_cast<double>(*doc.day) - q.origin.as_double()));
  }

  // What a document has of a feature, as it is kept.
  static std::optional<double> feature_of(const std::string& field, const Document& doc) {
    if (field == "rank")
      return doc.price ? std::optional(kept_weight(static_cast<float>(*doc.price + 1)))
                       : std::nullopt;
    const auto at = doc.weights.find(field.substr(field.find('.') + 1));
    if (at == doc.weights.end()) return std::nullopt;
    return kept_weight(1 / at->second);
  }
  Score of(const RankFeatureQuery& q, const Document& doc, double boost) {
    using enum RankFeatureQuery::Shape;
    const auto s = feature_of(q.field, doc);
    if (!s) return std::nullopt;
    if (q.shape == linear) return boost * *s;
    if (q.shape == log) return boost * std::log(static_cast<double>(q.scaling_factor) + *s);
    const double pivot = static_cast<double>(q.pivot.value_or(0));
    if (q.shape == saturation) return boost * *s / (*s + pivot);
    const double a = static_cast<double>(q.exponent);
    return boost * std::pow(*s, a) / (std::pow(*s, a) + std::pow(pivot, a));
  }

  static double number_of(const std::string& field, const Document& doc, double missing) {
    if (field == "price") return doc.price.value_or(missing);
    if (field == "day") return doc.day ? static_cast<double>(*doc.day) : missing;
    return doc.numbers.empty()
               ? missing
               : static_cast<double>(*std::min_element(doc.numbers.begin(), doc.numbers.end()));
  }
  static double value_of(const FieldValueFunction& f, const Document& doc) {
    const double n = number_of(f.field, doc, f.missing.value_or(0)) * f.factor;
    using enum FieldModifier;
    switch (f.modifier) {
      case none:
        return n;
      case log:
        return std::log10(n);
      case log1p:
        return std::log10(1 + n);
      case log2p:
        return std::log10(2 + n);
      case ln:
        return std::log(n);
      case ln1p:
        return std::log(1 + n);
      case ln2p:
        return std::log(2 + n);
      case square:
        return n * n;
      case sqrt:
        return std::sqrt(n);
      case reciprocal:
        return 1 / n;
    }
    return n;
  }
  static double value_of(const RandomFunction& f, const Document& doc) {
    std::uint64_t key[2] = {f.seed, 0};
    if (!doc.numbers.empty())
      key[1] =
          static_cast<std::uint64_t>(*std::min_element(doc.numbers.begin(), doc.numbers.end()));
    return static_cast<double>(fast_hash({reinterpret_cast<const char*>(key), sizeof key}) %
                               (1 << 24)) /
           (1 << 24);
  }
  static double value_of(const DecayFunction& f, const Document& doc) {
    std::vector<double> distances;
    const auto add = [&](double value) {
      const double offset = f.offset.is_null() ? 0 : f.offset.as_double();
      distances.push_back(std::max(0.0, std::abs(value - f.origin.as_double()) - offset));
    };
    if (f.field == "price" && doc.price) add(*doc.price);
    if (f.field == "n")
      for (const auto n : doc.numbers) add(static_cast<double>(n));
    double d = 0;
    using enum DecayFunction::Mode;
    if (!distances.empty()) {
      double sum = 0;
      for (const double one : distances) sum += one;
      d = f.mode == min   ? *std::min_element(distances.begin(), distances.end())
          : f.mode == max ? *std::max_element(distances.begin(), distances.end())
          : f.mode == avg ? sum / static_cast<double>(distances.size())
                          : sum;
    }
    const double scale = f.scale.as_double();
    // The decay is what the function gives at the scale.
    if (f.shape == DecayFunction::Shape::gauss) return std::pow(f.decay, d / scale * d / scale);
    if (f.shape == DecayFunction::Shape::exp) return std::pow(f.decay, d / scale);
    return std::max(0.0, 1 - d * (1 - f.decay) / scale);
  }
  static double value_of(const std::monostate&, const Document&) { return 1; }
  static double value_of(const Script&, const Document&) { return 1; }  // it sees the score too

  // What the scripts of random queries give, by their sources.
  static double value_of(const Script& script, const Document& doc, double score) {
    const double a = script.params.find("a")->as_double();
    const auto& n = doc.numbers;
    if (script.source == "_score * params.a + doc['n'].size()")
      return score * a + static_cast<double>(n.size());
    if (script.source == "doc['price'].size() == 0 ? params.a : doc['price'].value / 4")
      return doc.price ? *doc.price / 4 : a;
    if (script.source == "long s = 0; for (v in doc['n']) { if (v > 0) s += v } return s / params.a") {
      std::int64_t sum = 0;
      for (const std::int64_t one : n) sum += one > 0 ? one : 0;
      return static_cast<double>(sum) / a;
    }
    CAIRN_ASSERT(script.source ==
                 "saturation(doc['tags'].length + (doc['flag'].empty ? 1 : 2), params['a'])");
    const auto count = static_cast<double>(std::set(doc.tags.begin(), doc.tags.end()).size());
    const double value = count + (doc.flag ? 2 : 1);
    return value / (a + value);
  }
  Score of(const ScriptScoreQuery& q, const Document& doc, double boost) {
    const auto own = judge(q.query.front(), doc, 1);
    if (!own) return std::nullopt;
    return boost * value_of(q.script, doc, *own);
  }
  Score of(const ScriptQuery& q, const Document& doc, double boost) {
    bool fits = false;
    if (q.script.source == "doc['n'].size() > 0 && doc['n'].value % 3 == 0") {
      fits = !doc.numbers.empty() &&
             *std::min_element(doc.numbers.begin(), doc.numbers.end()) % 3 == 0;
    } else {
      CAIRN_ASSERT(q.script.source == "doc['tags'].contains(params.t)");
      const std::string wanted = q.script.params.find("t")->as_string();
      fits = std::find(doc.tags.begin(), doc.tags.end(), wanted) != doc.tags.end();
    }
    return fits ? Score(boost) : std::nullopt;
  }

  Score of(const FunctionScoreQuery& q, const Document& doc, double boost) {
    const auto own = judge(q.query.front(), doc, boost);
    if (!own) return std::nullopt;
    std::vector<double> values;
    double weights = 0;
    for (const ScoreFunction& f : q.functions) {
      const bool fits = std::all_of(f.filter.begin(), f.filter.end(),
                                    [&](const Query& sub) { return judge(sub, doc, 1); });
      if (!fits) continue;
      const auto weight = static_cast<double>(f.weight.value_or(1));
      weights += weight;
      if (const auto* script = std::get_if<Script>(&f.of))
        values.push_back(weight * value_of(*script, doc, *own));
      else
        values.push_back(weight *
                         std::visit([&](const auto& one) { return value_of(one, doc); }, f.of));
    }
    double score = *own;
    if (!q.functions.empty()) {
      double factor = 1;
      using Mode = FunctionScoreQuery::ScoreMode;
      if (!values.empty()) {
        double sum = 0, product = 1;
        for (const double value : values) sum += value, product *= value;
        factor = q.score_mode == Mode::multiply ? product
                 : q.score_mode == Mode::sum    ? sum
                 : q.score_mode == Mode::avg    ? sum / weights
                 : q.score_mode == Mode::first  ? values.front()
                 : q.score_mode == Mode::max    ? *std::max_element(values.begin(), values.end())
                                                : *std::min_element(values.begin(), values.end());
      }
      factor = std::min(factor, static_cast<double>(q.max_boost));
      switch (q.boost_mode) {
        case FunctionScoreQuery::BoostMode::multiply:
          score = *own * factor;
          break;
        case FunctionScoreQuery::BoostMode::replace:
          score = factor;
          break;
        case FunctionScoreQuery::BoostMode::sum:
          score = *own + factor;
          break;
        case FunctionScoreQuery::BoostMode::avg:
          score = (*own + factor) / 2;
          break;
        case FunctionScoreQuery::BoostMode::max:
          score = std::max(*own, factor);
          break;
        case FunctionScoreQuery::BoostMode::min:
          score = std::min(*own, factor);
          break;
      }
    }
    if (q.min_score && score < static_cast<double>(*q.min_score)) return std::nullopt;
    return score;
  }

  Score of(const DenseScoreQuery& q, const Document& doc, double boost) {
    if (doc.vector.empty()) return std::nullopt;
    return boost * nearness(q.vector, doc.vector);
  }

  std::string scope_;  // "parts.": of the objects that are judged
  const std::map<std::string, Document>& documents_;
  const View& view_;

 public:
  std::vector<std::string> vocabulary;
};

}  // namespace cairn::index::oracle
