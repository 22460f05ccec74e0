// SPDX-License-Identifier: Apache-2.0
// Random documents, and random questions about them, from a seed. For tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "index/oracle.h"
#include "index/query.h"

namespace cairn::index::oracle {

/// Documents are those of oracle::mapping; the judge of oracle.h knows every query that is made.
class RandomSearches {
 public:
  explicit RandomSearches(unsigned seed) : random_(seed) {
    for (const char* a : {"ba", "co", "du", "fe", "gi", "ha", "ke", "lo"})
      for (const char* b : {"lan", "mer", "nit", "pos", "rut"})
        words_.push_back(std::string(a) + b);
  }
  const std::vector<std::string>& vocabulary() const { return words_; }

  std::size_t below(std::size_t n) { return random_() % n; }
  bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; }
  // Few words are frequent, many are rare.
  const std::string& word() {
    const double u = std::uniform_real_distribution<>(0, 1)(random_);
    return words_[static_cast<std::size_t>(u * u * static_cast<double>(words_.size()))];
  }
  std::vector<std::string> text(std::size_t most) {
    std::vector<std::string> out;
    for (std::size_t n = below(most + 1); n > 0; --n) out.push_back(word());
    return out;
  }
  std::vector<float> vector() {
    std::vector<float> out;
    for (int i = 0; i < 4; ++i)
      out.push_back(static_cast<float>(static_cast<int>(below(257)) - 128) / 64.0f);  // exact
    return out;
  }

  Document document(std::string id) {
    Document d;
    d.id = std::move(id);
    d.body = text(chance(0.05) ? 120 : 14);
    if (chance(0.7)) d.title = text(4);
    for (std::size_t n = below(4); n > 0; --n) d.tags.push_back("t" + std::to_string(below(12)));
    std::sort(d.tags.begin(), d.tags.end());
    d.tags.erase(std::unique(d.tags.begin(), d.tags.end()), d.tags.end());
    for (std::size_t n = below(3); n > 0; --n)
      d.numbers.push_back(static_cast<std::int64_t>(below(50)) - 20);
    if (chance(0.6)) d.price = static_cast<double>(below(1000)) / 8;
    if (chance(0.5)) d.flag = chance(0.5);
    if (chance(0.6)) d.day = 1'750'000'000'000 + static_cast<std::int64_t>(below(100)) * 3'600'000;
    if (chance(0.6)) d.vector = vector();
    if (chance(0.5))
      for (std::size_t n = 1 + below(6); n > 0; --n)
        d.weights[word()] = static_cast<float>(1 + below(1000)) / 300.0f;
    if (chance(0.5)) d.parts = objects(1);
    return d;
  }
  std::vector<Document> objects(int depth) {
    std::vector<Document> out(below(5));
    for (Document& part : out) {
      part.body = text(6);
      if (chance(0.7)) part.tags = {"t" + std::to_string(below(12))};
      if (chance(0.6)) part.numbers = {static_cast<std::int64_t>(below(50)) - 20};
      if (depth > 0 && chance(0.5)) part.vector = vector();
      if (depth > 0 && chance(0.5)) part.parts = objects(depth - 1);
    }
    return out;
  }
  // Of objects: what is asked of documents, of the fields that objects have.
  Query::Node nested(int depth, const std::string& above = "") {
    NestedQuery q;
    q.path = above + (above.empty() && chance(0.3) ? "parts.parts" : "parts");
    q.score_mode = static_cast<NestedQuery::ScoreMode>(below(5));
    q.query.push_back(of_objects(depth - 1, q.path + "."));
    return q;
  }
  Query of_objects(int depth, const std::string& at) {
    Query q;
    if (chance(0.2)) q.boost = 0.5f + static_cast<float>(below(20)) / 8;
    const auto some = [&](std::size_t count) {
      std::vector<Query> out;
      for (; count > 0; --count) out.push_back(of_objects(depth - 1, at));
      return out;
    };
    const std::size_t kind = below(depth > 0 ? 11 : 8);
    if (kind == 0) q.node = MatchAllQuery{};
    if (kind == 1) q.node = TermQuery{.field = at + "body", .value = word()};
    if (kind == 2) q.node = TermsQuery{.field = at + "tags", .values = {tag(), tag(), tag()}};
    if (kind == 3)
      q.node = RangeQuery{.field = at + "n", .gte = static_cast<std::int64_t>(below(40)) - 20};
    if (kind == 4) q.node = ExistsQuery{.field = at + (chance(0.5) ? "tags" : "n")};
    if (kind == 5) q.node = MatchQuery{.field = at + "body", .value = join(1 + below(4))};
    if (kind == 6) q.node = MatchPhraseQuery{.field = at + "body", .value = join(1 + below(2))};
    if (kind == 7) q.node = PrefixQuery{.field = at + "body", .value = word().substr(0, 3)};
    if (kind == 8) q.node = BoolQuery{.must = some(below(3)), .should = some(1 + below(2))};
    if (kind == 9) q.node = BoolQuery{.filter = some(1), .must_not = some(1)};
    if (kind == 10 && at == "parts.") q.node = nested(depth, at);
    if (kind == 10 && at != "parts.") q.node = ConstantScoreQuery{.filter = some(1)};
    return q;
  }

