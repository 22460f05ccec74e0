// SPDX-License-Identifier: Apache-2.0
// Random documents and random queries, compared with the oracle: ids, scores, counts, orders;
// across refreshes, flushes, merges and restarts.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>

#include "index/oracle.h"
#include "index/query/explain.h"
#include "index/testing.h"

namespace cairn::index::search_test {
namespace {

using oracle::Document;

// The kinds of a query and of what lies below it, by their place in Query::Node.
std::string kinds(const Query& query) {
  std::string out = std::to_string(query.node.index());
  const auto add = [&](const char* name, const std::vector<Query>& list) {
    for (const Query& sub : list) out += std::string(" ") + name + "(" + kinds(sub) + ")";
  };
  if (const auto* b = std::get_if<BoolQuery>(&query.node)) {
    add("must", b->must);
    add("should", b->should);
    add("filter", b->filter);
    add("not", b->must_not);
  }
  if (const auto* c = std::get_if<ConstantScoreQuery>(&query.node)) add("constant", c->filter);
  if (const auto* d = std::get_if<DisMaxQuery>(&query.node)) add("any", d->queries);
  if (const auto* k = std::get_if<KnnQuery>(&query.node)) add("filter", k->filter);
  if (const auto* n = std::get_if<NestedQuery>(&query.node)) add(n->path.c_str(), n->query);
  return out;
}

class World {
 public:
  explicit World(unsigned seed) : random_(seed) {
    for (const char* a : {"ba", "co", "du", "fe", "gi", "ha", "ke", "lo"})
      for (const char* b : {"lan", "mer", "nit", "pos", "rut"})
        words_.push_back(std::string(a) + b);
    house_.create("i", oracle::mapping);
  }

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

