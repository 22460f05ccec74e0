// SPDX-License-Identifier: Apache-2.0
#include "api/routes/openai_routes.h"

#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/forms/text_body.h"
#include "api/forms/text_events.h"
#include "api/forms/text_reply.h"
#include "base/encode.h"
#include "os/clock.h"

namespace cairn::api {
namespace {

using inference::Endpoint;
using inference::TaskType;
using inference::TextCall;
using inference::TextPiece;

/// The names by which clients of that interface tell errors apart.
std::string_view openai_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 429:
      return "rate_limit_error";
    default:
      return status >= 500 ? "server_error" : "invalid_request_error";
  }
}

std::string word_openai_error(const Error& error, int status) {
  return Json::object({{"error", Json::object({{"message", error.message},
                                               {"type", openai_type(status)},
                                               {"param", nullptr},
                                               {"code", wire_type(error)}})}})
      .dump();
}

std::string openai_error_event(const Error& error) {
  return word_openai_error(error, status_of(error));
}

Error no_such_model(const std::string& name, TaskType task) {
  return Error{.kind = ErrorKind::not_found,
               .code = "model_not_found",
               .message = "The model [" + name.substr(0, 256) +
                          "] does not exist: it must be the id of an inference endpoint of the "
                          "task type [" +
                          std::string(name_of(task)) + "], or of a model that has one"};
}

/// The endpoint that a body's `model` names. The name of a model means one on this machine: texts
/// go to another server only where its endpoint is named.
Result<Endpoint> endpoint_of(const inference::Service& service, const std::string& name,
                             TaskType task) {
  if (auto endpoint = service.get_endpoint(name); endpoint.ok() && endpoint->task == task)
    return endpoint;
  for (const Endpoint& endpoint : service.list_endpoints(task))
    if (!endpoint.remote && (endpoint.model_id == name || shown_model_id(endpoint) == name))
      return endpoint;
  return no_such_model(name, task);
}

/// One that goes on with texts: of a completion, else of a chat, whose model does both.
Result<Endpoint> completing(const inference::Service& service, const std::string& name) {
  auto endpoint = endpoint_of(service, name, TaskType::completion);
  if (endpoint.ok()) return endpoint;
  if (auto chat = endpoint_of(service, name, TaskType::chat_completion); chat.ok()) return chat;
  return endpoint;
}

struct OpenAiTime {
  std::int64_t timeout_ms;
  os::Deadline deadline;
};

OpenAiTime time_of_call(const Call& call, const inference::Service& service) {
  const std::int64_t ms = service.options().text_timeout_ms;
  return {ms, call.deadline().sooner_ms(ms)};
}

ChatForm openai_form(Call& call, const OpenAiBody& body, ChatForm::Kind kind,
                     const inference::TextAnswer& answer, bool with_logprobs) {
  const std::string id(call.exchange().request_id);
  return {kind,
          (kind == ChatForm::Kind::chat ? "chatcmpl-" : "cmpl-") + id,
          os::system_clock().unix_ms() / 1000,
          answer.model_name().empty() ? body.model : answer.model_name(),
          answer.tokenizer(),
          with_logprobs};
}

Result<Reply> stream_openai(Call& call, inference::TextAnswer& answer, const ChatForm& form,
                            const OpenAiBody& body, const os::Deadline& deadline) {
  std::map<std::size_t, std::size_t> begun;  // choices, and how many calls each has so far
  const TextEvents events{
      .of =
          [&](const TextPiece& piece) {
            std::vector<std::string> out;
            const auto [choice, first] = begun.emplace(piece.choice, 0);
            if (first || !piece.text.empty() || !piece.tokens.empty() || !piece.calls.empty())
              out.push_back(form.chunk(piece, first, choice->second));
            choice->second += piece.calls.size();
            if (piece.finished) out.push_back(form.last_chunk(piece.choice, *piece.finished));
            return out;
          },
      .last =
          [&] {
            std::vector<std::string> out;
            if (body.stream_usage)
              out.push_back(form.usage_chunk({answer.prompt_tokens(), answer.new_tokens()}));
            return out;
          },
      .error = openai_error_event};
  return stream_text(call, answer, deadline, events);
}

