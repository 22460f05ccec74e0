// SPDX-License-Identifier: Apache-2.0
// Aggregations and sorting by chunks beside the slow, obvious way: random documents over the
// borders of chunks, with no value, one or several, extreme ones, and some deleted.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/sanitized.h"
#include "index/dates/date_steps.h"
#include "index/dates/date_table.h"
#include "index/testing.h"

namespace cairn::index::chunks_oracle_test {
namespace {

constexpr const char* mapping = R"({"properties": {
  "all": {"type": "long"}, "some": {"type": "long"}, "many": {"type": "long"},
  "far": {"type": "long"}, "real": {"type": "double"}, "when": {"type": "date"},
  "up": {"type": "long"}, "word": {"type": "keyword"}}})";

using Numbers = std::vector<std::int64_t>;

struct Doc {
  Numbers all, some, many, far, when, up;
  std::vector<double> real;
  std::string word;
  bool deleted = false;
  DocAddress address;

  std::string source() const {
    Json out = Json::object({{"word", word}});
    for (const auto& [name, numbers] :
         {std::pair("all", &all), std::pair("some", &some), std::pair("many", &many),
          std::pair("far", &far), std::pair("when", &when), std::pair("up", &up)})
      if (!numbers->empty()) out.set(name, Json::array_of(*numbers));
    if (!real.empty()) out.set("real", Json::array_of(real));
    return out.dump();
  }
  const Numbers& numbers(const std::string& field) const {
    return field == "all"    ? all
           : field == "some" ? some
           : field == "many" ? many
           : field == "far"  ? far
           : field == "up"   ? up
                             : when;
  }
  std::vector<double> doubles(const std::string& field) const {
    if (field == "real") return real;
    const Numbers& own = numbers(field);
    return {own.begin(), own.end()};
  }
};

/// 2 stored segments and one in memory; two of them go over a border of chunks.
class World {
 public:
  World() : index_(house_.create("i", mapping)) {
    for (const int count : {9000, 700, 4200}) {
      std::vector<WriteOperation> batch;
      for (int i = 0; i < count; ++i) {
        docs_.push_back(make());
        batch.push_back({.id = std::to_string(docs_.size() - 1), .source = docs_.back().source()});
      }
      REQUIRE(index_->write(batch, house_.soon()).ok());
      if (count != 4200) REQUIRE(index_->flush(house_.soon()).ok());
    }
    for (std::size_t i = 0; i < docs_.size(); ++i) {
      // A run without gaps, one where every document is deleted, and a rest with holes.
      if (i < 4096 || (i >= 5000 && below(9) != 0)) continue;
      if (i < 4500 || i >= 5000) remove(i);
    }
    REQUIRE(index_->refresh(house_.soon()).ok());
    view_ = index_->view();
    for (std::size_t i = 0; i < docs_.size(); ++i)
      if (!docs_[i].deleted)
        docs_[i].address = view_->find(std::to_string(i), house_.soon())->value();
  }

