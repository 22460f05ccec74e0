// SPDX-License-Identifier: Apache-2.0
// The query language in JSON to the tree that an index runs, for one index's mapping.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"
#include "index/query.h"
#include "search/embedder.h"
#include "search/options.h"
#include "search/read/document_lookup.h"
#include "search/read/inner_hits.h"
#include "search/read/query_string.h"
#include "search/reader.h"

namespace cairn::search {

struct NamedQuery {
  std::string name;
  index::Query query;
};

/// Reads queries of one request for one index; one thread. What is passed in outlives the reader.
/// Errors: parsing_exception, x_content_parse_exception, illegal_argument_exception; those of
/// inference where a text is embedded.
class QueryReader {
 public:
  /// `text` is the whole request, for positions; `size` how many hits it asks for (the k of knn
  /// queries that say none); `default_fields`: of queries that name none, empty for all.
  QueryReader(std::string_view text, const index::Mapping& mapping, Embedder& embedder,
              const Options& options, std::size_t size,
              std::vector<std::string> default_fields = {})
      : text_(text),
        mapping_(mapping),
        embedder_(embedder),
        options_(options),
        size_(size),
        default_fields_(std::move(default_fields)) {}

  /// `{"match": {...}}`. `path` is where it stands in the request.
  Result<index::Query> read(const Json& json, const std::string& path);
  /// One query or a list of queries.
  Result<std::vector<index::Query>> read_list(const Json& json, const std::string& path);
  /// The inside of a `knn`, as a query, at the top level or in a retriever.
  Result<index::Query> read_knn(const Json& body, const std::string& path);
  /// A query_string query over these fields ("title^2"; empty: all text fields).
  Result<index::Query> read_query_string(const Json& body, const std::string& path);

  /// From here on `knn` looks for the nearest among what matches this too.
  void narrow_nearest(std::shared_ptr<const index::Query> filter) {
    nearest_filter_ = std::move(filter);
  }

  /// Whether nested queries that are read from here on may have `inner_hits`.
  void collect_inner_hits(bool collects) { collects_inner_hits_ = collects; }
  /// Those that were read since the last call. What stands in the query of one is not among them:
  /// it is of its objects.
  std::vector<NestedInnerHits> take_inner_hits() { return std::exchange(inner_hits_, {}); }
  /// The inner_hits that show most, of all that were read, in one another too.
  const InnerHits& widest_inner_hits() const { return widest_inner_; }

  /// From here on queries may name documents. It outlives the reader.
  void look_up_in(DocumentLookup* documents) { documents_ = documents; }

  /// Queries that were given a `_name`, in order.
  const std::vector<NamedQuery>& named() const { return named_; }

 private:
  struct FieldBody {
    std::string field;
    const Json* value = nullptr;
  };
  using Face = Result<index::Query> (QueryReader::*)(const Json&, const std::string&);
  static Face face_of(std::string_view name);
  static std::vector<std::string> names();

  Reader reader(const Json& body, const std::string& path, std::string name,
                Reader::Style style = Reader::Style::strict) const {
    return {body, text_, path, std::move(name), style};
  }
  Result<FieldBody> field_body(const Json& body, const std::string& path, std::string_view name);
  /// Reads boost and _name, refuses what nobody asked for, and makes the query.
  Result<index::Query> made(index::Query::Node node, Reader& reader, bool lenient = false);

  Result<index::Query> read_match_all(const Json& body, const std::string& path);
  Result<index::Query> read_match_none(const Json& body, const std::string& path);
  Result<index::Query> read_bool(const Json& body, const std::string& path);
  Result<index::Query> read_constant_score(const Json& body, const std::string& path);
  Result<index::Query> read_dis_max(const Json& body, const std::string& path);
  Result<index::Query> read_boosting(const Json& body, const std::string& path);
  Result<index::Query> read_nested(const Json& body, const std::string& path);
  Status add_inner_hits(NestedInnerHits found);

  Result<index::Query> read_term(const Json& body, const std::string& path);
  Result<std::vector<Json>> looked_up_terms(const Json& body, const std::string& path);
  Result<index::Query> read_terms(const Json& body, const std::string& path);
  Result<index::Query> read_terms_set(const Json& body, const std::string& path);
  Result<index::Query> read_range(const Json& body, const std::string& path);
  Result<index::Query> read_exists(const Json& body, const std::string& path);
  Result<index::Query> read_ids(const Json& body, const std::string& path);
  Result<index::Query> read_prefix(const Json& body, const std::string& path);
  Result<index::Query> read_wildcard(const Json& body, const std::string& path);
  Result<index::Query> read_regexp(const Json& body, const std::string& path);
  Result<index::Query> read_fuzzy(const Json& body, const std::string& path);

  Result<index::Query> read_match(const Json& body, const std::string& path);
  Result<index::Query> read_match_bool_prefix(const Json& body, const std::string& path);
  Result<index::Query> read_match_phrase(const Json& body, const std::string& path);
  Result<index::Query> read_match_phrase_prefix(const Json& body, const std::string& path);
  Result<index::Query> read_phrase(const Json& body, const std::string& path, bool prefix);
  Result<index::Query> read_multi_match(const Json& body, const std::string& path);
  Result<index::Query> read_combined_fields(const Json& body, const std::string& path);
  Result<index::Query> cross_fields(const index::MatchQuery& match, const WeightedFields& fields,
                                    float tie_breaker);
  Result<index::MatchQuery> word_options(Reader& reader);
  Result<index::MatchQuery> match_options(Reader& reader);
  Result<index::Query> match_on(index::MatchQuery match, float boost);

