// SPDX-License-Identifier: Apache-2.0
// A tokenizer.json from values: components by the kind of the vocabulary.
#include "inference/gguf/tokenizer_values.h"

#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "format/json.h"
#include "inference/gguf/gguf_vocabulary.h"

namespace cairn::inference {
namespace {

constexpr std::string_view word_begin = "\xe2\x96\x81";  // U+2581 stands for a space

constexpr std::string_view gpt2_words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view llama3_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen2_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// How byte-level BPE cuts texts into words: by each expression in turn.
struct PreKind {
  std::string_view name;
  std::vector<std::string_view> expressions;
  bool composes = false;        // characters, by NFC
  bool ignores_merges = false;  // for a word that is a token
  bool adds_bos = false;        // where the file does not say
};

const std::vector<PreKind>& pre_kinds() {
  static const std::vector<PreKind> all = {
      {.name = "llama-bpe",
       .expressions = {llama3_words},
       .ignores_merges = true,
       .adds_bos = true},
      {.name = "qwen2", .expressions = {qwen2_words}, .composes = true},
      {.name = "gpt-2", .expressions = {gpt2_words}},
      {.name = "default",
       .expressions = {R"([\p{P}\$\+<=>\^~\|]+)",
                       R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))",
                       R"(\p{N}+)", "[0-9][0-9][0-9]"}},
  };
  return all;
}

Result<const PreKind*> pre_kind_of(const GgufValues& values) {
  constexpr std::string_view name = "tokenizer.ggml.pre";
  CAIRN_TRY(const std::string kind, values.string(name, "default"));
  for (const PreKind& one : pre_kinds())
    if (one.name == kind) return &one;
  return Error{.kind = ErrorKind::unsupported,
               .message = "gguf: [tokenizer.ggml.pre] is [" + kind.substr(0, 200) +
                          "]; offered are llama-bpe, qwen2, gpt-2 and default"};
}

constexpr std::size_t most_merge_bytes = std::size_t{32} << 20U;
constexpr std::size_t most_template_bytes = std::size_t{256} << 10U;  // as templates are taken

/// What becomes JSON is bounded before.
Status check_merge_sizes(const std::vector<std::string_view>& merges) {
  std::size_t sum = 0;
  for (const std::string_view merge : merges) sum += merge.size();
  if (sum <= most_merge_bytes) return ok_status();
  return gguf_value_error("tokenizer.ggml.merges",
                          "is longer than [" + std::to_string(most_merge_bytes) + "] bytes");
}

bool is_word(GgufTokenType type) {
  return type == GgufTokenType::normal || type == GgufTokenType::user_defined ||
         type == GgufTokenType::byte;
}

using TokenTextSet = std::unordered_set<std::string_view>;

TokenTextSet tokens_left_out(const GgufVocabulary& vocabulary) {
  TokenTextSet out;
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id)
    if (!is_word(vocabulary.types[id])) out.insert(vocabulary.tokens[id]);
  return out;
}

/// Whether a merge takes or makes one of these.
bool names_one_of(const TokenTextSet& tokens, std::string_view merge) {
  const std::size_t space = merge.find(' ', 1);
  if (tokens.empty() || space == std::string_view::npos) return false;
  const std::string_view left = merge.substr(0, space), right = merge.substr(space + 1);
  const std::string made = std::string(left) + std::string(right);
  return tokens.contains(left) || tokens.contains(right) || tokens.contains(made);
}

/// The tokens that a tokenizer finds in text before anything else.
void write_added(const GgufVocabulary& vocabulary, JsonWriter& json) {
  json.key("added_tokens").begin_array();
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    const GgufTokenType type = vocabulary.types[id];
    const bool is_special = type == GgufTokenType::control || type == GgufTokenType::unknown;
    if (!is_special && type != GgufTokenType::user_defined) continue;
    json.begin_object();
    json.key("id").unsigned_integer(id);
    json.key("content").string(vocabulary.tokens[id]);
    json.key("special").boolean(is_special);
    json.key("normalized").boolean(false);
    json.end_object();
  }
  json.end_array();
}

template <class Wanted>
void write_vocabulary(const GgufVocabulary& vocabulary, JsonWriter& json, const Wanted& wanted) {
  json.key("vocab").begin_object();
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id)
    if (wanted(vocabulary.types[id])) json.key(vocabulary.tokens[id]).unsigned_integer(id);
  json.end_object();
}

void write_template_piece(JsonWriter& json, std::string_view kind, std::string_view id,
                          int type_id) {
  json.begin_object().key(kind).begin_object();
  json.key("id").string(id);
  json.key("type_id").integer(type_id);
  json.end_object().end_object();
}

