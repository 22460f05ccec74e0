// SPDX-License-Identifier: Apache-2.0
// An inference endpoint: a task bound to a model, as a request describes it and as it is stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"
#include "inference/model/model.h"
#include "inference/quantise.h"
#include "inference/remote/remote_settings.h"
#include "text/chunker.h"

namespace cairn::inference {

/// Bounds within which a deployment finds its own number of allocations.
struct AdaptiveAllocations {
  bool enabled = false;
  std::optional<std::int64_t> min_number_of_allocations = {};  // absent: as 0
  std::optional<std::int64_t> max_number_of_allocations = {};  // absent: 32
  friend bool operator==(const AdaptiveAllocations&, const AdaptiveAllocations&) = default;
};

/// How rerank treats a document that is longer than the model's window.
enum class LongDocumentStrategy { truncate, chunk };

struct Endpoint {
  std::string inference_id;
  TaskType task = TaskType::text_embedding;
  std::string service = "cairn";  // as it was asked for: cairn, elasticsearch, elser, or a remote
  std::string model_id;
  std::string deployment_id;    // of the deployment that serves it
  bool owns_deployment = true;  // false: attached by `deployment_id` to one that was there
  std::int64_t num_threads = 1;
  std::optional<std::int64_t> num_allocations = {};  // shown: what the deployment has now
  std::optional<AdaptiveAllocations> adaptive_allocations = {};
  std::optional<LongDocumentStrategy> long_document_strategy = {};  // rerank
  std::optional<std::int64_t> max_chunks_per_doc = {};              // rerank, with `chunk`
  bool return_documents = false;                                    // task setting of rerank
  InputType input_type = InputType::unspecified;                    // task setting of the others
  std::optional<text::ChunkingSettings> chunking_settings = {};     // of the embedding tasks
  std::size_t dimensions = 0;                                       // text_embedding
  std::string similarity = {};                                      // text_embedding
  ElementType element_type = ElementType::real;                     // text_embedding
  bool quotes = false;         // a completion or chat whose model answers by quoting
  bool preconfigured = false;
  bool confirmed = true;  // a creation was answered with success
  /// Where the model is another server's: there is no deployment then.
  std::optional<RemoteSettings> remote = {};

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// The id under which the API shows the endpoint's model: one that quotes says so in its id.
std::string shown_model_id(const Endpoint& endpoint);

/// The form of the API.
Json to_json(const Endpoint& endpoint);

/// The form in the store, and back. Errors: corrupt.
Json to_record(const Endpoint& endpoint);
Result<Endpoint> from_record(const Json& record);

/// Errors: invalid_argument, action_request_validation_exception, where an id of a new endpoint
/// breaks the rules of characters.
Status check_inference_id(std::string_view id);

/// The task that path and body name together. Errors: invalid_argument.
Result<TaskType> resolve_task(std::optional<TaskType> task_of_path, const Json& body);
/// Errors: invalid_argument: `Unknown task_type [x]`.
Result<TaskType> parse_task_type(std::string_view name);

/// Reads the body of a creation. Models, deployments and other endpoints are not looked at; an
/// absent model_id stays empty, as does deployment_id. Errors: invalid_argument, with the texts of
/// docs/reference/inference.md.
Result<Endpoint> parse_endpoint(std::optional<TaskType> task_of_path, std::string_view id,
                                const Json& body);

/// Applies the body of `_update`: task_settings and num_allocations; of remote models what
/// read_remote_changes() reads. Errors as above.
Result<Endpoint> parse_endpoint_update(Endpoint endpoint, const Json& body);

/// Reads `adaptive_allocations`. Errors: invalid_argument, validation_exception.
Result<AdaptiveAllocations> parse_adaptive_allocations(const Json& settings);
Json to_json(const AdaptiveAllocations& settings);

/// How vectors of this kind compare, of a model whose own compare as `of_model` says.
std::string similarity_of(ElementType type, std::string of_model);

/// Errors: invalid_argument unless a power of 2 that is at most 32.
Status check_threads_per_allocation(std::int64_t threads);

}  // namespace cairn::inference