  /// A span query as a clause of `parent`, which errors name.
  Result<index::SpanQuery> span_clause(const Json& json, const std::string& path,
                                       const std::string& parent);
  Result<std::vector<index::SpanQuery>> span_clauses(Reader& in, const std::string& parent);
  Status add_span_clause(Reader& in, std::string_view member, const std::string& parent,
                         index::SpanQuery& out);
  Result<index::Query> read_span_term(const Json& body, const std::string& path);
  Result<index::Query> read_span_multi(const Json& body, const std::string& path);
  Result<index::Query> read_span_near(const Json& body, const std::string& path);
  Result<index::Query> read_span_gap(const Json& body, const std::string& path);
  Result<index::Query> read_span_or(const Json& body, const std::string& path);
  Result<index::Query> read_span_not(const Json& body, const std::string& path);
  Result<index::Query> read_span_first(const Json& body, const std::string& path);
  Result<index::Query> read_span_pair(const Json& body, const std::string& path,
                                      const std::string& name, index::SpanQuery::Kind kind);
  Result<index::Query> read_span_containing(const Json& body, const std::string& path);
  Result<index::Query> read_span_within(const Json& body, const std::string& path);
  Result<index::Query> read_span_masking(const Json& body, const std::string& path);

  /// `{"match": {...}}`: a rule of intervals by its only name.
  Result<index::IntervalsRule> read_only_rule(const Json& json, const std::string& path);
  Result<index::IntervalsRule> read_rule(const std::string& name, const Json& body,
                                         const std::string& path);
  Result<index::IntervalsRule> read_rule_body(const std::string& name, const Json& body,
                                              const std::string& path);
  Status read_parts(Reader& in, bool all, index::IntervalsRule& out);
  Status read_interval_filter(Reader& in, index::IntervalsRule& out);
  Result<index::Query> read_intervals(const Json& body, const std::string& path);

  Result<index::Query> read_function_score(const Json& body, const std::string& path);
  Result<index::Query> read_script_score(const Json& body, const std::string& path);
  Result<index::Query> read_script(const Json& body, const std::string& path);
  Result<index::Script> read_script_of(Reader& around, std::string_view member);
  Result<index::Script> kept_script(const std::string& id) const;
  Result<index::ScoreFunction> read_function(const std::string& name, const Json& body,
                                             const std::string& path);
  Result<index::ScoreFunction> read_filtered_function(const Json& body, const std::string& path);
  Result<index::DecayFunction> read_decay(const std::string& name, const Json& body,
                                          const std::string& path);
  Result<std::optional<float>> read_weight(Reader& reader) const;

  Result<index::Query> read_distance_feature(const Json& body, const std::string& path);
  Result<index::Query> read_rank_feature(const Json& body, const std::string& path);
  Result<index::Query> read_pinned(const Json& body, const std::string& path);
  Result<std::vector<index::Query>> read_pins(Reader& reader);

  /// What a more_like_this is like, or is not.
  struct Alike {
    std::vector<index::MoreLikeThisQuery::Text> texts = {}, of_documents = {};
    std::vector<std::pair<std::string, std::string>> documents = {};  // index and id
    std::size_t bytes = 0;
  };
  Result<index::Query> read_more_like_this(const Json& body, const std::string& path);
  Result<std::vector<std::string>> fields_alike(Reader& reader);
  Status read_alike(const Json& json, const std::string& path,
                    const std::vector<std::string>& fields, Alike& out);
  Result<Alike> read_all_alike(const Json* json, const std::string& path,
                               const std::vector<std::string>& fields);

  Result<index::Query> read_knn_query(const Json& body, const std::string& path);
  Result<std::vector<float>> query_vector(Reader& reader, const std::string& path,
                                          const std::string& field);
  Result<std::optional<index::SparsePruning>> sparse_pruning(Reader& reader,
                                                             const std::string& path);
  Result<index::Query> read_sparse_vector(const Json& body, const std::string& path);
  Result<index::Query> read_semantic(const Json& body, const std::string& path);
  Result<index::Query::Node> semantic(const index::Field& field, const std::string& text);

  Result<index::Query> read_simple_query_string(const Json& body, const std::string& path);
  Result<index::Query> read_string(const Json& body, const std::string& path, bool simple);
  bool has_words(const std::string& field, const std::string& analyzer,
                 const std::string& words) const;
  std::string in_letters_of(const std::string& field, const std::string& analyzer,
                            const std::string& pattern) const;

  /// "title^2", "na*" -> fields with boosts; nothing given: all text and keyword fields.
  /// Errors: illegal_argument_exception for more than a query may have clauses.
  Result<WeightedFields> expand(const std::vector<std::string>& patterns) const;
  Error too_many_clauses() const;
  /// Refuses a text that is copied to so many fields that it would fill the memory.
  Status check_copies(const std::string& text, std::size_t fields) const;

  std::string_view text_;
  const index::Mapping& mapping_;
  Embedder& embedder_;
  const Options& options_;
  std::size_t size_;
  std::vector<std::string> default_fields_;
  std::size_t depth_ = 0;
  std::size_t read_ = 0;                                     // queries so far, of the one under way
  std::shared_ptr<const index::Query> nearest_filter_ = {};  // null: none
  DocumentLookup* documents_ = nullptr;                      // null: queries may name none
  std::vector<NamedQuery> named_;
  bool collects_inner_hits_ = false;
  std::vector<NestedInnerHits> inner_hits_;
  InnerHits widest_inner_;
};

}  // namespace cairn::search
