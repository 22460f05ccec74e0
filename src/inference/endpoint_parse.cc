// SPDX-License-Identifier: Apache-2.0
// The bodies of creations and updates.
#include <array>
#include <climits>
#include <utility>

#include "inference/endpoint.h"
#include "inference/errors.h"
#include "inference/remote/endpoint_settings.h"
#include "inference/settings_reader.h"

namespace cairn::inference {
namespace {

constexpr std::string_view scope = "service_settings";
constexpr std::array<std::string_view, 3> services{"cairn", "elasticsearch", "elser"};

bool has_chunks(TaskType task) {
  return task == TaskType::text_embedding || task == TaskType::sparse_embedding;
}

Error unknown_settings(const std::string& settings, const std::string& service) {
  return bad_request("Configuration contains settings [" + settings + "] unknown to the [" +
                     service + "] service");
}

/// The settings of rerank about documents that are longer than the model's window.
void read_long_documents(SettingsReader& reader, Endpoint& out, Faults& faults) {
  if (const auto name = reader.string("long_document_strategy")) {
    if (*name == "chunk") {
      out.long_document_strategy = LongDocumentStrategy::chunk;
    } else if (*name == "truncate") {
      out.long_document_strategy = LongDocumentStrategy::truncate;
    } else {
      faults.add("[service_settings] Invalid value [" + *name +
                 "] received. [long_document_strategy] must be one of [chunk, truncate]");
    }
  }
  out.max_chunks_per_doc = reader.positive("max_chunks_per_doc");
  if (out.max_chunks_per_doc && out.long_document_strategy != LongDocumentStrategy::chunk) {
    faults.add(
        "[service_settings] The [max_chunks_per_doc] setting requires [long_document_strategy] to "
        "be set to [chunk]");
  }
}

void read_element_type(SettingsReader& reader, Endpoint& out, Faults& faults) {
  const auto name = reader.string("element_type");
  if (!name) return;
  const auto type = element_type_of(*name);
  if (type) {
    out.element_type = *type;
    return;
  }
  faults.add("[service_settings] Invalid value [" + *name +
             "] received. [element_type] must be one of [bit, byte, float]");
}

/// A bound of adaptive allocations: an integer that is large enough, or null.
std::optional<std::int64_t> read_bound(SettingsReader& reader, std::string_view name,
                                       std::int64_t least, std::string_view rule, Faults& faults) {
  const Json* value = reader.any(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_integer() && value->as_int() >= least && value->as_int() <= INT_MAX) {
    return value->as_int();
  }
  faults.add("[" + std::string(name) + "] must be " + std::string(rule) + " or null");
  return std::nullopt;
}

void read_adaptive(const Json& settings, AdaptiveAllocations& out, Faults& faults) {
  SettingsReader reader(&settings, "adaptive_allocations", faults);
  out.enabled = reader.boolean("enabled").value_or(false);
  out.min_number_of_allocations =
      read_bound(reader, "min_number_of_allocations", 0, "a non-negative integer", faults);
  out.max_number_of_allocations =
      read_bound(reader, "max_number_of_allocations", 1, "a positive integer", faults);
  if (out.min_number_of_allocations && out.max_number_of_allocations &&
      *out.min_number_of_allocations > *out.max_number_of_allocations) {
    faults.add("[min_number_of_allocations] must not be larger than [max_number_of_allocations]");
  }
  if (const std::string unknown = reader.unknown(); !unknown.empty()) {
    faults.add("[adaptive_allocations] contains unknown settings [" + unknown + "]");
  }
}

void read_service_settings(SettingsReader& reader, Endpoint& out, Faults& faults) {
  out.model_id = reader.string("model_id").value_or("");
  const auto deployment = reader.string("deployment_id");
  out.deployment_id = deployment.value_or("");
  out.owns_deployment = !deployment;
  const auto threads = reader.positive("num_threads");
  out.num_allocations = reader.positive("num_allocations");
  if (const Json* adaptive = reader.object("adaptive_allocations")) {
    read_adaptive(*adaptive, out.adaptive_allocations.emplace(), faults);
  }
  if (out.task == TaskType::rerank) read_long_documents(reader, out, faults);
  if (out.task == TaskType::text_embedding) read_element_type(reader, out, faults);
  out.num_threads = threads.value_or(1);
  if (deployment) return;  // everything else is that deployment's
  reader.require("num_threads");
  if (!reader.has("num_allocations") && !reader.has("adaptive_allocations")) {
    faults.add(
        "[service_settings] does not contain one of the required settings [num_allocations, "
        "adaptive_allocations]");
  }
  if (out.num_allocations && out.adaptive_allocations && out.adaptive_allocations->enabled) {
    faults.add("[number_of_allocations] cannot be set if adaptive allocations is enabled");
  }
}

Status read_task_settings(const Json* settings, Endpoint& out) {
  Faults faults;
  SettingsReader reader(settings, "task_settings", faults);
  if (out.remote) {
    read_remote_task_settings(reader, out, faults);
  } else if (out.task == TaskType::rerank) {
    out.return_documents = reader.boolean("return_documents").value_or(out.return_documents);
  } else if (const auto name = gives_texts(out.task) ? std::nullopt : reader.string("input_type")) {
    const auto type = input_type_of(*name);
    if (!type || *type == InputType::unspecified) {
      faults.add("[task_settings] Invalid value [" + *name +
                 "] received. [input_type] must be one of [classification, clustering, ingest, "
                 "search]");
    } else {
      out.input_type = *type;
    }
  }
  if (!faults.none()) return faults.error();
  if (const std::string unknown = reader.unknown(); !unknown.empty()) {
    return unknown_settings(unknown, out.service);
  }
  return ok_status();
}

Status read_service(SettingsReader& body, Endpoint& out, const Faults& faults) {
  const auto service = body.string("service");
  if (!faults.none()) return faults.error();
  if (!service) {
    return bad_request("Inference endpoint configuration is missing the [service] setting");
  }
  bool known = false;
  for (const std::string_view name : services) known = known || name == *service;
  const auto remote = remote_kind_of(*service);
  if (remote) out.remote = RemoteSettings{.kind = *remote};
  if (!known && !remote) return bad_request("Service [" + *service + "] not found");
  out.service = *service;
  const bool not_offered =
      remote ? !offers(*remote, out.task)
             : out.service == "elser" && out.task != TaskType::sparse_embedding;
  if (not_offered) {
    return bad_request("The [" + out.service + "] service does not support task type [" +
                       std::string(name_of(out.task)) + "]");
  }
  return ok_status();
}

}  // namespace

Result<TaskType> parse_task_type(std::string_view name) {
  if (const auto task = task_type_of(name)) return *task;
  return bad_request("Unknown task_type [" + std::string(name) + "]");
}

Result<TaskType> resolve_task(std::optional<TaskType> task_of_path, const Json& body) {
  const Json* named = body.find("task_type");
  if (named == nullptr || named->is_null()) {
    if (task_of_path) return *task_of_path;
    return bad_request("model is missing required setting [task_type]");
  }
  CAIRN_TRY(const TaskType task, parse_task_type(show_value(*named)));
  if (!task_of_path || *task_of_path == task) return task;
  return bad_request("Cannot resolve conflicting task_type parameter in the request URL [" +
                     std::string(name_of(*task_of_path)) + "] and the request body [" +
                     std::string(name_of(task)) + "]");
}

Result<AdaptiveAllocations> parse_adaptive_allocations(const Json& settings) {
  Faults faults;
  AdaptiveAllocations out;
  const Json body = Json::object({{"adaptive_allocations", settings}});
  SettingsReader reader(&body, "adaptive_allocations", faults);
  if (const Json* object = reader.object("adaptive_allocations")) {
    read_adaptive(*object, out, faults);
  }
  if (!faults.none()) return faults.error();
  return out;
}

Result<Endpoint> parse_endpoint(std::optional<TaskType> task_of_path, std::string_view id,
                                const Json& body) {
  Endpoint out;
  out.inference_id = std::string(id);
  CAIRN_TRY(out.task, resolve_task(task_of_path, body));
  Faults faults;
  SettingsReader reader(&body, "inference endpoint", faults);
  (void)reader.string("task_type");
  CAIRN_CHECK(read_service(reader, out, faults));
  const Json* settings = reader.object("service_settings");
  const Json* of_task = reader.object("task_settings");
  const Json* chunking = has_chunks(out.task) ? reader.object("chunking_settings") : nullptr;
  if (!faults.none()) return faults.error();
  if (settings == nullptr) return bad_request("Missing required field [service_settings]");
  if (has_chunks(out.task)) {
    CAIRN_TRY(out.chunking_settings,
              text::parse_chunking_settings(chunking == nullptr ? Json() : *chunking));
  }
  if (const std::string unknown = reader.unknown(); !unknown.empty()) {
    return unknown_settings(unknown, out.service);
  }
  SettingsReader of_service(settings, std::string(scope), faults);
  if (out.remote) {
    out.owns_deployment = false;
    read_remote_settings(of_service, out, faults);
  } else {
    read_service_settings(of_service, out, faults);
  }
  if (!faults.none()) return faults.error();
  if (out.model_id.empty() && out.owns_deployment && out.service != "elser") {
    return illegal_argument("Error parsing service settings, model_id must be provided");
  }
  if (const std::string unknown = of_service.unknown(); !unknown.empty()) {
    return unknown_settings(unknown, out.service);
  }
  CAIRN_CHECK(check_threads_per_allocation(out.num_threads));
  CAIRN_CHECK(read_task_settings(of_task, out));
  return out;
}

Result<Endpoint> parse_endpoint_update(Endpoint endpoint, const Json& body) {
  Faults faults;
  SettingsReader reader(&body, "inference endpoint", faults);
  (void)reader.string("task_type");
  const Json* settings = reader.object("service_settings");
  const Json* of_task = reader.object("task_settings");
  if (!faults.none()) return faults.error();
  if (const std::string unknown = reader.unknown(); !unknown.empty()) {
    return unknown_settings(unknown, endpoint.service);
  }
  if (settings == nullptr && of_task == nullptr) {
    return bad_request(
        "The request holds nothing to update; [task_settings] and "
        "[service_settings." +
        std::string(endpoint.remote ? "api_key" : "num_allocations") + "] can be updated");
  }
  SettingsReader of_service(settings, std::string(scope), faults);
  if (endpoint.remote) read_remote_changes(of_service, endpoint, faults);
  const auto allocations =
      endpoint.remote ? std::nullopt : of_service.positive("num_allocations");
  if (allocations && endpoint.adaptive_allocations && endpoint.adaptive_allocations->enabled) {
    faults.add("[number_of_allocations] cannot be set if adaptive allocations is enabled");
  }
  if (!faults.none()) return faults.error();
  if (const std::string unknown = of_service.unknown(); !unknown.empty()) {
    return unknown_settings(unknown, endpoint.service);
  }
  if (allocations) endpoint.num_allocations = allocations;
  CAIRN_CHECK(read_task_settings(of_task, endpoint));
  return endpoint;
}

}  // namespace cairn::inference
