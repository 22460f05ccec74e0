// SPDX-License-Identifier: Apache-2.0
#include "api/forms/text_reply.h"

#include <set>
#include <utility>

#include "format/json.h"

namespace cairn::api {
namespace {

constexpr std::string_view replacement = "\uFFFD";

using inference::SampledToken;
using inference::TextPiece;

void write_usage(JsonWriter& out, const TextUsage& usage) {
  out.key("usage").begin_object();
  out.key("completion_tokens").unsigned_integer(usage.completion_tokens);
  out.key("prompt_tokens").unsigned_integer(usage.prompt_tokens);
  out.key("total_tokens").unsigned_integer(usage.completion_tokens + usage.prompt_tokens);
  out.end_object();
}

/// `first`: the number of the first one, in chunks, whose readers put calls together by it.
void write_calls(JsonWriter& out, const std::vector<inference::ToolCall>& calls,
                 std::optional<std::size_t> first) {
  if (calls.empty()) return;
  out.key("tool_calls").begin_array();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    out.begin_object();
    if (first) out.key("index").unsigned_integer(*first + i);
    out.key("id").string(calls[i].id).key("type").string("function");
    out.key("function").begin_object().key("name").string(calls[i].name);
    out.key("arguments").string(calls[i].arguments).end_object().end_object();
  }
  out.end_array();
}

}  // namespace

Result<std::vector<WholeText>> gather(inference::TextAnswer& answer, const os::Deadline& deadline) {
  std::vector<WholeText> out(answer.choices());
  for (;;) {
    CAIRN_TRY(std::optional<TextPiece> piece, answer.next(deadline));
    if (!piece) return out;
    WholeText& choice = out.at(piece->choice);
    choice.text += piece->text;
    for (inference::ToolCall& call : piece->calls) choice.calls.push_back(std::move(call));
    for (SampledToken& token : piece->tokens) choice.tokens.push_back(std::move(token));
    if (piece->finished) choice.finished = *piece->finished;
  }
}

std::string completion_reply(const std::vector<std::string>& results) {
  std::string text;
  JsonWriter out(text);
  out.begin_object().key("completion").begin_array();
  for (const std::string& result : results)
    out.begin_object().key("result").string(result).end_object();
  out.end_array().end_object();
  return text;
}

std::string completion_delta(std::string_view delta) {
  std::string text;
  JsonWriter out(text);
  out.begin_object().key("completion").begin_array().begin_object();
  out.key("delta").string(delta);
  out.end_object().end_array().end_object();
  return text;
}

ChatForm::ChatForm(Kind kind, std::string id, std::int64_t created_s, std::string model,
                   const text::Tokenizer* tokenizer, bool with_logprobs)
    : kind_(kind),
      id_(std::move(id)),
      created_s_(created_s),
      model_(std::move(model)),
      tokenizer_(tokenizer),
      with_logprobs_(with_logprobs) {}

/// Up to the first choice.
JsonWriter& ChatForm::begin(JsonWriter& out, std::string_view object) const {
  out.begin_object().key("id").string(id_);
  out.key("object").string(kind_ == Kind::completion ? "text_completion" : object);
  out.key("created").integer(created_s_);
  out.key("model").string(model_);
  return out.key("choices").begin_array();
}

std::string ChatForm::whole(const std::vector<WholeText>& choices, const TextUsage& usage) const {
  std::string text;
  JsonWriter out(text);
  begin(out, "chat.completion");
  for (std::size_t i = 0; i < choices.size(); ++i) {
    out.begin_object().key("index").unsigned_integer(i);
    if (kind_ == Kind::chat) {
      out.key("message").begin_object().key("role").string("assistant");
      if (choices[i].text.empty() && !choices[i].calls.empty())
        out.key("content").null();
      else
        out.key("content").string(choices[i].text);
      write_calls(out, choices[i].calls, std::nullopt);
      out.end_object();
    } else {
      out.key("text").string(choices[i].text);
    }
    logprobs(out, choices[i].tokens);
    out.key("finish_reason").string(name_of(choices[i].finished)).end_object();
  }
  out.end_array();
  write_usage(out, usage);
  out.end_object();
  return text;
}

std::string ChatForm::chunk(const TextPiece& piece, bool first, std::size_t calls) const {
  std::string text;
  JsonWriter out(text);
  begin(out, "chat.completion.chunk").begin_object();
  out.key("index").unsigned_integer(piece.choice);
  if (kind_ == Kind::chat) {
    out.key("delta").begin_object();
    if (first) out.key("role").string("assistant");
    if (first || !piece.text.empty()) out.key("content").string(piece.text);
    write_calls(out, piece.calls, calls);
    out.end_object();
  } else {
    out.key("text").string(piece.text);
  }
  logprobs(out, piece.tokens);
  out.key("finish_reason").null();
  out.end_object().end_array().end_object();
  return text;
}

std::string ChatForm::last_chunk(std::size_t choice, inference::FinishReason finished) const {
  std::string text;
  JsonWriter out(text);
  begin(out, "chat.completion.chunk").begin_object();
  out.key("index").unsigned_integer(choice);
  if (kind_ == Kind::chat) {
    out.key("delta").begin_object().end_object();
  } else {
    out.key("text").string("");
  }
  out.key("finish_reason").string(name_of(finished));
  out.end_object().end_array().end_object();
  return text;
}

std::string ChatForm::usage_chunk(const TextUsage& usage) const {
  std::string text;
  JsonWriter out(text);
  begin(out, "chat.completion.chunk").end_array();
  write_usage(out, usage);
  out.end_object();
  return text;
}

void ChatForm::logprobs(JsonWriter& out, const std::vector<SampledToken>& tokens) const {
  if (!with_logprobs_) return;
  out.key("logprobs").begin_object();
  if (kind_ == Kind::chat) {
    chat_logprobs(out, tokens);
  } else {
    out.key("tokens").begin_array();
    for (const SampledToken& one : tokens) out.string(text_of(one.id));
    out.end_array().key("token_logprobs").begin_array();
    for (const SampledToken& one : tokens) out.number(one.logprob);
    out.end_array().key("top_logprobs").begin_array();
    for (const SampledToken& one : tokens) {
      out.begin_object();
      std::set<std::string> told;  // of two that look alike the likelier
      for (const auto& other : one.top) {
        const std::string name = text_of(other.id);
        if (told.insert(name).second) out.key(name).number(other.logprob);
      }
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
}

void ChatForm::chat_logprobs(JsonWriter& out, const std::vector<SampledToken>& tokens) const {
  out.key("content").begin_array();
  for (const SampledToken& one : tokens) {
    out.begin_object();
    token(out, one.id, one.logprob);
    out.key("top_logprobs").begin_array();
    for (const auto& other : one.top) {
      out.begin_object();
      token(out, other.id, other.logprob);
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_array();
}

void ChatForm::token(JsonWriter& out, std::uint32_t id, float logprob) const {
  const std::string text = text_of(id);
  out.key("token").string(text).key("logprob").number(logprob).key("bytes");
  if (text.find(replacement) != std::string::npos) {
    out.null();  // a part of a character, whose bytes the text does not tell
    return;
  }
  out.begin_array();
  for (const char byte : text) out.unsigned_integer(static_cast<unsigned char>(byte));
  out.end_array();
}

std::string ChatForm::text_of(std::uint32_t id) const {
  return tokenizer_->decode({&id, 1}, false);
}

}  // namespace cairn::api
