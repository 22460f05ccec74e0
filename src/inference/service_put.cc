// SPDX-License-Identifier: Apache-2.0
// Creating and updating endpoints.
#include <utility>

#include "format/time.h"
#include "inference/errors.h"
#include "inference/service_impl.h"
#include "os/log.h"

namespace cairn::inference {
namespace {

/// True where two requests ask for the same endpoint. What an attached endpoint takes from its
/// deployment does not count.
bool same_request(Endpoint a, const Endpoint& b) {
  a.confirmed = b.confirmed;
  if (!a.owns_deployment && !b.owns_deployment) {
    a.num_threads = b.num_threads;
    a.num_allocations = b.num_allocations;
    a.adaptive_allocations = b.adaptive_allocations;
  }
  return a == b;
}

std::string upper_first(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text + ".";
}

std::string names_of(const std::vector<TaskType>& tasks) {
  std::string out;
  for (const TaskType task : tasks) {
    if (!out.empty()) out += ", ";
    out += name_of(task);
  }
  return out;
}

}  // namespace

/// The endpoint that a body asks for, of which nothing but its id is looked up.
Result<Endpoint> Service::Impl::parse_new(std::optional<TaskType> task, std::string_view id,
                                          const Json& body) const {
  if (const auto there = find(id); there && there->preconfigured) {
    return bad_request("[" + std::string(id) +
                       "] is a reserved inference Id. Cannot create a new inference endpoint with "
                       "a reserved Id");
  }
  CAIRN_CHECK(check_inference_id(id));
  return parse_endpoint(task, id, body);
}

/// The same with its model looked up.
Result<Endpoint> Service::Impl::resolve(Endpoint out, const os::Deadline& wait,
                                        const os::Deadline& deadline) const {
  const std::string& id = out.inference_id;
  if (out.model_id == id) {
    return bad_request("Inference endpoint IDs must be unique. Requested inference endpoint ID [" +
                       id + "] matches existing trained model ID(s) but must not.");
  }
  if (out.owns_deployment)
    CAIRN_CHECK(check_allocations(out.num_allocations, out.adaptive_allocations, "start"));
  else
    CAIRN_CHECK(take_from_deployment(out));
  if (out.model_id.empty()) out.model_id = options.default_model;  // service elser
  const Result<ModelInfo> model = discover_model(out.model_id, wait, deadline);
  if (!model.ok() && model.error().kind == ErrorKind::not_found) {
    return illegal_argument(
        "Error parsing request config, model id does not match any models available on this "
        "platform. Was [" +
        out.model_id + "]. " +
        (model.error().cause != nullptr
             ? upper_first(model.error().cause->message)
             : "Take it in with [cairn model import], or name a place that has it in "
               "models.sources."));
  }
  if (!model.ok()) return model.error();
  if (!model->refusal.empty()) {
    return bad_request("Model [" + model->model_id + "] cannot be run: " + model->refusal);
  }
  if (!model->supports(out.task)) {
    return bad_request("Model [" + model->model_id + "] does not support task type [" +
                       std::string(name_of(out.task)) + "]. Supported tasks: [" +
                       names_of(model->tasks) + "]");
  }
  out.model_id = model->model_id;
  out.quotes = gives_texts(out.task) && model->quotes;
  if (out.owns_deployment) out.deployment_id = out.inference_id;
  if (out.task == TaskType::text_embedding) {
    out.dimensions = model->dimensions;
    out.similarity = similarity_of(out.element_type, model->similarity);
    if (out.element_type == ElementType::bit && model->dimensions % 8 != 0) {
      return illegal_argument("[element_type] [bit] needs a number of dimensions that is a multiple "
                              "of 8, and model [" + model->model_id + "] has [" +
                              std::to_string(model->dimensions) + "]");
    }
  }
  return out;
}

/// Fills in what an endpoint that reuses a deployment takes from it.
Status Service::Impl::take_from_deployment(Endpoint& endpoint) const {
  const auto deployment = find_deployment(endpoint.deployment_id);
  if (deployment == nullptr) {
    return status_error(ErrorKind::not_found,
                        "Cannot find deployment [" + endpoint.deployment_id + "]");
  }
  const DeploymentSettings live = deployment->settings();
  if (!endpoint.model_id.empty() && endpoint.model_id != live.model_id &&
      resolve_alias(endpoint.model_id) != live.model_id) {
    return bad_request("Deployment [" + endpoint.deployment_id + "] uses model [" + live.model_id +
                       "] which does not match the model [" + endpoint.model_id +
                       "] in the request.");
  }
  endpoint.model_id = live.model_id;
  endpoint.num_threads = live.threads_per_allocation;
  endpoint.num_allocations = live.number_of_allocations;
  endpoint.adaptive_allocations = live.adaptive_allocations;
  return ok_status();
}

/// The same creation once more: waits on, unless it was done and answered.
Result<std::shared_ptr<Deployment>> Service::Impl::join(const Endpoint& there,
                                                        const Endpoint& wanted,
                                                        const os::Deadline& deadline) {
  if (!same_request(there, wanted)) return endpoint_exists(there.inference_id);
  auto deployment = find_deployment(there.deployment_id);
  if (deployment == nullptr) {  // its creation was cut before the second record
    DeploymentSettings settings = settings_for(there, options);
    CAIRN_CHECK(write_deployment(settings, deadline));
    deployment = add_deployment(std::move(settings));
  } else if (there.confirmed && deployment->state() == DeploymentState::started) {
    return endpoint_exists(there.inference_id);
  }
  deployment->start();
  return deployment;
}

Result<std::shared_ptr<Deployment>> Service::Impl::create_or_join(Endpoint endpoint,
                                                                  const os::Deadline& deadline) {
  const ChangeLock change(changes);
  if (const auto there = find(endpoint.inference_id)) return join(*there, endpoint, deadline);
  CAIRN_CHECK(check_unique(endpoint.inference_id, deadline));
  if (!endpoint.owns_deployment) {
    CAIRN_CHECK(take_from_deployment(endpoint));
    CAIRN_CHECK(create_endpoint(endpoint, deadline));
    return find_deployment(endpoint.deployment_id);
  }
  DeploymentSettings settings = settings_for(endpoint, options);
  CAIRN_CHECK(create_endpoint(endpoint, deadline));
  if (const Status written = write_deployment(settings, deadline); !written.ok()) {
    (void)remove_endpoint(endpoint.inference_id, deadline);
    return written.error();
  }
  auto deployment = add_deployment(std::move(settings));
  deployment->start();
  return deployment;
}

Result<Endpoint> Service::put_endpoint(std::optional<TaskType> task, std::string_view id,
                                       const Json& body, std::int64_t wait_ms,
                                       const os::Deadline& deadline) {
  Impl& s = *impl_;
  CAIRN_TRY(Endpoint asked, s.parse_new(task, id, body));
  if (asked.remote) return s.put_remote(std::move(asked), body, wait_ms, deadline);
  const os::Deadline wait = wait_ms < 0 ? deadline : deadline.sooner_ms(wait_ms);
  CAIRN_TRY(Endpoint endpoint, s.resolve(std::move(asked), wait, deadline));
  endpoint.confirmed = wait_ms == 0;
  CAIRN_TRY(const auto deployment, s.create_or_join(std::move(endpoint), deadline));
  return s.settle(id, *deployment, wait_ms, wait, deadline);
}

std::string Service::advice(const Endpoint& endpoint) const {
  if (!endpoint.owns_deployment || endpoint.model_id == impl_->options.default_model) return {};
  const MutexLock lock(impl_->mutex);
  for (const auto& [id, kept] : impl_->endpoints) {
    const Endpoint& other = kept.endpoint;
    if (id == endpoint.inference_id || other.model_id != endpoint.model_id || other.remote)
      continue;
    return "Inference endpoint [" + id + "] already runs model [" + endpoint.model_id +
           "]. Each endpoint with a deployment of its own takes resources; name deployment_id [" +
           other.deployment_id + "] to share that one.";
  }
  return {};
}

/// The end of a creation: success, a wait that ended early, or a deployment that failed.
Result<Endpoint> Service::Impl::settle(std::string_view id, Deployment& deployment,
                                       std::int64_t wait_ms, const os::Deadline& limit,
                                       const os::Deadline& deadline) {
  if (wait_ms != 0) {
    const Status started = deployment.wait_started(limit);
    if (!started.ok()) {
      if (deadline.stopped()) return started.error();
      if (started.error().kind == ErrorKind::timeout && limit.passed()) {
        return deployment_timeout(deployment, wait_ms)
            .with_detail("_status", std::to_string(options.create_timeout_status));
      }
      take_back(id, deadline);
      return started.error();
    }
    confirm(id, deadline);
  }
  auto endpoint = find(id);
  if (!endpoint) return endpoint_not_found(id);  // deleted meanwhile
  return shown(*std::move(endpoint));
}

Error Service::Impl::deployment_timeout(const Deployment& deployment, std::int64_t wait_ms) const {
  return Error{.kind = ErrorKind::timeout,
               .code = "model_deployment_timeout_exception",
               .message = "Timed out after [" +
                          (wait_ms < 0 ? std::string("-1") : format_time_value(wait_ms)) +
                          "] waiting for trained model deployment [" +
                          deployment.settings().deployment_id +
                          "] to start. Use the trained model stats API to track the state of the "
                          "deployment and try again once it has started."};
}

/// Remembers that a creation was answered with success. A lost note only lets the same creation
/// succeed once more.
void Service::Impl::confirm(std::string_view id, const os::Deadline& deadline) {
  const ChangeLock change(changes);
  auto endpoint = find(id);
  if (!endpoint || endpoint->confirmed) return;
  endpoint->confirmed = true;
  if (const Status written = write_endpoint(*endpoint, deadline); !written.ok()) {
    os::log(os::LogLevel::warn, "inference", "endpoint_not_confirmed",
            {{"inference_id", id}, {"reason", written.error().message}});
  }
}

/// Removes an endpoint whose deployment failed before its creation was answered.
void Service::Impl::take_back(std::string_view id, const os::Deadline& deadline) {
  const ChangeLock change(changes);
  const auto endpoint = find(id);
  if (!endpoint || endpoint->confirmed) return;
  const auto deployment = find_deployment(endpoint->deployment_id);
  if (deployment != nullptr && deployment->state() != DeploymentState::failed) return;
  Status removed = remove_endpoint(id, deadline);
  if (removed.ok() && users_of(endpoint->deployment_id).empty() && endpoint->owns_deployment) {
    removed = remove_deployment(endpoint->deployment_id, deadline);
  }
  if (removed.ok()) return;
  os::log(os::LogLevel::warn, "inference", "endpoint_not_taken_back",
          {{"inference_id", id}, {"reason", removed.error().message}});
}

Result<Endpoint> Service::update_endpoint(std::optional<TaskType> task, std::string_view id,
                                          const Json& body, const os::Deadline& deadline) {
  Impl& s = *impl_;
  const ChangeLock change(s.changes);
  const auto there = s.find(id);
  if (!there) {
    return not_found("The inference endpoint [" + std::string(id) +
                     "] does not exist and cannot be updated");
  }
  if (there->preconfigured) {
    return bad_request("Default endpoint [" + std::string(id) + "] cannot be updated");
  }
  CAIRN_TRY(const TaskType resolved, resolve_task(task ? task : there->task, body));
  if (resolved != there->task || (task && *task != there->task)) {
    return bad_request("Task type must match the task type of the existing endpoint");
  }
  CAIRN_TRY(const Endpoint endpoint, parse_endpoint_update(*there, body));
  if (endpoint.remote) return s.update_remote(endpoint, body, deadline);
  const bool scales = endpoint.num_allocations != there->num_allocations;
  if (scales && !endpoint.owns_deployment) {
    return status_error(ErrorKind::conflict,
                        "Cannot update inference endpoint [" + std::string(id) +
                            "] using model deployment [" + endpoint.deployment_id +
                            "]. The model deployment was not created by this endpoint; update it "
                            "where it was created.");
  }
  if (scales) CAIRN_CHECK(s.check_allocations(endpoint.num_allocations, std::nullopt, "update"));
  CAIRN_CHECK(s.write_endpoint(endpoint, deadline));
  if (scales) {
    if (const auto deployment = s.find_deployment(endpoint.deployment_id)) {
      deployment->set_allocations(endpoint.num_allocations, std::nullopt);
      CAIRN_CHECK(s.write_deployment(deployment->settings(), deadline));
    }
  }
  return s.shown(endpoint);
}

}  // namespace cairn::inference