/// Runs the texts of a body: all of its prompts together, or the only one as a stream.
Result<Reply> run_texts(Call& call, inference::Service& service, const Endpoint& endpoint,
                        OpenAiBody body, ChatForm::Kind kind) {
  const OpenAiTime time = time_of_call(call, service);
  if (body.stream && body.calls.size() > 1) return illegal_argument("a stream takes one [prompt]");
  const bool with_logprobs = body.calls.front().sampling.logprobs;
  std::vector<std::string> echoed;
  std::vector<std::unique_ptr<inference::TextAnswer>> answers;
  for (TextCall& text : body.calls) {
    text.inference_id = endpoint.inference_id;
    text.timeout_ms = time.timeout_ms;
    if (call.caller().has_key()) text.scope = call.caller().key().id;
    echoed.push_back(body.echo ? text.prompt.text : std::string());
    CAIRN_TRY(auto answer, service.begin_text(std::move(text), time.deadline));
    answers.push_back(std::move(answer));
  }
  const ChatForm form = openai_form(call, body, kind, *answers.front(), with_logprobs);
  if (body.stream) return stream_openai(call, *answers.front(), form, body, time.deadline);
  std::vector<WholeText> texts;
  TextUsage usage;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    CAIRN_TRY(auto choices, gather(*answers[i], time.deadline));
    for (WholeText& choice : choices) {
      choice.text.insert(0, echoed[i]);
      texts.push_back(std::move(choice));
    }
    usage.prompt_tokens += answers[i]->prompt_tokens();
    usage.completion_tokens += answers[i]->new_tokens();
  }
  return Reply::raw_json(form.whole(texts, usage));
}

Result<Reply> chat_completions(Call& call, inference::Service& service) {
  CAIRN_TRY(Json json, call.body());
  CAIRN_TRY(OpenAiBody body, read_openai_chat(json));
  json = Json();  // a text takes long
  CAIRN_TRY(const Endpoint endpoint, endpoint_of(service, body.model, TaskType::chat_completion));
  return run_texts(call, service, endpoint, std::move(body), ChatForm::Kind::chat);
}

Result<Reply> completions(Call& call, inference::Service& service) {
  CAIRN_TRY(Json json, call.body());
  CAIRN_TRY(OpenAiBody body, read_openai_completion(json));
  json = Json();
  if (body.echo && body.stream) return illegal_argument("[echo] is not offered in a stream");
  CAIRN_TRY(const Endpoint endpoint, completing(service, body.model));
  return run_texts(call, service, endpoint, std::move(body), ChatForm::Kind::completion);
}

/// 32-bit numbers, little end first, as clients ask for them to save bytes.
std::string packed_floats(const std::vector<float>& vector) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(vector.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), vector.data(), bytes.size());
  return to_base64(bytes);
}

struct EmbeddingsBody {
  std::string model = {};
  std::vector<std::string> input = {};
  bool as_base64 = false;
  std::optional<std::int64_t> dimensions = {};
};

Result<EmbeddingsBody> read_embeddings(const Json& json) {
  Fields fields(json, "embeddings");
  EmbeddingsBody out;
  CAIRN_TRY(out.model, fields.required_string("model"));
  CAIRN_TRY(auto input, fields.strings("input"));
  if (!input) return illegal_argument("Required [input]");
  out.input = *std::move(input);
  CAIRN_TRY(const std::string format, fields.string_or("encoding_format", "float"));
  if (format != "float" && format != "base64")
    return fields.fault("encoding_format", "[encoding_format] must be float or base64");
  out.as_base64 = format == "base64";
  if (!fields.is_null("dimensions")) {
    CAIRN_TRY(out.dimensions, fields.integer("dimensions", 1, 1'000'000));
  }
  (void)fields.any("user");
  CAIRN_CHECK(fields.finish());
  return out;
}

