// SPDX-License-Identifier: Apache-2.0
// Checking, running and rendering inference calls.
#include <algorithm>
#include <numeric>
#include <utility>

#include "inference/endpoint_metrics.h"
#include "inference/errors.h"
#include "inference/service_impl.h"
#include "inference/settings_reader.h"

namespace cairn::inference {
namespace {

std::string task_name(TaskType task) { return std::string(name_of(task)); }

void check_input_type(const std::string& name, Faults& faults) {
  const auto type = input_type_of(name);
  if (type && *type != InputType::unspecified) return;
  faults.add("Unrecognized input_type [" + name +
             "], must be one of [classification, clustering, ingest, search]");
}

/// What a task does not understand. `task_of_path` is empty where the path names none.
void check_fields(std::optional<TaskType> task_of_path, std::optional<TaskType> task,
                  const InferFields& fields, std::size_t inputs_max, Faults& faults) {
  if (!fields.input) {
    faults.add("Field [input] cannot be null");
  } else if (fields.input->empty()) {
    faults.add("Field [input] cannot be an empty array");
  } else if (fields.input->size() > inputs_max) {
    faults.add("Field [input] holds " + std::to_string(fields.input->size()) +
               " inputs, and at most [" + std::to_string(inputs_max) +
               "] are taken (inference.inputs_max); send them in several calls");
  }
  if (task == TaskType::rerank) {
    if (!fields.query) {
      faults.add("Field [query] cannot be null for task type [rerank]");
    } else if (fields.query->empty()) {
      faults.add("Field [query] cannot be empty for task type [rerank]");
    }
  } else if (task) {
    const std::string suffix = " cannot be specified for task type [" + task_name(*task) + "]";
    if (fields.query && *task != TaskType::completion) faults.add("Field [query]" + suffix);
    if (fields.return_documents) faults.add("Field [return_documents]" + suffix);
    if (fields.top_n) faults.add("Field [top_n]" + suffix);
  }
  if (fields.input_type && task_of_path && *task_of_path != TaskType::text_embedding) {
    faults.add("Field [input_type] cannot be specified for task type [" + task_name(*task_of_path) +
               "]");
  } else if (fields.input_type) {
    check_input_type(*fields.input_type, faults);
  }
  if (fields.top_n && *fields.top_n < 1) faults.add("Field [top_n] must be a positive integer");
}

Status read_task_settings(const Endpoint& endpoint, const Json& settings, InferRequest& request) {
  Faults faults;
  const Json body = Json::object({{"task_settings", settings}});
  SettingsReader outer(&body, "request", faults);
  SettingsReader reader(outer.object("task_settings"), "task_settings", faults);
  if (endpoint.task == TaskType::rerank) {
    const auto return_documents = reader.boolean("return_documents");
    if (!request.return_documents) request.return_documents = return_documents;
    const auto top_n = endpoint.remote ? reader.positive("top_n") : std::nullopt;
    if (top_n && !request.top_n) request.top_n = static_cast<std::size_t>(*top_n);
  } else if (const auto name = reader.string("input_type")) {
    check_input_type(*name, faults);
    if (request.input_type == InputType::unspecified) {
      request.input_type = input_type_of(*name).value_or(InputType::unspecified);
    }
  }
  if (!faults.none()) return faults.error();
  if (const std::string unknown = reader.unknown(); !unknown.empty()) {
    return bad_request("Configuration contains settings [" + unknown + "] unknown to the [" +
                       endpoint.service + "] service");
  }
  return ok_status();
}

/// The texts that a rerank call runs, and for each the document that it is a part of.
struct Parts {
  std::vector<std::string> texts;
  std::vector<std::size_t> documents;
};

Result<Parts> parts_of(const Endpoint& endpoint, const std::vector<std::string>& documents,
                       const os::Deadline& deadline) {
  Parts out;
  if (endpoint.long_document_strategy != LongDocumentStrategy::chunk) {
    out.texts = documents;
    out.documents.resize(documents.size());
    std::iota(out.documents.begin(), out.documents.end(), std::size_t{0});
    return out;
  }
  const text::ChunkingSettings settings;  // sentences, 250 words, one shared
  for (std::size_t i = 0; i < documents.size(); ++i) {
    CAIRN_TRY(std::vector<text::Chunk> chunks, text::chunk(documents[i], settings, deadline));
    if (endpoint.max_chunks_per_doc) {
      chunks.resize(
          std::min(chunks.size(), static_cast<std::size_t>(*endpoint.max_chunks_per_doc)));
    }
    for (const text::Chunk& chunk : chunks) {
      out.texts.push_back(documents[i].substr(chunk.begin, chunk.end - chunk.begin));
      out.documents.push_back(i);
    }
  }
  return out;
}

/// Each document by its best part, best first; equal ones in the order of the request.
std::vector<RankedDocument> rank(const Endpoint& endpoint, const InferRequest& request,
                                 const Parts& parts, const std::vector<float>& scores) {
  std::vector<RankedDocument> out(request.input.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {.index = i, .relevance_score = 0};
  std::vector<bool> seen(out.size(), false);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    RankedDocument& document = out[parts.documents[i]];
    if (!seen[document.index] || scores[i] > document.relevance_score) {
      document.relevance_score = scores[i];
    }
    seen[document.index] = true;
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.relevance_score > b.relevance_score;
  });
  if (request.top_n && *request.top_n < out.size()) out.resize(*request.top_n);
  if (request.return_documents.value_or(endpoint.return_documents)) {
    for (RankedDocument& document : out) document.text = request.input[document.index];
  }
  return out;
}

void render_sparse(JsonWriter& out, const SparseVector& vector) {
  out.begin_object().key("is_truncated").boolean(vector.is_truncated);
  out.key("embedding").begin_object();
  for (const auto& [term, weight] : vector.weights) out.key(term).number(weight);
  out.end_object().end_object();
}

void render_dense(JsonWriter& out, const std::vector<float>& vector) {
  out.begin_object().key("embedding").begin_array();
  for (const float number : vector) out.number(number);
  out.end_array().end_object();
}

/// The vector as signed bytes.
void render_bytes(JsonWriter& out, const std::vector<float>& vector, ElementType type) {
  out.begin_object().key("embedding").begin_array();
  if (type == ElementType::bit) {
    for (const std::int8_t byte : packed_bits(vector)) out.integer(byte);
  } else {
    for (const float number : vector) out.integer(static_cast<std::int64_t>(number));
  }
  out.end_array().end_object();
}

std::string member_of(const InferResult& result) {
  std::string name(name_of(result.task));
  if (result.task != TaskType::text_embedding) return name;
  if (result.element_type == ElementType::byte) name += "_bytes";
  if (result.element_type == ElementType::bit) name += "_bits";
  return name;
}

void render_ranked(JsonWriter& out, const RankedDocument& document) {
  out.begin_object().key("index").unsigned_integer(document.index);
  out.key("relevance_score").number(document.relevance_score);
  if (document.text) out.key("text").string(*document.text);
  out.end_object();
}

}  // namespace

