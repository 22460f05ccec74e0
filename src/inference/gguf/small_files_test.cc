// SPDX-License-Identifier: Apache-2.0
// Files of decoders as folders: config, tokenizer, tensors; and a model that runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "format/json.h"
#include "inference/decoder/config.h"
#include "inference/gguf/decoder_tensors.h"
#include "inference/gguf/gguf_file.h"
#include "inference/gguf/tiny_gguf.h"
#include "inference/model/model.h"
#include "text/tokenizer.h"

namespace cairn::inference::small_files_test {

const auto nothing = [](TinyGguf&) {};

Result<SmallFiles> small_files(const std::string& file) {
  return small_files_of_gguf("m.gguf", file.size(), [&](std::uint64_t offset, std::uint64_t count) {
    return Result<std::string>(file.substr(offset, count));
  });
}

template <class Change>
Result<SmallFiles> with(const std::string& architecture, const Change& change) {
  return small_files(tiny_gguf_decoder(architecture, change).file());
}

template <class Change>
std::string refusal(const std::string& architecture, const Change& change) {
  const auto made = with(architecture, change);
  return made.ok() ? "made" : made.error().message;
}

Json config_of(const SmallFiles& files) { return *parse_json(files.at("config.json")); }

TEST_CASE("gguf: config.json has what the values say") {
  const auto files = with("llama", [](TinyGguf& out) {
    out.f32("llama.rope.freq_base", 5000.0F).u32("llama.vocab_size", 70);
    out.u32("llama.rope.dimension_count", 16).u32("llama.expert_count", 0);
  });
  REQUIRE(files.ok());
  const Json config = config_of(*files);
  CHECK(config.string_or("gguf_file") == "m.gguf");
  CHECK(config.bool_or("tie_word_embeddings"));
  const auto read = read_decoder_config(files->at("config.json"));
  REQUIRE(read.ok());
  CHECK(read->family == DecoderFamily::llama);
  CHECK(read->shape.vocabulary == 70);
  CHECK(read->shape.hidden == 32);
  CHECK(read->shape.layers == 1);
  CHECK(read->shape.heads == 2);
  CHECK(read->shape.kv_heads == 1);
  CHECK(read->shape.head_size == 16);
  CHECK(read->shape.intermediate == 64);
  CHECK(read->shape.most_tokens == 128);
  CHECK(read->shape.epsilon == 1e-5F);
  CHECK(read->rotary.frequencies[1] == doctest::Approx(std::pow(5000.0, -2.0 / 16)));
  CHECK_FALSE(read->query_bias);
}

TEST_CASE("gguf: positions are stretched as the values or rope_freqs.weight say") {
  const auto linear = with("qwen2", [](TinyGguf& out) {
    out.text("qwen2.rope.scaling.type", "linear").f32("qwen2.rope.scaling.factor", 4.0F);
  });
  REQUIRE(linear.ok());
  CHECK(read_decoder_config(linear->at("config.json"))->rotary.frequencies[0] == 0.25);
  // As the format's own programs read it: a factor without a type stretches, none of 0 does, and
  // the type none switches all of it off.
  const auto frequency = [](const auto& change) {
    const auto files = with("qwen2", change);
    REQUIRE(files.ok());
    const auto read = read_decoder_config(files->at("config.json"));
    REQUIRE(read.ok());
    return read->rotary.frequencies[0];
  };
  CHECK(frequency([](TinyGguf& out) { out.f32("qwen2.rope.scaling.factor", 4.0F); }) == 0.25);
  CHECK(frequency([](TinyGguf& out) { out.f32("qwen2.rope.scale_linear", 2.0F); }) == 0.5);
  CHECK(frequency([](TinyGguf& out) {
          out.text("qwen2.rope.scaling.type", "linear").f32("qwen2.rope.scaling.factor", 0.0F);
        }) == 1);
  CHECK(frequency([](TinyGguf& out) {
          out.text("qwen2.rope.scaling.type", "none").f32("qwen2.rope.scale_linear", 4.0F);
        }) == 1);
  const auto yarn = with("qwen2", [](TinyGguf& out) {
    out.text("qwen2.rope.scaling.type", "yarn").f32("qwen2.rope.scaling.factor", 4.0F);
    out.u32("qwen2.rope.scaling.original_context_length", 64);
  });
  REQUIRE(yarn.ok());
  CHECK(read_decoder_config(yarn->at("config.json"))->rotary.factor ==
        doctest::Approx(0.1 * std::log(4.0) + 1));
  const auto divided = with("llama", [](TinyGguf& out) {
    out.floats("rope_freqs.weight", {8}, {1, 2, 4, 8, 16, 32, 64, 128});
  });
  REQUIRE(divided.ok());
  const auto read = read_decoder_config(divided->at("config.json"));
  REQUIRE(read.ok());
  CHECK(read->rotary.frequencies[0] == 1.0);
  CHECK(read->rotary.frequencies[1] == doctest::Approx(std::pow(10'000.0, -2.0 / 16) / 2));
  CHECK(refusal("llama", [](TinyGguf& out) {
          out.floats("rope_freqs.weight", {2}, {1, 2});
        }) == "gguf: [rope_freqs.weight] must be [8] numbers of type F32");
  CHECK(refusal("llama", [](TinyGguf& out) {
          out.floats("rope_freqs.weight", {8}, std::vector<float>(8, 0.0F));
        }) == "gguf: [rope_freqs.weight] must hold numbers above 0");
  CHECK(refusal("llama", [](TinyGguf& out) { out.text("llama.rope.scaling.type", "longrope"); }) ==
        "gguf: [llama.rope.scaling.type] is [longrope], which is not offered");
}

TEST_CASE("gguf: what is not known is refused by name") {
  CHECK(refusal("bert", nothing) ==
        "gguf: [general.architecture] is [bert]; offered are llama, qwen2 and qwen3");
  CHECK(refusal("llama", [](TinyGguf& out) { out.f32("llama.logit_scale", 0.5F); }) ==
        "gguf: [llama.logit_scale] is not known here, and could change every answer");
  CHECK(refusal("llama", [](TinyGguf& out) { out.u32("llama.expert_count", 8); }) ==
        "gguf: [llama.expert_count] is [8], which is not offered");
  CHECK(refusal("llama", [](TinyGguf& out) { out.u32("llama.attention.value_length", 8); }) ==
        "gguf: [llama.attention.value_length] is [8], which is not offered");
  CHECK(refusal("llama", [](TinyGguf& out) { out.u32("llama.rope.dimension_count", 8); }) ==
        "gguf: [llama.rope.dimension_count] is [8], which is not offered");
}

TEST_CASE("gguf: rows of queries and keys of llama files are put back in order") {
  for (const std::string architecture : {"llama", "qwen2"}) {
    std::string file = tiny_gguf_decoder(architecture, nothing).file();
    const std::string before = file;
    const auto head = GgufFile::read(before, before.size());
    const auto tensors = decoder_tensors_of(file);
    REQUIRE(tensors.ok());
    const auto bytes_of = [&](std::string_view name) {
      for (const Tensor& tensor : *tensors)
        if (tensor.name == name) return std::string(tensor.bytes);
      return std::string();
    };
    for (const auto& [there, here] :
         {std::pair("blk.0.attn_q.weight", "model.layers.0.self_attn.q_proj.weight"),
          std::pair("blk.0.attn_k.weight", "model.layers.0.self_attn.k_proj.weight"),
          std::pair("blk.0.attn_v.weight", "model.layers.0.self_attn.v_proj.weight")}) {
      const GgufTensor& tensor = *(*head)->find(there);
      const std::string got = bytes_of(here);
      REQUIRE(got.size() == tensor.bytes);
      const std::size_t row = tensor.bytes / tensor.shape[0];
      const bool turned = architecture == "llama" &&
                          here != std::string_view("model.layers.0.self_attn.v_proj.weight");
      for (std::size_t i = 0; i < tensor.shape[0]; ++i) {
        const std::size_t in_head = i % 16;  // where the definition of the file's order has it
        const std::size_t from = turned ? i - in_head + in_head % 8 * 2 + in_head / 8 : i;
        CHECK(got.substr(i * row, row) == before.substr(tensor.begin + from * row, row));
      }
    }
  }
}

TEST_CASE("gguf: tensors of another architecture are refused by name") {
  for (const std::string name :
       {"blk.0.ffn_gate_exps.weight", "output.scale", "blk.x.attn_q.weight", "blk.-1.attn_q.weight",
        "blk.00.attn_q.weight", "nonsense", "blk.0.attn_q_norm.weight", "blk.1.attn_q.weight"}) {
    std::string file =
        tiny_gguf_decoder("llama", [&](TinyGguf& out) { out.floats(name, {1}, {1}); }).file();
    const auto read = decoder_tensors_of(file);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().message == "gguf: [" + name +
                                      "] is a tensor that decoders of the architecture [llama] do "
                                      "not have");
  }
}

std::vector<std::uint32_t> ids_of(const SmallFiles& files, std::string_view text,
                                  bool special = false) {
  const auto tokenizer =
      text::Tokenizer::load({.tokenizer_json = files.at("tokenizer.json"),
                             .tokenizer_config = files.at("tokenizer_config.json")});
  REQUIRE(tokenizer.ok());
  text::Encoding out;
  text::EncodeOptions how;
  how.match_special_tokens = special;
  REQUIRE(tokenizer->encode(text, how, os::Deadline::never(), out).ok());
  return out.ids;
}

TEST_CASE("gguf: byte-level BPE makes tokens by the merges, and control tokens where it is told") {
  const auto files = with("qwen2", [](TinyGguf& out) {
    out.text("tokenizer.chat_template", "{{ messages }}").u32("tokenizer.ggml.eot_token_id", 5);
  });
  REQUIRE(files.ok());
  using Ids = std::vector<std::uint32_t>;
  CHECK(ids_of(*files, "AB") == Ids{67});
  CHECK(ids_of(*files, "AAB") == Ids{32, 67});
  CHECK(ids_of(*files, "A<|end|>", true) == Ids{32, 69});
  CHECK(ids_of(*files, "A<|end|>").size() > 2);
  const Json config = *parse_json(files->at("tokenizer_config.json"));
  CHECK(config.string_or("chat_template") == "{{ messages }}");
  CHECK(config.string_or("eos_token") == "<|end|>");
  CHECK(parse_json(files->at("generation_config.json"))->find("eos_token_id")->dump() == "[69,5]");
  const auto framed = with("qwen2", [](TinyGguf& out) {
    out.boolean("tokenizer.ggml.add_bos_token", true).boolean("tokenizer.ggml.add_eos_token", true);
  });
  REQUIRE(framed.ok());
  CHECK(ids_of(*framed, "AB") == Ids{68, 67, 69});
}

/// A file with these tokens of the kind `llama`, beside weights for 70 words.
TinyGguf scored(const std::vector<std::string>& tokens, const std::vector<float>& scores,
                const std::vector<std::int32_t>& types) {
  TinyGguf out;
  out.text("general.architecture", "llama").u32("llama.context_length", 8);
  out.u32("llama.embedding_length", 2).u32("llama.block_count", 1);
  out.u32("llama.feed_forward_length", 2).u32("llama.attention.head_count", 1);
  out.f32("llama.attention.layer_norm_rms_epsilon", 1e-5F);
  out.text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", tokens);
  out.numbers("tokenizer.ggml.scores", scores).integers("tokenizer.ggml.token_type", types);
  out.u32("tokenizer.ggml.bos_token_id", 1).u32("tokenizer.ggml.unknown_token_id", 0);
  out.floats("token_embd.weight", {2, 1}, {1, 2});
  return out;
}

TEST_CASE("gguf: tokens with scores are joined by the best score first, the rest become bytes") {
  std::vector<std::string> tokens = {"<unk>", "<s>", "</s>"};
  std::vector<std::int32_t> types = {2, 3, 3};
  for (int byte = 0; byte < 256; ++byte) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    tokens.push_back(std::string("<0x") + digits[static_cast<std::size_t>(byte / 16)] +
                     digits[static_cast<std::size_t>(byte % 16)] + ">");
    types.push_back(6);
  }
  const std::size_t first = tokens.size();
  for (const char* const one : {"\xe2\x96\x81", "a", "b", "c", "ab", "bc",
                                "\xe2\x96\x81"
                                "a"}) {
    tokens.emplace_back(one);
    types.push_back(1);
  }
  std::vector<float> scores(tokens.size(), 0);
  const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(first + i); };
  scores[at(4)] = -2, scores[at(5)] = -1, scores[at(6)] = -3;
  const auto files = small_files(scored(tokens, scores, types).file());
  REQUIRE(files.ok());
  using Ids = std::vector<std::uint32_t>;
  CHECK(ids_of(*files, "abc") == Ids{1, at(6), at(5)});  // bc before ab
  CHECK(ids_of(*files, "ab") == Ids{1, at(0), at(4)});   // ab before the space's
  CHECK(ids_of(*files, "\n") == Ids{1, at(0), 3 + 10});
  CHECK(ids_of(*files, "<s>").size() > 2);
  CHECK(ids_of(*files, "a c") == Ids{1, at(6), at(0), at(3)});
}

TEST_CASE("gguf: what ends a text is no word of a user, whatever its type says") {
  // The merges would make "</s>" of its letters.
  auto writer = scored({"<unk>", "<s>", "</s>", "<", "/", "s", ">", "</", "s>"},
                       std::vector<float>(9, 0), {2, 3, 1, 1, 1, 1, 1, 1, 1});
  writer.u32("tokenizer.ggml.eos_token_id", 2);
  const auto files = small_files(writer.file());
  REQUIRE(files.ok());
  for (const std::uint32_t id : ids_of(*files, "</s>")) CHECK(id != 2);
  const auto named = ids_of(*files, "</s>", true);
  CHECK(std::find(named.begin(), named.end(), 2) != named.end());
  // Of byte-level vocabularies, merges that make it are left out with it.
  const auto bytes =
      with("qwen2", [](TinyGguf& out) { out.u32("tokenizer.ggml.eot_token_id", 67); });
  REQUIRE(bytes.ok());
  CHECK(ids_of(*bytes, "AB") == std::vector<std::uint32_t>{32, 33});
}

TEST_CASE("gguf: vocabularies that contradict themselves are refused by name") {
  const auto message = [](const TinyGguf& writer) {
    const auto made = small_files(writer.file());
    return made.ok() ? "made" : made.error().message;
  };
  const auto types = std::vector<std::int32_t>{2, 1};
  CHECK(message(scored({"a", "a"}, {0, 0}, types)) ==
        "gguf: [tokenizer.ggml.tokens] has [a] more than once");
  CHECK(message(scored({"a", "b"}, {0}, types)) ==
        "gguf: [tokenizer.ggml.scores] has [1] elements for [2] tokens");
  CHECK(message(scored({"a", "b"}, {}, types)) == "gguf: [tokenizer.ggml.scores] is missing");
  CHECK(message(scored({"a", "b"}, {0, 0}, {1})) ==
        "gguf: [tokenizer.ggml.token_type] has [1] elements for [2] tokens");
  CHECK(message(scored({"a", "b"}, {0, 0}, {1, 7})) ==
        "gguf: [tokenizer.ggml.token_type] holds the unknown type [7]");
  CHECK(message(scored({"a"}, {0}, {1})) ==
        "gguf: [tokenizer.ggml.bos_token_id] is [1], and there are [1] tokens");
  CHECK(message(scored({"a", "\xff"}, {0, 0}, types)) ==
        "gguf: [tokenizer.ggml.tokens] has [1], not in UTF-8");
  CHECK(message(scored({"a", std::string(20'000, 'b')}, {0, 0}, {1, 1})) ==
        "gguf: [tokenizer.ggml.tokens] has tokens that are too long");
  CHECK(refusal("qwen2", [](TinyGguf& out) { out.u32("tokenizer.ggml.eot_token_id", 70); }) ==
        "gguf: [tokenizer.ggml.eot_token_id] is [70], and there are [70] tokens");
}

TEST_CASE("gguf: a file is loaded as a model, with the tokenizer that it has") {
  const std::string file = tiny_gguf_decoder("llama", nothing).file();
  auto files = small_files(file);
  REQUIRE(files.ok());
  const ModelFiles folder{
      .model_id = "m", .read = [&](std::string_view name) -> Result<std::string> {
        if (name == "m.gguf") return file;
        const auto found = files->find(name);
        if (found != files->end()) return found->second;
        return Error{.kind = ErrorKind::not_found, .message = std::string(name)};
      }};
  CHECK(check_small_files(folder, files->at("config.json")).ok());
  const auto model = load_model(folder);
  REQUIRE(model.ok());
  const std::vector<std::string> texts = {"AB", "BA"};
  const auto vectors = (*model)->embed(texts, InputType::unspecified, os::Deadline::never());
  REQUIRE(vectors.ok());
  CHECK((*vectors)[0].size() == 32);
  CHECK((*vectors)[0] != (*vectors)[1]);
}

}  // namespace cairn::inference::small_files_test
