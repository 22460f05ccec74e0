// SPDX-License-Identifier: Apache-2.0
// Static models: a hand-made one whose answers can be worked out, files that are wrong, deadlines.
#include "inference/static/static_model.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "inference/model/safetensors.h"
#include "inference/tiny_model.h"
#include "os/step_clock.h"

namespace cairn::inference::static_model_test {
namespace {

using Strings = std::vector<std::string>;
using Files = TinyFiles;

Result<std::shared_ptr<const Model>> load(Files files) {
  return load_model(
      {.model_id = "tiny",
       .read = [files = std::move(files)](std::string_view name) -> Result<std::string> {
         const auto found = files.find(name);
         if (found != files.end()) return found->second;
         return Error{.kind = ErrorKind::not_found, .message = "no file " + std::string(name)};
       }});
}

std::shared_ptr<const Model> tiny() {
  auto model = load(tiny_files());
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
  return *model;
}

const os::Deadline never = os::Deadline::never();

TEST_CASE("static model: says what it is") {
  const auto model = tiny();
  CHECK(model->model_id() == "tiny");
  CHECK(model->dimensions() == 2);
  CHECK(model->similarity() == "cosine");
  CHECK(model->max_input_tokens() == 8);
  CHECK(model->supports(TaskType::rerank));
  CHECK(model->supports(TaskType::completion));
  CHECK(model->quotes());
  CHECK(model->texts() == nullptr);
  CHECK(model->size_bytes() > 500);
}

TEST_CASE("static model: a dense vector is the unit sum of the tokens' vectors") {
  const auto model = tiny();
  const Strings inputs{"The car", "red sea", "car", "", "nothing known"};
  const auto vectors = model->embed(inputs, InputType::unspecified, never);
  REQUIRE(vectors.ok());
  CHECK((*vectors)[0] == (*vectors)[2]);
  CHECK((*vectors)[2][0] == doctest::Approx(1));
  CHECK((*vectors)[2][1] == doctest::Approx(0));
  CHECK((*vectors)[1][0] == doctest::Approx(0.5 / std::sqrt(0.25 + 2.25)));
  CHECK((*vectors)[3][0] == doctest::Approx(std::sqrt(0.5)));
  CHECK((*vectors)[3] == (*vectors)[4]);
}

TEST_CASE("static model: the sparse document side is plain, the query side expanded") {
  const auto model = tiny();
  const Strings inputs{"the car car red"};
  const auto document = model->sparse(inputs, InputType::ingest, never);
  REQUIRE(document.ok());
  const auto& weights = document->front().weights;
  REQUIRE(weights.size() == 2);
  CHECK(weights[0].first == "car");
  CHECK(weights[0].second == doctest::Approx(2 * 4.0 / 3.0));  // sqrt(4) * 2 * 2 / (2 + 1)
  CHECK(weights[1].first == "red");
  CHECK(weights[1].second == doctest::Approx(1));
  CHECK(model->sparse(inputs, InputType::unspecified, never)->front().weights == weights);

  const auto query = model->sparse(inputs, InputType::search, never);
  REQUIRE(query.ok());
  const auto& expanded = query->front().weights;
  REQUIRE(expanded.size() == 3);
  CHECK(expanded[0] == std::pair<std::string, float>("car", 4));
  CHECK(expanded[1] == std::pair<std::string, float>("red", 1));
  CHECK(expanded[2].first == "auto");
  CHECK(expanded[2].second == doctest::Approx(0.8));
}

TEST_CASE("static model: a related token that the query holds is not added again") {
  const auto model = tiny();
  const Strings inputs{"auto car"};
  const auto query = model->sparse(inputs, InputType::search, never);
  REQUIRE(query.ok());
  CHECK(query->front().weights ==
        std::vector<std::pair<std::string, float>>{{"auto", 3}, {"car", 2}});
}

TEST_CASE("static model: a text over the limit is cut and says so") {
  const auto model = tiny();
  const Strings inputs{"red red red red red red red red", "red red red red red red red red car"};
  const auto sparse = model->sparse(inputs, InputType::ingest, never);
  REQUIRE(sparse.ok());
  CHECK_FALSE((*sparse)[0].is_truncated);
  CHECK((*sparse)[1].is_truncated);
  CHECK((*sparse)[1].weights.size() == 1);
}

TEST_CASE("complexity: of a text no more is looked at than its tokens can need") {
  const auto model = tiny();
  const std::string padding(8 * 256, ' ');  // eight tokens of 256 bytes
  for (const std::size_t times : {1U, 2U, 4U}) {
    std::string text = "car" + padding;
    for (std::size_t i = 0; i < times; ++i) text += " sea" + padding;
    const auto sparse = model->sparse(Strings{text}, InputType::ingest, never);
    REQUIRE(sparse.ok());
    CHECK(sparse->front().weights.size() == 1);
    CHECK(sparse->front().weights.front().first == "car");
    CHECK(sparse->front().is_truncated);
  }
}

TEST_CASE("static model: rerank sorts by score, equal scores by place") {
  const auto model = tiny();
  const Strings documents{"the sea", "a red car", "sea", "car", "sea"};
  const auto scores = model->rerank("red car", documents, never);
  REQUIRE(scores.ok());
  REQUIRE(scores->size() == 5);
  CHECK((*scores)[0].index == 1);
  CHECK((*scores)[1].index == 3);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK((*scores)[i].score >= 0);
    CHECK((*scores)[i].score <= 1);
    if (i > 0) CHECK((*scores)[i].score <= (*scores)[i - 1].score);
  }
  CHECK((*scores)[2].score == (*scores)[4].score);
  CHECK((*scores)[2].index == 0);
  CHECK((*scores)[3].index == 2);
  CHECK((*scores)[4].index == 4);
  CHECK(model->rerank("", documents, never).ok());
  CHECK(model->rerank("unknown", {}, never)->empty());
}

TEST_CASE("static model: calls of a task that it has not are refused, passed deadlines end calls") {
  Files files = tiny_files();
  auto config = parse_json(files["config.json"]);
  REQUIRE(config.ok());
  config->set("tasks", Json::array({"rerank"}));
  files["config.json"] = config->dump();
  const auto model = load(files);
  REQUIRE(model.ok());
  const Strings inputs{"car"};
  CHECK((*model)->embed(inputs, InputType::search, never).error().kind == ErrorKind::unsupported);
  CHECK((*model)->sparse(inputs, InputType::search, never).error().message ==
        "Model [tiny] does not support task type [sparse_embedding].");
  CHECK((*model)->rerank("car", inputs, os::Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
}

TEST_CASE("static model: embeddings and rerankings end where their deadline passes half-way") {
  const auto model = tiny();
  const Strings texts(10'000, "the red car and a red auto");
  using Work = std::function<Status(const os::Deadline&)>;
  const std::map<std::string, Work> works = {
      {"dense",
       [&](const os::Deadline& deadline) -> Status {
         CAIRN_CHECK(model->embed(texts, InputType::ingest, deadline));
         return ok_status();
       }},
      {"sparse",
       [&](const os::Deadline& deadline) -> Status {
         CAIRN_CHECK(model->sparse(texts, InputType::search, deadline));
         return ok_status();
       }},
      {"rerank", [&](const os::Deadline& deadline) -> Status {
         CAIRN_CHECK(model->rerank("red car", texts, deadline));
         return ok_status();
       }}};
  for (const auto& [name, work] : works) {
    const os::HalfWay half = os::cut_half_way(work);
    INFO(name << ": " << half.whole_us << " steps in all, " << half.late_us << " too late");
    CHECK(half.whole_us >= static_cast<std::int64_t>(texts.size()) * 7);  // of each token one
    CHECK(half.ends_soon());
  }
}

TEST_CASE("static model: files that make no model are refused by name") {
  const auto fault = [](Files files) {
    const auto model = load(std::move(files));
    return model.ok() ? "(loaded)" : model.error().message;
  };
  const auto without = [](std::string_view name) {
    Files files = tiny_files();
    files.erase(files.find(name));
    return files;
  };
  CHECK(load(without("config.json")).error().kind == ErrorKind::not_found);
  CHECK(load(without("tokenizer.json")).error().kind == ErrorKind::not_found);
  CHECK(load(without("model.safetensors")).error().kind == ErrorKind::not_found);

  const auto changed = [](std::string_view name, Json value) {
    Files files = tiny_files();
    Json config = parse_json(files["config.json"]).value();
    config.set(name, std::move(value));
    files["config.json"] = config.dump();
    return files;
  };
  CHECK(load(changed("model_type", "gpt2")).error().kind == ErrorKind::unsupported);
  CHECK(fault(changed("tasks", Json::array({"chat_completion"}))).find("[tasks]") !=
        std::string::npos);
  CHECK(fault(changed("tasks", 3)).find("[tasks]") != std::string::npos);
  CHECK(fault(changed("vocab_size", 7)).find("embedding.weight") != std::string::npos);
  CHECK(fault(changed("vocab_size", -1)).find("[vocab_size]") != std::string::npos);
  CHECK(fault(changed("hidden_size", 0)).find("[hidden_size]") != std::string::npos);
  CHECK(fault(changed("sparse", Json())).find("[sparse]") != std::string::npos);
  CHECK(fault(changed("sparse", Json::object({{"k1", -2.0}}))).find("[sparse]") !=
        std::string::npos);
  CHECK(fault(changed("rerank", Json::object({{"hidden_size", 1}}))).find("features") !=
        std::string::npos);
  Files files = tiny_files();
  files["config.json"] = "{";
  CHECK(fault(files).find("config.json") != std::string::npos);
  files = tiny_files();
  files["model.safetensors"].pop_back();
  CHECK(fault(files).find("safetensors") != std::string::npos);
}

TEST_CASE("static model: changed weight files never crash") {
  const Files good = tiny_files();
  const Strings inputs{"the red car", "auto sea"};
  for (std::size_t at = 0; at < good.at("model.safetensors").size(); at += 3) {
    for (const char value : {'\0', '\x7f', '\xff', '1'}) {
      Files files = good;
      files["model.safetensors"][at] = value;
      const auto model = load(files);
      if (!model.ok()) continue;
      CHECK((*model)->embed(inputs, InputType::search, never).ok());
      CHECK((*model)->sparse(inputs, InputType::search, never).ok());
      CHECK((*model)->rerank("car", inputs, never).ok());
    }
  }
}

}  // namespace
}  // namespace cairn::inference::static_model_test