std::vector<RankedDocument> ranked(const Endpoint& endpoint, const InferRequest& request,
                                   const std::vector<float>& scores) {
  Parts all;
  all.documents.resize(scores.size());
  std::iota(all.documents.begin(), all.documents.end(), std::size_t{0});
  return rank(endpoint, request, all, scores);
}

std::string render(const InferResult& result) {
  std::string text;
  JsonWriter out(text);
  out.begin_object().key(member_of(result)).begin_array();
  for (const SparseVector& vector : result.sparse) render_sparse(out, vector);
  for (const std::vector<float>& vector : result.dense) {
    if (result.element_type == ElementType::real)
      render_dense(out, vector);
    else
      render_bytes(out, vector, result.element_type);
  }
  for (const RankedDocument& document : result.rerank) render_ranked(out, document);
  out.end_array().end_object();
  return text;
}

Result<InferRequest> Service::check(std::optional<TaskType> task, std::string_view id,
                                    InferFields fields) const {
  const auto endpoint = impl_->find(id);
  std::optional<TaskType> effective = task;
  if (!effective && endpoint) effective = endpoint->task;
  Faults faults;
  check_fields(task, effective, fields, impl_->options.inputs_max, faults);
  if (!faults.none()) return faults.error("action_request_validation_exception");
  if (!endpoint) return endpoint_not_found(id);
  InferRequest out;
  out.inference_id = std::string(id);
  out.task = task;
  out.input = *std::move(fields.input);
  out.query = std::move(fields.query);
  if (fields.input_type) out.input_type = *input_type_of(*fields.input_type);
  out.return_documents = fields.return_documents;
  if (fields.top_n) out.top_n = static_cast<std::size_t>(*fields.top_n);
  if (task && *task != endpoint->task) {
    return incompatible_task(*task, endpoint->task);
  }
  CAIRN_CHECK(read_task_settings(*endpoint, fields.task_settings, out));
  return out;
}

Result<InferResult> Service::infer(const InferRequest& request, const os::Deadline& deadline) {
  const auto endpoint = impl_->find(request.inference_id);
  if (!endpoint) return endpoint_not_found(request.inference_id);
  EndpointCall call(*endpoint, impl_->clock);
  auto result = impl_->infer(*endpoint, request, deadline);
  if (result.ok())
    call.done();
  else
    call.failed(result.error());
  return result;
}

Result<InferResult> Service::Impl::infer(const Endpoint& endpoint, const InferRequest& request,
                                         const os::Deadline& deadline) {
  if (request.task && *request.task != endpoint.task) {
    return incompatible_task(*request.task, endpoint.task);
  }
  if (endpoint.task == TaskType::rerank && !request.query) {
    return bad_request("Field [query] cannot be null for task type [rerank]");
  }
  if (endpoint.remote) return infer_remote(endpoint, request, deadline);
  CAIRN_TRY(const auto deployment, serve(endpoint, deadline));
  ModelRequest work{.task = endpoint.task,
                    .input_type = request.input_type != InputType::unspecified
                                      ? request.input_type
                                      : endpoint.input_type};
  work.timeout_ms = request.timeout_ms.value_or(deadline.is_never() ? -1 : deadline.remaining_ms());
  work.only_at_once = request.timeout_ms == 0;
  Parts parts;
  if (endpoint.task == TaskType::rerank) {
    CAIRN_TRY(parts, parts_of(endpoint, request.input, deadline));
    work.query = *request.query;
    work.inputs = parts.texts;
  } else {
    work.inputs = request.input;
  }
  CAIRN_TRY(ModelResult result, deployment->run(std::move(work), deadline));
  InferResult out{.task = endpoint.task};
  out.dense = std::move(result.dense);
  out.element_type = endpoint.element_type;
  for (std::vector<float>& vector : out.dense) quantise(vector, out.element_type);
  out.sparse = std::move(result.sparse);
  if (endpoint.task == TaskType::rerank) {
    out.rerank = rank(endpoint, request, parts, result.scores);
  }
  return out;
}

}  // namespace cairn::inference
