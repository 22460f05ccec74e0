// SPDX-License-Identifier: Apache-2.0
// What can be asked of an index: a plain tree of values. Nothing here is checked against a mapping;
// View does that when the query runs.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/profile.h"
#include "os/deadline.h"

namespace cairn::index {

struct Query;

// Query is not complete where lists of it are members. clang looks at initialisers at once, so it
// gets none; g++ wants one for each member that a designated initialiser may leave out.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wmissing-designated-field-initializers"
#define CAIRN_NO_QUERIES
#else
#define CAIRN_NO_QUERIES = {}
#endif

/// Every document scores 1.
struct MatchAllQuery {};
struct MatchNoneQuery {};

/// Documents that have this exact value (after the field's normaliser). `value` is a JSON scalar.
struct TermQuery {
  std::string field;
  Json value;
  bool case_insensitive = false;
};

/// Documents that have any of the values; each scores 1.
struct TermsQuery {
  std::string field;
  std::vector<Json> values;
};

/// A script in the language of the room `script`, and the parameters that it gets.
struct Script {
  std::string source;
  Json params = {};     // an object, or null for none
  std::string id = {};  // of one that is kept, for explanations; empty: it came with the request
};

/// Documents that have as many of the values as a number of theirs says: the least one in
/// `least_field`, or what `least_script` gives back, and 1 at least. The score is the sum of the
/// terms'.
struct TermsSetQuery {
  std::string field;
  std::vector<Json> values;
  std::string least_field;  // empty: the script says it
  std::optional<Script> least_script = {};
};

/// Bounds are JSON scalars; dates may be date math ("now-1d/d", "2026-01-01||+1M"). Scores 1.
struct RangeQuery {
  std::string field;
  std::optional<Json> gt = {};
  std::optional<Json> gte = {};
  std::optional<Json> lt = {};
  std::optional<Json> lte = {};
  std::string format = {};     // of dates; empty: the field's
  std::string time_zone = {};  // "+01:00" or "Europe/Berlin"; for dates without one
};

/// Documents that have any value in the field (or, for an object, in a field below it).
struct ExistsQuery {
  std::string field;
};

struct IdsQuery {
  std::vector<std::string> values;
};

struct PrefixQuery {
  std::string field;
  std::string value;
  bool case_insensitive = false;
};

/// * stands for any run of characters, ? for one; a backslash takes the next as it is.
struct WildcardQuery {
  std::string field;
  std::string value;
  bool case_insensitive = false;
};

/// What regular expressions have beside the usual syntax, as the field's engine numbers it.
namespace regexp_flags {
inline constexpr std::uint32_t intersection = 0x01;  // a&b
inline constexpr std::uint32_t complement = 0x02;    // ~a
inline constexpr std::uint32_t empty = 0x04;         // #: nothing
inline constexpr std::uint32_t anystring = 0x08;     // @: anything
inline constexpr std::uint32_t automaton = 0x10;     // <name>: there are none
inline constexpr std::uint32_t interval = 0x20;      // <1-100>
inline constexpr std::uint32_t all = 0xff;
}  // namespace regexp_flags

/// Terms that match as a whole, in the syntax of the field's engine.
struct RegexpQuery {
  std::string field;
  std::string value;
  std::uint32_t flags = regexp_flags::all;
  bool case_insensitive = false;
  std::size_t max_states = 10'000;  // max_determinized_states
};

struct FuzzyQuery {
  std::string field;
  std::string value;
  std::string fuzziness = "AUTO";  // "0", "1", "2", "AUTO", "AUTO:3,6"
  std::size_t prefix_length = 0;
  std::size_t max_expansions = 50;
  bool transpositions = true;
};

enum class Operator { or_, and_ };
enum class ZeroTerms { none, all };

/// Text is analysed as the field's documents were; on other fields it is a term query.
struct MatchQuery {
  std::string field;
  Json value;  // a scalar
  Operator op = Operator::or_;
  std::string minimum_should_match = {};
  std::string fuzziness = {};  // empty: exact terms
  std::size_t prefix_length = 0;
  std::size_t max_expansions = 50;
  bool transpositions = true;
  std::string analyzer = {};  // empty: the field's search analyzer
  ZeroTerms zero_terms = ZeroTerms::none;
  bool lenient = false;  // a value of the wrong type matches nothing instead of failing
  /// match_bool_prefix: the last word may go on; it scores the boost, whatever it goes on as.
  bool prefix = false;
};

struct MatchPhraseQuery {
  std::string field;
  std::string value;
  std::size_t slop = 0;
  std::string analyzer = {};
  ZeroTerms zero_terms = ZeroTerms::none;
  bool prefix = false;  // match_phrase_prefix: the last term may go on
  std::size_t max_expansions = 50;
};

/// Pieces of a text: words, and what is made of pieces. Documents that have such a piece, scored as
/// phrases are: each counts 1 / (1 + how far its parts are apart).
struct SpanQuery {
  enum class Kind {
    term,        // one word
    multi,       // the words that `of` stands for
    near,        // all parts, `slop` positions apart at most
    gap,         // of a near that is in order: so many positions of anything
    any,         // those of all parts
    without,     // of the first part, those that the second does not overlap
    first,       // that end at `end` at the latest
    containing,  // of the first part, those around one of the second
    within,      // of the second part, those in one of the first
    masked       // of another field, as if they were of this one
  };
  Kind kind = Kind::term;
  std::string field = {};  // of term, gap and masked
  Json value = {};         // of term
  std::vector<Query> of CAIRN_NO_QUERIES;
  std::vector<SpanQuery> parts CAIRN_NO_QUERIES;
  std::uint32_t slop = 0;
  bool in_order = true;
  std::uint32_t width = 0;              // of gap
  std::uint32_t before = 0, after = 0;  // positions around it that without keeps free too
  std::uint32_t end = 0;
  std::uint32_t label = 0;  // of a part; as that of a query
};

/// Intervals of a text: what it says is found in them, and in no smaller one within.
struct IntervalsRule {
  enum class Kind {
    words,  // those of `text`
    multi,  // any word that `of` (of whichever field) stands for, in the analyzer's kind of letters
    all,    // one interval of each part
    any     // one interval of any part
  };
  /// What becomes of the intervals, compared with those of `filter`.
  enum class Filter {
    after,
    before,
    contained_by,
    containing,
    not_contained_by,
    not_containing,
    not_overlapping,
    overlapping
  };
  Kind kind = Kind::words;
  std::string text = {};
  std::string analyzer = {};   // empty: the field's search analyzer
  std::string use_field = {};  // whose words they are; empty: the query's field
  std::vector<Query> of CAIRN_NO_QUERIES;
  std::vector<IntervalsRule> parts CAIRN_NO_QUERIES;
  bool ordered = false;                            // parts and words stand one behind the other
  std::optional<std::uint32_t> max_gaps = {};      // positions in between; nothing: any number
  Filter filter = Filter::containing;              // where there is one
  std::vector<IntervalsRule> by CAIRN_NO_QUERIES;  // the filter's rule, or none
};

/// Documents with intervals of a rule (one); the more and the shorter, the better: boost * f / (f +
/// 1), where each interval adds 1 / (1 + how much longer than need be) to f.
struct IntervalsQuery {
  std::string field;
  std::vector<IntervalsRule> rule CAIRN_NO_QUERIES;
};

/// Any of a few words, in any of several fields: the best of them, plus `tie_breaker` times the
/// others. Each counts as frequent in every field as it is where it is most frequent.
struct BlendedQuery {
  std::vector<std::string> words;  // that stand for one another
  std::vector<std::pair<std::string, float>> fields;
  float tie_breaker = 0;
};

/// Words that may stand in any of several text fields with one analyzer, as if these were one field
/// in which a word counts as often as its field weighs (at least 1).
struct CombinedFieldsQuery {
  std::vector<std::pair<std::string, float>> fields;
  std::string value;
  Operator op = Operator::or_;
  std::string minimum_should_match = {};
  ZeroTerms zero_terms = ZeroTerms::none;
};

/// must and filter are required; should adds to the score and, where there is neither must nor
/// filter, one of it is required (or as `minimum_should_match` says: "2", "75%", "-1", "3<90%").
struct BoolQuery {
  std::vector<Query> must CAIRN_NO_QUERIES;
  std::vector<Query> should CAIRN_NO_QUERIES;
  std::vector<Query> filter CAIRN_NO_QUERIES;
  std::vector<Query> must_not CAIRN_NO_QUERIES;
  std::string minimum_should_match = {};
};

/// Documents that match all of `filter`; each scores 1.
struct ConstantScoreQuery {
  std::vector<Query> filter;
};

/// The best score of the matching queries, plus tie_breaker times the others.
struct DisMaxQuery {
  std::vector<Query> queries;
  float tie_breaker = 0;
};

/// Documents with objects, in a nested field, that match `query` (one); their scores put together.
struct NestedQuery {
  enum class ScoreMode { avg, max, min, sum, none };  // none: 0
  std::string path;
  std::vector<Query> query CAIRN_NO_QUERIES;
  ScoreMode score_mode = ScoreMode::avg;
  bool ignore_unmapped = false;  // a path that is no nested field matches nothing
};

/// Documents, or objects in documents, that match `query` (one): whatever fields it asks, it is of
/// the documents that the view has.
struct DocumentsQuery {
  std::vector<Query> query CAIRN_NO_QUERIES;
};

/// Documents that match all of `positive`; those that match `negative` score negative_boost times.
struct BoostingQuery {
  std::vector<Query> positive;
  std::vector<Query> negative;
  float negative_boost = 0.5f;
};

enum class FieldModifier { none, log, log1p, log2p, ln, ln1p, ln2p, square, sqrt, reciprocal };

/// The first (least) number, date or boolean of a field, times `factor`, then changed.
struct FieldValueFunction {
  std::string field;
  double factor = 1;
  FieldModifier modifier = FieldModifier::none;
  std::optional<double> missing = {};  // nothing: a document without a value is an error
};

/// Between 0 and 1, by chance. The same for the same seed and value of the field.
struct RandomFunction {
  std::uint64_t seed = 0;
  std::string field = {};  // a number, date or boolean, or _seq_no; empty: by the place in the view
};

/// 1 within `offset` of the origin, `decay` at `scale` beyond, less the further away.
struct DecayFunction {
  enum class Shape { gauss, exp, linear };
  enum class Mode { min, max, avg, sum };  // of the distances of several values
  Shape shape = Shape::gauss;
  std::string field;
  Json origin = {};  // null: now, for dates
  Json scale = {};   // of dates: "10d"
  Json offset = {};  // null: none
  double decay = 0.5;
  Mode mode = Mode::min;
};

struct ScoreFunction {
  std::vector<Query> filter CAIRN_NO_QUERIES;  // for documents that match all of it
  std::variant<std::monostate, FieldValueFunction, RandomFunction, DecayFunction, Script> of = {};
  std::optional<float> weight = {};  // times it; alone where there is nothing else
};

/// Documents of `query` (one); what the functions that are for a document come to together changes
/// its score. The boost is of the query's own score.
struct FunctionScoreQuery {
  enum class ScoreMode { multiply, sum, avg, first, max, min };
  enum class BoostMode { multiply, replace, sum, avg, max, min };
  std::vector<Query> query;
  std::vector<ScoreFunction> functions CAIRN_NO_QUERIES;
  ScoreMode score_mode = ScoreMode::multiply;
  BoostMode boost_mode = BoostMode::multiply;
  float max_boost = std::numeric_limits<float>::max();
  std::optional<float> min_score = {};  // documents that score less do not match
};

/// Documents of `query` (one), scored by a script, which sees their scores without the boost.
struct ScriptScoreQuery {
  std::vector<Query> query;
  Script script;
  std::optional<float> min_score = {};  // documents that score less do not match
};

/// Documents for which a script gives back true. Scores 1.
struct ScriptQuery {
  Script script;
};

/// Documents with a date; the nearer it is to `origin` the better: boost * pivot / (pivot +
/// distance).
struct DistanceFeatureQuery {
  std::string field;
  Json origin;  // a date or date math
  std::int64_t pivot_ms = 1;
};

/// Documents that have a feature: a rank_feature field, or one of the features of a rank_features
/// field ("topics.sport").
struct RankFeatureQuery {
  enum class Shape { saturation, log, sigmoid, linear };
  std::string field;
  Shape shape = Shape::saturation;
  std::optional<float> pivot = {};  // of saturation: nothing: what the documents have on average
  float scaling_factor = 1;         // of log
  float exponent = 1;               // of sigmoid
};

/// Documents that have some of the words that stand out in texts: those that are frequent there and
/// rare in the index. They are chosen for each field by itself.
struct MoreLikeThisQuery {
  struct Text {
    std::string field;
    std::string text;
  };
  std::vector<Text> like;
  std::vector<Text> unlike = {};  // their words are not looked for
  std::size_t max_query_terms = 25;
  std::size_t min_term_freq = 2;  // in the texts
  std::size_t min_doc_freq = 5;   // in the index
  std::size_t max_doc_freq = SIZE_MAX;
  std::size_t min_word_length = 0;  // characters; 0: any
  std::size_t max_word_length = 0;
  std::vector<std::string> stop_words = {};
  std::string analyzer = {};  // empty: those of the fields
  std::string minimum_should_match = "30%";
  float boost_terms = 0;  // above 0: words are boosted by how much they stand out
};

/// The k documents of the index whose vectors are nearest, among those that match all of `filter`.
/// Scores: cosine (1+cos)/2; dot_product (1+dot)/2 (byte: 0.5 + dot/(32768*dims)); l2_norm
/// 1/(1+d^2); max_inner_product m<0: 1/(1-m), else m+1.
struct KnnQuery {
  std::string field;  // dense_vector, or semantic_text with dense embeddings (best chunk)
  std::vector<float> vector;
  std::size_t k = 10;
  std::size_t num_candidates = 0;        // that are compared by their numbers at least; 0: chosen
  float oversample = 0;                  // candidates for each of the k; 0: as the field says
  std::optional<float> similarity = {};  // least raw similarity (largest distance for l2_norm)
  std::vector<Query> filter CAIRN_NO_QUERIES;
  bool is_own_search = false;  // beside a query, not part of it: profiles show it apart
};

/// Which tokens of a sparse query are left out: those that stand in more than
/// `freq_ratio_threshold` times as many documents as a token does on average, and weigh no more
/// than `weight_threshold` of the heaviest.
struct SparsePruning {
  float freq_ratio_threshold = 5;
  float weight_threshold = 0.4f;
  bool only_pruned = false;  // the ones that are left out otherwise, and no others
};

/// Sum over tokens of query weight times document weight. Field: sparse_vector, or semantic_text
/// with sparse embeddings (best chunk).
struct SparseQuery {
  std::string field;
  std::vector<std::pair<std::string, float>> weights;
  std::optional<SparsePruning> pruning = {};  // none: every token counts
};

/// Every document with a dense semantic_text (or dense_vector) value; the best chunk's similarity
/// is its score.
struct DenseScoreQuery {
  std::string field;
  std::vector<float> vector;
};

/// One of `max` parts of the documents, each of which is in one part. By `_id` a document stays in
/// its part whatever view looks at it; by `_doc` parts are of one view and cheaper to make. By a
/// field of numbers, dates or booleans equal values are together, and documents without one are in
/// the part of 0. Scores 1.
struct SliceQuery {
  std::string field = "_id";
  std::uint32_t id = 0;
  std::uint32_t max = 1;
};

/// Documents [from, to) of one segment of the view. Scores 1.
struct WithinQuery {
  std::uint32_t segment = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

template <class One, class Of>
inline constexpr bool is_one_of = false;
template <class One, class... All>
inline constexpr bool is_one_of<One, std::variant<All...>> = (std::is_same_v<One, All> || ...);

struct Query {
  using Alternatives =
      std::variant<MatchAllQuery, MatchNoneQuery, TermQuery, TermsQuery, RangeQuery, ExistsQuery,
                   IdsQuery, PrefixQuery, WildcardQuery, FuzzyQuery, MatchQuery, MatchPhraseQuery,
                   BoolQuery, ConstantScoreQuery, DisMaxQuery, BoostingQuery, KnnQuery, SparseQuery,
                   DenseScoreQuery, SliceQuery, CombinedFieldsQuery, BlendedQuery, RegexpQuery,
                   FunctionScoreQuery, DistanceFeatureQuery, RankFeatureQuery, MoreLikeThisQuery,
                   TermsSetQuery, NestedQuery, DocumentsQuery, WithinQuery, SpanQuery,
                   IntervalsQuery, ScriptScoreQuery, ScriptQuery>;