  /// All documents, a set of bits, a list of terms, few documents.
  static std::vector<std::pair<std::string, Query>> queries() {
    return {{"all", Query{}},
            {"bits", {.node = RangeQuery{.field = "all", .lt = Json(600)}}},
            {"present", {.node = RangeQuery{.field = "some", .lt = Json(25)}}},
            {"words", term("word", "w1")},
            {"few", term("word", "rare")}};
  }
  static bool matches(const Doc& doc, const std::string& query) {
    if (doc.deleted) return false;
    if (query == "bits") return doc.all.front() < 600;
    if (query == "present") return !doc.some.empty() && doc.some.front() < 25;
    if (query == "words") return doc.word == "w1";
    return query == "all" || doc.word == "rare";
  }
  std::vector<const Doc*> matching(const std::string& query) const {
    std::vector<const Doc*> out;
    for (const Doc& doc : docs_)
      if (matches(doc, query)) out.push_back(&doc);
    return out;
  }
  TopDocs search(const Query& query, const SearchParams& params) const {
    auto found = view_->search(query, params, house_.soon());
    INFO((found.ok() ? std::string() : found.error().message));
    REQUIRE(found.ok());
    return std::move(*found);
  }
  Json aggregate(const Query& query, const std::string& request) const {
    SearchParams params{.size = 0};
    params.aggregations = Fixture::json(R"({"x": )" + request + "}");
    params.read_query = [](const Json& json) -> Result<Query> {
      const auto& [field, value] = json.find("term")->as_object().front();
      return term(field, value);
    };
    return *search(query, params).aggregations.find("x");
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  void remove(std::size_t i) {
    docs_[i].deleted = true;
    house_.remove(*index_, std::to_string(i));
  }
  Doc make() {
    constexpr std::int64_t extremes[] = {std::numeric_limits<std::int64_t>::min(),
                                         std::numeric_limits<std::int64_t>::max(), 0, -1};
    constexpr double wide[] = {std::numeric_limits<double>::max(), -1e300, 5e-324, -0.25};
    Doc doc;
    doc.all = {below(1000) - 200};
    doc.up = {static_cast<std::int64_t>(docs_.size() / 3)};
    if (below(3) != 0) doc.some = {below(50)};
    for (int n = below(4); n > 0; --n) doc.many.push_back(below(40) - 20);
    std::sort(doc.many.begin(), doc.many.end());
    doc.far = {below(3) == 0 ? extremes[below(4)] : static_cast<std::int64_t>(random_()) << 20};
    if (below(5) != 0) doc.real = {below(4) == 0 ? wide[below(4)] : below(4000) * 0.25 - 300};
    // 2026, with the changes of the clocks.
    doc.when = {1'767'225'600'000 + static_cast<std::int64_t>(random_() % 31'536'000) * 1000};
    doc.word = below(500) == 0 ? "rare" : "w" + std::to_string(below(4));
    return doc;
  }

  std::mt19937 random_{20261124};
  mutable Fixture house_;
  std::shared_ptr<Index> index_;
  std::shared_ptr<const View> view_;
  std::vector<Doc> docs_;
};

const World& world() {
  static const World one;
  return one;
}

TEST_CASE("chunks: metrics as the slow way") {
  for (const auto& [name, query] : World::queries()) {
    const auto docs = world().matching(name);
    for (const char* field : {"all", "some", "many", "far", "real", "when"}) {
      for (const bool missing : {false, true}) {
        CAPTURE(name);
        CAPTURE(field);
        CAPTURE(missing);
        std::uint64_t count = 0;
        double least = HUGE_VAL, greatest = -HUGE_VAL, sum = 0;
        std::set<double> distinct;
        for (const Doc* doc : docs) {
          auto values = doc->doubles(field);
          if (values.empty() && missing) values = {7};
          for (const double v : values) {
            ++count;
            least = std::min(least, v);
            greatest = std::max(greatest, v);
            sum += v;
            distinct.insert(v);
          }
        }
        const auto asked = [&](const char* type) {
          return world().aggregate(query, R"({")" + std::string(type) + R"(": {"field": ")" +
                                              field +
                                              (missing ? R"(", "missing": 7}})" : R"("}})"));
        };
        CHECK(asked("value_count").find("value")->as_int() == static_cast<std::int64_t>(count));
        CHECK(asked("min").find("value")->as_double() == least);
        CHECK(asked("max").find("value")->as_double() == greatest);
        const Json stats = asked("stats");
        CHECK(stats.find("count")->as_int() == static_cast<std::int64_t>(count));
        CHECK(stats.find("min")->as_double() == least);
        CHECK(stats.find("max")->as_double() == greatest);
        const std::string of = field;
        if (of == "far" || of == "real") continue;  // sums that are rounded
        CHECK(asked("sum").find("value")->as_double() == sum);
        CHECK(asked("avg").find("value")->as_double() == sum / static_cast<double>(count));
        CHECK(asked("cardinality").find("value")->as_int() ==
              static_cast<std::int64_t>(distinct.size()));
      }
    }
  }
}

struct Counted {
  std::uint64_t docs = 0;
  double sum = 0;  // of `all`
};

