// SPDX-License-Identifier: Apache-2.0
// The inference service: endpoints, the deployments behind them, and running them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "inference/text_call.h"
#include "inference/endpoint.h"
#include "inference/model/model.h"
#include "inference/model/model_source.h"
#include "inference/options.h"
#include "inference/placement/worker_nodes.h"
#include "inference/remote/key_seal.h"
#include "inference/text_answer.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/threads/pool.h"
#include "store/store.h"

namespace cairn::inference {

struct InferRequest {
  std::string inference_id = {};
  std::optional<TaskType> task = {};  // where given, the endpoint must have it
  std::vector<std::string> input = {};
  std::optional<std::string> query = {};          // rerank
  InputType input_type = InputType::unspecified;  // unspecified: that of the endpoint
  std::optional<bool> return_documents = {};      // rerank; absent: that of the endpoint
  std::optional<std::size_t> top_n = {};          // rerank
  /// What the caller asked for, for the error's text. 0: run at once or fail. Absent: what the
  /// deadline leaves.
  std::optional<std::int64_t> timeout_ms = {};
};

/// The body of an inference call as it came, before anything is checked but types.
struct InferFields {
  std::optional<std::vector<std::string>> input = {};
  std::optional<std::string> query = {};
  std::optional<std::string> input_type = {};
  std::optional<bool> return_documents = {};
  std::optional<std::int64_t> top_n = {};
  Json task_settings = {};
};

struct RankedDocument {
  std::size_t index = 0;
  float relevance_score = 0;
  std::optional<std::string> text = {};  // where documents are returned
};

/// The list of the task holds one element for each input; the others are empty.
struct InferResult {
  TaskType task = TaskType::text_embedding;
  ElementType element_type = ElementType::real;
  /// Of `byte` integers, of `bit` 1 and -1, which compare as what the API gives.
  std::vector<std::vector<float>> dense = {};
  std::vector<SparseVector> sparse = {};
  std::vector<RankedDocument> rerank = {};  // best first
  std::uint64_t tokens = 0;  // of the inputs, as another server counts them; 0: nobody did
};

/// The form of the API: one member named after the task.
std::string render(const InferResult& result);

/// Who uses an endpoint, asked before it is deleted. Names.
struct References {
  std::function<std::vector<std::string>(std::string_view inference_id)> indexes = {};
  std::function<std::vector<std::string>(std::string_view inference_id)> pipelines = {};
};

struct DeleteReport {
  bool acknowledged = false;
  std::vector<std::string> pipelines = {};
  std::vector<std::string> indexes = {};
  std::string error_message = {};  // dry run: why a real call would be refused
};
Json to_json(const DeleteReport& report);

/// Which models a call is about: ids of models or deployments, wildcards, `_all`; empty for all.
struct ModelQuery {
  std::string expression = {};
  bool allow_no_match = true;
  std::size_t from = 0;
  std::size_t size = 100;
};

struct StartDeployment {
  std::string model_id = {};
  std::optional<std::string> deployment_id = {};  // absent: the model's id
  std::optional<std::int64_t> number_of_allocations = {};
  std::int64_t threads_per_allocation = 1;
  std::int64_t queue_capacity = 1'024;
  std::string priority = "normal";
  std::string wait_for = "started";  // started, starting, fully_allocated
  std::optional<AdaptiveAllocations> adaptive_allocations = {};
  std::int64_t timeout_ms = 20'000;  // -1: for ever
};

struct UpdateDeployment {
  std::optional<std::int64_t> number_of_allocations = {};
  std::optional<AdaptiveAllocations> adaptive_allocations = {};
};

/// Safe from any thread. Changes are durable when a call returns. Every call with a deadline may
/// block up to it; errors carry the wire name in `code`. Source: docs/reference/inference.md.
class Service {
 public:
  /// Reads the records and starts again what was deployed. What is passed by reference must
  /// outlive the service.
  static Result<std::unique_ptr<Service>> open(store::Store& records, ModelSource& models,
                                               os::Pool& cpu, const os::Clock& clock,
                                               Options options, const os::Deadline& deadline);
  ~Service();  // stops every deployment; work that waits fails
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Set once by `app`, before requests come in.
  void set_references(References references);
  /// The same, before which no endpoint of another server's model can be made or used.
  void set_key_seal(KeySeal keys);
  /// The same: other nodes, which are to run models too.
  void set_nodes(OtherNodes nodes);
  /// Seals the API keys of all endpoints again; one that does not open stays as it is, and the log
  /// says so. Errors: those of the store.
  Status reseal_keys(const os::Deadline& deadline);
  const Options& options() const;