/// What stands around texts.
struct TextFrame {
  std::optional<std::uint32_t> first, last;
};

Result<TextFrame> read_frame(const GgufValues& values, const GgufVocabulary& vocabulary,
                             bool adds_bos) {
  constexpr std::string_view bos = "tokenizer.ggml.add_bos_token";
  constexpr std::string_view eos = "tokenizer.ggml.add_eos_token";
  CAIRN_TRY(const bool first, values.boolean(bos, adds_bos && vocabulary.bos.has_value()));
  CAIRN_TRY(const bool last, values.boolean(eos, false));
  if (first && !vocabulary.bos) return gguf_value_error(bos, "is true, and no such token is named");
  if (last && !vocabulary.eos) return gguf_value_error(eos, "is true, and no such token is named");
  return TextFrame{first ? vocabulary.bos : std::nullopt, last ? vocabulary.eos : std::nullopt};
}

void write_frame(const GgufVocabulary& vocabulary, const TextFrame& frame, JsonWriter& json) {
  if (!frame.first && !frame.last) return;
  json.key("post_processor").begin_object();
  json.key("type").string("TemplateProcessing");
  const auto one_text = [&](std::string_view name, int type_id) {
    if (frame.first)
      write_template_piece(json, "SpecialToken", vocabulary.token(frame.first), type_id);
    write_template_piece(json, "Sequence", name, type_id);
    if (frame.last)
      write_template_piece(json, "SpecialToken", vocabulary.token(frame.last), type_id);
  };
  json.key("single").begin_array();
  one_text("A", 0);
  json.end_array();
  json.key("pair").begin_array();
  one_text("A", 0);
  one_text("B", 1);
  json.end_array();
  json.key("special_tokens").begin_object();
  const auto describe = [&](std::optional<std::uint32_t> id) {
    if (!id) return;
    json.key(vocabulary.token(id)).begin_object();
    json.key("id").string(vocabulary.token(id));
    json.key("ids").begin_array().unsigned_integer(*id).end_array();
    json.key("tokens").begin_array().string(vocabulary.token(id)).end_array();
    json.end_object();
  };
  describe(frame.first);
  if (frame.last != frame.first) describe(frame.last);
  json.end_object().end_object();
}

Status write_byte_level(const GgufValues& values, const GgufVocabulary& vocabulary,
                        JsonWriter& json) {
  CAIRN_TRY(const PreKind* const kind, pre_kind_of(values));
  CAIRN_TRY(const std::vector<std::string_view> merges, values.strings("tokenizer.ggml.merges"));
  if (merges.empty()) return gguf_value_error("tokenizer.ggml.merges", "is missing, or empty");
  CAIRN_CHECK(check_merge_sizes(merges));
  CAIRN_TRY(const TextFrame frame, read_frame(values, vocabulary, kind->adds_bos));
  if (kind->composes) json.key("normalizer").raw(R"({"type":"NFC"})");
  json.key("pre_tokenizer").begin_object().key("type").string("Sequence");
  json.key("pretokenizers").begin_array();
  for (const std::string_view expression : kind->expressions) {
    json.begin_object().key("type").string("Split");
    json.key("pattern").begin_object().key("Regex").string(expression).end_object();
    json.key("behavior").string("Isolated").key("invert").boolean(false).end_object();
  }
  json.raw(
      R"({"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,"use_regex":false})");
  json.end_array().end_object();
  write_frame(vocabulary, frame, json);
  json.key("decoder").raw(R"({"type":"ByteLevel"})");
  json.key("model").begin_object().key("type").string("BPE");
  json.key("ignore_merges").boolean(kind->ignores_merges);
  // Control tokens stay out: no word of a user may become one.
  write_vocabulary(vocabulary, json, is_word);
  json.key("merges").begin_array();
  const auto left_out = tokens_left_out(vocabulary);
  for (const std::string_view merge : merges)
    if (!names_one_of(left_out, merge)) json.string(merge);
  json.end_array().end_object();
  return ok_status();
}

Status refuse_squeezing(const GgufValues& values) {
  constexpr std::string_view name = "tokenizer.ggml.remove_extra_whitespaces";
  CAIRN_TRY(const bool on, values.boolean(name, false));
  if (!on) return ok_status();
  return Error{.kind = ErrorKind::unsupported,
               .message = "gguf: [" + std::string(name) + "] is [true], which is not offered"};
}

