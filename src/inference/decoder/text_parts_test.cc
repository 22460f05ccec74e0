// SPDX-License-Identifier: Apache-2.0
// Template, ends and drawing, from the small files of a decoder.
#include "inference/decoder/text_parts.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "inference/encoder/model_folder.h"
#include "inference/tiny_decoder.h"

namespace cairn::inference::text_parts_test {
namespace {

using Files = std::map<std::string, std::string, std::less<>>;

Result<TextParts> parts_of(const Files& changes, const std::string& config = "{}") {
  Files files = TinyDecoder().files();
  for (const auto& [name, text] : changes) files[name] = text;
  const ModelFiles model{.model_id = "m",
                         .read = [files](std::string_view name) -> Result<std::string> {
                           const auto found = files.find(name);
                           if (found != files.end()) return found->second;
                           return Error{.kind = ErrorKind::not_found, .message = std::string(name)};
                         }};
  const auto tokenizer = read_tokenizer(model);
  REQUIRE(tokenizer.ok());
  return read_text_parts(model, config, *tokenizer);
}

std::string told(const Files& changes) {
  const auto parts = parts_of(changes);
  return parts.ok() ? "ok" : parts.error().message;
}

using Ends = std::vector<std::uint32_t>;

TEST_CASE("text parts: without files a text is drawn as it comes, and has no end") {
  const auto parts = parts_of({});
  REQUIRE(parts.ok());
  CHECK_FALSE(parts->chat_template);
  CHECK(parts->ends.empty());
  CHECK(parts->sampling.temperature == 1);
}

TEST_CASE("text parts: a template is a file, a text, or the default one of a list") {
  CHECK(parts_of({{"chat_template.jinja", "{{ messages }}"}})->chat_template);
  CHECK(parts_of({{"tokenizer_config.json", R"({"chat_template":"x"})"}})->chat_template);
  CHECK(parts_of({{"tokenizer_config.json",
                   R"({"chat_template":[{"name":"tool_use","template":"{% if %}"},)"
                   R"({"name":"default","template":"x"}]})"}})
            ->chat_template);
  CHECK_FALSE(parts_of({{"tokenizer_config.json", R"({"chat_template":[]})"}})->chat_template);
}

TEST_CASE("text parts: ends are those of generation_config.json, else of config.json") {
  CHECK(parts_of({}, R"({"eos_token_id":7})")->ends == Ends{7});
  CHECK(parts_of({{"generation_config.json", R"({"eos_token_id":[9,8]})"}}, R"({"eos_token_id":7})")
            ->ends == Ends{8, 9});
  CHECK(parts_of({{"tokenizer_config.json", R"({"eos_token":{"content":"[SEP]"}})"}},
                 R"({"eos_token_id":[3,7]})")
            ->ends == Ends{3, 7});
  CHECK(parts_of({}, R"({"eos_token_id":4000})")->ends.empty());
}

TEST_CASE("text parts: drawing is as generation_config.json says") {
  const auto drawn = parts_of(
      {{"generation_config.json", R"({"temperature":0.7,"top_k":20,"top_p":0.8,"min_p":0.1,)"
                                  R"("repetition_penalty":1.05,"do_sample":true})"}});
  REQUIRE(drawn.ok());
  CHECK(drawn->sampling.temperature == doctest::Approx(0.7));
  CHECK(drawn->sampling.top_k == 20);
  CHECK(drawn->sampling.min_p == doctest::Approx(0.1));
  CHECK(drawn->sampling.repetition_penalty == doctest::Approx(1.05));
  CHECK(parts_of({{"generation_config.json", R"({"temperature":0.7,"do_sample":false})"}})
            ->sampling.temperature == 0);
}

TEST_CASE("text parts: what is there and wrong is named") {
  struct Row {
    std::string file, text, wanted;
  };
  const std::vector<Row> rows{
      {"generation_config.json", "[", "generation_config.json"},
      {"tokenizer_config.json", R"({"chat_template":7})", "[chat_template]"},
      {"tokenizer_config.json", R"({"chat_template":[{"name":"default"}]})", "[chat_template]"},
      {"tokenizer_config.json", R"({"chat_template":"{% if %}"})", "tokenizer_config.json"},
      {"chat_template.jinja", "{% for %}", "chat_template.jinja"},
      {"generation_config.json", R"({"eos_token_id":"x"})", "[eos_token_id]"},
      {"generation_config.json", R"({"eos_token_id":-1})", "[eos_token_id]"},
      {"generation_config.json", R"({"temperature":-1})", "[temperature]"},
      {"generation_config.json", R"({"top_k":-1})", "[top_k]"}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const std::string message = told({{row.file, row.text}});
    CHECK_MESSAGE(message.find(row.wanted) != std::string::npos, message);
  }
}

}  // namespace
}  // namespace cairn::inference::text_parts_test