Result<Reply> embeddings(Call& call, inference::Service& service) {
  CAIRN_TRY(const Json json, call.body());
  CAIRN_TRY(EmbeddingsBody body, read_embeddings(json));
  CAIRN_TRY(const Endpoint endpoint, endpoint_of(service, body.model, TaskType::text_embedding));
  if (body.dimensions && static_cast<std::size_t>(*body.dimensions) != endpoint.dimensions)
    return illegal_argument("[dimensions] of [" + body.model + "] are [" +
                            std::to_string(endpoint.dimensions) + "] and cannot be chosen");
  CAIRN_TRY(inference::InferRequest request,
            service.check(endpoint.task, endpoint.inference_id, {.input = std::move(body.input)}));
  request.timeout_ms = service.options().infer_timeout_ms;
  CAIRN_TRY(const inference::InferResult result,
            service.infer(request, call.deadline().sooner_ms(*request.timeout_ms)));
  std::string text;
  JsonWriter out(text);
  out.begin_object().key("object").string("list").key("data").begin_array();
  for (std::size_t i = 0; i < result.dense.size(); ++i) {
    out.begin_object().key("object").string("embedding").key("index").unsigned_integer(i);
    out.key("embedding");
    if (body.as_base64) {
      out.string(packed_floats(result.dense[i]));
    } else {
      out.begin_array();
      for (const float number : result.dense[i]) out.number(number);
      out.end_array();
    }
    out.end_object();
  }
  out.end_array().key("model").string(body.model);
  if (result.tokens > 0) {
    out.key("usage").begin_object().key("prompt_tokens").unsigned_integer(result.tokens);
    out.key("total_tokens").unsigned_integer(result.tokens).end_object();
  }
  out.end_object();
  return Reply::raw_json(std::move(text));
}

Json model_of(const Endpoint& endpoint) {
  return Json::object({{"id", endpoint.inference_id},
                       {"object", "model"},
                       {"created", 0},
                       {"owned_by", "cairn"},
                       {"task_type", name_of(endpoint.task)},
                       {"model_id", shown_model_id(endpoint)}});
}

Result<Reply> list_models(const inference::Service& service) {
  Json data = Json::array();
  for (const Endpoint& endpoint : service.list_endpoints()) data.push(model_of(endpoint));
  return Reply::json(Json::object({{"object", "list"}, {"data", std::move(data)}}));
}

Result<Reply> get_model(Call& call, const inference::Service& service) {
  const std::string& name = call.path("model");
  const auto endpoint = service.get_endpoint(name);
  if (endpoint.ok()) return Reply::json(model_of(*endpoint));
  return Error{.kind = ErrorKind::not_found,
               .code = "model_not_found",
               .message = "The model [" + name.substr(0, 256) + "] does not exist"};
}

gate::Route openai_row(std::string method, std::string path, std::string operation,
                       std::string summary) {
  const bool has_body = method == "POST";
  return {
      .method = std::move(method),
      .path = std::move(path),
      .operation = "openai." + std::move(operation),
      .cluster = {"monitor_inference"},
      .reads = true,
      .since = "0.1.0",
      .summary = std::move(summary),
      .body_required = has_body,
      .waits = true,
      .error_wording = [](const Error& error, int status, std::string_view, net::Headers& headers) {
        headers.set("Content-Type", "application/json");
        // The interface's own clients would ask for the same long text again.
        if (status == 408) headers.set("x-should-retry", "false");
        return word_openai_error(error, status);
      }};
}

}  // namespace

void add_openai_routes(Router& router, ServiceRef<inference::Service> service) {
  router.add(openai_row("POST", "/v1/chat/completions", "chat_completions",
                        "A chat in OpenAI's form, whole or as a stream."),
             [service](Call& call) { return chat_completions(call, *service); });
  router.add(openai_row("POST", "/v1/completions", "completions",
                        "A text that goes on, in OpenAI's form, whole or as a stream."),
             [service](Call& call) { return completions(call, *service); });
  router.add(openai_row("POST", "/v1/embeddings", "embeddings",
                        "Dense vectors of texts in OpenAI's form."),
             [service](Call& call) { return embeddings(call, *service); });
  router.add(openai_row("GET", "/v1/models", "list_models",
                        "The inference endpoints, as models in OpenAI's form."),
             [service](Call&) { return list_models(*service); });
  router.add(openai_row("GET", "/v1/models/{model}", "get_model",
                        "One inference endpoint, as a model in OpenAI's form."),
             [service](Call& call) { return get_model(call, *service); });
}

}  // namespace cairn::api