  void write_some(std::size_t count, bool deletes) {
    auto& index = *current();
    std::vector<WriteOperation> batch;
    for (std::size_t i = 0; i < count; ++i) {
      WriteOperation operation;
      operation.id = "d" + std::to_string(below(deletes ? 700 : 100'000));
      if (deletes && chance(0.25)) {
        operation.kind = WriteOperation::Kind::remove;
        documents_.erase(operation.id);
      } else {
        if (!deletes && documents_.contains(operation.id)) continue;
        Document d = document(operation.id);
        operation.source = d.json().dump();
        documents_[operation.id] = std::move(d);
      }
      batch.push_back(std::move(operation));
      if (batch.size() > below(40)) flush_batch(index, batch);
    }
    flush_batch(index, batch);
    REQUIRE(index.refresh(house_.soon()).ok());
  }

  void flush_batch(Index& index, std::vector<WriteOperation>& batch) {
    const auto results = index.write(batch, house_.soon());
    REQUIRE(results.ok());
    for (const WriteResult& result : *results) {
      INFO((result.error ? result.error->message : std::string()));
      REQUIRE(!result.error);
    }
    batch.clear();
  }

  std::shared_ptr<Index> current() {
    auto found = house_.indices().find("i");
    REQUIRE(found.ok());
    return *found;
  }

  void check(const Query& query);
  void check_sorted(const Query& query);
  void check_in_order(const Query& query);
  void check_slices(const Query& query);
  void check_collapsed(const Query& query);
  void check_counted_objects(const Query& query);
  void check_sorted_by_objects(const Query& query);
  void check_all(int rounds) {
    const auto view = current()->view();
    REQUIRE(view->document_count() == documents_.size());
    for (int i = 0; i < rounds; ++i) {
      const Query q = this->query(2);
      CAPTURE(i);
      CAPTURE(kinds(q));
      check(q);
      if (i % 3 == 0) check_sorted(q);
      if (i % 3 == 1) check_in_order(q);
      if (i % 6 == 2) check_slices(q);
      if (i % 6 == 5) check_collapsed(q);
      if (i % 4 == 0) check_counted_objects(q);
      if (i % 4 == 2) check_sorted_by_objects(q);
    }
  }

  Fixture house_;
  std::map<std::string, Document> documents_;

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

  friend struct Access;

 public:
  const std::vector<std::string>& vocabulary() const { return words_; }
};

bool close(double a, double b) { return std::abs(a - b) <= 2e-5 * std::max(1.0, std::abs(b)); }

void World::check(const Query& query) {
  const auto view = current()->view();
  oracle::Judge judge(documents_, *view);
  judge.vocabulary = words_;
  const auto expected = judge.all(query);
  std::vector<double> best;
  for (const auto& [id, score] : expected) best.push_back(score);
  std::sort(best.rbegin(), best.rend());

  SearchParams params;
  params.size = chance(0.5) ? 10 : 2000;
  params.from = chance(0.2) ? below(20) : 0;
  params.track_total_hits = chance(0.5) ? UINT64_MAX : below(60);
  const auto found = view->search(query, params, house_.soon());
  INFO((found.ok() ? std::string() : found.error().message));
  REQUIRE(found.ok());
  if (expected.size() > params.track_total_hits) {
    CHECK(found->total == params.track_total_hits);
    CHECK(found->total_is_lower_bound);
  } else {
    CHECK(found->total == expected.size());
    CHECK(!found->total_is_lower_bound);
  }
  const std::size_t shown = std::min(params.size, best.size() - std::min(best.size(), params.from));
  REQUIRE(found->hits.size() == shown);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < found->hits.size(); ++i) {
    const Hit& hit = found->hits[i];
    const auto id = view->id(hit.doc, house_.soon());
    REQUIRE(id.ok());
    CHECK(ids.insert(*id).second);
    const auto at = expected.find(*id);
    CAPTURE(*id);
    REQUIRE(at != expected.end());
    CAPTURE(hit.score);
    CAPTURE(at->second);
    CHECK(close(static_cast<double>(hit.score), at->second));
    CHECK(close(static_cast<double>(hit.score), best[i + params.from]));
  }
  const auto count = view->count(query, house_.soon());
  REQUIRE(count.ok());
  CHECK(*count == expected.size());
}

// Sorted by values, in pages by search_after, the order is the one of the values.
void World::check_sorted(const Query& query) {
  const auto view = current()->view();
  oracle::Judge judge(documents_, *view);
  judge.vocabulary = words_;
  const auto expected = judge.all(query);
  SearchParams params;
  params.size = 7;
  params.sort.push_back({.by = SortKey::By::field,
                         .field = chance(0.5)   ? "n"
                                  : chance(0.5) ? "tags"
                                                : "price",
                         .descending = chance(0.5),
                         .missing_first = chance(0.3)});
  if (chance(0.5)) params.sort.push_back({.by = SortKey::By::score, .descending = true});
  params.sort.push_back({.by = SortKey::By::doc});
  const SortKey& key = params.sort[0];
  // Numbers that are missing are shown as what stands before or behind all others.
  const bool least = key.missing_first != key.descending;
  const auto value_of = [&](const Document& d) -> SortValue {
    if (key.field == "price") return d.price.value_or(least ? -HUGE_VAL : HUGE_VAL);
    if (key.field == "n") {
      if (d.numbers.empty()) return least ? INT64_MIN : INT64_MAX;
      const auto [low, high] = std::minmax_element(d.numbers.begin(), d.numbers.end());
      return key.descending ? *high : *low;
    }
    if (d.tags.empty()) return {};
    return key.descending ? d.tags.back() : d.tags.front();
  };
  std::vector<SortValue> wanted;
  for (const auto& [id, score] : expected) wanted.push_back(value_of(documents_.at(id)));
  std::sort(wanted.begin(), wanted.end(), [&](const SortValue& a, const SortValue& b) {
    const bool none_a = a.index() == 0, none_b = b.index() == 0;
    if (none_a != none_b) return none_a == key.missing_first;
    return key.descending ? b < a : a < b;
  });
  std::vector<SortValue> got;
  std::set<std::string> ids;
  for (;;) {
    const auto found = view->search(query, params, house_.soon());
    INFO((found.ok() ? std::string() : found.error().message));
    REQUIRE(found.ok());
    if (found->hits.empty()) break;
    for (const Hit& hit : found->hits) {
      const auto id = view->id(hit.doc, house_.soon());
      REQUIRE(id.ok());
      CHECK(ids.insert(*id).second);
      got.push_back(hit.sort[0]);
      CHECK(hit.sort[0] == value_of(documents_.at(*id)));
    }
    params.search_after = found->hits.back().sort;
  }
  CHECK(got.size() == wanted.size());
  CHECK(got == wanted);
}

// In pages of the index's own order each document comes once, ascending, whatever is counted.
void World::check_in_order(const Query& query) {
  const auto view = current()->view();
  oracle::Judge judge(documents_, *view);
  judge.vocabulary = words_;
  const auto expected = judge.all(query);
  SearchParams params;
  params.size = 1 + below(40);
  params.sort = {{.by = SortKey::By::doc}};
  params.track_total_hits = chance(0.4) ? 0 : chance(0.5) ? UINT64_MAX : below(60);
  std::set<std::string> ids;
  std::int64_t last = -1;
  for (;;) {
    const auto found = view->search(query, params, house_.soon());
    INFO((found.ok() ? std::string() : found.error().message));
    REQUIRE(found.ok());
    CHECK(found->total == std::min<std::uint64_t>(expected.size(), params.track_total_hits));
    if (params.track_total_hits > 0)
      CHECK(found->total_is_lower_bound == (expected.size() > params.track_total_hits));
    if (found->hits.empty()) break;
    CHECK(found->hits.size() <= params.size);
    for (const Hit& hit : found->hits) {
      CHECK(ids.insert(view->id(hit.doc, house_.soon()).value()).second);
      CHECK(std::get<std::int64_t>(hit.sort[0]) > last);
      last = std::get<std::int64_t>(hit.sort[0]);
    }
    params.search_after = found->hits.back().sort;
  }
  CHECK(ids.size() == expected.size());
  for (const std::string& id : ids) CHECK(expected.contains(id));
}

// Of each group the best is a hit, in the order of the best; all documents are counted.
void World::check_collapsed(const Query& query) {
  const auto view = current()->view();
  oracle::Judge judge(documents_, *view);
  judge.vocabulary = words_;
  std::map<std::optional<std::string>, double> best;
  const auto expected = judge.all(query);
  for (const auto& [id, score] : expected) {
    const auto [at, is_new] = best.try_emplace(documents_.at(id).kind(), score);
    if (!is_new) at->second = std::max(at->second, score);
  }
  std::vector<double> wanted;
  for (const auto& [kind, score] : best) wanted.push_back(score);
  std::sort(wanted.rbegin(), wanted.rend());
  SearchParams params;
  params.collapse = "kind";
  params.from = below(3);
  params.size = 1 + below(9);
  params.track_total_hits = UINT64_MAX;
  const auto found = view->search(query, params, house_.soon());
  INFO((found.ok() ? std::string() : found.error().message));
  REQUIRE(found.ok());
  CHECK(found->total == expected.size());
  const std::size_t shown =
      std::min(params.size, wanted.size() - std::min(wanted.size(), params.from));
  REQUIRE(found->hits.size() == shown);
  std::set<SortValue> groups;
  for (std::size_t i = 0; i < shown; ++i) {
    const Hit& hit = found->hits[i];
    CHECK(hit.sort.empty());
    CHECK(groups.insert(hit.group).second);
    const auto* kind = std::get_if<std::string>(&hit.group);
    const auto group = kind == nullptr ? std::optional<std::string>() : std::optional(*kind);
    CHECK(documents_.at(view->id(hit.doc, house_.soon()).value()).kind() == group);
    CHECK(close(static_cast<double>(hit.score), best.at(group)));
    CHECK(close(static_cast<double>(hit.score), wanted[i + params.from]));
  }
  // By another key: the least price of each group is its price.
  params.sort = {{.by = SortKey::By::field, .field = "price"}};
  params.from = 0;
  std::map<std::optional<std::string>, double> least;
  for (const auto& [id, score] : expected) {
    const double price = documents_.at(id).price.value_or(HUGE_VAL);
    const auto [at, is_new] = least.try_emplace(documents_.at(id).kind(), price);
    if (!is_new) at->second = std::min(at->second, price);
  }
  std::vector<double> prices;
  for (const auto& [kind, price] : least) prices.push_back(price);
  std::sort(prices.begin(), prices.end());
  const auto sorted = view->search(query, params, house_.soon());
  REQUIRE(sorted.ok());
  REQUIRE(sorted->hits.size() == std::min(params.size, prices.size()));
  for (std::size_t i = 0; i < sorted->hits.size(); ++i)
    CHECK(std::get<double>(sorted->hits[i].sort[0]) == prices[i]);
}

// What is counted of objects, and of the documents that they are in, is what walking them gives.
void World::check_counted_objects(const Query& query) {
  const auto view = current()->view();
  oracle::Judge judge(documents_, *view);
  judge.vocabulary = words_;
  std::map<std::string, std::pair<std::int64_t, std::set<std::string>>> tags;  // objects, documents
  std::map<std::string, std::map<std::string, std::int64_t>> kinds;            // of documents
  std::int64_t objects = 0, inner = 0, good = 0;
  double sum = 0;
  std::set<std::string> around_inner;  // outer objects with inner ones
  for (const auto& [id, score] : judge.all(query)) {
    const Document& doc = documents_.at(id);
    for (std::size_t i = 0; i < doc.parts.size(); ++i) {
      const Document& part = doc.parts[i];
      ++objects;
      inner += static_cast<std::int64_t>(part.parts.size());
      if (!part.parts.empty()) around_inner.insert(id + " " + std::to_string(i));
      for (const std::int64_t n : part.numbers) sum += static_cast<double>(n);
      good += !part.numbers.empty() && part.numbers.front() >= 5 ? 1 : 0;
      for (const std::string& tag : part.tags) {
        auto& [count, ids] = tags[tag];
        ++count;
        if (ids.insert(id).second && doc.kind()) ++kinds[tag][*doc.kind()];
      }
    }
  }
  SearchParams params{.size = 0};
  params.read_query = [](const Json&) -> Result<Query> {
    return Query{.node = RangeQuery{.field = "parts.n", .gte = 5}};
  };
  params.aggregations = Fixture::json(R"({"o": {"nested": {"path": "parts"}, "aggs": {
    "tags": {"terms": {"field": "parts.tags", "size": 50}, "aggs": {"docs": {"reverse_nested": {},
      "aggs": {"kinds": {"terms": {"field": "kind", "size": 50}}}}}},
    "sum": {"sum": {"field": "parts.n"}}, "good": {"filter": {"any": {}}},
    "inner": {"nested": {"path": "parts.parts"}, "aggs": {"around": {"reverse_nested": {"path": "parts"}}}}}},
    "straight": {"nested": {"path": "parts.parts"}, "aggs": {"around": {"reverse_nested": {"path": "parts"}}}}})");
  const auto found = view->search(query, params, house_.soon());
  INFO((found.ok() ? std::string() : found.error().message));
  REQUIRE(found.ok());
  const Json& out = found->aggregations;
  const auto count = [&](const char* path) { return out.find_path(path)->as_int(); };
  CHECK(count("o.doc_count") == objects);
  CHECK(count("o.inner.doc_count") == inner);
  CHECK(count("straight.doc_count") == inner);
  CHECK(count("o.inner.around.doc_count") == static_cast<std::int64_t>(around_inner.size()));
  CHECK(count("straight.around.doc_count") == static_cast<std::int64_t>(around_inner.size()));
  CHECK(count("o.good.doc_count") == good);
  CHECK(out.find_path("o.sum.value")->as_double() == sum);
  const auto& buckets = out.find_path("o.tags.buckets")->as_array();
  CHECK(buckets.size() == tags.size());
  for (const Json& bucket : buckets) {
    const auto& [of_objects, ids] = tags[bucket.find("key")->as_string()];
    CHECK(bucket.find("doc_count")->as_int() == of_objects);
    CHECK(bucket.find_path("docs.doc_count")->as_int() == static_cast<std::int64_t>(ids.size()));
    std::map<std::string, std::int64_t> by_kind;
    for (const Json& one : bucket.find_path("docs.kinds.buckets")->as_array())
      by_kind[one.find("key")->as_string()] = one.find("doc_count")->as_int();
    CHECK(by_kind == kinds[bucket.find("key")->as_string()]);
  }
}

