// SPDX-License-Identifier: Apache-2.0
// What each field of an index is, and the rules by which that may change.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "text/analyzer.h"

namespace cairn::script {
enum class Use;  // script/script.h
}

namespace cairn::index {

enum class FieldType {
  text,
  keyword,
  byte,
  short_,
  integer,
  long_,
  half_float,
  float_,
  double_,
  scaled_float,
  token_count,
  boolean,
  date,
  dense_vector,
  sparse_vector,
  semantic_text,
  search_as_you_type,  // only in mappings: a Field of it is a text with `shingles`
  rank_feature,        // the same: a sparse_vector with `features`
  rank_features,
  completion,
  binary,
  object,
  nested,  // the same: an object with `is_nested`
};

std::string_view name_of(FieldType type);
std::optional<FieldType> field_type_of(std::string_view name);
bool is_whole_number(FieldType type);  // byte to long, and token_count
bool is_number(FieldType type);        // those and the floating ones

/// What becomes of fields that a mapping lacks. `runtime`: they become runtime fields.
enum class Dynamic { yes, no, strict, runtime };
/// What is kept of each term of a text field: where it is, how often too, at which positions too.
enum class IndexOptions { docs, freqs, positions };
/// What a sparse_vector field is beside: numbers that rank_feature queries score by.
enum class Features { none, one, many };
/// The token of a field of one feature.
inline constexpr std::string_view one_feature_term = "\x01";
/// How the inputs of a completion field are kept.
struct CompletionRules {
  bool separators = true;         // words of an input stay apart
  bool increments = true;         // words that the analyzer left out are counted
  std::size_t input_length = 50;  // UTF-16 units of an input; the rest is left out
};
enum class Similarity { cosine, dot_product, l2_norm, max_inner_product };
std::string_view name_of(Similarity similarity);
std::optional<Similarity> similarity_of(std::string_view name);

/// The endpoint of semantic_text fields that name none: what finds more, by tests/quality.
inline constexpr std::string_view default_inference_id = ".cairn-dense";
/// The endpoint of a sparse_vector query that names none.
inline constexpr std::string_view default_sparse_id = ".elser-2-elasticsearch";

/// What the model behind a semantic_text field gives, fixed by the first document.
struct ModelSettings {
  std::string service = {};
  std::string task_type = {};     // sparse_embedding or text_embedding
  std::int64_t dimensions = 0;    // of text_embedding
  std::string similarity = {};    // of text_embedding
  std::string element_type = {};  // of text_embedding: float or byte