  Query query(int depth) {
    Query q;
    if (chance(0.2)) q.boost = 0.5f + static_cast<float>(below(20)) / 8;
    const std::size_t kind = below(depth > 0 ? 34 : 25);
    switch (kind) {
      case 0:
        q.node = MatchAllQuery{};
        break;
      case 1:
        q.node = TermQuery{.field = "body", .value = word()};
        break;
      case 2:
        q.node = TermQuery{.field = "tags", .value = tag()};
        break;
      case 3:
        q.node = TermsQuery{.field = "tags", .values = {tag(), tag(), tag()}};
        break;
      case 4:
        q.node = range();
        break;
      case 5:
        q.node = ExistsQuery{.field = field()};
        break;
      case 6:
        q.node = PrefixQuery{.field = "body", .value = word().substr(0, 2 + below(3))};
        break;
      case 7:
        q.node = WildcardQuery{.field = "title", .value = pattern()};
        break;
      case 8:
        q.node = fuzzy();
        break;
      case 9:
      case 10:
        q.node = words();
        break;
      case 11:
        q.node = phrase();
        break;
      case 12:
        q.node = sparse();
        break;
      case 13:
        q.node = nearest(depth);
        break;
      case 14:
        if (chance(0.5))
          q.node = TermQuery{.field = "flag", .value = chance(0.5)};
        else
          q.node = TermQuery{.field = "n", .value = static_cast<std::int64_t>(below(50)) - 20};
        break;
      case 15:
        q.node = chance(0.5) ? combined() : blended();
        break;
      case 16:
        q.node = RegexpQuery{.field = chance(0.5) ? "body" : "tags", .value = regexp()};
        break;
      case 17:
        q.node = feature();
        break;
      case 18:
        q.node = DistanceFeatureQuery{
            .field = "day",
            .origin = 1'750'000'000'000 + static_cast<std::int64_t>(below(200)) * 1'800'000,
            .pivot_ms = static_cast<std::int64_t>(1 + below(50)) * 1'000'000};
        break;
      case 19:
        q.node = alike();
        break;
      case 20:
        q.node = TermsSetQuery{
            .field = "body", .values = {word(), word(), word(), word()}, .least_field = "n"};
        if (chance(0.4))
          std::get<TermsSetQuery>(q.node).least_script = Script{
              .source = "doc['n'].empty ? 99 : Math.min(params.num_terms, doc['n'].value)"};
        break;
      case 21:
      case 22:
        q.node = spans(3);
        break;
      case 23:
        q.node = IntervalsQuery{.field = chance(0.8) ? "body" : "title", .rule = {rule(2)}};
        break;
      case 24:
        q.node = script_filter();
        break;
      case 32:
        q.node = ScriptScoreQuery{.query = several(depth, 1), .script = script()};
        break;
      case 33:
        q.node = functions(depth);
        break;
      case 25:
      case 26:
      case 27:
        q.node = boolean(depth);
        break;
      case 28:
        q.node = DisMaxQuery{.queries = several(depth, 1 + below(3)),
                             .tie_breaker = chance(0.5) ? 0.0f : 0.3f};
        break;
      case 29:
      case 30:
        q.node = nested(depth);
        break;
      default:
        q.node = chance(0.5) ? Query::Node(ConstantScoreQuery{.filter = several(depth, 1)})
                             : Query::Node(BoostingQuery{.positive = several(depth, 1),
                                                         .negative = several(depth, 1),
                                                         .negative_boost = 0.25f});
    }
    return q;
  }