void write_spaces(bool begins_with_space, JsonWriter& json) {
  const auto replace = [&](std::string_view from, std::string_view to) {
    json.begin_object().key("type").string("Replace");
    json.key("pattern").begin_object().key("String").string(from).end_object();
    json.key("content").string(to).end_object();
  };
  json.key("normalizer").begin_object().key("type").string("Sequence");
  json.key("normalizers").begin_array();
  if (begins_with_space)
    json.begin_object()
        .key("type")
        .string("Prepend")
        .key("prepend")
        .string(word_begin)
        .end_object();
  replace(" ", word_begin);
  json.end_array().end_object();
  json.key("decoder").begin_object().key("type").string("Sequence");
  json.key("decoders").begin_array();
  replace(word_begin, " ");
  json.raw(R"({"type":"ByteFallback"})").raw(R"({"type":"Fuse"})");
  if (begins_with_space) json.raw(R"({"type":"Strip","content":" ","start":1,"stop":0})");
  json.end_array().end_object();
}

Status write_scored(const GgufValues& values, const GgufVocabulary& vocabulary, JsonWriter& json) {
  CAIRN_CHECK(refuse_squeezing(values));
  CAIRN_TRY(const bool spaced, values.boolean("tokenizer.ggml.add_space_prefix", true));
  CAIRN_TRY(const TextFrame frame, read_frame(values, vocabulary, true));
  CAIRN_TRY(const std::vector<GgufMerge> merges, merges_of_scores(vocabulary));
  write_spaces(spaced, json);
  write_frame(vocabulary, frame, json);
  json.key("model").begin_object().key("type").string("BPE");
  json.key("byte_fallback").boolean(true).key("fuse_unk").boolean(true);
  if (vocabulary.unknown) json.key("unk_token").string(vocabulary.token(vocabulary.unknown));
  // No merge makes a control token, so that all may stand here.
  write_vocabulary(vocabulary, json, [](GgufTokenType) { return true; });
  json.key("merges").begin_array();
  for (const GgufMerge& merge : merges)
    json.begin_array().string(merge.first).string(merge.second).end_array();
  json.end_array().end_object();
  return ok_status();
}

Result<std::string> tokenizer_json_of(const GgufValues& values, const GgufVocabulary& vocabulary) {
  CAIRN_TRY(const std::string model, values.string("tokenizer.ggml.model"));
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("version").string("1.0");
  write_added(vocabulary, json);
  if (model == "gpt2") {
    CAIRN_CHECK(write_byte_level(values, vocabulary, json));
  } else if (model == "llama") {
    CAIRN_CHECK(write_scored(values, vocabulary, json));
  } else {
    return Error{.kind = ErrorKind::unsupported,
                 .message = "gguf: [tokenizer.ggml.model] is [" + model.substr(0, 200) +
                            "]; offered are gpt2 and llama"};
  }
  json.end_object();
  return out;
}

Result<std::string> tokenizer_config_of(const GgufValues& values,
                                        const GgufVocabulary& vocabulary) {
  Json out = Json::object();
  const auto name = [&](std::string_view field, std::optional<std::uint32_t> id) {
    if (id) out.set(field, vocabulary.token(id));
  };
  name("bos_token", vocabulary.bos);
  name("eos_token", vocabulary.eos);
  name("unk_token", vocabulary.unknown);
  name("pad_token", vocabulary.pad);
  constexpr std::string_view chat = "tokenizer.chat_template";
  if (values.has(chat)) {
    CAIRN_TRY(std::string text, values.string(chat));
    if (text.size() > most_template_bytes)
      return gguf_value_error(chat,
                              "is longer than [" + std::to_string(most_template_bytes) + "] bytes");
    out.set("chat_template", std::move(text));
  }
  return out.dump();
}

/// A turn of a chat ends in other tokens than a text, in some models.
std::string generation_config_of(const GgufVocabulary& vocabulary) {
  Json ends = Json::array();
  for (const auto& id : {vocabulary.eos, vocabulary.eot, vocabulary.eom})
    if (id) ends.push(*id);
  Json out = Json::object();
  if (vocabulary.bos) out.set("bos_token_id", *vocabulary.bos);
  if (!ends.as_array().empty()) out.set("eos_token_id", std::move(ends));
  return out.dump();
}

}  // namespace

Result<TokenizerTexts> tokenizer_of_gguf(const GgufValues& values) {
  CAIRN_TRY(const GgufVocabulary vocabulary, read_gguf_vocabulary(values));
  TokenizerTexts out;
  CAIRN_TRY(out.tokenizer_json, tokenizer_json_of(values, vocabulary));
  CAIRN_TRY(out.tokenizer_config, tokenizer_config_of(values, vocabulary));
  out.generation_config = generation_config_of(vocabulary);
  return out;
}

}  // namespace cairn::inference
