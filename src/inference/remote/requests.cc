// SPDX-License-Identifier: Apache-2.0
#include "inference/remote/requests.h"

#include <utility>

#include "inference/errors.h"

namespace cairn::inference {
namespace {

constexpr std::size_t openai_inputs = 512;
constexpr std::size_t cohere_inputs = 96;
constexpr std::size_t cohere_documents = 1'000;
constexpr std::size_t text_embeddings_inputs = 32;  // what that server takes unless it is told else
constexpr std::int64_t characters_per_token = 3;

/// A query stands on the other side of documents; everything else is one.
std::string_view cohere_input_type(InputType type) {
  switch (type) {
    case InputType::search:
      return "search_query";
    case InputType::classification:
      return "classification";
    case InputType::clustering:
      return "clustering";
    case InputType::ingest:
    case InputType::unspecified:
      break;
  }
  return "search_document";
}

void write_texts(JsonWriter& out, std::string_view name, std::span<const std::string> texts,
                 std::optional<std::int64_t> most_tokens) {
  out.key(name).begin_array();
  for (const std::string& text : texts) out.string(cut_to_tokens(text, most_tokens));
  out.end_array();
}

/// Arguments are an object here, and a text in that interface.
Json with_texts_as_arguments(Json message) {
  Json* const calls = message.find("tool_calls");
  if (calls == nullptr || !calls->is_array()) return message;
  for (Json& call : calls->as_array()) {
    Json* const function = call.find("function");
    Json* const arguments = function == nullptr ? nullptr : function->find("arguments");
    if (arguments != nullptr && !arguments->is_string()) *arguments = Json(arguments->dump());
  }
  return message;
}

void write_messages(JsonWriter& out, const TextPrompt& prompt) {
  out.key("messages").begin_array();
  if (prompt.messages.is_array()) {
    for (const Json& message : prompt.messages.as_array())
      out.value(with_texts_as_arguments(message));
  } else {
    out.begin_object().key("role").string("user").key("content").string(prompt.text).end_object();
  }
  out.end_array();
  if (prompt.tools.is_array()) out.key("tools").value(prompt.tools);
  if (prompt.template_arguments.is_object())
    out.key("chat_template_kwargs").value(prompt.template_arguments);
}

void write_sampling(JsonWriter& out, const SamplingParams& how) {
  const auto number = [&](std::string_view name, const std::optional<double>& value) {
    if (value) out.key(name).number(*value);
  };
  number("temperature", how.temperature);
  number("top_p", how.top_p);
  number("min_p", how.min_p);
  number("repetition_penalty", how.repetition_penalty);
  number("frequency_penalty", how.frequency_penalty);
  number("presence_penalty", how.presence_penalty);
  if (how.top_k) out.key("top_k").unsigned_integer(*how.top_k);
  if (how.seed) out.key("seed").integer(static_cast<std::int64_t>(*how.seed));
  if (how.logit_bias.empty()) return;
  out.key("logit_bias").begin_object();
  for (const auto& [token, bias] : how.logit_bias) out.key(std::to_string(token)).number(bias);
  out.end_object();
}

}  // namespace

std::size_t inputs_per_request(const Endpoint& endpoint) {
  switch (endpoint.remote->kind) {
    case RemoteKind::openai:
      return openai_inputs;
    case RemoteKind::cohere:
      return endpoint.task == TaskType::rerank ? cohere_documents : cohere_inputs;
    case RemoteKind::hugging_face:
      return text_embeddings_inputs;
  }
  return 1;
}

std::string_view cut_to_tokens(std::string_view text, std::optional<std::int64_t> most_tokens) {
  if (!most_tokens) return text;
  std::int64_t left = *most_tokens * characters_per_token;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
    if (begins && left-- == 0) return text.substr(0, i);
  }
  return text;
}

std::string vectors_request(const Endpoint& endpoint, std::span<const std::string> inputs,
                            InputType type) {
  const RemoteSettings& remote = *endpoint.remote;
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  switch (remote.kind) {
    case RemoteKind::openai:
      write_texts(out, "input", inputs, remote.max_input_tokens);
      out.key("model").string(endpoint.model_id).key("encoding_format").string("float");
      if (!remote.user.empty()) out.key("user").string(remote.user);
      if (remote.asks_dimensions) out.key("dimensions").unsigned_integer(endpoint.dimensions);
      break;
    case RemoteKind::cohere:
      write_texts(out, "texts", inputs, remote.max_input_tokens);
      out.key("model").string(endpoint.model_id);
      out.key("input_type").string(cohere_input_type(type));
      out.key("embedding_types").begin_array();
      out.string(endpoint.element_type == ElementType::byte ? "int8" : "float").end_array();
      if (!remote.truncate.empty()) out.key("truncate").string(remote.truncate);
      break;
    case RemoteKind::hugging_face:
      write_texts(out, "inputs", inputs, remote.max_input_tokens);
      break;
  }
  out.end_object();
  return text;
}

std::string scores_request(const Endpoint& endpoint, const std::string& query,
                           std::span<const std::string> documents) {
  const bool of_cohere = endpoint.remote->kind == RemoteKind::cohere;
  std::string text;
  JsonWriter out(text);
  out.begin_object().key("query").string(query);
  write_texts(out, of_cohere ? "documents" : "texts", documents, std::nullopt);
  if (of_cohere) out.key("model").string(endpoint.model_id);
  out.end_object();
  return text;
}

Result<std::string> chat_request(const Endpoint& endpoint, const TextCall& call) {
  const auto unasked = [&](std::string_view what) {
    return bad_request("Inference endpoint [" + endpoint.inference_id +
                       "] has a remote model: " + std::string(what));
  };
  if (call.sampling.logprobs) return unasked("[logprobs] are not offered of its texts");
  if (!call.prompt.messages.is_array() && !call.prompt.as_message)
    return unasked("it answers messages and cannot go on with a text");
  std::string text;
  JsonWriter out(text);
  out.begin_object().key("model").string(endpoint.model_id);
  write_messages(out, call.prompt);
  write_sampling(out, call.sampling);
  if (call.most_tokens) out.key("max_completion_tokens").unsigned_integer(*call.most_tokens);
  if (!call.stop.empty()) {
    out.key("stop").begin_array();
    for (const std::string& stop : call.stop) out.string(stop);
    out.end_array();
  }
  if (call.choices > 1) out.key("n").unsigned_integer(call.choices);
  if (!endpoint.remote->user.empty()) out.key("user").string(endpoint.remote->user);
  out.key("stream").boolean(true);
  out.key("stream_options").begin_object().key("include_usage").boolean(true).end_object();
  out.end_object();
  return text;
}

}  // namespace cairn::inference