// Sorted by values of objects that pass a filter, the order is the one of those values.
void World::check_sorted_by_objects(const Query& query) {
  const auto view = current()->view();
  oracle::Judge judge(documents_, *view);
  judge.vocabulary = words_;
  const bool words = chance(0.4), inner = chance(0.3), filtered = chance(0.5);
  SortKey key{.by = SortKey::By::field,
              .field = std::string(inner ? "parts.parts." : "parts.") + (words ? "tags" : "n"),
              .descending = chance(0.5)};
  const std::size_t most = chance(0.3) ? 1 : SIZE_MAX;
  if (inner) key.nested = {{.path = "parts", .filter = filtered ? Json::object() : Json()}};
  key.nested.push_back({.path = inner ? "parts.parts" : "parts",
                        .filter = filtered && !inner ? Json::object() : Json(),
                        .max_children = most});
  static constexpr SortKey::Mode modes[] = {SortKey::Mode::automatic, SortKey::Mode::sum,
                                            SortKey::Mode::avg};
  if (!words) key.mode = modes[below(3)];
  const auto value_of = [&](const Document& doc) -> SortValue {
    std::vector<std::int64_t> numbers;
    std::vector<std::string> tags;
    std::size_t with_value = 0;
    const auto take = [&](const Document& part) {
      if ((words ? part.tags.empty() : part.numbers.empty()) || ++with_value > most) return;
      numbers.insert(numbers.end(), part.numbers.begin(), part.numbers.end());
      tags.insert(tags.end(), part.tags.begin(), part.tags.end());
    };
    for (const Document& part : doc.parts) {
      if (filtered && (part.numbers.empty() || part.numbers.front() < 5)) continue;
      if (!inner) take(part);
      for (const Document& below : part.parts)
        if (inner) take(below);
    }
    if (words) {
      if (tags.empty()) return {};
      const auto [low, high] = std::minmax_element(tags.begin(), tags.end());
      return key.descending ? *high : *low;
    }
    if (numbers.empty()) return key.descending ? INT64_MIN : INT64_MAX;
    double sum = 0;
    for (const std::int64_t n : numbers) sum += static_cast<double>(n);
    if (key.mode == SortKey::Mode::avg) sum /= static_cast<double>(numbers.size());
    if (key.mode != SortKey::Mode::automatic)
      return static_cast<std::int64_t>(std::floor(sum + 0.5));
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    return key.descending ? *high : *low;
  };
  std::vector<SortValue> wanted;
  for (const auto& [id, score] : judge.all(query)) wanted.push_back(value_of(documents_.at(id)));
  std::sort(wanted.begin(), wanted.end(), [&](const SortValue& a, const SortValue& b) {
    const bool none_a = a.index() == 0, none_b = b.index() == 0;
    if (none_a != none_b) return none_b;
    return key.descending ? b < a : a < b;
  });
  SearchParams params{.size = 9, .sort = {key, {.by = SortKey::By::doc}}};
  params.read_query = [](const Json&) -> Result<Query> {
    return Query{.node = RangeQuery{.field = "parts.n", .gte = 5}};
  };
  std::vector<SortValue> got;
  for (;;) {
    const auto found = view->search(query, params, house_.soon());
    INFO((found.ok() ? std::string() : found.error().message));
    REQUIRE(found.ok());
    if (found->hits.empty()) break;
    for (const Hit& hit : found->hits) {
      got.push_back(hit.sort[0]);
      CHECK(hit.sort[0] == value_of(documents_.at(view->id(hit.doc, house_.soon()).value())));
    }
    params.search_after = found->hits.back().sort;
  }
  CHECK(got == wanted);
}

