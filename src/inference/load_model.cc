// SPDX-License-Identifier: Apache-2.0
// The choice of an implementation by the model_type of config.json.
#include <algorithm>
#include <new>

#include "format/json.h"
#include "inference/decoder/config.h"
#include "inference/decoder/decoder_model.h"
#include "inference/encoder/encoder_model.h"
#include "inference/encoder/encoder_parts.h"
#include "inference/model/model.h"
#include "inference/static/static_model.h"
#include "text/tokenizer.h"

namespace cairn::inference {
namespace {

constexpr std::string_view static_type = "cairn-static";

/// Static models name their tasks.
ModelTraits static_traits(const Json& config) {
  ModelTraits out;
  out.dimensions =
      static_cast<std::size_t>(std::max<std::int64_t>(0, config.int_or("hidden_size")));
  out.similarity = config.string_or("similarity", out.similarity);
  const Json* const tasks = config.find("tasks");
  if (tasks == nullptr || !tasks->is_array()) return out;
  for (const Json& name : tasks->as_array()) {
    const auto task = name.is_string() ? task_type_of(name.as_string()) : std::nullopt;
    if (task && !gives_texts(*task)) out.tasks.push_back(*task);
  }
  out.quotes = add_quoting_tasks(out.tasks);
  return out;
}

}  // namespace

Result<ModelTraits> traits_of_model(const ModelFiles& files, const std::string& config) {
  CAIRN_TRY(const Json fields, parse_json(config));
  if (fields.string_or("model_type") == static_type) return static_traits(fields);
  if (is_decoder_type(fields.string_or("model_type"))) return traits_of_decoder(files, config);
  CAIRN_TRY(const EncoderSummary encoder, summarise_encoder(files, config));
  return ModelTraits{
      .tasks = {encoder.task}, .dimensions = encoder.dimensions, .similarity = encoder.similarity};
}

Result<bool> packs_weights(const std::string& config) {
  CAIRN_TRY(const Json fields, parse_json(config));
  return fields.string_or("model_type") != static_type;
}

Status check_small_files(const ModelFiles& files, const std::string& config) {
  CAIRN_CHECK(traits_of_model(files, config));
  CAIRN_TRY(const Json fields, parse_json(config));
  const std::string type = fields.string_or("model_type");
  if (is_decoder_type(type)) return check_decoder_files(files, config);
  if (type != static_type) {
    CAIRN_CHECK(read_encoder_parts(files, config));
    return ok_status();
  }
  CAIRN_TRY(const std::string tokenizer, files.read("tokenizer.json"));
  CAIRN_CHECK(text::Tokenizer::parse(tokenizer));
  return ok_status();
}

namespace {

Result<std::shared_ptr<const Model>> load_by_type(const ModelFiles& files,
                                                  const LoadOptions& options,
                                                  const os::Deadline& deadline) {
  CAIRN_TRY(const std::string text, files.read("config.json"));
  Result<Json> config = parse_json(text);
  if (!config.ok()) return with_context(std::move(config).error(), "config.json");
  const std::string type = config->string_or("model_type");
  if (type == static_type) return load_static_model(files, *config);
  if (is_decoder_type(type)) return load_decoder_model(files, text, options, deadline);
  return load_encoder_model(files, text, options, deadline);
}

}  // namespace

Result<std::shared_ptr<const Model>> load_model(const ModelFiles& files, const LoadOptions& options,
                                                const os::Deadline& deadline) {
  try {  // what a folder promises can be more than there is memory for
    auto model = load_by_type(files, options, deadline);
    if (!model.ok())
      return with_context(std::move(model).error(), "model [" + files.model_id + "]");
    return model;
  } catch (const std::bad_alloc&) {
    return Error{.kind = ErrorKind::rate_limited,
                 .message = "there is not enough memory for model [" + files.model_id + "]"};
  }
}

}  // namespace cairn::inference