  /// Creates an endpoint and waits up to `wait_ms` (-1: for ever, 0: not at all) for its
  /// deployment. Where the wait ends first the answer is model_deployment_timeout_exception (kind
  /// timeout); the endpoint is there, the deployment goes on, and the same call waits again. A
  /// deployment that fails while this waits takes the endpoint with it.
  /// Errors: invalid_argument; not_found; resource_already_exists_exception; those of the loading.
  Result<Endpoint> put_endpoint(std::optional<TaskType> task, std::string_view id, const Json& body,
                                std::int64_t wait_ms, const os::Deadline& deadline);
  /// What a caller should know about an endpoint that it made: another one runs the same model with
  /// a deployment of its own. Empty for what ships with the program, and where there is no other.
  std::string advice(const Endpoint& endpoint) const;
  /// Changes task_settings and num_allocations; of remote models the key and what limits them.
  Result<Endpoint> update_endpoint(std::optional<TaskType> task, std::string_view id,
                                   const Json& body, const os::Deadline& deadline);
  /// Errors: resource_not_found_exception; invalid_argument where it has another task.
  Result<Endpoint> get_endpoint(std::string_view id, std::optional<TaskType> task = {}) const;
  std::vector<Endpoint> list_endpoints(std::optional<TaskType> task = {}) const;  // by id
  /// The form of the API, with `deployment` while that is not ready: state, progress, reason.
  Json show(const Endpoint& endpoint) const;
  Result<DeleteReport> delete_endpoint(std::optional<TaskType> task, std::string_view id,
                                       bool dry_run, bool force, const os::Deadline& deadline);
  /// The body of `GET /_inference/_services`.
  Result<Json> services(std::optional<TaskType> task, const os::Deadline& deadline) const;

  /// Checks a call that came over the wire. Errors: action_request_validation_exception with all
  /// faults numbered; resource_not_found_exception; invalid_argument where the task is another.
  Result<InferRequest> check(std::optional<TaskType> task, std::string_view id,
                             InferFields fields) const;
  /// Runs an endpoint on inputs; deploys its model first where it is not deployed.
  /// Errors: not_found; invalid_argument; rate_limited (queue full); timeout; unavailable.
  Result<InferResult> infer(const InferRequest& request, const os::Deadline& deadline);

  /// Begins texts: deploys the model first where it is not deployed, waits for it, makes the
  /// prompt. Errors: as infer(); invalid_argument for a task without texts and for what is wrong in
  /// the call.
  Result<std::unique_ptr<TextAnswer>> begin_text(TextCall call, const os::Deadline& deadline);

  // The trained-model API. Each answers the body of its call.
  Result<Json> trained_models(const ModelQuery& query, bool include_definition_status,
                              const os::Deadline& deadline) const;
  Result<Json> trained_model_stats(const ModelQuery& query, const os::Deadline& deadline) const;
  Result<Json> start_deployment(const StartDeployment& params, const os::Deadline& deadline);
  Result<Json> stop_deployment(std::string_view expression, bool allow_no_match, bool force,
                               const os::Deadline& deadline);
  Result<Json> update_deployment(std::string_view id, const UpdateDeployment& params,
                                 const os::Deadline& deadline);

  /// Removes a model from the store, and what was received of one on its way in. With `force` its
  /// deployments are stopped first. Errors: resource_not_found_exception; conflict where endpoints or
  /// deployments use it.
  Result<Json> delete_model(std::string_view model_id, bool force, const os::Deadline& deadline);
  /// Whether a model of this id may be taken in. Errors: invalid_argument for an id that cannot be,
  /// or that endpoints, deployments or stand-ins have; conflict while it is downloaded.
  Status check_new_model(std::string_view model_id) const;

  /// One step of adaptive scaling for every deployment that is due, and a look at other nodes.
  void tick();

 private:
  struct Impl;
  explicit Service(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::inference
