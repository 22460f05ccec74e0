// SPDX-License-Identifier: Apache-2.0
// Queries that compare vectors: knn, sparse_vector, semantic.
#include <algorithm>
#include <cmath>

#include "base/encode.h"
#include "search/errors.h"
#include "search/read/query_reader.h"

namespace cairn::search {

using index::Field;
using index::FieldType;
using index::Query;

namespace {

Result<std::vector<float>> vector_of(const Json& value, Reader& in) {
  std::vector<float> vector;
  if (value.is_string()) {  // bytes, in hexadecimal
    const auto bytes = from_hex(value.as_string());
    if (!bytes) return in.fault("query_vector", "failed to parse field [query_vector]");
    for (const char byte : *bytes) vector.push_back(static_cast<signed char>(byte));
    return vector;
  }
  if (!value.is_array())
    return in.fault("query_vector", "query_vector doesn't support values of type: " +
                                        std::string(json_token_of(value)));
  for (const Json& element : value.as_array()) {
    if (!element.is_number())
      return in.fault("query_vector", "failed to parse field [query_vector]");
    vector.push_back(static_cast<float>(element.as_double()));
    if (!std::isfinite(vector.back()))
      return in.fault("query_vector", "[query_vector] must hold finite numbers");
  }
  return vector;
}

}  // namespace

Result<std::vector<float>> QueryReader::query_vector(Reader& in, const std::string& path,
                                                     const std::string& field) {
  const Json* given = in.any("query_vector");
  CAIRN_TRY(const Json* builder, in.object("query_vector_builder"));
  if (given != nullptr && builder != nullptr)
    return illegal_argument(
        "only one of [query_vector_builder] and [query_vector] must be provided");
  if (given != nullptr) return vector_of(*given, in);
  if (builder == nullptr)
    return illegal_argument("either [query_vector_builder] or [query_vector] must be provided");
  Reader build = reader(*builder, path + ".query_vector_builder", "query_vector_builder");
  CAIRN_TRY(const Json* embedding, build.object("text_embedding"));
  CAIRN_CHECK(build.finish());
  if (embedding == nullptr) return build.fault("text_embedding", "Required [text_embedding]");
  Reader inner =
      reader(*embedding, path + ".query_vector_builder.text_embedding", "text_embedding");
  CAIRN_TRY(auto model, inner.string("model_id"));
  CAIRN_TRY(const auto text, inner.string("model_text"));
  CAIRN_CHECK(inner.finish());
  if (!text) return inner.fault("model_text", "Required [model_text]");
  if (!model) {  // a semantic_text field knows its endpoint
    const Field* known = mapping_.find(field);
    if (known == nullptr || known->type != FieldType::semantic_text)
      return illegal_argument("[model_id] must not be null.");
    model = known->search_endpoint();
  }
  CAIRN_TRY(const std::vector<float>* vector, embedder_.dense(*model, *text));
  return *vector;
}

Result<Query> QueryReader::read_knn(const Json& body, const std::string& path) {
  if (!body.is_object()) return parsing_error(text_, path, "[knn] must be an object");
  Reader in = reader(body, path, "knn");
  index::KnnQuery knn;
  CAIRN_TRY(const auto field, in.string("field"));
  if (!field) return in.fault("field", "Required [field]");
  knn.field = *field;
  CAIRN_TRY(const auto k, in.integer("k"));
  CAIRN_TRY(const auto candidates, in.integer("num_candidates"));
  const std::size_t limit = options_.max_num_candidates;
  if (k && *k < 1) return illegal_argument("[k] must be greater than 0");
  knn.k = k ? static_cast<std::size_t>(*k) : std::max<std::size_t>(size_, 1);
  if (candidates) {
    if (*candidates < 1) return illegal_argument("[num_candidates] must be greater than 0");
    knn.num_candidates = static_cast<std::size_t>(*candidates);
    if (!k) knn.k = std::min(knn.k, knn.num_candidates);
    if (knn.num_candidates < knn.k)
      return illegal_argument("[num_candidates] cannot be less than [k]");
    if (knn.num_candidates > limit)
      return illegal_argument("[num_candidates] cannot exceed [" + std::to_string(limit) + "]");
  }
  if (knn.k > limit) return illegal_argument("[k] cannot exceed [" + std::to_string(limit) + "]");
  CAIRN_TRY(const auto similarity, in.number("similarity"));
  if (similarity) knn.similarity = static_cast<float>(*similarity);
  if (const Json* filter = in.any("filter")) {
    CAIRN_TRY(knn.filter, read_list(*filter, in.path_of("filter")));
  }
  if (nearest_filter_ != nullptr) knn.filter.push_back({.node = index::DocumentsQuery{{*nearest_filter_}}});
  CAIRN_TRY(const Json* rescore, in.object("rescore_vector"));
  if (rescore != nullptr) {
    Reader inner = reader(*rescore, in.path_of("rescore_vector"), "rescore_vector");
    CAIRN_TRY(const auto times, inner.number("oversample"));
    CAIRN_CHECK(inner.finish());
    if (times) {
      if (*times != 0 && !(*times >= 1 && *times <= 10))
        return illegal_argument("[oversample] must be 0, or a number from 1 to 10");
      knn.oversample = static_cast<float>(*times);
    }
  }
  CAIRN_TRY(knn.vector, query_vector(in, path, knn.field));
  return made(std::move(knn), in);
}

Result<Query> QueryReader::read_knn_query(const Json& body, const std::string& path) {
  return read_knn(body, path);
}

Result<std::optional<index::SparsePruning>> QueryReader::sparse_pruning(Reader& in,
                                                                        const std::string& path) {
  CAIRN_TRY(const auto prune, in.boolean("prune"));
  CAIRN_TRY(const Json* config, in.object("pruning_config"));
  index::SparsePruning out;
  if (config != nullptr) {
    Reader inner = reader(*config, path + ".pruning_config", "pruning_config");
    CAIRN_TRY(const auto ratio, inner.number("tokens_freq_ratio_threshold"));
    CAIRN_TRY(const auto weight, inner.number("tokens_weight_threshold"));
    CAIRN_TRY(out.only_pruned, inner.boolean_or("only_score_pruned_tokens", false));
    CAIRN_CHECK(inner.finish());
    if (ratio && !(*ratio >= 1 && *ratio <= 100))
      return illegal_argument("[tokens_freq_ratio_threshold] must be between [1] and [100], got " +
                              Json(*ratio).dump());
    if (weight && !(*weight >= 0 && *weight <= 1))
      return illegal_argument("[tokens_weight_threshold] must be between 0 and 1");
    if (ratio) out.freq_ratio_threshold = static_cast<float>(*ratio);
    if (weight) out.weight_threshold = static_cast<float>(*weight);
  }
  if (!prune.value_or(config != nullptr)) return std::optional<index::SparsePruning>();
  return std::optional(out);
}

Result<Query> QueryReader::read_sparse_vector(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "sparse_vector");
  index::SparseQuery query;
  CAIRN_TRY(const auto field, in.string("field"));
  if (!field) return in.fault("field", "Required [field]");
  query.field = *field;
  CAIRN_TRY(const Json* weights, in.object("query_vector"));
  CAIRN_TRY(auto endpoint, in.string("inference_id"));
  CAIRN_TRY(const auto text, in.string("query"));
  CAIRN_TRY(query.pruning, sparse_pruning(in, path));
  if (weights != nullptr && (text || endpoint))
    return illegal_argument(
        "[sparse_vector] requires one of [query_vector] or [inference_id] for "
        "sparse_vector fields");
  if (weights != nullptr) {
    for (const auto& [token, weight] : weights->as_object()) {
      if (!weight.is_number() || !(weight.as_double() > 0))
        return in.fault("query_vector", "weights must be positive numbers, got [" + weight.dump() +
                                            "] for [" + token + "]");
      query.weights.emplace_back(token, static_cast<float>(weight.as_double()));
    }
    return made(std::move(query), in);
  }
  if (!text)
    return illegal_argument(
        "[sparse_vector] requires one of [query_vector] or [query] for "
        "sparse_vector fields");
  const Field* known = mapping_.find(query.field);
  if (!endpoint && known != nullptr && known->type == FieldType::semantic_text)
    endpoint = known->search_endpoint();
  if (!endpoint) endpoint = std::string(index::default_sparse_id);
  CAIRN_TRY(const auto* embedded, embedder_.sparse(*endpoint, *text));
  query.weights = *embedded;
  return made(std::move(query), in);
}

