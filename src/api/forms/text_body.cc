// SPDX-License-Identifier: Apache-2.0
// Bodies of completions and chats, field by field.
#include "api/forms/text_body.h"

#include <array>
#include <limits>
#include <utility>

#include "base/strings.h"

namespace cairn::api {
namespace {

using inference::TextCall;

constexpr std::size_t most_messages = 4'096;
constexpr std::size_t most_tools = 128;
constexpr std::size_t most_stops = 16;
constexpr std::size_t most_biases = 1'024;
constexpr std::size_t most_prompts = 16;
constexpr std::size_t most_tool_bytes = 1 << 20;
constexpr std::size_t most_argument_bytes = 64 << 10;
constexpr std::array<std::string_view, 5> roles{"system", "developer", "user", "assistant", "tool"};

/// What is null counts as absent in all of these, as clients send it.
Error bad_messages(std::string_view why) {
  return Error{.kind = ErrorKind::invalid_argument,
               .code = "action_request_validation_exception",
               .message = "Validation Failed: 1: Field [messages] " + std::string(why) + ";"};
}

/// Before an array is read: what is made of it is larger than its text.
Status check_count(Fields& body, std::string_view name, std::size_t most) {
  const Json* const list = body.any(name);
  if (list == nullptr || !list->is_array() || list->as_array().size() <= most) return ok_status();
  return body.fault(
      name, "[" + std::string(name) + "] has more than " + std::to_string(most) + " elements");
}

/// Values that are kept until the prompt is made, as JSON text.
Status check_bytes(const Fields& body, std::string_view name, const Json& value, std::size_t most) {
  if (value.dump().size() <= most) return ok_status();
  return body.fault(name,
                    "[" + std::string(name) + "] has more than " + std::to_string(most) + " bytes");
}

Status read_number(Fields& body, std::string_view name, std::optional<double>& out) {
  if (body.is_null(name)) return ok_status();
  CAIRN_TRY(out, body.number(name));
  return ok_status();
}

Status read_most_tokens(Fields& body, std::string_view name, TextCall& out) {
  if (body.is_null(name)) return ok_status();
  CAIRN_TRY(const auto most, body.integer(name, 1, std::numeric_limits<std::int32_t>::max()));
  if (most) out.most_tokens = static_cast<std::size_t>(*most);
  return ok_status();
}

/// What all bodies have in common.
Status read_drawing(Fields& body, TextCall& out) {
  inference::SamplingParams& how = out.sampling;
  CAIRN_CHECK(read_number(body, "temperature", how.temperature));
  CAIRN_CHECK(read_number(body, "top_p", how.top_p));
  CAIRN_CHECK(read_number(body, "min_p", how.min_p));
  CAIRN_CHECK(read_number(body, "repetition_penalty", how.repetition_penalty));
  CAIRN_CHECK(read_number(body, "frequency_penalty", how.frequency_penalty));
  CAIRN_CHECK(read_number(body, "presence_penalty", how.presence_penalty));
  if (!body.is_null("top_k")) {
    CAIRN_TRY(const auto top_k, body.integer("top_k", 0, 1'000'000));
    if (top_k) how.top_k = static_cast<std::uint32_t>(*top_k);
  }
  if (!body.is_null("seed")) {
    CAIRN_TRY(const auto seed, body.integer("seed"));
    if (seed) how.seed = static_cast<std::uint64_t>(*seed);
  }
  if (!body.is_null("stop")) {
    CAIRN_CHECK(check_count(body, "stop", most_stops));
    CAIRN_TRY(auto stop, body.strings("stop"));
    if (stop) out.stop = *std::move(stop);
  }
  return read_most_tokens(body, "max_completion_tokens", out);
}

/// {"12": -100}: ids of tokens.
Status read_bias(Fields& body, TextCall& out) {
  if (body.is_null("logit_bias")) return ok_status();
  CAIRN_TRY(const Json* bias, body.object("logit_bias"));
  if (bias == nullptr) return ok_status();
  if (bias->as_object().size() > most_biases)
    return body.fault("logit_bias", "[logit_bias] names more than 1024 tokens");
  for (const auto& [name, value] : bias->as_object()) {
    const auto id = parse_number<std::uint32_t>(name);
    if (!id || !value.is_number())
      return body.fault("logit_bias", "[logit_bias] must hold numbers by the ids of tokens");
    out.sampling.logit_bias.emplace_back(*id, static_cast<float>(value.as_double()));
  }
  return ok_status();
}

/// A text, or parts of which all are texts.
Result<std::string> content_of(const Json& message, const Fields& fields) {
  const Json* const content = message.find("content");
  if (content == nullptr || content->is_null()) return std::string();
  if (content->is_string()) return content->as_string();
  if (!content->is_array())
    return fields.fault("content", "[content] must be a text, or an array of parts");
  std::string out;
  for (const Json& part : content->as_array()) {
    const std::string type = part.string_or("type");
    const Json* const text = part.find("text");
    if (type != "text" || text == nullptr || !text->is_string())
      return fields.fault("content", "[content] has a part of type [" + type.substr(0, 64) +
                                         "]; models here read texts: {type: text, text: …}");
    if (!out.empty()) out += '\n';
    out += text->as_string();
  }
  return out;
}

/// Templates print arguments as JSON, so that a text that is JSON must be an object by then.
Result<Json> tool_call_of(const Json& call, const Fields& fields) {
  const Json* const function = call.find("function");
  if (function == nullptr || function->string_or("name").empty())
    return fields.fault("tool_calls",
                        "[tool_calls] must hold {id, type, function: {name, arguments}}");
  Json arguments = Json::object();
  if (const Json* given = function->find("arguments"); given != nullptr && given->is_object()) {
    arguments = *given;
  } else if (given != nullptr && given->is_string() && !given->as_string().empty()) {
    auto parsed = parse_json(given->as_string());
    if (!parsed.ok() || !parsed->is_object())
      return fields.fault("tool_calls", "[tool_calls] has [arguments] that are no JSON object");
    arguments = *std::move(parsed);
  }
  return Json::object({{"id", call.string_or("id")},
                       {"type", "function"},
                       {"function", Json::object({{"name", function->string_or("name")},
                                                  {"arguments", std::move(arguments)}})}});
}

Result<Json> message_of(const Json& given, std::size_t index) {
  Fields fields(given, "message", "messages." + std::to_string(index));
  if (!given.is_object())
    return fields.fault("role", "a message must be an object with [role] and [content]");
  CAIRN_TRY(const std::string role, fields.required_string("role"));
  bool known = false;
  for (const std::string_view one : roles) known = known || one == role;
  if (!known)
    return fields.fault("role", "[role] is [" + role.substr(0, 64) +
                                    "], none of system, developer, user, assistant, tool");
  Json out = Json::object({{"role", role}});
  (void)fields.any("content");
  CAIRN_TRY(std::string content, content_of(given, fields));
  out.set("content", std::move(content));
  for (const std::string_view name : {"name", "tool_call_id"}) {
    if (fields.is_null(name)) continue;
    CAIRN_TRY(auto text, fields.string(name));
    if (text) out.set(name, *std::move(text));
  }
  if (!fields.is_null("tool_calls")) {
    CAIRN_TRY(const Json* calls, fields.array("tool_calls"));
    Json list = Json::array();
    for (std::size_t i = 0; calls != nullptr && i < calls->as_array().size(); ++i) {
      if (i == most_tools)
        return fields.fault("tool_calls", "[tool_calls] has more than 128 calls");
      CAIRN_TRY(Json one, tool_call_of(calls->as_array()[i], fields));
      list.push(std::move(one));
    }
    if (!list.as_array().empty()) out.set("tool_calls", std::move(list));
  }
  // What other models said beside their answers; no template reads it.
  for (const char* name : {"refusal", "reasoning", "reasoning_details", "audio", "annotations"})
    (void)fields.any(name);
  CAIRN_CHECK(fields.finish());
  return out;
}

Result<Json> tools_of(const Json& tools, const Fields& fields) {
  if (tools.as_array().size() > most_tools)
    return fields.fault("tools", "[tools] has more than 128 tools");
  for (const Json& tool : tools.as_array()) {
    const Json* const function = tool.find("function");
    if (tool.string_or("type", "function") != "function" || function == nullptr ||
        function->string_or("name").empty())
      return fields.fault("tools", "[tools] must hold {type: function, function: {name, …}}");
  }
  return tools;
}

/// Tools and who chooses among them. `none` leaves them out of the prompt.
Status read_tools(Fields& body, TextCall& out) {
  std::string choice = "auto";
  if (!body.is_null("tool_choice")) {
    const Json* const given = body.any("tool_choice");
    if (given != nullptr && !given->is_string())
      return body.fault("tool_choice",
                        "[tool_choice] that names a function is not offered; use auto or none");
    if (given != nullptr) choice = given->as_string();
    if (choice != "auto" && choice != "none")
      return body.fault("tool_choice", "[tool_choice] [" + choice.substr(0, 64) +
                                           "] is not offered; use auto or none");
  }
  if (body.is_null("tools")) return ok_status();
  CAIRN_TRY(const Json* tools, body.array("tools"));
  if (tools == nullptr || tools->as_array().empty() || choice == "none") return ok_status();
  CAIRN_CHECK(check_bytes(body, "tools", *tools, most_tool_bytes));
  CAIRN_TRY(out.prompt.tools, tools_of(*tools, body));
  return ok_status();
}

Status read_chat(Fields& body, TextCall& out) {
  const bool is_null = body.is_null("messages");
  const Json* messages = nullptr;
  if (!is_null) {
    CAIRN_TRY(messages, body.array("messages"));
  }
  if (messages == nullptr) return bad_messages("cannot be null");
  CAIRN_TRY(out.prompt.messages, read_messages(*messages));
  CAIRN_CHECK(read_drawing(body, out));
  CAIRN_CHECK(read_bias(body, out));
  CAIRN_CHECK(read_tools(body, out));
  if (!body.is_null("chat_template_kwargs")) {
    CAIRN_TRY(const Json* more, body.object("chat_template_kwargs"));
    if (more != nullptr) {
      CAIRN_CHECK(check_bytes(body, "chat_template_kwargs", *more, most_argument_bytes));
      out.prompt.template_arguments = *more;
    }
  }
  return ok_status();
}

/// Fields of OpenAI's interface that say who asks, or ask for what is so anyway.
void let_through(Fields& body) {
  for (const char* name : {"user", "store", "metadata", "service_tier", "safety_identifier",
                           "prompt_cache_key", "parallel_tool_calls"})
    (void)body.any(name);
}

Status read_format(Fields& body) {
  if (body.is_null("response_format")) return ok_status();
  CAIRN_TRY(const Json* format, body.object("response_format"));
  if (format == nullptr || format->string_or("type") == "text") return ok_status();
  return body.fault("response_format",
                    "[response_format] of a type other than [text] is not offered");
}

/// `stream`, its options and `n`.
Status read_delivery(Fields& body, OpenAiBody& out, TextCall& call) {
  if (!body.is_null("stream")) {
    CAIRN_TRY(const auto stream, body.boolean("stream"));
    out.stream = stream.value_or(false);
  }
  if (!body.is_null("stream_options")) {
    CAIRN_TRY(const Json* options, body.object("stream_options"));
    if (options != nullptr) out.stream_usage = options->bool_or("include_usage", false);
  }
  if (!body.is_null("n")) {
    CAIRN_TRY(const auto choices, body.integer("n", 1, 16));
    call.choices = static_cast<std::size_t>(choices.value_or(1));
  }
  return read_most_tokens(body, "max_tokens", call);
}

}  // namespace

Result<Json> read_messages(const Json& messages) {
  Fields fields(messages, "messages");
  if (messages.as_array().empty()) return bad_messages("cannot be an empty array");
  if (messages.as_array().size() > most_messages)
    return fields.fault("messages", "[messages] has more than 4096 messages");
  Json out = Json::array();
  for (std::size_t i = 0; i < messages.as_array().size(); ++i) {
    CAIRN_TRY(Json one, message_of(messages.as_array()[i], i));
    out.push(std::move(one));
  }
  return out;
}

Status read_text_settings(const Json& settings, TextCall& out) {
  Fields fields(settings, "task_settings", "task_settings");
  CAIRN_CHECK(read_drawing(fields, out));
  return fields.finish();
}

Result<ChatBody> read_unified(const Json& body) {
  Fields fields(body, "chat_completion");
  ChatBody out;
  CAIRN_CHECK(read_chat(fields, out.call));
  if (!fields.is_null("model")) {
    CAIRN_TRY(out.model, fields.string("model"));
  }
  CAIRN_CHECK(fields.finish());
  return out;
}

Result<OpenAiBody> read_openai_chat(const Json& body) {
  Fields fields(body, "chat completion");
  OpenAiBody out;
  TextCall call;
  CAIRN_TRY(out.model, fields.required_string("model"));
  CAIRN_CHECK(read_chat(fields, call));
  CAIRN_CHECK(read_delivery(fields, out, call));
  CAIRN_CHECK(read_format(fields));
  if (!fields.is_null("logprobs")) {
    CAIRN_TRY(const auto logprobs, fields.boolean("logprobs"));
    call.sampling.logprobs = logprobs.value_or(false);
  }
  if (!fields.is_null("top_logprobs")) {
    CAIRN_TRY(const auto top, fields.integer("top_logprobs", 0, 20));
    call.sampling.top_logprobs = static_cast<std::uint32_t>(top.value_or(0));
  }
  let_through(fields);
  CAIRN_CHECK(fields.finish());
  out.calls.push_back(std::move(call));
  return out;
}

Result<OpenAiBody> read_openai_completion(const Json& body) {
  Fields fields(body, "completion");
  OpenAiBody out;
  TextCall call;
  CAIRN_TRY(out.model, fields.required_string("model"));
  CAIRN_CHECK(check_count(fields, "prompt", most_prompts));
  CAIRN_TRY(const auto prompts, fields.strings("prompt"));
  if (!prompts || prompts->empty())
    return fields.fault("prompt", "[prompt] must be a text, or an array of texts");
  CAIRN_CHECK(read_drawing(fields, call));
  CAIRN_CHECK(read_bias(fields, call));
  CAIRN_CHECK(read_delivery(fields, out, call));
  // The number of the likeliest tokens that are told beside each one.
  if (!fields.is_null("logprobs")) {
    CAIRN_TRY(const auto top, fields.integer("logprobs", 0, 20));
    call.sampling.logprobs = top.has_value();
    call.sampling.top_logprobs = static_cast<std::uint32_t>(top.value_or(0));
  }
  if (!fields.is_null("echo")) {
    CAIRN_TRY(const auto echo, fields.boolean("echo"));
    out.echo = echo.value_or(false);
  }
  if (fields.has("suffix") && !fields.is_null("suffix"))
    return fields.fault("suffix", "[suffix] is not offered");
  if (!fields.is_null("best_of")) {
    CAIRN_TRY(const auto best, fields.integer("best_of"));
    if (best && static_cast<std::size_t>(*best) != call.choices)
      return fields.fault("best_of", "[best_of] other than [n] is not offered");
  }
  // The interface's own default, which its clients count on.
  if (!call.most_tokens) call.most_tokens = 16;
  let_through(fields);
  CAIRN_CHECK(fields.finish());
  for (const std::string& prompt : *prompts) {
    out.calls.push_back(call);
    out.calls.back().prompt.text = prompt;
  }
  return out;
}

}  // namespace cairn::api