  Json to_json() const;
  static Result<ModelSettings> parse(const Json& json, std::string_view field);
  friend bool operator==(const ModelSettings&, const ModelSettings&) = default;
};

/// Where the values of a runtime field come from: it is not indexed, and has them when a search
/// asks.
struct RuntimeScript {
  bool has_script = false;  // false: from the member of its name in the source
  std::string source = {};
  Json params = {};      // an object, or null
  script::Use use = {};  // what the script is for
  bool goes_on = false;  // a document whose script fails has no value, and is no error
};

/// One field. Immutable once it is part of a Mapping.
struct Field {
  std::string name;  // the full path: "author.name", and "title.keyword" for a multi-field
  FieldType type = FieldType::object;
  bool index = true;       // can be searched
  bool doc_values = true;  // keyword, numbers, boolean, date: can be sorted and counted
  bool norms = true;       // text
  bool stored = false;     // `store`: hits show it where a search asks for stored fields
  IndexOptions index_options = IndexOptions::positions;  // text; keyword: docs
  std::uint32_t position_increment_gap = 100;            // text: between values of a list
  std::string analyzer = {};                             // text; empty: standard
  std::string search_analyzer = {};                      // text; empty: as `analyzer`
  std::string normalizer = {};                           // keyword; empty or lowercase
  std::optional<std::int64_t> ignore_above =
      {};                         // keyword: longer values (in characters) are left out
  std::string format = {};        // date; empty: strict_date_optional_time||epoch_millis
  bool ignore_malformed = false;  // numbers, dates, boolean: leave out instead of refusing
  bool coerce = true;             // numbers: accept "5", and 5.7 as a whole number
  double scaling_factor = 0;      // scaled_float: values are kept as multiples of 1 / this
  bool counts_gaps = true;        // token_count: words that the analyzer left out count too
  Json null_value = {};           // null: none
  std::vector<std::string> copy_to = {};
  std::int64_t dims = 0;       // dense_vector; 0: from the first document
  bool byte_elements = false;  // dense_vector
  bool bit_elements = false;   // dense_vector: a byte has eight dimensions; byte_elements too
  Similarity similarity = Similarity::cosine;  // dense_vector
  bool exact_vectors = false;     // dense_vector, semantic_text: every vector is compared
  float oversample = 0;           // the same: candidates for each hit, where a search says none
  std::string inference_id = {};  // semantic_text
  std::string search_inference_id = {};              // semantic_text; empty: as `inference_id`
  std::optional<ModelSettings> model_settings = {};  // semantic_text
  Json chunking_settings = {};                       // semantic_text; null: those of the endpoint
  std::optional<Dynamic> dynamic = {};               // object
  bool enabled = true;                               // object: false keeps it in _source only
  bool is_nested = false;          // object: each is a document of its own, below the one it is in
  bool include_in_parent = false;  // nested: its values are values of what it is in too
  bool include_in_root = false;    // nested: and of the document
  Json given = {};                 // the parameters as they were written, for to_json
  bool is_multi_field = false;     // a member of another field's `fields`
  std::string value_field = {};    // of a multi-field: the field whose values it has; else empty
  std::size_t shingles = 0;        // search_as_you_type: words of its longest runs; else 0
  Features features = Features::none;
  bool positive_score_impact = true;  // features: false: the less the better
  CompletionRules completion = {};    // completion
  bool is_derived = false;  // comes with a search_as_you_type: title._2gram; no mapping shows it
  std::shared_ptr<const RuntimeScript> runtime = {};           // null: it is indexed
  std::shared_ptr<const text::Analyzer> index_analysis = {};   // text, completion, token_count
  std::shared_ptr<const text::Analyzer> search_analysis = {};  // text, completion

  /// What the mapping calls it.
  FieldType declared_type() const {
    if (features != Features::none)
      return features == Features::one ? FieldType::rank_feature : FieldType::rank_features;
    if (is_nested) return FieldType::nested;
    return shingles > 0 ? FieldType::search_as_you_type : type;
  }
  /// The field whose values in documents it has.
  const std::string& value_path() const { return value_field.empty() ? name : value_field; }
  /// How many numbers a vector has that comes to a dense_vector field.
  std::size_t vector_elements() const {
    return static_cast<std::size_t>(bit_elements ? dims / 8 : dims);
  }
  /// What its numbers are called.
  std::string_view element_type() const {
    return bit_elements ? "bit" : byte_elements ? "byte" : "float";
  }
  /// The endpoint to ask with when searching a semantic_text field.
  const std::string& search_endpoint() const {
    return search_inference_id.empty() ? inference_id : search_inference_id;
  }
};

/// A field that the platform itself keeps of documents, or null. Keywords: `_ignored` has the names
/// of the fields whose value a document has and the index left out, `_routing` what the document
/// was written with.
const Field* metadata_field(std::string_view name);
inline constexpr std::string_view ignored_field_name = "_ignored";
inline constexpr std::string_view routing_field_name = "_routing";
/// The field by which documents of data streams are in time.
inline constexpr std::string_view timestamp_field_name = "@timestamp";

/// What a mapping may hold. `steps`, where it is set, counts the work for tests of its growth.
struct MappingLimits {
  MappingLimits(std::size_t most_fields = 1000) : fields(most_fields) {}
  /// For what was taken once: it is taken again, whatever the limits are today.
  static MappingLimits kept();

  std::size_t fields;               // index.mapping.total_fields.limit: objects, multi-fields too
  std::size_t depth = 20;           // index.mapping.depth.limit: pieces of a path
  std::size_t name_length = 1024;   // index.mapping.field_name_length.limit: characters of a piece
  std::size_t nested_fields = 100;  // index.mapping.nested_fields.limit
  std::size_t nested_objects = 10'000;  // index.mapping.nested_objects.limit: of one document
  bool is_kept = false;
  std::uint64_t* steps = nullptr;