// Slices share a query's documents out: each is in one.
void World::check_slices(const Query& query) {
  const auto view = current()->view();
  const auto all = view->count(query, house_.soon()).value();
  for (const char* field : {"_id", "_doc", "n"}) {
    const auto max = static_cast<std::uint32_t>(2 + below(4));
    std::uint64_t sum = 0;
    for (std::uint32_t id = 0; id < max; ++id) {
      BoolQuery both;
      both.must.push_back(query);
      both.filter.push_back({.node = SliceQuery{.field = field, .id = id, .max = max}});
      sum += view->count({.node = both}, house_.soon()).value();
      if (std::string_view(field) != "_doc") check({.node = std::move(both)});
    }
    CHECK(sum == all);
  }
}

TEST_CASE("search: a slice needs a part that there is, and numbers") {
  World world(3);
  world.write_some(20, false);
  const auto view = world.current()->view();
  const auto soon = world.house_.soon();
  for (const SliceQuery& slice : {SliceQuery{.field = "_id", .id = 2, .max = 2},
                                  SliceQuery{.field = "_id", .id = 0, .max = 0},
                                  SliceQuery{.field = "body", .id = 0, .max = 2},
                                  SliceQuery{.field = "absent", .id = 0, .max = 2}})
    CHECK(view->count({.node = slice}, soon).error().code == "illegal_argument_exception");
}

