// SPDX-License-Identifier: Apache-2.0
#include "inference/placement/node_calls.h"

#include <cmath>
#include <limits>
#include <utility>

#include "base/bytes.h"
#include "format/json.h"

namespace cairn::inference {
namespace {

Error no_call(std::string_view what) {
  return {.kind = ErrorKind::invalid_argument,
          .message = "this is no call to " + std::string(what)};
}

Error no_answer(std::string_view what) {
  return {.kind = ErrorKind::corrupt,
          .message = "what the node answered is unreadable: " + std::string(what)};
}

void put_texts(std::string& out, const std::vector<std::string>& texts) {
  put_varint(out, texts.size());
  for (const std::string& text : texts) put_string(out, text);
}

/// Each element takes a byte at least, so a count that is longer than the rest is refused before
/// anything is taken for it.
std::optional<std::size_t> read_count(ByteReader& from) {
  const auto count = from.varint();
  if (!count || *count > from.remaining()) return std::nullopt;
  return static_cast<std::size_t>(*count);
}

bool read_text(ByteReader& from, std::string& to) {
  const auto text = from.string();
  if (text) to = *text;
  return text.has_value();
}

bool read_texts(ByteReader& from, std::vector<std::string>& to) {
  const auto count = read_count(from);
  if (!count) return false;
  to.resize(*count);
  for (std::string& text : to)
    if (!read_text(from, text)) return false;
  return true;
}

bool read_number(ByteReader& from, float& to) {
  const auto number = from.f32le();
  if (!number || !std::isfinite(*number)) return false;
  to = *number;
  return true;
}

bool read_numbers(ByteReader& from, std::vector<float>& to) {
  const auto count = read_count(from);
  if (!count) return false;
  to.resize(*count);
  for (float& number : to)
    if (!read_number(from, number)) return false;
  return true;
}

bool read_dense(ByteReader& from, std::vector<std::vector<float>>& to) {
  const auto count = read_count(from);
  if (!count) return false;
  to.resize(*count);
  for (std::vector<float>& vector : to)
    if (!read_numbers(from, vector) || vector.empty() || vector.size() != to.front().size())
      return false;
  return true;
}

bool read_sparse(ByteReader& from, std::vector<SparseVector>& to) {
  const auto count = read_count(from);
  if (!count) return false;
  to.resize(*count);
  for (SparseVector& vector : to) {
    const auto truncated = from.u8();
    const auto terms = read_count(from);
    if (!truncated || *truncated > 1 || !terms) return false;
    vector.is_truncated = *truncated == 1;
    vector.weights.resize(*terms);
    for (auto& [term, weight] : vector.weights)
      if (!read_text(from, term) || !read_number(from, weight)) return false;
  }
  return true;
}

bool read_quotes(ByteReader& from, std::vector<QuotedText>& to) {
  const auto count = read_count(from);
  if (!count) return false;
  to.resize(*count);
  for (QuotedText& text : to) {
    const auto prompt = from.varint();
    if (!prompt || !read_texts(from, text.tokens)) return false;
    text.prompt_tokens = *prompt;
  }
  return true;
}

std::size_t elements_of(const ModelResult& result, TaskType task) {
  switch (task) {
    case TaskType::text_embedding:
      return result.dense.size();
    case TaskType::sparse_embedding:
      return result.sparse.size();
    case TaskType::rerank:
      return result.scores.size();
    case TaskType::completion:
    case TaskType::chat_completion:
      return result.texts.size();
  }
  return 0;
}

}  // namespace

std::string PlaceCall::encode() const {
  Json all = Json::array();
  for (const One& one : deployments)
    all.push(Json::object({{"deployment_id", one.deployment_id},
                           {"model_id", one.model_id},
                           {"incarnation", one.incarnation},
                           {"allocations", one.allocations},
                           {"threads", one.threads}}));
  return Json::object({{"deployments", std::move(all)}}).dump();
}

Result<PlaceCall> PlaceCall::decode(std::string_view text) {
  const auto json = parse_json(text);
  const Json* all = json.ok() && json->is_object() ? json->find("deployments") : nullptr;
  if (all == nullptr || !all->is_array()) return no_call("place models");
  PlaceCall out;
  for (const Json& one : all->as_array()) {
    if (!one.is_object()) return no_call("place models");
    out.deployments.push_back({.deployment_id = one.string_or("deployment_id"),
                               .model_id = one.string_or("model_id"),
                               .incarnation = one.string_or("incarnation"),
                               .allocations = one.int_or("allocations", 0),
                               .threads = one.int_or("threads", 0)});
    const One& read = out.deployments.back();
    if (read.deployment_id.empty() || read.model_id.empty() || read.allocations < 1 ||
        read.threads < 1)
      return no_call("place models");
  }
  return out;
}

std::string PlaceAnswer::encode() const {
  Json all = Json::array();
  for (const One& one : deployments)
    all.push(Json::object({{"deployment_id", one.deployment_id},
                           {"incarnation", one.incarnation},
                           {"state", one.state},
                           {"reason", one.reason}}));
  return Json::object({{"processors", processors},
                       {"memory_bytes", Json(memory_bytes)},
                       {"deployments", std::move(all)}})
      .dump();
}

Result<PlaceAnswer> PlaceAnswer::decode(std::string_view text) {
  const auto json = parse_json(text);
  const Json* all = json.ok() && json->is_object() ? json->find("deployments") : nullptr;
  if (all == nullptr || !all->is_array()) return no_answer("it names no deployments");
  PlaceAnswer out{.processors = json->int_or("processors", 0),
                  .memory_bytes = static_cast<std::uint64_t>(json->int_or("memory_bytes", 0))};
  if (out.processors < 1 || out.processors > std::numeric_limits<std::int32_t>::max())
    return no_answer("it has no processors");
  for (const Json& one : all->as_array()) {
    if (!one.is_object()) return no_answer("a deployment");
    out.deployments.push_back({.deployment_id = one.string_or("deployment_id"),
                               .incarnation = one.string_or("incarnation"),
                               .state = one.string_or("state"),
                               .reason = one.string_or("reason")});
  }
  return out;
}

std::string RunCall::encode() const {
  std::string out;
  put_string(out, deployment_id);
  put_string(out, incarnation);
  put_u8(out, static_cast<std::uint8_t>(work.task));
  put_u8(out, static_cast<std::uint8_t>(work.input_type));
  put_string(out, work.query);
  put_texts(out, work.inputs);
  put_varint(out, work.said.size());
  for (const SaidText& said : work.said) {
    put_string(out, said.role);
    put_string(out, said.content);
  }
  return out;
}

Result<RunCall> RunCall::decode(std::string_view bytes) {
  ByteReader from(bytes);
  RunCall out;
  const bool named = read_text(from, out.deployment_id) && read_text(from, out.incarnation);
  const auto task = from.u8(), type = from.u8();
  if (!named || !task || *task > static_cast<std::uint8_t>(TaskType::chat_completion) || !type ||
      *type > static_cast<std::uint8_t>(InputType::clustering))
    return no_call("run a model");
  out.work.task = static_cast<TaskType>(*task);
  out.work.input_type = static_cast<InputType>(*type);
  if (!read_text(from, out.work.query) || !read_texts(from, out.work.inputs))
    return no_call("run a model");
  const auto said = read_count(from);
  if (!said) return no_call("run a model");
  out.work.said.resize(*said);
  for (SaidText& one : out.work.said)
    if (!read_text(from, one.role) || !read_text(from, one.content)) return no_call("run a model");
  if (!from.at_end()) return no_call("run a model");
  return out;
}

std::string encode(const NodeAnswer& answer) {
  std::string out;
  put_varint(out, static_cast<std::uint64_t>(std::max<std::int64_t>(answer.cpu_ns, 0)));
  put_varint(out, answer.result.dense.size());
  for (const auto& vector : answer.result.dense) {
    put_varint(out, vector.size());
    for (const float number : vector) put_f32le(out, number);
  }
  put_varint(out, answer.result.sparse.size());
  for (const SparseVector& vector : answer.result.sparse) {
    put_u8(out, vector.is_truncated ? 1 : 0);
    put_varint(out, vector.weights.size());
    for (const auto& [term, weight] : vector.weights) {
      put_string(out, term);
      put_f32le(out, weight);
    }
  }
  put_varint(out, answer.result.scores.size());
  for (const float score : answer.result.scores) put_f32le(out, score);
  put_varint(out, answer.result.texts.size());
  for (const QuotedText& text : answer.result.texts) {
    put_varint(out, text.prompt_tokens);
    put_texts(out, text.tokens);
  }
  return out;
}

Result<NodeAnswer> decode_answer(std::string_view bytes, TaskType task, std::size_t inputs) {
  ByteReader from(bytes);
  NodeAnswer out;
  const auto cpu_ns = from.varint();
  if (!cpu_ns || *cpu_ns > std::numeric_limits<std::int64_t>::max()) return no_answer("its time");
  out.cpu_ns = static_cast<std::int64_t>(*cpu_ns);
  if (!read_dense(from, out.result.dense) || !read_sparse(from, out.result.sparse) ||
      !read_numbers(from, out.result.scores) || !read_quotes(from, out.result.texts) ||
      !from.at_end())
    return no_answer("its results");
  if (elements_of(out.result, task) != inputs) return no_answer("not one result for each input");
  return out;
}

}  // namespace cairn::inference
