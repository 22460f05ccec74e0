// SPDX-License-Identifier: Apache-2.0
// The files of a static model, read and checked.
#include <algorithm>
#include <cmath>
#include <utility>

#include "inference/model/safetensors.h"
#include "inference/static/static_model.h"

namespace cairn::inference {
namespace {

Error invalid(std::string_view file, std::string message) {
  return Error{.kind = ErrorKind::invalid_argument,
               .message = std::string(file) + ": " + std::move(message)};
}

Result<std::size_t> size_in(const Json& config, std::string_view name, std::int64_t most) {
  const std::int64_t value = config.int_or(name);
  if (value >= 1 && value <= most) return static_cast<std::size_t>(value);
  return invalid("config.json",
                 "[" + std::string(name) + "] must be a number from 1 to " + std::to_string(most));
}

Result<std::vector<TaskType>> tasks_in(const Json& config) {
  std::vector<TaskType> out;
  const Json* names = config.find("tasks");
  if (names == nullptr || !names->is_array() || names->as_array().empty()) {
    return invalid("config.json", "[tasks] must name at least one task");
  }
  for (const Json& name : names->as_array()) {
    const auto task = name.is_string() ? task_type_of(name.as_string()) : std::nullopt;
    if (task != TaskType::text_embedding && task != TaskType::sparse_embedding &&
        task != TaskType::rerank) {
      return invalid("config.json", "[tasks] may hold text_embedding, sparse_embedding, rerank");
    }
    out.push_back(*task);
  }
  return out;
}

Result<std::vector<float>> floats(const Safetensors& file, std::string_view name,
                                  const std::vector<std::uint64_t>& shape) {
  CAIRN_TRY(const Tensor* tensor, file.get(name, NumberType::f32, shape));
  std::vector<float> out = numbers_of<float>(*tensor);
  if (!std::all_of(out.begin(), out.end(), [](float v) { return std::isfinite(v); })) {
    return invalid("model.safetensors", "[" + std::string(name) + "] holds a number that is none");
  }
  return out;
}

Status read_expansions(const Safetensors& file, StaticTables& tables) {
  const std::uint64_t size = tables.size();
  CAIRN_TRY(const Tensor* ends, file.get("expansion.ends", NumberType::i32, {size}));
  tables.expansion_ends = numbers_of<std::uint32_t>(*ends);
  if (!std::is_sorted(tables.expansion_ends.begin(), tables.expansion_ends.end())) {
    return invalid("model.safetensors", "[expansion.ends] must ascend");
  }
  const std::uint64_t count = size == 0 ? 0 : tables.expansion_ends.back();
  CAIRN_TRY(const Tensor* ids, file.get("expansion.ids", NumberType::i32, {count}));
  CAIRN_TRY(const Tensor* weights, file.get("expansion.weights", NumberType::u8, {count}));
  const auto id_numbers = numbers_of<std::uint32_t>(*ids);
  const auto weight_numbers = numbers_of<std::uint8_t>(*weights);
  for (std::size_t i = 0; i < count; ++i) {
    if (id_numbers[i] >= size) return invalid("model.safetensors", "[expansion.ids] out of range");
    tables.expansions.push_back({id_numbers[i], static_cast<float>(weight_numbers[i]) / 255});
  }
  return ok_status();
}

Status read_tables(const Safetensors& file, const Json& config, StaticTables& tables) {
  CAIRN_TRY(const std::size_t size, size_in(config, "vocab_size", 10'000'000));
  CAIRN_TRY(tables.dimensions, size_in(config, "hidden_size", 16'384));
  CAIRN_TRY(const Tensor* vectors,
            file.get("embedding.weight", NumberType::i8, {size, tables.dimensions}));
  tables.vectors = {reinterpret_cast<const std::int8_t*>(vectors->bytes.data()),
                    vectors->bytes.size()};
  CAIRN_TRY(tables.scales, floats(file, "embedding.scale", {size}));
  CAIRN_TRY(tables.idf, floats(file, "token.idf", {size}));
  CAIRN_CHECK(read_expansions(file, tables));
  const Json* sparse = config.find("sparse");
  if (sparse == nullptr || !sparse->is_object()) {
    return invalid("config.json", "[sparse] must be an object");
  }
  tables.saturation = {
      .k1 = static_cast<float>(sparse->double_or("k1", 1.2)),
      .b = static_cast<float>(sparse->double_or("b", 0.4)),
      .average_length = static_cast<float>(sparse->double_or("average_length", 64))};
  if (!(tables.saturation.k1 > 0) || !(tables.saturation.b >= 0) || !(tables.saturation.b <= 1) ||
      !(tables.saturation.average_length >= 1)) {
    return invalid("config.json", "[sparse] holds numbers out of range");
  }
  tables.compute_inverse_norms();
  return ok_status();
}

Status read_reranker(const Safetensors& file, const Json& config, RerankNet& net) {
  const Json* rerank = config.find("rerank");
  if (rerank == nullptr) return invalid("config.json", "[rerank] is missing");
  if (const Json* names = rerank->find("features");
      names == nullptr || *names != Json::array_of(rerank_feature_names)) {
    return invalid("config.json", "[rerank.features] are not those of this version");
  }
  const std::uint64_t features = rerank_feature_names.size();
  CAIRN_TRY(net.hidden, size_in(*rerank, "hidden_size", 4096));
  CAIRN_TRY(net.mean, floats(file, "rerank.input.mean", {features}));
  CAIRN_TRY(net.inverse_spread, floats(file, "rerank.input.inverse_spread", {features}));
  CAIRN_TRY(net.hidden_weights, floats(file, "rerank.hidden.weight", {net.hidden, features}));
  CAIRN_TRY(net.hidden_bias, floats(file, "rerank.hidden.bias", {net.hidden}));
  CAIRN_TRY(net.output_weights, floats(file, "rerank.output.weight", {1, net.hidden}));
  CAIRN_TRY(const std::vector<float> bias, floats(file, "rerank.output.bias", {1}));
  net.output_bias = bias.front();
  return ok_status();
}

bool has(const std::vector<TaskType>& tasks, TaskType task) {
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

}  // namespace

bool add_quoting_tasks(std::vector<TaskType>& tasks) {
  if (!has(tasks, TaskType::rerank)) return false;
  tasks.push_back(TaskType::completion);
  tasks.push_back(TaskType::chat_completion);
  return true;
}

Result<std::unique_ptr<const StaticParts>> load_static_parts(const ModelFiles& files,
                                                             const Json& config) {
  CAIRN_TRY(const std::string tokenizer_json, files.read("tokenizer.json"));
  CAIRN_TRY(text::Tokenizer tokenizer, text::Tokenizer::parse(tokenizer_json));
  auto out = std::unique_ptr<StaticParts>(new StaticParts{.model_id = files.model_id,
                                                          .tasks = {},
                                                          .weights_file = {},
                                                          .tokenizer = std::move(tokenizer),
                                                          .tables = {},
                                                          .reranker = {}});
  CAIRN_TRY(out->tasks, tasks_in(config));
  CAIRN_TRY(out->max_input_tokens, size_in(config, "max_input_tokens", 1'000'000));
  const Json* sparse = config.find("sparse");
  out->most_expansions = sparse == nullptr ? 0
                                           : static_cast<std::size_t>(std::clamp<std::int64_t>(
                                                 sparse->int_or("most_expansions", 64), 0, 10'000));
  CAIRN_TRY(out->weights_file, files.read("model.safetensors"));
  CAIRN_TRY(const Safetensors file, Safetensors::parse(out->weights_file));
  CAIRN_CHECK(read_tables(file, config, out->tables));
  if (out->tokenizer.vocabulary_size() > out->tables.size()) {
    return invalid("tokenizer.json", "has more tokens than [vocab_size] of config.json");
  }
  if (has(out->tasks, TaskType::rerank)) {
    CAIRN_CHECK(read_reranker(file, config, out->reranker));
  }
  add_quoting_tasks(out->tasks);
  return std::unique_ptr<const StaticParts>(std::move(out));
}

}  // namespace cairn::inference
