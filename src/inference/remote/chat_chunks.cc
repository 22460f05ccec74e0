// SPDX-License-Identifier: Apache-2.0
#include "inference/remote/chat_chunks.h"

#include <string>
#include <utility>

#include "inference/errors.h"
#include "inference/remote/answers.h"

namespace cairn::inference {
namespace {

/// The number that an object holds under `name`; `otherwise` where it holds none.
Result<std::size_t> number_in(const Json& object, std::string_view name, std::size_t otherwise,
                              std::size_t below) {
  const Json* const given = object.find(name);
  if (given == nullptr || given->is_null()) return otherwise;
  if (!given->is_integer() || given->as_int() < 0 ||
      static_cast<std::uint64_t>(given->as_int()) >= below) {
    return bad_answer("[" + std::string(name) + "] is no number below " + std::to_string(below));
  }
  return static_cast<std::size_t>(given->as_int());
}

std::uint64_t tokens_in(const Json& usage, std::string_view name) {
  const Json* const count = usage.find(name);
  return count != nullptr && count->is_integer() && count->as_int() > 0
             ? static_cast<std::uint64_t>(count->as_int())
             : 0;
}

/// What the interface knows and Cairn does not, as a filter, ends the text all the same.
FinishReason reason_of(std::string_view name) {
  if (name == "length") return FinishReason::length;
  if (name == "content_filter") return FinishReason::content_filter;
  return name == "tool_calls" ? FinishReason::tool_calls : FinishReason::stop;
}

}  // namespace

ChatChunks::ChatChunks(std::size_t choices, ChunkLimits limits)
    : limits_(limits), choices_(choices) {}

Status ChatChunks::count(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ <= limits_.bytes) return ok_status();
  return bad_answer("it has more than " + std::to_string(limits_.bytes) + " bytes");
}

Result<std::vector<TextPiece>> ChatChunks::take(std::string_view chunk) {
  const Result<Json> json = parse_json(chunk);
  if (!json.ok() || !json->is_object())
    return bad_answer("a piece of the stream is no JSON object");
  if (const Json* error = json->find("error"); error != nullptr && !error->is_null()) {
    return status_error(ErrorKind::unavailable, "failed in its answer: " + refusal_text(*json))
        .with_detail("_status", "502");
  }
  if (const Json* usage = json->find("usage"); usage != nullptr && usage->is_object()) {
    prompt_tokens_ = tokens_in(*usage, "prompt_tokens");
    new_tokens_ = tokens_in(*usage, "completion_tokens");
  }
  std::vector<TextPiece> out;
  const Json* const list = json->find("choices");
  if (list == nullptr || !list->is_array()) return out;  // a chunk about something else
  for (const Json& choice : list->as_array()) CAIRN_CHECK(take_choice(choice, out));
  return out;
}

Status ChatChunks::take_choice(const Json& given, std::vector<TextPiece>& out) {
  CAIRN_TRY(const std::size_t index, number_in(given, "index", 0, choices_.size()));
  Choice& choice = choices_[index];
  const Json* delta = given.find("delta");
  if (delta == nullptr || !delta->is_object()) delta = given.find("message");
  const Json* const text = delta == nullptr ? nullptr : delta->find("content");
  if (text != nullptr && text->is_string() && !text->as_string().empty() && !choice.finished) {
    CAIRN_CHECK(count(text->as_string().size()));
    out.push_back({.choice = index, .text = text->as_string()});
  }
  if (delta != nullptr && !choice.finished) CAIRN_CHECK(take_calls(*delta, choice));
  const Json* const reason = given.find("finish_reason");
  if (reason != nullptr && reason->is_string()) choice.finished = reason_of(reason->as_string());
  return ok_status();
}

Status ChatChunks::take_calls(const Json& given, Choice& choice) {
  const Json* const list = given.find("tool_calls");
  if (list == nullptr || !list->is_array()) return ok_status();
  for (std::size_t i = 0; i < list->as_array().size(); ++i) {
    const Json& part = list->as_array()[i];
    CAIRN_TRY(const std::size_t index, number_in(part, "index", i, limits_.calls));
    if (index >= limits_.calls) return bad_answer("it has too many calls of tools");
    ToolCall& call = choice.calls[index];
    const Json* const function = part.find("function");
    if (call.id.empty()) call.id = part.string_or("id");
    if (function == nullptr) continue;
    const std::string name = function->string_or("name");
    const std::string arguments = function->string_or("arguments");
    CAIRN_CHECK(count(name.size() + arguments.size() + call.id.size()));
    if (call.name.empty()) call.name = name;
    call.arguments += arguments;
  }
  return ok_status();
}

Result<std::vector<TextPiece>> ChatChunks::finish(bool marked) {
  std::vector<TextPiece> out;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    Choice& choice = choices_[i];
    if (!choice.finished && !marked) return bad_answer("it ends before its text does");
    TextPiece last{.choice = i};
    for (auto& [number, call] : choice.calls) {
      if (call.name.empty()) return bad_answer("a call of a tool has no name");
      last.calls.push_back(std::move(call));
    }
    last.finished = choice.finished.value_or(last.calls.empty() ? FinishReason::stop
                                                                : FinishReason::tool_calls);
    out.push_back(std::move(last));
  }
  return out;
}

}  // namespace cairn::inference
