// SPDX-License-Identifier: Apache-2.0
// tokenizer_config.json and special_tokens_map.json: what stands beside a tokenizer.json.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "text/tokenizer.h"
#include "text/tokenizer/normalizers.h"
#include "text/tokenizer/post_processor.h"
#include "text/tokenizer/vocabulary.h"

namespace cairn::text::tokenizer {

struct Settings {
  BertOptions bert;  // where there is but a vocab.txt
  std::string unknown, cls, sep, pad, mask, bos, eos;
  std::optional<std::uint64_t> max_length;
};

/// Both may be empty. What the configuration names counts before the map.
/// Errors: invalid_argument, naming the field.
Result<Settings> read_settings(std::string_view config, std::string_view special_tokens_map);

TokenizerFacts facts_of(
    const Settings& settings,
    const std::function<std::optional<std::uint32_t>(std::string_view token)>& id_of);

/// [CLS] first [SEP] second [SEP]. Errors: invalid_argument where the vocabulary lacks one.
Result<PostProcessor> bert_template(const Vocabulary& vocabulary);

}  // namespace cairn::text::tokenizer
