// SPDX-License-Identifier: Apache-2.0
// Folders of decoders as models: vectors of texts, alone and together, and folders that are
// refused.
#include "inference/decoder/decoder_model.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "inference/tiny_decoder.h"

namespace cairn::inference {
namespace decoder_model_test {

using os::Deadline;
using Files = std::map<std::string, std::string, std::less<>>;
using Vectors = std::vector<std::vector<float>>;

ModelFiles reading(const Files& contents) {
  return {.model_id = "m", .read = [contents](std::string_view name) -> Result<std::string> {
            const auto found = contents.find(name);
            if (found != contents.end()) return found->second;
            return Error{.kind = ErrorKind::not_found, .message = std::string(name)};
          }};
}

std::shared_ptr<const Model> loaded(const Files& contents,
                                    Precision precision = Precision::automatic) {
  auto model = load_model(reading(contents), {.precision = precision});
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
  return *model;
}

std::string words(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += "w" + std::to_string(5 + i * 7 % 60) + " ";
  return out;
}

TEST_CASE("decoder model: texts have unit vectors, the same alone, together and in parts") {
  const Files files = TinyDecoder().files();
  for (const Precision precision :
       {Precision::automatic, Precision::float32, Precision::bfloat16, Precision::int8}) {
    const auto model = loaded(files, precision);
    CHECK(model->supports(TaskType::text_embedding));
    CHECK_FALSE(model->supports(TaskType::rerank));
    CHECK(model->dimensions() == TinyDecoder::hidden);
    CHECK(model->similarity() == "cosine");
    CHECK(model->max_input_tokens() == TinyDecoder::tokens);
    std::vector<std::string> texts = {"w7", "", words(40), words(200), words(3), words(250)};
    texts.push_back(words(5000));  // of which the beginning counts
    const Vectors together = model->embed(texts, InputType::ingest, Deadline::never()).value();
    REQUIRE(together.size() == texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Vectors alone =
          model->embed({&texts[i], 1}, InputType::ingest, Deadline::never()).value();
      CHECK(alone.front() == together[i]);
      double squares = 0;
      for (const float x : together[i]) squares += static_cast<double>(x) * x;
      CHECK(squares == doctest::Approx(1));
    }
    CHECK(together[0] != together[4]);
  }
}

TEST_CASE("decoder model: a deadline ends the work on texts") {
  const auto model = loaded(TinyDecoder().files());
  const std::vector<std::string> texts = {words(100)};
  CHECK(model->embed(texts, InputType::ingest, Deadline::in_ms(0)).error().kind ==
        ErrorKind::timeout);
  const auto files = reading(TinyDecoder().files());
  CHECK(load_model(files, {}, Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
}

TEST_CASE("decoder model: traits are read without the weights") {
  Files files = TinyDecoder().files();
  files.erase("model.safetensors");
  const auto traits = traits_of_model(reading(files), TinyDecoder::config());
  REQUIRE(traits.ok());
  CHECK(traits->tasks ==
        std::vector<TaskType>{TaskType::text_embedding, TaskType::completion});
  files["chat_template.jinja"] = "{{ messages[0].content }}";
  CHECK(traits_of_model(reading(files), TinyDecoder::config())->tasks ==
        std::vector<TaskType>{TaskType::text_embedding, TaskType::completion,
                              TaskType::chat_completion});
  files["modules.json"] =
      R"([{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},)"
      R"({"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"}])";
  files["1_Pooling/config.json"] = R"({"word_embedding_dimension":48,"pooling_mode_lasttoken":true,)"
                                   R"("pooling_mode_mean_tokens":false})";
  CHECK(traits_of_model(reading(files), TinyDecoder::config())->tasks ==
        std::vector<TaskType>{TaskType::text_embedding});
  files.erase("modules.json");
  CHECK(traits->dimensions == TinyDecoder::hidden);
  CHECK(check_small_files(reading(files), TinyDecoder::config()).ok());
  CHECK(packs_weights(TinyDecoder::config()).value());
}

TEST_CASE("decoder model: folders that make none are refused with the reason") {
  const auto refused = [](const Files& files, ErrorKind kind, std::string_view part) {
    const auto got = load_model(reading(files));
    REQUIRE_FALSE(got.ok());
    CHECK(got.error().kind == kind);
    CHECK_MESSAGE(got.error().message.find(part) != std::string::npos, got.error().message);
    CHECK_FALSE(check_small_files(reading(files), files.at("config.json")).ok());
  };
  const Files good = TinyDecoder().files();
  Files files = good;
  files["vocab.txt"] += "\nw70";
  refused(files, ErrorKind::invalid_argument, "more tokens than [vocab_size]");
  files = good;
  files["modules.json"] = R"([{"idx":0,"name":"0","path":"","type":"x.Transformer"},
    {"idx":1,"name":"1","path":"1_Pooling","type":"x.Pooling"}])";
  files["1_Pooling/config.json"] =
      R"({"word_embedding_dimension":48,"pooling_mode_mean_tokens":true})";
  refused(files, ErrorKind::unsupported, "pooling_mode_lasttoken");
  files["1_Pooling/config.json"] =
      R"({"word_embedding_dimension":48,"pooling_mode_lasttoken":true})";
  files["sentence_bert_config.json"] = R"({"max_seq_length":9})";
  const auto model = loaded(files);
  CHECK(model->max_input_tokens() == 9);
  const std::vector<std::string> text = {words(20)};
  const Vectors vector = model->embed(text, InputType::ingest, Deadline::never()).value();
  double squares = 0;
  for (const float x : vector[0]) squares += static_cast<double>(x) * x;
  CHECK(squares > 1.5);  // no Normalize among the modules
  files["modules.json"] = R"([{"idx":0,"name":"0","path":"","type":"x.Transformer"},
    {"idx":1,"name":"1","path":"1_Pooling","type":"x.Pooling"},
    {"idx":2,"name":"2","path":"2_Dense","type":"x.Dense"}])";
  files["2_Dense/config.json"] = R"({"in_features":48,"out_features":8})";
  refused(files, ErrorKind::unsupported, "[Dense]");
}

}  // namespace decoder_model_test
}  // namespace cairn::inference