  // Frequent words, so that pieces are found.
  SpanQuery spans(int depth, const std::string& field = "body") {
    SpanQuery s;
    s.field = field;
    using enum SpanQuery::Kind;
    static constexpr std::array kinds = {near,  near,       near,   any,    without,
                                         first, containing, within, masked, multi};
    s.kind = depth == 0 || chance(0.2) ? term : kinds[below(kinds.size())];
    if (s.kind == term) s.value = frequent_word();
    if (s.kind == multi) s.of.push_back({.node = several_words(field)});
    if (s.kind == term || s.kind == multi) return s;
    s.slop = static_cast<std::uint32_t>(below(6));
    s.in_order = chance(0.5);
    s.before = static_cast<std::uint32_t>(chance(0.5) ? 0 : below(3));
    s.after = static_cast<std::uint32_t>(chance(0.5) ? 0 : below(3));
    s.end = static_cast<std::uint32_t>(below(12));
    const std::string below_it = s.kind != masked ? field : field == "body" ? "title" : "body";
    const std::size_t count = s.kind == near || s.kind == any       ? 1 + below(4)
                              : s.kind == first || s.kind == masked ? 1
                                                                    : 2;
    for (std::size_t i = 0; i < count; ++i) s.parts.push_back(spans(depth - 1, below_it));
    if (s.kind == near && s.in_order && chance(0.3)) {
      SpanQuery gap;
      gap.kind = SpanQuery::Kind::gap;
      gap.field = field;
      gap.width = static_cast<std::uint32_t>(below(3));
      s.parts.insert(s.parts.begin() + static_cast<std::ptrdiff_t>(below(count + 1)), gap);
    }
    return s;
  }

  // `within`: something that heeds lengths, where choices are of one word each.
  IntervalsRule rule(int depth, bool within = false) {
    using Kind = IntervalsRule::Kind;
    IntervalsRule r;
    const double which =
        depth == 0 ? chance(0.8) ? 0.0 : 0.2 : static_cast<double>(below(100)) / 100;
    r.kind = which < 0.2    ? Kind::words
             : which < 0.35 ? Kind::multi
             : which < 0.8  ? Kind::all
                            : Kind::any;
    if (r.kind == Kind::words) r.text = frequent_words(1 + below(3));
    if (r.kind == Kind::multi) {
      r.of.push_back({.node = PrefixQuery{.field = "body", .value = word().substr(0, 2)}});
      if (chance(0.3)) r.of.front().node = WildcardQuery{.field = "body", .value = pattern()};
    }
    if (r.kind == Kind::all || r.kind == Kind::words) r.ordered = chance(0.5);
    if (r.kind == Kind::words && chance(0.4)) r.max_gaps = static_cast<std::uint32_t>(below(4));
    if (r.kind == Kind::all && r.ordered && chance(0.3)) r.max_gaps = 0;
    const bool short_ones = r.kind == Kind::any && within;
    for (std::size_t n = r.parts.empty() && r.of.empty() && r.text.empty() ? 1 + below(3) : 0;
         n > 0; --n) {
      r.parts.push_back(rule(short_ones ? 0 : depth - 1, within || r.kind == Kind::all));
      if (short_ones) r.parts.back() = one_word();
    }
    if (depth > 0 && chance(0.3)) {
      r.filter = static_cast<IntervalsRule::Filter>(below(8));
      // What is around other words, and what that is compared with, may be a choice of lengths.
      if (r.kind == Kind::any) r = one_word();
      r.by.push_back(rule(depth - 1, true));
    }
    return r;
  }
  IntervalsRule one_word() {
    IntervalsRule r;
    r.text = frequent_words(1);
    return r;
  }
  std::string frequent_words(std::size_t count) {
    std::string out = frequent_word();
    for (; count > 1; --count) out += " " + frequent_word();
    return out;
  }