TEST_CASE("search: similar terms are those that few edits lead to") {
  World world(8);
  world.write_some(200, false);
  REQUIRE(world.current()->flush(world.house_.soon()).ok());
  world.write_some(100, false);
  const auto view = world.current()->view();
  const auto soon = world.house_.soon();
  for (int i = 0; i < 40; ++i) {
    std::string word = world.word();
    if (world.chance(0.8)) word[world.below(word.size())] = 'x';
    CAPTURE(word);
    const std::size_t edits = 1 + world.below(2), prefix = world.below(3);
    std::map<std::string, std::size_t> wanted;
    for (const std::string& other : world.vocabulary()) {
      const std::size_t apart = oracle::Judge::edits(word, other);
      const auto found = view->term_statistics("body", other, soon);
      if (apart > 0 && apart <= edits && other.substr(0, prefix) == word.substr(0, prefix) &&
          found->doc_freq > 0)
        wanted[other] = apart;
    }
    const auto similar = view->similar_terms("body", word, edits, prefix, soon);
    REQUIRE(similar.ok());
    CHECK(similar->size() == wanted.size());
    for (const SimilarTerm& one : *similar) {
      CHECK(wanted[one.term] == one.edits);
      CHECK(view->term_statistics("body", one.term, soon)->doc_freq == one.doc_freq);
    }
  }
}

