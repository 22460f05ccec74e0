// SPDX-License-Identifier: Apache-2.0
// Reading the files beside tokenizer.json. Names of tokens are texts or objects with a content.
#include "text/tokenizer/settings.h"

#include <cmath>
#include <utility>

namespace cairn::text::tokenizer {
namespace {

// Files without a limit name one like 1e30.
constexpr double longest_input = 1e9;

Status read_name(const Fields& fields, std::string_view name, std::string& out) {
  const Json* found = fields.find(name);
  if (found == nullptr || !out.empty()) return ok_status();
  if (found->is_string()) {
    out = found->as_string();
    return ok_status();
  }
  const Json* content = found->find("content");
  if (content == nullptr || !content->is_string())
    return fields.wrong(name, "must be a token, or an object with its content");
  out = content->as_string();
  return ok_status();
}

Status read_names(const Fields& fields, Settings& out) {
  CAIRN_CHECK(read_name(fields, "unk_token", out.unknown));
  CAIRN_CHECK(read_name(fields, "cls_token", out.cls));
  CAIRN_CHECK(read_name(fields, "sep_token", out.sep));
  CAIRN_CHECK(read_name(fields, "pad_token", out.pad));
  CAIRN_CHECK(read_name(fields, "mask_token", out.mask));
  CAIRN_CHECK(read_name(fields, "bos_token", out.bos));
  return read_name(fields, "eos_token", out.eos);
}

Status read_config(const Fields& fields, Settings& out) {
  CAIRN_TRY(out.bert.lowercase, fields.boolean("do_lower_case", true));
  CAIRN_TRY(out.bert.strip_accents, fields.boolean("strip_accents", out.bert.lowercase));
  CAIRN_TRY(out.bert.space_ideographs, fields.boolean("tokenize_chinese_chars", true));
  if (const Json* longest = fields.find("model_max_length")) {
    if (!longest->is_number() || !(longest->as_double() >= 1))
      return fields.wrong("model_max_length", "must be a number of at least 1");
    if (longest->as_double() < longest_input)
      out.max_length = static_cast<std::uint64_t>(longest->as_double());
  }
  return read_names(fields, out);
}

Result<Json> parse_object(std::string_view text, std::string_view file) {
  auto json = parse_json(text);
  if (!json.ok()) return with_context(std::move(json).error(), file);
  if (!json->is_object()) return wrong_file(std::string(file) + " must be an object");
  return json;
}

}  // namespace

Result<Settings> read_settings(std::string_view config, std::string_view special_tokens_map) {
  Settings out;
  if (!config.empty()) {
    CAIRN_TRY(const Json json, parse_object(config, "tokenizer_config.json"));
    CAIRN_CHECK(read_config(Fields(json, "tokenizer_config"), out));
  }
  if (!special_tokens_map.empty()) {
    CAIRN_TRY(const Json json, parse_object(special_tokens_map, "special_tokens_map.json"));
    CAIRN_CHECK(read_names(Fields(json, "special_tokens_map"), out));
  }
  return out;
}

TokenizerFacts facts_of(
    const Settings& settings,
    const std::function<std::optional<std::uint32_t>(std::string_view token)>& id_of) {
  TokenizerFacts out;
  out.unknown = id_of(settings.unknown);
  out.cls = id_of(settings.cls);
  out.sep = id_of(settings.sep);
  out.pad = id_of(settings.pad);
  out.mask = id_of(settings.mask);
  out.bos = id_of(settings.bos);
  out.eos = id_of(settings.eos);
  out.max_length = settings.max_length;
  return out;
}

Result<PostProcessor> bert_template(const Vocabulary& vocabulary) {
  const auto first = vocabulary.id_of("[CLS]");
  const auto last = vocabulary.id_of("[SEP]");
  if (!first || !last) return wrong_file("vocab.txt has no [CLS] or no [SEP]");
  const TemplatePiece begin{.sequence = -1, .ids = {*first}};
  const TemplatePiece end{.sequence = -1, .ids = {*last}};
  const TemplatePiece end_second{.sequence = -1, .type_id = 1, .ids = {*last}};
  return PostProcessor{
      .single = {begin, {.sequence = 0}, end},
      .pair = {begin, {.sequence = 0}, end, {.sequence = 1, .type_id = 1}, end_second}};
}

}  // namespace cairn::text::tokenizer
