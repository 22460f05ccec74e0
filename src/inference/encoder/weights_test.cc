// SPDX-License-Identifier: Apache-2.0
// Tensors that are missing, wrong, or in several files.
#include "inference/encoder/weights.h"

#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace cairn::inference {
namespace encoder_weights_test {

constexpr std::uint64_t hidden = 8, wide = 12, words = 5, tokens = 6;

struct Stored {
  std::string name;
  std::vector<std::uint64_t> shape;
  NumberType type = NumberType::f32;
  std::string bytes;
};

Stored stored(const std::string& name, std::vector<std::uint64_t> shape, float value = 0.25F) {
  Stored out = {name, std::move(shape), NumberType::f32, {}};
  std::uint64_t count = 1;
  for (const std::uint64_t size : out.shape) count *= size;
  for (std::uint64_t i = 0; i < count; ++i) {
    out.bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return out;
}

/// All tensors of a BERT of one layer.
std::vector<Stored> bert_tensors(const std::string& prefix = {}) {
  std::vector<Stored> out;
  const auto add = [&](const std::string& name, std::vector<std::uint64_t> shape) {
    out.push_back(stored(prefix + name, std::move(shape)));
  };
  const auto linear = [&](const std::string& name, std::uint64_t rows, std::uint64_t columns) {
    add(name + ".weight", {rows, columns});
    add(name + ".bias", {rows});
  };
  const auto norm = [&](const std::string& name) {
    add(name + ".weight", {hidden});
    add(name + ".bias", {hidden});
  };
  add("embeddings.word_embeddings.weight", {words, hidden});
  add("embeddings.position_embeddings.weight", {tokens, hidden});
  add("embeddings.token_type_embeddings.weight", {2, hidden});
  norm("embeddings.LayerNorm");
  const std::string layer = "encoder.layer.0.";
  for (const char* const part : {"query", "key", "value"}) {
    linear(layer + "attention.self." + part, hidden, hidden);
  }
  linear(layer + "attention.output.dense", hidden, hidden);
  norm(layer + "attention.output.LayerNorm");
  linear(layer + "intermediate.dense", wide, hidden);
  linear(layer + "output.dense", hidden, wide);
  norm(layer + "output.LayerNorm");
  return out;
}

std::string file_of(const std::vector<Stored>& all) {
  std::vector<Tensor> tensors;
  for (const Stored& one : all) tensors.push_back({one.name, one.type, one.shape, one.bytes});
  return write_safetensors(tensors, {});
}

EncoderConfig config() {
  EncoderConfig out;
  out.token_types = 2;
  out.shape.vocabulary = words;
  out.shape.hidden = hidden;
  out.shape.layers = 1;
  out.shape.heads = 2;
  out.shape.head_size = 4;
  out.shape.intermediate = wide;
  out.shape.most_tokens = tokens;
  return out;
}

Status read(const std::vector<std::string>& files, const EncoderConfig& with = config(),
            const os::Deadline& deadline = os::Deadline::never()) {
  Tensors tensors;
  for (std::size_t i = 0; i < files.size(); ++i) {
    CAIRN_CHECK(tensors.add("file-" + std::to_string(i), files[i]));
  }
  const auto weights =
      read_encoder_weights(with, tensors, kernels::Arithmetic::float32, deadline);
  return weights.ok() ? ok_status() : Status(weights.error());
}

TEST_CASE("encoder weights: with and without the prefix of a model that has a head") {
  CHECK(read({file_of(bert_tensors())}).ok());
  CHECK(read({file_of(bert_tensors("bert."))}).ok());
  CHECK(read({file_of(bert_tensors("other."))}).error().message ==
        "[embeddings.word_embeddings.weight] is missing");
}

TEST_CASE("encoder weights: in two files") {
  const auto all = bert_tensors();
  const std::vector<Stored> first(all.begin(), all.begin() + 5), second(all.begin() + 5, all.end());
  CHECK(read({file_of(first), file_of(second)}).ok());
  CHECK(read({file_of(first)}).error().message ==
        "[encoder.layer.0.attention.self.query.weight] is missing");
  const std::vector<Stored> again(all.begin() + 4, all.end());
  CHECK(read({file_of(first), file_of(again)}).error().message ==
        "[embeddings.LayerNorm.bias] stands in two files, file-1 among them");
}

TEST_CASE("encoder weights: what is wrong is named") {
  const struct {
    std::function<void(Stored&)> change;
    const char* message;
  } cases[] = {
      {[](Stored& one) { one = stored(one.name, {hidden, wide + 1}); },
       "[encoder.layer.0.output.dense.weight] has the shape 8 x 13 where 8 x 12 was expected"},
      {[](Stored& one) { one = stored(one.name, {}); },
       "[encoder.layer.0.output.dense.weight] has the shape one number where 8 x 12 was expected"},
      {[](Stored& one) { one.type = NumberType::i32; },
       "[encoder.layer.0.output.dense.weight] is of type I32; F32, F16 and BF16 are offered"},
      {[](Stored& one) {
         const float none = std::numeric_limits<float>::infinity();
         std::memcpy(one.bytes.data() + 40, &none, sizeof none);
       },
       "[encoder.layer.0.output.dense.weight] holds a number that is not finite"},
      {[](Stored& one) { one.name += "s"; }, "[encoder.layer.0.output.dense.weight] is missing"},
  };
  for (const auto& c : cases) {
    auto all = bert_tensors();
    for (Stored& one : all) {
      if (one.name == "encoder.layer.0.output.dense.weight") c.change(one);
    }
    CHECK(read({file_of(all)}).error().message == c.message);
  }
  CHECK(read({"no file of tensors"}).error().message.find("file-0: ") == 0);
}

TEST_CASE("encoder weights: a config that promises much gets no memory for it") {
  EncoderConfig vast = config();
  vast.shape.hidden = 32'768;
  vast.shape.intermediate = 131'072;
  vast.shape.head_size = 16'384;
  CHECK(read({file_of(bert_tensors())}, vast).error().message.find(" has the shape 5 x 8 ") !=
        std::string::npos);
}

TEST_CASE("encoder weights: reading ends when nobody waits any more") {
  std::stop_source stop;
  stop.request_stop();
  CHECK(read({file_of(bert_tensors())}, config(), os::Deadline::never(stop.get_token()))
            .error()
            .kind == ErrorKind::cancelled);
}

TEST_CASE("encoder tables: halves and bfloat16 become floats exactly") {
  const std::uint16_t halves[] = {0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x83ff, 0x7c00};
  const float meant[] = {0, -0.0F, 1, -2, 65504, 0x1p-24F, -0x3ffp-24F,
                         std::numeric_limits<float>::infinity()};
  float out[8];
  read_floats(NumberType::f16, reinterpret_cast<const char*>(halves), 8, out);
  CHECK(std::memcmp(out, meant, sizeof out) == 0);
  const std::uint16_t narrow[] = {0x3f80, 0xc040};
  read_floats(NumberType::bf16, reinterpret_cast<const char*>(narrow), 2, out);
  CHECK(out[0] == 1.0F);
  CHECK(out[1] == -3.0F);
}

}  // namespace encoder_weights_test
}  // namespace cairn::inference
