// SPDX-License-Identifier: Apache-2.0
// Endpoints whose model is another server's: made, changed and called.
#include <array>
#include <utility>

#include "inference/errors.h"
#include "inference/remote/endpoint_settings.h"
#include "inference/service_impl.h"
#include "os/log.h"

namespace cairn::inference {
namespace {

constexpr std::array remote_kinds{RemoteKind::cohere, RemoteKind::hugging_face, RemoteKind::openai};
constexpr std::array remote_tasks{TaskType::rerank, TaskType::text_embedding, TaskType::completion,
                                  TaskType::chat_completion};

std::string_view label_of(RemoteKind kind) {
  switch (kind) {
    case RemoteKind::openai:
      return "OpenAI";
    case RemoteKind::cohere:
      return "Cohere";
    case RemoteKind::hugging_face:
      return "Hugging Face";
  }
  return "";
}

Json setting_of(std::string_view label, std::string_view type, std::string_view description,
                bool required, bool updatable, const Json& tasks) {
  return Json::object({{"description", description},
                       {"label", label},
                       {"required", required},
                       {"sensitive", label == "API Key"},
                       {"updatable", updatable},
                       {"type", type},
                       {"supported_task_types", tasks}});
}

Json settings_of(RemoteKind kind, const Json& tasks) {
  const bool named = kind != RemoteKind::hugging_face;
  Json out = Json::object(
      {{"api_key", setting_of("API Key", "str", "The key of the other server; never shown again.",
                              true, true, tasks)},
       {"url", setting_of("URL", "str", "Where requests go.", !named, false, tasks)},
       {"rate_limit.requests_per_minute",
        setting_of("Rate Limit", "int", "Requests that are sent in a minute at most.", false, true,
                   tasks)}});
  if (named) {
    out.set("model_id", setting_of("Model ID", "str", "The model, by the other server's name.",
                                   true, false, tasks));
  }
  const Json embedding = Json::array({name_of(TaskType::text_embedding)});
  out.set("similarity", setting_of("Similarity", "str", "cosine, dot_product or l2_norm.", false,
                                   false, embedding));
  out.set("max_input_tokens", setting_of("Maximum Input Tokens", "int",
                                         "Longer inputs are cut, at three characters a "
                                         "token.",
                                         false, true, embedding));
  if (kind == RemoteKind::cohere) {
    out.set("embedding_type",
            setting_of("Embedding type", "str", "float, byte or int8.", false, false, embedding));
  } else {
    out.set("dimensions",
            setting_of("Dimensions", "int", "Of the vectors.", false, false, embedding));
  }
  if (kind == RemoteKind::openai) {
    out.set("organization_id",
            setting_of("Organization ID", "str", "Whose requests they are.", false, false, tasks));
  }
  return out;
}

}  // namespace

void add_remote_services(Json& out, std::optional<TaskType> task) {
  for (const RemoteKind kind : remote_kinds) {
    Json tasks = Json::array();
    for (const TaskType one : remote_tasks) {
      if (offers(kind, one)) tasks.push(name_of(one));
    }
    if (task && !offers(kind, *task)) continue;
    Json settings = settings_of(kind, tasks);
    out.push(Json::object({{"service", name_of(kind)},
                           {"name", label_of(kind)},
                           {"task_types", std::move(tasks)},
                           {"configurations", std::move(settings)}}));
  }
}

/// Puts the key that a body has into an endpoint, sealed.
Status Service::Impl::seal_key(Endpoint& endpoint, const Json& body) const {
  const std::string key = api_key_of(body);
  if (key.empty()) return ok_status();
  CAIRN_TRY(endpoint.remote->sealed_key,
            remotes->seal(key, key_context(endpoint.inference_id, *endpoint.remote)));
  return ok_status();
}

Status Service::Impl::reseal_key(std::string_view id, const os::Deadline& deadline) {
  const ChangeLock change(changes);
  auto endpoint = find(id);
  if (!endpoint || !endpoint->remote || endpoint->remote->sealed_key.empty()) return ok_status();
  const auto context = key_context(endpoint->inference_id, *endpoint->remote);
  const auto key = remotes->unseal(endpoint->remote->sealed_key, context);
  if (!key.ok()) {
    os::log(os::LogLevel::warn, "inference", "key_not_opened",
            {{"inference_id", endpoint->inference_id}, {"reason", key.error().message}});
    return ok_status();
  }
  CAIRN_TRY(endpoint->remote->sealed_key, remotes->seal(*key, context));
  return write_endpoint(*endpoint, deadline);
}

Status Service::reseal_keys(const os::Deadline& deadline) {
  for (const Endpoint& endpoint : list_endpoints(std::nullopt))
    CAIRN_CHECK(impl_->reseal_key(endpoint.inference_id, deadline));
  return ok_status();
}

/// Of vectors the number of dimensions must be known before documents are: a text is tried.
Result<Endpoint> Service::Impl::put_remote(Endpoint endpoint, const Json& body,
                                           std::int64_t wait_ms, const os::Deadline& deadline) {
  if (find(endpoint.inference_id)) return endpoint_exists(endpoint.inference_id);
  CAIRN_CHECK(seal_key(endpoint, body));
  if (endpoint.task == TaskType::text_embedding && endpoint.dimensions == 0) {
    const std::vector<std::string> tried{"how big"};
    const os::Deadline wait = deadline.sooner_ms(wait_ms > 0 ? wait_ms : options.create_timeout_ms);
    auto vectors = remotes->embed(endpoint, tried, InputType::ingest, wait);
    remotes->forget(endpoint.inference_id);
    if (!vectors.ok()) return std::move(vectors).error();
    endpoint.dimensions = vectors->vectors.front().size();
  }
  const ChangeLock change(changes);
  if (find(endpoint.inference_id)) return endpoint_exists(endpoint.inference_id);
  CAIRN_CHECK(check_unique(endpoint.inference_id, deadline));
  CAIRN_CHECK(create_endpoint(endpoint, deadline));
  return endpoint;
}

Result<Endpoint> Service::Impl::update_remote(Endpoint endpoint, const Json& body,
                                              const os::Deadline& deadline) {
  CAIRN_CHECK(seal_key(endpoint, body));
  CAIRN_CHECK(write_endpoint(endpoint, deadline));
  return endpoint;
}

Result<InferResult> Service::Impl::infer_remote(const Endpoint& endpoint,
                                                const InferRequest& request,
                                                const os::Deadline& deadline) {
  const os::Deadline wait =
      remote_wait(deadline, request.timeout_ms.value_or(0), options.infer_timeout_ms);
  InferResult out{.task = endpoint.task, .element_type = endpoint.element_type};
  if (endpoint.task == TaskType::rerank) {
    CAIRN_TRY(const RemoteScores scores,
              remotes->rerank(endpoint, *request.query, request.input, wait));
    InferRequest limited = {.input = request.input,
                            .return_documents = request.return_documents,
                            .top_n = request.top_n};
    if (!limited.top_n && endpoint.remote->top_n)
      limited.top_n = static_cast<std::size_t>(*endpoint.remote->top_n);
    out.rerank = ranked(endpoint, limited, scores.scores);
    out.tokens = scores.tokens;
    return out;
  }
  const InputType type =
      request.input_type != InputType::unspecified ? request.input_type : endpoint.input_type;
  CAIRN_TRY(RemoteVectors vectors, remotes->embed(endpoint, request.input, type, wait));
  out.dense = std::move(vectors.vectors);
  out.tokens = vectors.tokens;
  return out;
}

}  // namespace cairn::inference