 private:
  std::string tag() { return "t" + std::to_string(below(13)); }
  std::string field() {
    static const char* names[] = {"body", "title", "tags", "n", "price", "flag", "v", "s"};
    return names[below(8)];
  }
  std::string pattern() {
    std::string out = word();
    out[below(out.size())] = chance(0.5) ? '?' : '*';
    return out;
  }
  // A word of which some letters became something that may match them.
  std::string regexp() {
    std::string out;
    for (const char c : chance(0.7) ? word() : tag()) {
      static const char* pieces[] = {".", "[a-m]", "[^e]", ".*", "(a|e|o)?", "t+", ".{1,2}"};
      out += chance(0.7) ? std::string(1, c) : pieces[below(7)];
    }
    if (chance(0.2)) out = "~(" + out + ")";
    if (chance(0.2)) out += "&.*" + word().substr(3);
    if (chance(0.2)) out += "|" + word();
    return out;
  }
  Query::Node range() {
    RangeQuery r;
    r.field = chance(0.5) ? "n" : chance(0.5) ? "price" : "tags";
    const auto bound = [&]() -> Json {
      if (r.field == "tags") return tag();
      if (r.field == "price") return static_cast<double>(below(1000)) / 8;
      return chance(0.8) ? Json(static_cast<std::int64_t>(below(50)) - 20)
                         : Json(static_cast<double>(below(100)) / 2 - 20.5);
    };
    if (chance(0.7)) (chance(0.5) ? r.gt : r.gte) = bound();
    if (chance(0.7)) (chance(0.5) ? r.lt : r.lte) = bound();
    return r;
  }
  Query::Node fuzzy() {
    FuzzyQuery f;
    f.field = "body";
    f.value = word();
    f.value[below(f.value.size())] = 'x';
    f.fuzziness = chance(0.5) ? "1" : "2";
    f.max_expansions = 1000;
    return f;
  }
  std::string join(std::size_t count) {
    std::string out;
    for (; count > 0; --count) out += (out.empty() ? "" : " ") + word();
    return out;
  }
  Query::Node words() {
    MatchQuery m;
    static const char* fields[] = {"title", "title.say", "title.say._2gram", "title.say._3gram"};
    m.field = chance(0.7) ? "body" : fields[below(4)];
    m.value = join(1 + below(5));
    if (chance(0.3))
      m.op = Operator::and_;
    else if (chance(0.3))
      m.minimum_should_match = std::to_string(1 + below(3));
    if (chance(0.3)) {
      m.prefix = true;
      m.value = m.value.as_string().substr(0, m.value.as_string().size() - below(4));
    }
    return m;
  }
  Query::Node blended() {
    BlendedQuery b;
    b.fields = {{"body", 1.0f}, {"title", chance(0.5) ? 1.0f : 2.5f}};
    if (chance(0.2)) b.fields.pop_back();
    for (std::size_t i = 1 + below(2); i > 0; --i) b.words.push_back(word());
    if (chance(0.5)) b.tie_breaker = 0.3f;
    return b;
  }
  Query::Node combined() {
    CombinedFieldsQuery c;
    c.fields = {{"body", 1.0f}, {"title", chance(0.5) ? 1.0f : 2.5f}};
    c.value = join(1 + below(4));
    if (chance(0.3))
      c.op = Operator::and_;
    else if (chance(0.3))
      c.minimum_should_match = std::to_string(1 + below(3));
    return c;
  }
  Query::Node phrase() {
    MatchPhraseQuery p;
    p.field = "body";
    p.value = join(1 + below(3));
    return p;
  }
  std::string frequent_word() { return words_[below(chance(0.8) ? 8 : words_.size())]; }
  Query::Node several_words(const std::string& field) {
    if (chance(0.4)) return PrefixQuery{.field = field, .value = word().substr(0, 1 + below(3))};
    if (chance(0.3)) return WildcardQuery{.field = field, .value = "*" + word().substr(3)};
    if (chance(0.3)) return RegexpQuery{.field = field, .value = word().substr(0, 2) + ".*"};
    std::string near = frequent_word();
    near[below(near.size())] = 'x';
    return FuzzyQuery{.field = field, .value = near, .fuzziness = "2", .max_expansions = 1000};
  }
  Query::Node sparse() {
    SparseQuery s;
    s.field = "s";
    std::set<std::string> tokens;
    for (std::size_t n = 1 + below(6); n > 0; --n) tokens.insert(word());
    for (const auto& token : tokens)
      s.weights.emplace_back(token, static_cast<float>(1 + below(100)) / 16.0f);
    return s;
  }
  Query::Node nearest(int depth) {
    KnnQuery k;
    k.field = "v";
    k.vector = vector();
    k.k = 1 + below(30);
    if (depth > 0 && chance(0.4)) k.filter = several(0, 1);
    if (chance(0.4)) {
      k.field = "parts.v";
      if (chance(0.3)) k.filter.push_back({.node = range_of_objects()});
      if (chance(0.2)) k.filter.push_back({.node = TermsQuery{"parts.tags", {tag(), tag(), tag()}}});
      if (chance(0.3)) k.similarity = 0.5f + static_cast<float>(below(4));
      return k;
    }
    if (chance(0.3)) k.similarity = 0.5f + static_cast<float>(below(4));
    if (chance(0.3)) return DenseScoreQuery{.field = "v", .vector = k.vector};
    return k;
  }
  Query::Node range_of_objects() {
    return RangeQuery{.field = "parts.n", .gte = static_cast<std::int64_t>(below(40)) - 20};
  }
  Query::Node alike() {
    MoreLikeThisQuery m;
    m.like = {{"body", join(8 + below(20))}};
    if (chance(0.5)) m.like.push_back({"title", join(4)});
    if (chance(0.3)) m.unlike = {{"body", join(4)}};
    m.min_term_freq = 1 + below(2);
    m.min_doc_freq = 1 + below(4);
    m.max_query_terms = 1 + below(8);
    if (chance(0.5)) m.minimum_should_match = std::to_string(1 + below(3));
    return m;
  }
  Query::Node feature() {
    RankFeatureQuery f{.field = chance(0.5) ? "rank" : "topics." + word()};
    const std::size_t shapes = f.field == "rank" ? 4 : 2;  // less is better: no log, no linear
    f.shape =
        std::array{RankFeatureQuery::Shape::saturation, RankFeatureQuery::Shape::sigmoid,
                   RankFeatureQuery::Shape::log, RankFeatureQuery::Shape::linear}[below(shapes)];
    f.pivot = 0.5f + static_cast<float>(below(100)) / 4;
    f.scaling_factor = 1 + static_cast<float>(below(10)) / 4;
    f.exponent = 0.5f + static_cast<float>(below(8)) / 4;
    return f;
  }
  // The oracle knows these.
  Script script() {
    static const char* sources[] = {
        "_score * params.a + doc['n'].size()",
        "doc['price'].size() == 0 ? params.a : doc['price'].value / 4",
        "long s = 0; for (v in doc['n']) { if (v > 0) s += v } return s / params.a",
        "saturation(doc['tags'].length + (doc['flag'].empty ? 1 : 2), params['a'])"};
    const double a = 0.5 + static_cast<double>(below(16)) / 4;
    return {.source = sources[below(4)], .params = Json::object({{"a", a}})};
  }
  ScriptQuery script_filter() {
    if (chance(0.5))
      return {{.source = "doc['n'].size() > 0 && doc['n'].value % 3 == 0"}};
    return {{.source = "doc['tags'].contains(params.t)",
             .params = Json::object({{"t", tag()}})}};
  }
  ScoreFunction function(int depth) {
    ScoreFunction f;
    if (chance(0.5)) f.filter = several(depth, 1);
    if (chance(0.4)) f.weight = static_cast<float>(1 + below(20)) / 4;
    const std::size_t kind = below(5);
    if (kind == 4) f.of = script();
    if (kind == 0)
      f.of = FieldValueFunction{.field = "price",
                                .factor = static_cast<double>(1 + below(8)) / 4,
                                .modifier = static_cast<FieldModifier>(below(9)),
                                .missing = 3.0};
    if (kind == 0 && chance(0.9))  // what gives no negative numbers where prices are small
      std::get<FieldValueFunction>(f.of).modifier =
          std::array{FieldModifier::none, FieldModifier::log1p, FieldModifier::ln2p,
                     FieldModifier::square, FieldModifier::sqrt}[below(5)];
    else if (kind == 0)
      std::get<FieldValueFunction>(f.of).modifier = FieldModifier::ln1p;
    if (kind == 1) f.of = RandomFunction{.seed = below(1000), .field = "n"};
    if (kind == 2)
      f.of =
          DecayFunction{.shape = static_cast<DecayFunction::Shape>(below(3)),
                        .field = chance(0.5) ? "n" : "price",
                        .origin = static_cast<std::int64_t>(below(40)),
                        .scale = static_cast<std::int64_t>(1 + below(30)),
                        .offset = chance(0.5) ? Json() : Json(static_cast<std::int64_t>(below(9))),
                        .decay = 0.2 + 0.1 * static_cast<double>(below(6)),
                        .mode = static_cast<DecayFunction::Mode>(below(4))};
    if (kind == 3 && !f.weight) f.weight = 2;
    return f;
  }
  Query::Node functions(int depth) {
    FunctionScoreQuery f;
    f.query = several(depth, 1);
    for (std::size_t n = below(4); n > 0; --n) f.functions.push_back(function(depth - 1));
    f.score_mode = static_cast<FunctionScoreQuery::ScoreMode>(below(6));
    f.boost_mode = static_cast<FunctionScoreQuery::BoostMode>(below(6));
    if (chance(0.2)) f.max_boost = 2;
    return f;
  }
  Query::Node boolean(int depth) {
    BoolQuery b;
    if (chance(0.5)) b.must = several(depth, 1 + below(2));
    if (chance(0.6)) b.should = several(depth, 1 + below(4));
    if (chance(0.5)) b.filter = several(depth, 1 + below(2));
    if (chance(0.3)) b.must_not = several(depth, 1);
    if (!b.should.empty() && chance(0.2)) b.minimum_should_match = std::to_string(1 + below(2));
    return b;
  }
  std::vector<Query> several(int depth, std::size_t count) {
    std::vector<Query> out;
    for (; count > 0; --count) out.push_back(query(depth - 1));
    return out;
  }

  std::mt19937 random_;
  std::vector<std::string> words_;
};

}  // namespace cairn::index::oracle