/// Buckets of an answer by key, with those that are empty left out.
std::map<double, Counted> buckets_of(const Json& answer, bool sums) {
  std::map<double, Counted> out;
  for (const Json& bucket : answer.find("buckets")->as_array()) {
    Counted one{.docs = static_cast<std::uint64_t>(bucket.find("doc_count")->as_int())};
    if (one.docs == 0) continue;
    if (sums) one.sum = bucket.find("s")->find("value")->as_double();
    out[bucket.find("key")->as_double()] = one;
  }
  return out;
}

void same(const std::map<double, Counted>& found, const std::map<double, Counted>& expected,
          bool sums) {
  REQUIRE(found.size() == expected.size());
  bool equal = true;
  for (const auto& [key, one] : expected) {
    const auto at = found.find(key);
    equal = equal && at != found.end() && at->second.docs == one.docs &&
            (!sums || at->second.sum == one.sum);
  }
  CHECK(equal);
}

TEST_CASE("chunks: histograms and ranges as the slow way") {
  const std::string below = R"(, "aggs": {"s": {"sum": {"field": "all"}}})";
  for (const auto& [name, query] : World::queries()) {
    for (const char* field : {"all", "some", "many", "real"}) {
      for (const double interval : {1.0, 2.5, 300.0}) {
        for (const bool sums : {false, true}) {
          // Few buckets only where values lie far apart.
          const bool wide = std::string(field) == "real";
          const double width = wide ? interval * 1e298 : interval;
          CAPTURE(name);
          CAPTURE(field);
          CAPTURE(width);
          std::map<double, Counted> buckets;
          std::vector<Counted> ranges(4);
          const double edges[][2] = {{-HUGE_VAL, 0}, {0, 10}, {5, 300}, {-20, HUGE_VAL}};
          for (const Doc* doc : world().matching(name)) {
            std::set<double> keys;
            for (const double v : doc->doubles(field)) keys.insert(std::floor(v / width) * width);
            for (const double key : keys) {
              ++buckets[key].docs;
              buckets[key].sum += static_cast<double>(doc->all.front());
            }
            for (std::size_t i = 0; i < 4; ++i) {
              const auto values = doc->doubles(field);
              if (std::any_of(values.begin(), values.end(),
                              [&](double v) { return v >= edges[i][0] && v < edges[i][1]; })) {
                ++ranges[i].docs;
                ranges[i].sum += static_cast<double>(doc->all.front());
              }
            }
          }
          const std::string of = R"("field": ")" + std::string(field) + "\"";
          const Json histogram = world().aggregate(
              query, R"({"histogram": {)" + of + R"(, "min_doc_count": 1, "interval": )" +
                         Json(width).dump() + "}" + (sums ? below : "") + "}");
          same(buckets_of(histogram, sums), buckets, sums);
          const Json found = world().aggregate(
              query, R"({"range": {)" + of +
                         R"(, "ranges": [{"to": 0, "key": "0"}, {"from": 0, "to": 10, "key": "1"},
                            {"from": 5, "to": 300, "key": "2"}, {"from": -20, "key": "3"}]})" +
                         (sums ? below : "") + "}");
          for (const Json& bucket : found.find("buckets")->as_array()) {
            const auto& expected = ranges[std::stoul(bucket.find("key")->as_string())];
            CHECK(bucket.find("doc_count")->as_int() == static_cast<std::int64_t>(expected.docs));
            if (sums) CHECK(bucket.find("s")->find("value")->as_double() == expected.sum);
          }
        }
      }
    }
  }
}

