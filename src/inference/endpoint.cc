// SPDX-License-Identifier: Apache-2.0
// Endpoints as JSON: the form of the API and the form in the store.
#include "inference/endpoint.h"

#include <utility>

#include "inference/errors.h"
#include "inference/quotes/quotation.h"
#include "inference/remote/endpoint_settings.h"

namespace cairn::inference {
namespace {

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

std::string_view name_of(LongDocumentStrategy strategy) {
  return strategy == LongDocumentStrategy::chunk ? "chunk" : "truncate";
}

Json service_settings(const Endpoint& endpoint) {
  if (endpoint.remote) return show_remote_settings(endpoint);
  Json out = Json::object();
  if (endpoint.num_allocations) out.set("num_allocations", *endpoint.num_allocations);
  out.set("num_threads", endpoint.num_threads);
  out.set("model_id", shown_model_id(endpoint));
  if (!endpoint.owns_deployment) out.set("deployment_id", endpoint.deployment_id);
  if (endpoint.adaptive_allocations) {
    out.set("adaptive_allocations", to_json(*endpoint.adaptive_allocations));
  }
  if (endpoint.long_document_strategy) {
    out.set("long_document_strategy", name_of(*endpoint.long_document_strategy));
  }
  if (endpoint.max_chunks_per_doc) out.set("max_chunks_per_doc", *endpoint.max_chunks_per_doc);
  if (endpoint.task == TaskType::text_embedding && endpoint.dimensions > 0) {
    out.set("dimensions", static_cast<std::int64_t>(endpoint.dimensions));
    out.set("similarity", endpoint.similarity);
    out.set("element_type", name_of(endpoint.element_type));
  }
  return out;
}

Json task_settings(const Endpoint& endpoint) {
  if (endpoint.remote) return show_remote_task_settings(endpoint);
  Json out = Json::object();
  if (endpoint.task == TaskType::rerank) out.set("return_documents", endpoint.return_documents);
  if (endpoint.input_type != InputType::unspecified) {
    out.set("input_type", name_of(endpoint.input_type));
  }
  return out;
}

Error bad_record(std::string what) {
  return Error{.kind = ErrorKind::corrupt,
               .message = "the record of an inference endpoint holds no " + std::move(what)};
}

std::optional<std::int64_t> number_in(const Json& record, std::string_view name) {
  const Json* value = record.find(name);
  if (value == nullptr || !value->is_integer()) return std::nullopt;
  return value->as_int();
}

}  // namespace

Json to_json(const AdaptiveAllocations& settings) {
  Json out = Json::object({{"enabled", settings.enabled}});
  if (settings.min_number_of_allocations) {
    out.set("min_number_of_allocations", *settings.min_number_of_allocations);
  }
  if (settings.max_number_of_allocations) {
    out.set("max_number_of_allocations", *settings.max_number_of_allocations);
  }
  return out;
}

std::string shown_model_id(const Endpoint& endpoint) {
  return endpoint.quotes ? quoting_model_name(endpoint.model_id) : endpoint.model_id;
}

Json to_json(const Endpoint& endpoint) {
  Json out = Json::object({{"inference_id", endpoint.inference_id},
                           {"task_type", name_of(endpoint.task)},
                           {"service", endpoint.service},
                           {"service_settings", service_settings(endpoint)}});
  Json of_task = task_settings(endpoint);
  if (!of_task.as_object().empty()) out.set("task_settings", std::move(of_task));
  if (endpoint.chunking_settings) {
    out.set("chunking_settings", text::to_json(*endpoint.chunking_settings));
  }
  return out;
}

Json to_record(const Endpoint& endpoint) {
  Json out = Json::object({{"format", 1},
                           {"inference_id", endpoint.inference_id},
                           {"task_type", name_of(endpoint.task)},
                           {"service", endpoint.service},
                           {"model_id", endpoint.model_id},
                           {"deployment_id", endpoint.deployment_id},
                           {"owns_deployment", endpoint.owns_deployment},
                           {"num_threads", endpoint.num_threads},
                           {"return_documents", endpoint.return_documents},
                           {"input_type", name_of(endpoint.input_type)},
                           {"confirmed", endpoint.confirmed}});
  if (endpoint.dimensions > 0) {
    out.set("dimensions", static_cast<std::int64_t>(endpoint.dimensions));
    out.set("similarity", endpoint.similarity);
  }
  if (endpoint.element_type != ElementType::real) {
    out.set("element_type", name_of(endpoint.element_type));
  }
  if (endpoint.quotes) out.set("quotes", true);
  if (endpoint.num_allocations) out.set("num_allocations", *endpoint.num_allocations);
  if (endpoint.adaptive_allocations) {
    out.set("adaptive_allocations", to_json(*endpoint.adaptive_allocations));
  }
  if (endpoint.long_document_strategy) {
    out.set("long_document_strategy", name_of(*endpoint.long_document_strategy));
  }
  if (endpoint.max_chunks_per_doc) out.set("max_chunks_per_doc", *endpoint.max_chunks_per_doc);
  if (endpoint.chunking_settings) {
    out.set("chunking_settings", text::to_json(*endpoint.chunking_settings));
  }
  if (endpoint.remote) out.set("remote", to_record(*endpoint.remote));
  return out;
}

Result<Endpoint> from_record(const Json& record) {
  Endpoint out;
  out.inference_id = record.string_or("inference_id");
  if (out.inference_id.empty()) return bad_record("inference_id");
  const auto task = task_type_of(record.string_or("task_type"));
  if (!task) return bad_record("task_type that this version knows");
  out.task = *task;
  out.service = record.string_or("service", out.service);
  out.model_id = record.string_or("model_id");
  out.deployment_id = record.string_or("deployment_id", out.inference_id);
  out.owns_deployment = record.bool_or("owns_deployment", true);
  out.num_threads = record.int_or("num_threads", 1);
  out.num_allocations = number_in(record, "num_allocations");
  if (const Json* adaptive = record.find("adaptive_allocations")) {
    CAIRN_TRY(out.adaptive_allocations, parse_adaptive_allocations(*adaptive));
  }
  if (const std::string name = record.string_or("long_document_strategy"); !name.empty()) {
    out.long_document_strategy =
        name == "chunk" ? LongDocumentStrategy::chunk : LongDocumentStrategy::truncate;
  }
  out.max_chunks_per_doc = number_in(record, "max_chunks_per_doc");
  out.return_documents = record.bool_or("return_documents", false);
  out.input_type = input_type_of(record.string_or("input_type")).value_or(InputType::unspecified);
  if (const Json* chunking = record.find("chunking_settings")) {
    CAIRN_TRY(out.chunking_settings, text::parse_chunking_settings(*chunking));
  }
  out.dimensions = static_cast<std::size_t>(number_in(record, "dimensions").value_or(0));
  out.similarity = record.string_or("similarity");
  out.element_type =
      element_type_of(record.string_or("element_type")).value_or(ElementType::real);
  out.quotes = record.bool_or("quotes", false);
  out.confirmed = record.bool_or("confirmed", true);
  if (const Json* remote = record.find("remote")) {
    CAIRN_TRY(out.remote, remote_from_record(*remote));
    const auto kind = remote_kind_of(out.service);
    if (!kind) return bad_record("service that this version knows");
    out.remote->kind = *kind;
  }
  return out;
}

std::string similarity_of(ElementType type, std::string of_model) {
  if (type == ElementType::byte) return "cosine";  // a scale for each vector leaves angles alone
  if (type == ElementType::bit) return "l2_norm";
  return of_model;
}

Status check_inference_id(std::string_view id) {
  bool good =
      !id.empty() && id.size() <= 255 && is_alphanumeric(id.front()) && is_alphanumeric(id.back());
  for (const char c : id) {
    good = good && (is_alphanumeric(c) || c == '-' || c == '_' || c == '.');
  }
  if (good) return ok_status();
  Faults faults;
  faults.add("Invalid inference_id; '" + std::string(id) +
             "' can contain lowercase alphanumeric (a-z and 0-9), hyphens, underscores or dots, "
             "at most 255 characters; must start and end with alphanumeric");
  return faults.error("action_request_validation_exception");
}

Status check_threads_per_allocation(std::int64_t threads) {
  if (threads >= 1 && threads <= 32 && (threads & (threads - 1)) == 0) return ok_status();
  Faults faults;
  faults.add(threads < 1
                 ? "[threads_per_allocation] must be a positive integer"
                 : "[threads_per_allocation] must be a power of 2 less than or equal to 32");
  return faults.error("action_request_validation_exception");
}

}  // namespace cairn::inference