TEST_CASE("search: hits collapse by one value of a keyword or a number") {
  World world(6);
  world.write_some(100, false);
  const auto view = world.current()->view();
  const auto fault = [&](const char* field) {
    SearchParams params;
    params.collapse = field;
    const auto found = view->search({}, params, world.house_.soon());
    return found.ok() ? std::string("no error") : found.error().message;
  };
  CHECK(fault("absent") == "no mapping found for `absent` in order to collapse on");
  CHECK(fault("body") == "collapse is not supported for the field [body] of the type [text]");
  CHECK(fault("day") == "collapse is not supported for the field [day] of the type [date]");
  CHECK(fault("tags").find("the collapse field must be single valued") != std::string::npos);
  CHECK(fault("price") == "no error");
}

TEST_CASE("search: functions of scores say what cannot be") {
  World world(4);
  world.write_some(200, false);
  const auto view = world.current()->view();
  const auto soon = world.house_.soon();
  const auto with = [&](ScoreFunction function, std::optional<float> least = {}) {
    FunctionScoreQuery q;
    q.query.push_back({});
    q.functions.push_back(std::move(function));
    q.min_score = least;
    return view->search({.node = std::move(q)}, {.size = 500}, soon);
  };
  const auto fault = [&](ScoreFunction function) {
    const auto found = with(std::move(function));
    return found.ok() ? std::string("no error") : found.error().message;
  };
  using Value = FieldValueFunction;
  CHECK(fault({.of = Value{.field = "price"}}) == "Missing value for field [price]");
  CHECK(fault({.of = Value{.field = "absent"}}).find("No 'missing' value defined") !=
        std::string::npos);
  CHECK(fault({.of = Value{.field = "body"}}).find("needs numbers") != std::string::npos);
  CHECK(fault({.of = Value{.field = "price", .factor = -1, .missing = 1.0}})
            .find("must not produce negative scores") != std::string::npos);
  CHECK(fault({.of = Value{.field = "n", .modifier = FieldModifier::reciprocal, .missing = 0.0}}) !=
        "no error");
  CHECK(fault({.of = DecayFunction{.field = "n", .scale = 3}}) ==
        "both [scale] and [origin] must be set for numeric fields.");
  CHECK(fault({.of = DecayFunction{.field = "n", .origin = 3, .scale = 0}}).find("scale must be") !=
        std::string::npos);
  CHECK(fault({.of = DecayFunction{.field = "day", .scale = "2 weeks"}}) != "no error");
  CHECK(fault({.of = DecayFunction{.field = "day", .scale = "2d"}}) == "no error");
  // What scores less than the least is not there.
  const auto all = with({.of = RandomFunction{.seed = 9, .field = "_seq_no"}});
  const auto few = with({.of = RandomFunction{.seed = 9, .field = "_seq_no"}}, 0.5f);
  REQUIRE(all.ok());
  REQUIRE(few.ok());
  const auto high = std::count_if(all->hits.begin(), all->hits.end(),
                                  [](const Hit& hit) { return hit.score >= 0.5f; });
  CHECK(few->total == static_cast<std::uint64_t>(high));
  CHECK(high > 50);
  CHECK(high < 150);
}

