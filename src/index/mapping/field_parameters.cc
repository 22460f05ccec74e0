// SPDX-License-Identifier: Apache-2.0
#include "index/mapping/field_parameters.h"

#include <algorithm>
#include <vector>

namespace cairn::index {
namespace {

struct TypeParameters {
  FieldType type;
  std::vector<std::string_view> names;
};

// `type`, `fields` and `meta` are allowed everywhere below.
const std::vector<TypeParameters>& parameters() {
  using enum FieldType;
  static const std::vector<std::string_view> number = {
      "index", "doc_values", "store", "null_value", "ignore_malformed", "coerce", "copy_to"};
  static const std::vector<TypeParameters> all = {
      {text,
       {"analyzer", "search_analyzer", "search_quote_analyzer", "index", "norms", "store",
        "copy_to", "index_options", "position_increment_gap", "eager_global_ordinals"}},
      {keyword,
       {"index", "doc_values", "store", "null_value", "ignore_above", "normalizer", "copy_to",
        "index_options", "eager_global_ordinals"}},
      {byte, number},
      {short_, number},
      {integer, number},
      {long_, number},
      {half_float, number},
      {float_, number},
      {double_, number},
      {scaled_float,
       {"scaling_factor", "index", "doc_values", "store", "null_value", "ignore_malformed",
        "coerce", "copy_to"}},
      {token_count,
       {"analyzer", "enable_position_increments", "index", "doc_values", "store", "null_value",
        "copy_to"}},
      {binary, {"store", "doc_values", "copy_to"}},
      {boolean, {"index", "doc_values", "store", "null_value", "ignore_malformed", "copy_to"}},
      {date,
       {"index", "doc_values", "store", "null_value", "ignore_malformed", "copy_to", "format",
        "locale"}},
      {dense_vector, {"dims", "similarity", "element_type", "index", "index_options"}},
      {sparse_vector, {"store", "index_options"}},
      {search_as_you_type,
       {"analyzer", "search_analyzer", "search_quote_analyzer", "index", "norms", "store",
        "copy_to", "index_options", "max_shingle_size"}},
      {rank_feature, {"positive_score_impact", "null_value"}},
      {rank_features, {"positive_score_impact"}},
      {completion,
       {"analyzer", "search_analyzer", "preserve_separators", "preserve_position_increments",
        "max_input_length"}},
      {semantic_text,
       {"inference_id", "search_inference_id", "model_settings", "chunking_settings",
        "index_options"}},
  };
  return all;
}

}  // namespace

bool is_object_parameter(std::string_view name, bool nested) {
  if (name == "include_in_parent" || name == "include_in_root") return nested;
  return name == "type" || name == "dynamic" || (name == "enabled" && !nested);
}

bool is_allowed(FieldType type, std::string_view name) {
  if (name == "type" || name == "fields" || name == "meta") return true;
  for (const auto& entry : parameters())
    if (entry.type == type)
      return std::find(entry.names.begin(), entry.names.end(), name) != entry.names.end();
  return false;
}

bool is_updatable(FieldType type, std::string_view name) {
  if (name == "meta" || name == "ignore_malformed" || name == "coerce" || name == "copy_to" ||
      name == "eager_global_ordinals")
    return true;
  if (type == FieldType::keyword) return name == "ignore_above" || name == "null_value";
  if (type == FieldType::text || type == FieldType::search_as_you_type)
    return name == "search_analyzer" || name == "search_quote_analyzer" || name == "norms";
  if (type == FieldType::completion) return name == "search_analyzer" || name == "max_input_length";
  if (type == FieldType::semantic_text)
    return name == "search_inference_id" || name == "chunking_settings" || name == "index_options";
  if (type == FieldType::dense_vector) return name == "index_options";
  return type == FieldType::sparse_vector && name == "index_options";
}

}  // namespace cairn::index
