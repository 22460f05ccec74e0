// SPDX-License-Identifier: Apache-2.0
// The small files of a decoder that chats, one after the other.
#include "inference/decoder/text_parts.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "inference/encoder/model_folder.h"
#include "inference/layers/config_fields.h"

namespace cairn::inference {
namespace {

constexpr std::string_view settings_file = "tokenizer_config.json";
constexpr std::string_view generation_file = "generation_config.json";
constexpr std::string_view template_file = "chat_template.jinja";
constexpr std::array<std::string_view, 4> named_tokens{"bos_token", "eos_token", "pad_token",
                                                       "unk_token"};

/// A token's text: a string, or an object that has it as `content`.
Result<std::string> token_text(const ConfigFields& fields, std::string_view name) {
  const Json* const found = fields.find(name);
  if (found == nullptr) return std::string();
  if (found->is_string()) return found->as_string();
  const Json* const content = found->find("content");
  if (content != nullptr && content->is_string()) return content->as_string();
  return fields.wrong(name, "must be a string, or an object with [content]");
}

/// The text of the template; of several the one that is called default. Empty: there is none.
Result<std::string> template_in(const ConfigFields& fields) {
  const Json* const found = fields.find("chat_template");
  if (found == nullptr) return std::string();
  if (found->is_string()) return found->as_string();
  if (!found->is_array())
    return fields.wrong("chat_template", "must be a string, or an array of named strings");
  for (const Json& one : found->as_array()) {
    const Json* const source = one.find("template");
    if (one.string_or("name") != "default") continue;
    if (source != nullptr && source->is_string()) return source->as_string();
    return fields.wrong("chat_template", "[default] has no [template]");
  }
  return std::string();
}

struct TemplateSource {
  std::string text = {};  // empty: there is none
  std::string_view file = template_file;
};

Result<TemplateSource> find_template(const ModelFiles& files, const ConfigFields& settings) {
  TemplateSource out;
  CAIRN_TRY(out.text, read_if_there(files, std::string(template_file)));
  if (!out.text.empty()) return out;
  out.file = settings_file;
  CAIRN_TRY(out.text, template_in(settings));
  return out;
}

Status read_template(const ModelFiles& files, const ConfigFields& settings, TextParts& out) {
  CAIRN_TRY(const TemplateSource source, find_template(files, settings));
  if (source.text.empty()) return ok_status();
  auto parsed = ChatTemplate::parse(source.text);
  if (!parsed.ok()) return with_context(std::move(parsed).error(), source.file);
  out.chat_template = std::move(*parsed);
  out.tool_calls = tool_call_format(source.text);
  return ok_status();
}

Status add_end(const Json& id, const ConfigFields& fields, const text::Tokenizer& tokenizer,
               std::vector<std::uint32_t>& out) {
  if (!id.is_integer() || id.as_int() < 0 ||
      static_cast<std::uint64_t>(id.as_int()) >= std::numeric_limits<std::uint32_t>::max())
    return fields.wrong("eos_token_id", "must be the id of a token, or an array of ids");
  // Vocabularies are padded: an id behind them is drawn by nobody.
  if (static_cast<std::size_t>(id.as_int()) < tokenizer.vocabulary_size())
    out.push_back(static_cast<std::uint32_t>(id.as_int()));
  return ok_status();
}

Status read_ends(const ConfigFields& fields, const text::Tokenizer& tokenizer,
                 std::vector<std::uint32_t>& out) {
  const Json* const found = fields.find("eos_token_id");
  if (found == nullptr) return ok_status();
  if (!found->is_array()) return add_end(*found, fields, tokenizer, out);
  for (const Json& id : found->as_array()) CAIRN_CHECK(add_end(id, fields, tokenizer, out));
  return ok_status();
}

/// A number that is there, within bounds.
Status read_share(const ConfigFields& fields, std::string_view name, double lowest, double highest,
                  double& out) {
  const Json* const found = fields.find(name);
  if (found == nullptr) return ok_status();
  if (!found->is_number() || !(found->as_double() >= lowest && found->as_double() <= highest))
    return fields.wrong(name, "is out of range");
  out = found->as_double();
  return ok_status();
}

Status read_sampling(const ConfigFields& fields, SamplingOptions& out) {
  CAIRN_CHECK(read_share(fields, "temperature", 0, 2, out.temperature));
  CAIRN_CHECK(read_share(fields, "top_p", 0, 1, out.top_p));
  CAIRN_CHECK(read_share(fields, "min_p", 0, 1, out.min_p));
  CAIRN_CHECK(read_share(fields, "repetition_penalty", 0.01, 10, out.repetition_penalty));
  CAIRN_TRY(const std::size_t top_k, fields.size("top_k", 0, 1'000'000, 0));
  out.top_k = static_cast<std::uint32_t>(top_k);
  CAIRN_TRY(const bool draws, fields.boolean("do_sample", true));
  if (!draws) out.temperature = 0;
  return ok_status();
}

/// An object, or an empty one where the file is missing.
Result<Json> read_optional(const ModelFiles& files, std::string_view name) {
  CAIRN_TRY(const std::string text, read_if_there(files, std::string(name)));
  if (text.empty()) return Json::object();
  return read_object(text, name);
}

}  // namespace

Result<bool> has_chat_template(const ModelFiles& files) {
  CAIRN_TRY(const Json settings, read_optional(files, settings_file));
  CAIRN_TRY(const TemplateSource source,
            find_template(files, ConfigFields(settings, settings_file)));
  return !source.text.empty();
}

Result<TextParts> read_text_parts(const ModelFiles& files, std::string_view config_json,
                                  const text::Tokenizer& tokenizer) {
  TextParts out;
  CAIRN_TRY(const Json settings, read_optional(files, settings_file));
  const ConfigFields of_tokenizer(settings, settings_file);
  CAIRN_CHECK(read_template(files, of_tokenizer, out));
  for (const std::string_view name : named_tokens) {
    CAIRN_TRY(std::string text, token_text(of_tokenizer, name));
    if (text.empty()) continue;
    const auto id = tokenizer.id_of(text);
    if (name == "eos_token" && id) out.ends.push_back(*id);
    out.template_tokens.set(name, std::move(text));
  }
  CAIRN_TRY(const Json generation, read_optional(files, generation_file));
  const ConfigFields of_generation(generation, generation_file);
  CAIRN_TRY(const Json config, read_object(config_json, "config.json"));
  const ConfigFields of_config(config, "config.json");
  const bool has_own = of_generation.find("eos_token_id") != nullptr;
  CAIRN_CHECK(read_ends(has_own ? of_generation : of_config, tokenizer, out.ends));
  std::sort(out.ends.begin(), out.ends.end());
  out.ends.erase(std::unique(out.ends.begin(), out.ends.end()), out.ends.end());
  CAIRN_CHECK(read_sampling(of_generation, out.sampling));
  return out;
}

}  // namespace cairn::inference