TEST_CASE("search: equals the oracle over several segments, stored and in memory") {
  for (const unsigned seed : {1u, 2u}) {
    CAPTURE(seed);
    World world(seed);
    world.write_some(300, false);
    world.check_all(60);
    REQUIRE(world.current()->flush(world.house_.soon()).ok());
    world.write_some(200, false);
    world.check_all(60);
    world.house_.reopen();
    world.check_all(30);
    REQUIRE(world.current()->force_merge(1, world.house_.soon()).ok());
    CHECK(world.current()->statistics().segments == 1);
    world.check_all(60);
  }
}

TEST_CASE("search: pieces of texts are those that the oracle finds") {
  for (const unsigned seed : {31u, 32u}) {
    CAPTURE(seed);
    World world(seed);
    world.write_some(300, false);
    REQUIRE(world.current()->flush(world.house_.soon()).ok());
    world.write_some(150, false);
    for (int i = 0; i < 400; ++i) {
      const SpanQuery q = world.spans(4);
      CAPTURE(i);
      CAPTURE(span_text(q));
      world.check({.node = q, .boost = 1.5f});
    }
  }
}

TEST_CASE("search: intervals of texts are those that the oracle finds") {
  for (const unsigned seed : {41u, 42u}) {
    CAPTURE(seed);
    World world(seed);
    world.write_some(300, false);
    REQUIRE(world.current()->flush(world.house_.soon()).ok());
    world.write_some(150, false);
    for (int i = 0; i < 400; ++i) {
      const Query q{.node = IntervalsQuery{.field = "body", .rule = {world.rule(3)}},
                    .boost = 1.5f};
      CAPTURE(i);
      CAPTURE(world.current()->view()->prepare(q, world.house_.soon()).value()->text());
      world.check(q);
    }
  }
}

