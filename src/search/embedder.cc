// SPDX-License-Identifier: Apache-2.0
// One call of inference for each pair of endpoint and text.
#include "search/embedder.h"

#include "search/errors.h"

namespace cairn::search {

using inference::InferResult;
using inference::TaskType;

std::string Embedder::endpoint_of(const std::string& name, TaskType task) const {
  if (inference_.get_endpoint(name).ok()) return name;
  for (const auto& endpoint : inference_.list_endpoints(task))
    if (!endpoint.remote && (endpoint.model_id == name || endpoint.deployment_id == name))
      return endpoint.inference_id;
  return name;  // the call names what is missing
}

Result<const InferResult*> Embedder::infer(const std::string& endpoint, const std::string& text,
                                           TaskType task) {
  const auto key = std::pair(endpoint, text);
  auto found = known_.find(key);
  if (found == known_.end()) {
    CAIRN_TRY(auto result, inference_.infer({.inference_id = endpoint_of(endpoint, task),
                                             .input = {text},
                                             .input_type = inference::InputType::search},
                                            deadline_));
    found = known_.emplace(key, std::move(result)).first;
  }
  if (found->second.task != task)
    return illegal_argument("inference endpoint [" + endpoint + "] does " +
                            std::string(inference::name_of(found->second.task)) + ", not " +
                            std::string(inference::name_of(task)));
  return &found->second;
}

Result<const std::vector<float>*> Embedder::dense(const std::string& endpoint,
                                                  const std::string& text) {
  CAIRN_TRY(const InferResult* result, infer(endpoint, text, TaskType::text_embedding));
  return &result->dense.front();
}

Result<const std::vector<std::pair<std::string, float>>*> Embedder::sparse(
    const std::string& endpoint, const std::string& text) {
  CAIRN_TRY(const InferResult* result, infer(endpoint, text, TaskType::sparse_embedding));
  return &result->sparse.front().weights;
}

Result<std::vector<float>> Embedder::rerank(const std::string& endpoint, const std::string& query,
                                            std::vector<std::string> documents) {
  std::vector<float> scores(documents.size(), 0);
  if (documents.empty()) return scores;
  const std::size_t all = documents.size();  // an endpoint's own top_n would leave some out
  CAIRN_TRY(const auto result,
            inference_.infer({.inference_id = endpoint_of(endpoint, TaskType::rerank),
                              .task = TaskType::rerank,
                              .input = std::move(documents),
                              .query = query,
                              .return_documents = false,
                              .top_n = all},
                             deadline_));
  for (const auto& ranked : result.rerank)
    if (ranked.index < scores.size()) scores[ranked.index] = ranked.relevance_score;
  return scores;
}

}  // namespace cairn::search