  /// One of them. It is a variant to whoever asks which; its copies, moves and end are compiled
  /// once, in query.cc: so many alternatives take a compiler long, and hundreds of files have them.
  class Node : public Alternatives {
   public:
    template <class One>
    requires(is_one_of<One, Alternatives>) Node(One one)  // NOLINT(google-explicit-constructor)
        : Alternatives(std::in_place_type<One>, std::move(one)) {}
    Node(const Node& other);
    Node(Node&& other) noexcept;
    Node& operator=(const Node& other);
    Node& operator=(Node&& other) noexcept;
    ~Node();
  };
  Node node = MatchAllQuery{};
  float boost = 1;
  bool lenient = false;     // what its field cannot be asked matches nothing instead of failing
  std::uint32_t label = 0;  // by which PreparedQuery::part finds it again; 0: by none
};

#undef CAIRN_NO_QUERIES

/// A document within one View. Means nothing to another View.
struct DocAddress {
  std::uint32_t segment = 0;
  std::uint32_t doc = 0;
  friend auto operator<=>(const DocAddress&, const DocAddress&) = default;
};

/// Nothing (missing), a whole number (dates: milliseconds; booleans: 0 and 1), a number, a string.
using SortValue = std::variant<std::monostate, std::int64_t, double, std::string>;

struct SortKey {
  enum class By { score, doc, field };
  enum class Mode { automatic, min, max, avg, sum };  // automatic: min ascending, max descending
  By by = By::score;
  std::string field = {};
  bool descending = false;  // the caller says; the platform's default for score is descending
  // Documents without a value; ignored where `missing` is set. Numbers and dates have the greatest
  // or the least value there is instead, texts none.
  bool missing_first = false;
  Json missing = {};  // a value to take instead; null: none
  Mode mode = Mode::automatic;
  std::string unmapped_type = {};  // empty: an unmapped field is an error
  std::string format = {};         // of dates, as they are shown; empty: milliseconds
  /// What gives its values; then `field` is a name of its own, which the view has for it
  /// (View::with_sort_script).
  std::optional<Script> script = {};
  bool script_gives_text = false;  // else a number
  std::string numeric_type = {};   // what its numbers are taken for; empty: what they are
  struct Nested {
    std::string path;
    Json filter = {};                     // the API's query, of its objects; null: all
    std::size_t max_children = SIZE_MAX;  // so many of a document that have a value count
  };
  std::vector<Nested> nested = {};  // outermost first: the field is of the innermost objects
};

/// Reads a query in the API's JSON, for filters of aggregations.
using QueryReader = std::function<Result<Query>(const Json& query)>;

class JointAggregations;  // joint_aggregations.h

struct SearchParams {
  std::size_t from = 0;
  std::size_t size = 10;
  std::vector<SortKey> sort = {};            // empty: by score, descending, then by document
  std::vector<SortValue> search_after = {};  // one for each key of `sort`; hits beyond it only
  /// Of the documents with one value of this field only the first is a hit; all are counted. A
  /// keyword or a number with doc values, one a document. Empty: every document may be a hit.
  std::string collapse = {};
  std::optional<float> min_score = {};
  /// Count up to here exactly; then the total is a lower bound. UINT64_MAX: always exact.
  std::uint64_t track_total_hits = 10'000;
  /// Look at so many documents that match at most, in the order of the index; 0: all.
  std::uint64_t terminate_after = 0;
  bool track_scores = false;  // compute scores though sorting by something else
  Json aggregations = {};     // the API's object of aggregations; null: none
  bool typed_keys = false;    // name aggregations with their types: avg#price
  /// Counts the documents of several searches instead; null: none does. It outlives the search.
  JointAggregations* joint = nullptr;
  QueryReader read_query = {};  // for filters of aggregations and of nested sort keys
  std::int64_t now_ms = 0;      // what `now` means in date math; 0: the clock
  /// Hits are looked for until then, and what was found is answered with (TopDocs::timed_out).
  /// Nothing: until the deadline of the call, whose end is an error.
  std::optional<os::Deadline> collect_until = {};
};

struct Hit {
  DocAddress doc;
  float score = 0;                   // NaN where it was not computed (sorted by other keys)
  std::vector<SortValue> sort = {};  // values of the keys, where `sort` was given
  SortValue group = {};              // where hits were collapsed; nothing: it lacks a value
};

struct TopDocs {
  std::vector<Hit> hits;
  std::uint64_t total = 0;
  bool total_is_lower_bound = false;
  std::optional<float> max_score = {};
  Json aggregations = {};         // the API's shape; null where none was asked for
  bool timed_out = false;         // documents were left out: SearchParams::collect_until
  bool terminated_early = false;  // the same: SearchParams::terminate_after
  std::shared_ptr<SearchProfile> profile = {};  // where the query was prepared to be measured
};

}  // namespace cairn::index
