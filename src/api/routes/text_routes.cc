// SPDX-License-Identifier: Apache-2.0
#include "api/routes/text_routes.h"

#include <utility>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/forms/text_body.h"
#include "api/forms/text_events.h"
#include "api/forms/text_reply.h"
#include "os/clock.h"

namespace cairn::api {
namespace {

using inference::Endpoint;
using inference::TaskType;
using inference::TextCall;
using inference::TextPiece;

/// How long a call may take, as it asks and as it is meant.
struct TextTime {
  std::int64_t timeout_ms = -1;
  os::Deadline deadline;
};

Result<TextTime> time_of(Call& call, const inference::Service& service,
                         std::optional<std::int64_t> of_body) {
  CAIRN_TRY(const std::int64_t ms,
            call.time("timeout", of_body.value_or(service.options().text_timeout_ms)));
  return TextTime{ms, ms <= 0 ? call.deadline() : call.deadline().sooner_ms(ms)};
}

/// The body of the platform's own form: one call for each input.
struct TextInputs {
  std::vector<TextCall> calls = {};
  std::optional<std::int64_t> timeout_ms = {};
};

/// With a `query` the input is what the query is about.
std::string prompt_text(const std::string& input, const std::optional<std::string>& query) {
  if (!query || query->empty()) return input;
  return input + "\n\n" + *query;
}

Result<TextInputs> read_inputs(const Json& json) {
  constexpr std::size_t most_inputs = 16;  // each is a text to be made
  Fields body(json, "inference");
  TextInputs out;
  std::optional<std::vector<std::string>> input;
  const Json* const given = json.find("input");
  if (given != nullptr && given->is_array() && given->as_array().size() > most_inputs)
    return validation_fault({"Field [input] holds " + std::to_string(given->as_array().size()) +
                             " inputs, and at most [16] are taken for a completion"});
  if (!body.is_null("input")) {
    CAIRN_TRY(input, body.strings("input"));
  }
  if (!input) return validation_fault({"Field [input] cannot be null"});
  if (input->empty()) return validation_fault({"Field [input] cannot be an empty array"});
  std::optional<std::string> query;
  if (!body.is_null("query")) {
    CAIRN_TRY(query, body.string("query"));
  }
  TextCall call;
  call.prompt.as_message = true;
  if (!body.is_null("task_settings")) {
    CAIRN_TRY(const Json* settings, body.object("task_settings"));
    if (settings != nullptr) CAIRN_CHECK(read_text_settings(*settings, call));
  }
  if (!body.is_null("timeout")) {
    CAIRN_TRY(out.timeout_ms, body.time_ms("timeout"));
  }
  CAIRN_CHECK(body.finish());
  for (const std::string& text : *input) {
    out.calls.push_back(call);
    out.calls.back().prompt.text = prompt_text(text, query);
  }
  return out;
}

void address(TextCall& text, const Call& call, const Endpoint& endpoint, std::int64_t timeout_ms) {
  text.inference_id = endpoint.inference_id;
  text.task = endpoint.task;
  text.timeout_ms = timeout_ms;
  if (call.caller().has_key()) text.scope = call.caller().key().id;
}

std::string error_event(const Error& error) { return error_body(error).dump(); }

Result<Reply> complete(Call& call, inference::Service& service, const Endpoint& endpoint,
                       TextInputs inputs) {
  CAIRN_TRY(const TextTime time, time_of(call, service, inputs.timeout_ms));
  // All begin before the first is waited for: they share steps.
  std::vector<std::unique_ptr<inference::TextAnswer>> answers;
  for (TextCall& text : inputs.calls) {
    // Where only an idle model may answer, the first input finds it so and the others join.
    const bool joins = time.timeout_ms == 0 && !answers.empty();
    address(text, call, endpoint, joins ? -1 : time.timeout_ms);
    CAIRN_TRY(auto answer, service.begin_text(std::move(text), time.deadline));
    answers.push_back(std::move(answer));
  }
  std::vector<std::string> results;
  for (const auto& answer : answers) {
    CAIRN_TRY(auto texts, gather(*answer, time.deadline));
    results.push_back(std::move(texts.front().text));
  }
  return Reply::raw_json(completion_reply(results));
}

Result<Reply> stream_completion(Call& call, inference::Service& service, const Endpoint& endpoint,
                                TextInputs inputs) {
  if (inputs.calls.size() != 1)
    return validation_fault({"Field [input] must hold one text where the answer is a stream"});
  CAIRN_TRY(const TextTime time, time_of(call, service, inputs.timeout_ms));
  address(inputs.calls.front(), call, endpoint, time.timeout_ms);
  CAIRN_TRY(const auto answer, service.begin_text(std::move(inputs.calls.front()), time.deadline));
  const TextEvents events{.event = "message",
                          .of =
                              [](const TextPiece& piece) {
                                std::vector<std::string> out;
                                if (!piece.text.empty())
                                  out.push_back(completion_delta(piece.text));
                                return out;
                              },
                          .last = [] { return std::vector<std::string>(); },
                          .error = error_event,
                          .error_event = "error"};
  return stream_text(call, *answer, time.deadline, events);
}

/// A unified call, ready to begin.
struct UnifiedChat {
  TextCall text;
  TextTime time;
};

Result<UnifiedChat> read_chat_call(Call& call, const inference::Service& service,
                                   const Endpoint& endpoint, const Json& body) {
  if (endpoint.task != TaskType::chat_completion)
    return illegal_argument(
        "Field [messages] needs an inference endpoint of the task type "
        "[chat_completion]; [" +
        endpoint.inference_id + "] has [" + std::string(name_of(endpoint.task)) + "]");
  CAIRN_TRY(ChatBody read, read_unified(body));
  const std::string model_id = shown_model_id(endpoint);
  if (read.model && *read.model != model_id && *read.model != endpoint.model_id &&
      *read.model != endpoint.inference_id)
    return illegal_argument("Field [model] is [" + *read.model + "], and inference endpoint [" +
                            endpoint.inference_id + "] runs [" + model_id + "]");
  CAIRN_TRY(const TextTime time, time_of(call, service, std::nullopt));
  address(read.call, call, endpoint, time.timeout_ms);
  return UnifiedChat{std::move(read.call), time};
}

ChatForm form_of(Call& call, const Endpoint& endpoint, const inference::TextAnswer& answer) {
  return {ChatForm::Kind::chat,
          "chatcmpl-" + std::string(call.exchange().request_id),
          os::system_clock().unix_ms() / 1000,
          answer.model_name().empty() ? endpoint.model_id : answer.model_name(),
          answer.tokenizer(),
          false};
}

Result<Reply> chat(Call& call, inference::Service& service, const Endpoint& endpoint,
                   UnifiedChat unified) {
  CAIRN_TRY(const auto answer, service.begin_text(std::move(unified.text), unified.time.deadline));
  CAIRN_TRY(const auto texts, gather(*answer, unified.time.deadline));
  return Reply::raw_json(form_of(call, endpoint, *answer)
                             .whole(texts, {answer->prompt_tokens(), answer->new_tokens()}));
}

Result<Reply> stream_chat(Call& call, inference::Service& service, const Endpoint& endpoint,
                          UnifiedChat unified) {
  CAIRN_TRY(const auto answer, service.begin_text(std::move(unified.text), unified.time.deadline));
  const ChatForm form = form_of(call, endpoint, *answer);
  bool first = true;
  std::size_t calls = 0;
  const TextEvents events{
      .event = "message",
      .of =
          [&](const TextPiece& piece) {
            std::vector<std::string> out;
            if (first || !piece.text.empty() || !piece.calls.empty())
              out.push_back(form.chunk(piece, first, calls));
            first = false;
            calls += piece.calls.size();
            if (piece.finished) out.push_back(form.last_chunk(piece.choice, *piece.finished));
            return out;
          },
      .last =
          [&] {
            return std::vector{form.usage_chunk({answer->prompt_tokens(), answer->new_tokens()})};
          },
      .error = error_event,
      .error_event = "error"};
  return stream_text(call, *answer, unified.time.deadline, events);
}

/// Reads a body of either kind, and lets go of it before the text is made, which takes long.
template <class Chat, class Complete>
Result<Reply> run_body(Call& call, inference::Service& service, const Endpoint& endpoint,
                       Chat& chats, Complete& completes) {
  CAIRN_TRY(Json body, call.body());
  if (body.find("messages") != nullptr) {
    CAIRN_TRY(UnifiedChat unified, read_chat_call(call, service, endpoint, body));
    body = Json();
    return chats(call, service, endpoint, std::move(unified));
  }
  CAIRN_TRY(TextInputs inputs, read_inputs(body));
  body = Json();
  return completes(call, service, endpoint, std::move(inputs));
}

Result<Reply> stream(Call& call, inference::Service& service) {
  std::optional<TaskType> task;
  if (const std::string& name = call.path("task_type"); !name.empty()) {
    CAIRN_TRY(task, inference::parse_task_type(name));
  }
  CAIRN_TRY(const Endpoint endpoint, service.get_endpoint(call.path("inference_id"), task));
  if (!gives_texts(endpoint.task)) {
    return Error{.kind = ErrorKind::unsupported,
                 .code = "status_exception",
                 .message = "Streaming is not allowed for service [" + endpoint.service +
                            "] and task [" + std::string(name_of(endpoint.task)) +
                            "]. Supported tasks: [completion, chat_completion]"}
        .with_detail("_status", "405");
  }
  return run_body(call, service, endpoint, stream_chat, stream_completion);
}

}  // namespace

Result<Reply> answer_text(Call& call, inference::Service& service, const Endpoint& endpoint) {
  return run_body(call, service, endpoint, chat, complete);
}

void add_text_routes(Router& router, ServiceRef<inference::Service> service) {
  for (const char* task : {"", "/{task_type}"}) {
    gate::Route route{
        .method = "POST",
        .path = "/_inference" + std::string(task) + "/{inference_id}/_stream",
        .operation = "inference.stream_completion",
        .cluster = {"monitor_inference"},
        .reads = true,
        .since = "8.16.0",
        .query = {{"timeout", "time",
                   "How long the text may take; -1 for ever. Default 2m "
                   "(inference.text_timeout)."}},
        .summary =
            "Runs an endpoint of a completion or a chat, and streams the text as it is made.",
        .action = "cluster:monitor/xpack/inference/unified",
        .body_required = true,
        .waits = true};
    router.add(std::move(route), [service](Call& call) { return stream(call, *service); });
  }
}

}  // namespace cairn::api