Result<Query::Node> QueryReader::semantic(const Field& field, const std::string& text) {
  // Before the first document nobody knows what the endpoint gives, and nothing can match.
  if (!field.model_settings || text.empty()) return Query::Node(index::MatchNoneQuery{});
  if (field.model_settings->task_type == "sparse_embedding") {
    CAIRN_TRY(const auto* weights, embedder_.sparse(field.search_endpoint(), text));
    return Query::Node(index::SparseQuery{field.name, *weights});
  }
  CAIRN_TRY(const auto* vector, embedder_.dense(field.search_endpoint(), text));
  return Query::Node(index::DenseScoreQuery{field.name, *vector});
}

Result<Query> QueryReader::read_semantic(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "semantic");
  CAIRN_TRY(const auto name, in.string("field"));
  CAIRN_TRY(const auto text, in.string("query"));
  if (!name) return in.fault("field", "Required [field]");
  if (!text) return in.fault("query", "Required [query]");
  const Field* field = mapping_.find(*name);
  if (field == nullptr) return made(index::MatchNoneQuery{}, in);
  if (field->type != FieldType::semantic_text)
    return illegal_argument("Field [" + *name + "] of type [" +
                            std::string(index::name_of(field->type)) +
                            "] does not support semantic queries");
  CAIRN_TRY(auto node, semantic(*field, *text));
  return made(std::move(node), in);
}

}  // namespace cairn::search