TEST_CASE("chunks: histograms of dates as the slow way") {
  struct Interval {
    const char* text;
    DateSteps steps;
  };
  for (const char* zone : {"UTC", "Europe/Berlin", "Australia/Lord_Howe", "+05:30"}) {
    const auto known = read_zone(zone);
    REQUIRE(known.ok());
    std::vector<Interval> intervals{{R"("calendar_interval": "month")", {.unit = DateUnit::month}},
                                    {R"("calendar_interval": "week")", {.unit = DateUnit::week}},
                                    {R"("calendar_interval": "day")", {.unit = DateUnit::day}},
                                    {R"("calendar_interval": "hour")", {.unit = DateUnit::hour}},
                                    {R"("fixed_interval": "12h")", {.fixed_ms = 12 * 3'600'000}},
                                    {R"("fixed_interval": "30d", "offset": "+7h")",
                                     {.fixed_ms = 30LL * 86'400'000, .shift_ms = 7 * 3'600'000}}};
    for (Interval& interval : intervals) {
      interval.steps.zone = *known;
      for (const auto& [name, query] : World::queries()) {
        CAPTURE(zone);
        CAPTURE(interval.text);
        CAPTURE(name);
        std::map<double, Counted> expected;
        for (const Doc* doc : world().matching(name)) {
          Counted& one = expected[static_cast<double>(interval.steps.key(doc->when.front()))];
          ++one.docs;
          one.sum += static_cast<double>(doc->all.front());
        }
        const Json found = world().aggregate(
            query, R"({"date_histogram": {"field": "when", "min_doc_count": 1, "time_zone": ")" +
                       std::string(zone) + "\", " + interval.text +
                       R"(}, "aggs": {"s": {"sum": {"field": "all"}}}})");
        same(buckets_of(found, true), expected, true);
      }
    }
  }
}

