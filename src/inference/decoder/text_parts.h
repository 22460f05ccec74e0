// SPDX-License-Identifier: Apache-2.0
// What the small files of a decoder's folder say about texts: template, ends, how to draw.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "inference/chat/sampler.h"
#include "inference/chat/tool_calls.h"
#include "inference/model/model.h"
#include "inference/templates/chat_template.h"
#include "text/tokenizer.h"

namespace cairn::inference {

struct TextParts {
  std::optional<ChatTemplate> chat_template = {};
  ToolCallFormat tool_calls = ToolCallFormat::none;
  Json template_tokens = Json::object();  // bos_token, eos_token, pad_token, unk_token: their texts
  std::vector<std::uint32_t> ends = {};   // sorted
  SamplingOptions sampling = {};
};

/// Whether a model's files have a template for chats; it is not parsed. Errors: invalid_argument,
/// naming file and field, for what is no template at all.
Result<bool> has_chat_template(const ModelFiles& files);

/// Reads tokenizer_config.json, chat_template.jinja, generation_config.json and the ends in
/// config.json; each may be missing. `chat_template` may be a text, or a list of texts with names,
/// of which `default` counts. A text ends at `eos_token_id` (a number or a list) of
/// generation_config.json, else of config.json, and at `eos_token`. Temperature, top_k, top_p,
/// min_p and repetition_penalty are those of generation_config.json; `do_sample: false` there is
/// temperature 0. Errors: invalid_argument, naming file and field, for what is there and wrong.
Result<TextParts> read_text_parts(const ModelFiles& files, std::string_view config_json,
                                  const text::Tokenizer& tokenizer);

}  // namespace cairn::inference
