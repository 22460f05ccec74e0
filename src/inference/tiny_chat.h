// SPDX-License-Identifier: Apache-2.0
// A small decoder that chats, as a source of models, for tests.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "inference/model/model_source.h"
#include "inference/tiny_decoder.h"

namespace cairn::inference {

/// The files of TinyDecoder, with a template that says each role and content.
inline std::map<std::string, std::string, std::less<>> tiny_chat_files(std::size_t window) {
  auto files = TinyDecoder().files();
  std::string& config = files["config.json"];
  const std::string said = R"("max_position_embeddings":256)";
  config.replace(config.find(said), said.size(),
                 R"("max_position_embeddings":)" + std::to_string(window));
  files["chat_template.jinja"] =
      "{% for m in messages %}{{ m.role }} {{ m.content }} {% endfor %}{{ eos_token }}";
  files["tokenizer_config.json"] = R"({"eos_token":"[SEP]"})";
  return files;
}

/// One model, "tiny", which is loaded anew each time.
class TinyChatModels final : public ModelSource {
 public:
  explicit TinyChatModels(std::size_t window) : window_(window) {}
  Result<std::vector<ModelInfo>> list(const os::Deadline&) override { return std::vector{info()}; }
  Result<ModelInfo> describe(std::string_view model_id, const os::Deadline&) override {
    if (model_id == "tiny") return info();
    return Error{.kind = ErrorKind::not_found, .message = "no model " + std::string(model_id)};
  }
  Result<std::shared_ptr<const Model>> load(std::string_view model_id, const LoadProgress&,
                                            const os::Deadline& deadline) override {
    CAIRN_CHECK(describe(model_id, deadline));
    const auto read = [files =
                           tiny_chat_files(window_)](std::string_view name) -> Result<std::string> {
      const auto found = files.find(name);
      if (found != files.end()) return found->second;
      return Error{.kind = ErrorKind::not_found, .message = std::string(name)};
    };
    return load_model({.model_id = "tiny", .read = read}, {}, deadline);
  }

 private:
  static ModelInfo info() {
    return {.model_id = "tiny",
            .model_type = "qwen3",
            .size_bytes = 1,
            .tasks = {TaskType::text_embedding, TaskType::completion, TaskType::chat_completion},
            .dimensions = TinyDecoder::hidden};
  }

  std::size_t window_;
};

}  // namespace cairn::inference
