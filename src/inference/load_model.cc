// SPDX-License-Identifier: Apache-2.0
// The choice of an implementation by the model_type of config.json.
#include "format/json.h"
#include "inference/model/model.h"
#include "inference/static/static_model.h"

namespace cairn::inference {

Result<std::shared_ptr<const Model>> load_model(const ModelFiles& files) {
  CAIRN_TRY(const std::string text, files.read("config.json"));
  Result<Json> config = parse_json(text);
  if (!config.ok()) return with_context(std::move(config).error(), "config.json");
  const std::string type = config->string_or("model_type");
  Result<std::shared_ptr<const Model>> model =
      type == "cairn-static"
          ? load_static_model(files, *config)
          : Result<std::shared_ptr<const Model>>(Error{
                .kind = ErrorKind::unsupported,
                .message = "model_type [" + type + "] is not offered; offered: cairn-static"});
  if (!model.ok()) return with_context(std::move(model).error(), "model [" + files.model_id + "]");
  return model;
}

}  // namespace cairn::inference