TEST_CASE("chunks: a table of dates gives what the steps give") {
  std::mt19937_64 random(7);
  int made = 0;
  for (const char* zone : {"UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia"}) {
    for (const DateSteps& like :
         {DateSteps{.unit = DateUnit::year}, DateSteps{.unit = DateUnit::quarter},
          DateSteps{.unit = DateUnit::day}, DateSteps{.fixed_ms = 7 * 3'600'000},
          DateSteps{.fixed_ms = 86'400'000, .shift_ms = -5000}}) {
      DateSteps steps = like;
      steps.zone = *read_zone(zone);
      const std::int64_t least = 1'293'840'000'000, greatest = 1'356'998'400'000;  // 2011, 2012
      const DateTable table = DateTable::make(steps, least, greatest, 100'000);
      // Where clocks change within a fixed step, or a day is left out, there is no table.
      if (!table.covers(least, least)) continue;
      ++made;
      REQUIRE(table.covers(least, greatest));
      CHECK(!table.covers(least - 1, greatest));
      CHECK(!table.covers(least, greatest + 1));
      const auto key_of = [&](std::int64_t ms) { return table.start(table.step(ms)); };
      bool equal = key_of(least) == steps.key(least) && key_of(greatest) == steps.key(greatest);
      for (int i = 0; i < 20'000; ++i) {
        const auto ms = least + static_cast<std::int64_t>(random() % 63'158'400'000);
        const std::int64_t key = steps.key(ms);
        equal = equal && key_of(ms) == key && key_of(std::max(key, least)) == key;
        if (key > least) equal = equal && key_of(key - 1) == steps.key(key - 1);
      }
      CHECK(equal);
    }
  }
  CHECK(made == 19);
  const DateSteps daily{.unit = DateUnit::day};
  CHECK(!DateTable::make(daily, 0, 86'400'000LL * 1000, 100).covers(0, 0));
  CHECK(!DateTable::make(daily, INT64_MIN, INT64_MAX, 100).covers(0, 0));
}

TEST_CASE("chunks: below buckets, filters and what is missing as the slow way") {
  for (const auto& [name, query] : World::queries()) {
    std::map<std::string, Counted> words;
    Counted missing, filtered;
    for (const Doc* doc : world().matching(name)) {
      const auto all = static_cast<double>(doc->all.front());
      const auto count = [&](Counted& to) {
        ++to.docs;
        to.sum += all;
      };
      count(words[doc->word]);
      if (doc->some.empty()) count(missing);
      if (doc->word == "w1") count(filtered);
    }
    const std::string sum = R"(, "aggs": {"s": {"sum": {"field": "all"}}}})";
    const auto check = [&](const Json& bucket, const Counted& expected) {
      CAPTURE(name);
      CHECK(bucket.find("doc_count")->as_int() == static_cast<std::int64_t>(expected.docs));
      CHECK(bucket.find("s")->find("value")->as_double() == expected.sum);
    };
    const Json found = world().aggregate(query, R"({"terms": {"field": "word"})" + sum);
    CHECK(found.find("buckets")->as_array().size() == words.size());
    for (const Json& bucket : found.find("buckets")->as_array())
      check(bucket, words[bucket.find("key")->as_string()]);
    check(world().aggregate(query, R"({"missing": {"field": "some"})" + sum), missing);
    check(world().aggregate(query, R"({"filter": {"term": {"word": "w1"}})" + sum), filtered);
  }
}

/// What stands in for a document in the order of a key: smaller comes first.
using Place = std::pair<int, double>;

Place place_of(const Doc& doc, const SortKey& key) {
  auto values = doc.doubles(key.field);
  const int none = key.missing_first ? -1 : 1;
  if (values.empty() && !key.missing.is_null()) values = {key.missing.as_double()};
  if (values.empty()) return {none, 0};
  const double value = key.descending ? values.back() : values.front();
  return {0, key.descending ? -value : value};
}

TEST_CASE("chunks: sorting as the slow way, with pages") {
  for (const auto& [name, query] : World::queries()) {
    auto docs = world().matching(name);
    for (const char* field : {"all", "some", "many", "far", "real", "up"}) {
      for (int variant = 0; variant < 12; variant += sanitized ? 5 : 1) {
        SortKey key{.by = SortKey::By::field, .field = field, .descending = variant % 2 == 1};
        key.missing_first = variant % 4 >= 2;
        if (variant >= 8) key.missing = Json(11);
        SearchParams params{.size = 30, .sort = {key}};
        // Beside another key, equal ones are not told apart by their place.
        if (variant % 3 == 1)
          params.sort.push_back({.by = SortKey::By::field, .field = "all", .descending = true});
        params.track_total_hits = variant % 3 == 2 ? 5 : UINT64_MAX;
        std::stable_sort(docs.begin(), docs.end(), [&](const Doc* a, const Doc* b) {
          for (const SortKey& by : params.sort) {
            const Place x = place_of(*a, by), y = place_of(*b, by);
            if (x != y) return x < y;
          }
          return a->address < b->address;
        });
        CAPTURE(name);
        CAPTURE(field);
        CAPTURE(variant);
        const TopDocs found = world().search(query, params);
        REQUIRE(found.hits.size() == std::min<std::size_t>(30, docs.size()));
        bool equal = true;
        for (std::size_t i = 0; i < found.hits.size(); ++i)
          equal = equal && found.hits[i].doc == docs[i]->address;
        CHECK(equal);
        if (variant % 3 != 2) CHECK(found.total == docs.size());
        // The next page begins behind all that are equal to the last hit.
        params.search_after = found.hits.back().sort;
        const TopDocs next = world().search(query, params);
        const Doc* last = docs[found.hits.size() - 1];
        std::size_t at = found.hits.size();
        const auto same_keys = [&](const Doc* doc) {
          return std::all_of(params.sort.begin(), params.sort.end(), [&](const SortKey& by) {
            return place_of(*doc, by) == place_of(*last, by);
          });
        };
        while (at < docs.size() && same_keys(docs[at])) ++at;
        equal = true;
        for (std::size_t i = 0; i < next.hits.size(); ++i)
          equal = equal && next.hits[i].doc == docs[at + i]->address;
        CHECK(equal);
        CHECK(next.hits.size() == std::min<std::size_t>(30, docs.size() - at));
      }
    }
  }
}

TEST_CASE("chunks: sorting by words as the slow way") {
  for (const auto& [name, query] : World::queries()) {
    auto docs = world().matching(name);
    for (const bool descending : {false, true}) {
      const SortKey key{.by = SortKey::By::field, .field = "word", .descending = descending};
      std::stable_sort(docs.begin(), docs.end(), [&](const Doc* a, const Doc* b) {
        if (a->word != b->word) return (a->word < b->word) != descending;
        return a->address < b->address;
      });
      const TopDocs found = world().search(query, {.size = 50, .sort = {key}});
      bool equal = true;
      for (std::size_t i = 0; i < found.hits.size(); ++i)
        equal = equal && found.hits[i].doc == docs[i]->address;
      CHECK(equal);
      CHECK(found.total == std::min<std::size_t>(docs.size(), 10'000));
    }
  }
}

}  // namespace
}  // namespace cairn::index::chunks_oracle_test