  /// Errors: illegal_argument_exception for a new field of this path.
  Status check_path(std::string_view path) const;
  /// Errors: illegal_argument_exception where so many fields, of which `added` are new, are too
  /// many.
  Status check_count(std::size_t count, std::size_t added) const;
  void count_steps(std::uint64_t more = 1) const {
    if (steps != nullptr) *steps += more;
  }
};

/// All fields of an index. Immutable: a change makes a new one. Safe from any thread.
class Mapping : public std::enable_shared_from_this<Mapping> {
 public:
  Mapping();

  /// From `{"properties": {...}, "dynamic": ..., ...}`; null gives the empty mapping.
  /// `analyzers` are those that fields may name, beside the built-in ones.
  /// Errors: mapper_parsing_exception, illegal_argument_exception.
  static Result<std::shared_ptr<const Mapping>> parse(const Json& json, const MappingLimits& limits,
                                                      const text::Analyzers& analyzers = {});
  /// This mapping with `change` (same shape) merged in. The same pointer where nothing changes.
  /// Errors: those of parse; illegal_argument_exception where a field cannot change so.
  Result<std::shared_ptr<const Mapping>> merged(const Json& change,
                                                const MappingLimits& limits) const;
  /// The shape that parse() accepts.
  Json to_json() const;

  /// A field by its full path, as searches see it: a runtime field stands before one that is
  /// mapped. Objects and metadata fields included. Null where there is none.
  const Field* find(std::string_view name) const;
  /// The same as documents see it: runtime fields are left out.
  const Field* find_mapped(std::string_view name) const;
  bool is_runtime(std::string_view name) const;
  bool has_runtime() const { return !runtime_.empty(); }
  /// This mapping with these runtime fields beside its own, in the place of those of their names.
  std::shared_ptr<const Mapping> with_runtime(std::vector<Field> fields) const;
  /// Every field but objects and metadata, by name, as searches see them.
  std::vector<const Field*> fields() const;
  /// The nearest nested field above a path; null where it is of the document itself.
  const Field* nested_above(std::string_view path) const;
  bool has_nested() const { return nested_count_ > 0; }
  /// Fields whose full path matches a pattern with *, objects left out.
  std::vector<const Field*> match(std::string_view pattern) const;
  std::vector<const Field*> semantic_fields() const;
  /// The multi-fields that have the values of a field ("title" -> "title.keyword").
  std::vector<const Field*> multi_fields(const Field& field) const;

  Dynamic dynamic_of(std::string_view object_path) const;  // inherited from the nearest parent
  /// Whether documents are written and read with a routing only.
  bool routing_required() const { return routing_required_; }
  /// Whether each document has one value in `@timestamp`, as those of data streams do.
  bool timestamp_required() const { return timestamp_required_; }
  bool date_detection() const { return date_detection_; }
  bool numeric_detection() const { return numeric_detection_; }
  const std::vector<std::string>& dynamic_date_formats() const { return dynamic_date_formats_; }
  /// The dynamic_templates as given; null where there are none.
  const Json& dynamic_templates() const { return dynamic_templates_; }
  const text::Analyzers& analyzers() const { return analyzers_; }
  std::size_t size() const { return fields_.size() + runtime_.size(); }

 private:
  friend class MappingReader;
  template <class Takes>
  std::vector<const Field*> chosen(Takes takes) const;
  // Objects too. Mappings share the fields in which they are alike.
  std::map<std::string, std::shared_ptr<const Field>, std::less<>> fields_;
  std::map<std::string, std::shared_ptr<const Field>, std::less<>> runtime_;
  std::size_t nested_count_ = 0;
  Dynamic dynamic_ = Dynamic::yes;
  bool dynamic_given_ = false;
  bool routing_required_ = false;
  bool timestamp_required_ = false;
  bool date_detection_ = true;
  bool numeric_detection_ = false;
  std::vector<std::string> dynamic_date_formats_;
  Json dynamic_templates_;
  Json root_ = Json::object();  // members beside properties, as given
  text::Analyzers analyzers_;
};

/// Merges a change into a mapping in JSON form the way an update of mappings does: objects member
/// by member, other values replaced. For callers that build one from pieces.
Json merge_mapping_json(const Json& base, const Json& change);

}  // namespace cairn::index