TEST_CASE("search: statistics of terms are those of the documents") {
  World world(5);
  world.write_some(400, false);
  REQUIRE(world.current()->flush(world.house_.soon()).ok());
  world.write_some(100, false);
  const auto view = world.current()->view();
  for (const std::string& word : world.vocabulary()) {
    std::uint64_t docs = 0, with = 0, sum = 0;
    for (const auto& [id, d] : world.documents_) {
      docs += d.body.empty() ? 0 : 1;
      sum += d.body.size();
      with += std::count(d.body.begin(), d.body.end(), word) > 0 ? 1 : 0;
    }
    const auto s = view->term_statistics("body", word, world.house_.soon());
    REQUIRE(s.ok());
    CHECK(s->doc_count == docs);
    CHECK(s->doc_freq == with);
    CHECK(s->sum_total_freq == sum);
  }
}

TEST_CASE("search: equals the oracle while documents are replaced and deleted") {
  for (const unsigned seed : {11u, 12u}) {
    CAPTURE(seed);
    World world(seed);
    for (int round = 0; round < 8; ++round) {
      CAPTURE(round);
      world.write_some(150, true);
      if (round % 3 == 1) REQUIRE(world.current()->flush(world.house_.soon()).ok());
      if (round % 4 == 3) REQUIRE(world.current()->maintain(world.house_.soon()).ok());
      if (round == 5) world.house_.reopen();
      world.check_all(25);
    }
    REQUIRE(world.current()->force_merge(1, world.house_.soon()).ok());
    CHECK(world.current()->view()->deleted_count() == 0);
    world.check_all(40);
  }
}

TEST_CASE("search: pruning finds the same as looking at everything") {
  World world(21);
  for (int i = 0; i < 6; ++i) world.write_some(4000, false);
  REQUIRE(world.current()->force_merge(1, world.house_.soon()).ok());
  const auto view = world.current()->view();
  for (int i = 0; i < 150; ++i) {
    std::string text;
    for (std::size_t n = 1 + world.below(6); n > 0; --n) text += world.word() + " ";
    MatchQuery m;
    m.field = "body";
    m.value = text;
    if (world.chance(0.4)) m.op = Operator::and_;
    Query query{.node = m};
    if (world.chance(0.4))
      query.node = BoolQuery{.must = {Query{.node = m}},
                             .filter = {term("tags", "t" + std::to_string(world.below(12)))}};
    const auto pruned = view->search(query, {.track_total_hits = 0}, world.house_.soon());
    const auto whole = view->search(query, {.track_total_hits = UINT64_MAX}, world.house_.soon());
    REQUIRE(pruned.ok());
    REQUIRE(whole.ok());
    REQUIRE(pruned->hits.size() == whole->hits.size());
    for (std::size_t h = 0; h < whole->hits.size(); ++h) {
      CHECK(pruned->hits[h].doc == whole->hits[h].doc);
      CHECK(pruned->hits[h].score == whole->hits[h].score);
    }
  }
}

}  // namespace
}  // namespace cairn::index::search_test
