// SPDX-License-Identifier: Apache-2.0
// Inference calls: what they may hold, what they answer, and how it is written.
#include <future>

#include "inference/service_bench.h"

namespace cairn::inference::service_infer_test {
namespace {

struct Calls : ServiceBench {
  Calls() {
    REQUIRE(put("dense").ok());
    REQUIRE(put("sparse", simple, -1, TaskType::sparse_embedding).ok());
    REQUIRE(put("rank", simple, -1, TaskType::rerank).ok());
  }
  std::string refusal(std::optional<TaskType> task, std::string_view id, InferFields fields) {
    const auto result = service->check(task, id, std::move(fields));
    return result.ok() ? "no error" : result.error().code + ": " + result.error().message;
  }
};

const std::string failed = "action_request_validation_exception: Validation Failed: ";

TEST_CASE_FIXTURE(Calls, "infer: every refusal has its words") {
  const InferFields one{.input = {{"x"}}};
  const auto with = [&](auto change) {
    InferFields fields = one;
    change(fields);
    return fields;
  };
  const auto sparse = TaskType::sparse_embedding;
  CHECK(refusal({}, "dense", {}) == failed + "1: Field [input] cannot be null;");
  CHECK(refusal({}, "dense", {.input = std::vector<std::string>{}}) ==
        failed + "1: Field [input] cannot be an empty array;");
  CHECK(refusal(TaskType::rerank, "rank", one) ==
        failed + "1: Field [query] cannot be null for task type [rerank];");
  CHECK(refusal({}, "rank", with([](auto& f) { f.query = ""; })) ==
        failed + "1: Field [query] cannot be empty for task type [rerank];");
  CHECK(refusal(sparse, "sparse", with([](auto& f) { f.query = "q"; })) ==
        failed + "1: Field [query] cannot be specified for task type [sparse_embedding];");
  CHECK(refusal({}, "dense", with([](auto& f) { f.query = "q"; })) ==
        failed + "1: Field [query] cannot be specified for task type [text_embedding];");
  CHECK(refusal(sparse, "sparse", with([](auto& f) {
                  f.return_documents = true;
                  f.top_n = 0;
                  f.input_type = "search";
                })) ==
        failed +
            "1: Field [return_documents] cannot be specified for task type [sparse_embedding];"
            "2: Field [top_n] cannot be specified for task type [sparse_embedding];"
            "3: Field [input_type] cannot be specified for task type [sparse_embedding];"
            "4: Field [top_n] must be a positive integer;");
  CHECK(refusal({}, "dense", with([](auto& f) { f.input_type = "sideways"; })) ==
        failed +
            "1: Unrecognized input_type [sideways], must be one of [classification, clustering, "
            "ingest, search];");
  CHECK(refusal(TaskType::completion, "dense", one) ==
        "status_exception: Incompatible task_type, the requested type [completion] does not match "
        "the model type [text_embedding]");
  CHECK(refusal({}, "nope", one) ==
        "resource_not_found_exception: Inference endpoint not found [nope]");
  CHECK(refusal({}, "dense", with([](auto& f) { f.task_settings = Json(3); })) ==
        "validation_exception: Validation Failed: 1: field [task_settings] is not of the expected "
        "type. The value [3] cannot be converted to a [Map];");
  CHECK(refusal({}, "dense", with([](auto& f) {
                  f.task_settings = Json::object({{"return_documents", true}});
                })) ==
        "status_exception: Configuration contains settings [{return_documents=true}] unknown to "
        "the [elasticsearch] service");
}

TEST_CASE_FIXTURE(Calls, "infer: settings of the call go before those of the endpoint") {
  InferFields fields{.input = {{"x"}}, .input_type = "SEARCH"};
  fields.task_settings = Json::object({{"input_type", "ingest"}});
  CHECK(service->check({}, "dense", fields)->input_type == InputType::search);
  fields.input_type.reset();
  CHECK(service->check({}, "dense", fields)->input_type == InputType::ingest);
  CHECK(service->check({}, "sparse", fields)->input_type == InputType::ingest);
  InferFields rank{.input = {{"x"}}, .query = "q"};
  rank.task_settings = Json::object({{"return_documents", false}});
  CHECK(service->check({}, "rank", rank)->return_documents == false);
  rank.return_documents = true;
  CHECK(service->check({}, "rank", rank)->return_documents == true);
}

TEST_CASE_FIXTURE(Calls, "infer: the answers of the three tasks") {
  CHECK(render(*infer("dense", {"abc", ""})) ==
        R"({"text_embedding":[{"embedding":[3.0,0.0]},{"embedding":[0.0,0.0]}]})");
  CHECK(render(*infer("sparse", {"abc", "a long text"})) ==
        R"({"sparse_embedding":[{"is_truncated":false,"embedding":{"abc":3.0}},)"
        R"({"is_truncated":true,"embedding":{"a long text":11.0}}]})");
  CHECK(render(*infer("rank", {"xxxxxx", "xx", "yy", ""}, "qq")) ==
        R"({"rerank":[{"index":3,"relevance_score":1.0},)"
        R"({"index":1,"relevance_score":0.5},)"
        R"({"index":2,"relevance_score":0.5},)"
        R"({"index":0,"relevance_score":0.25}]})");
}

TEST_CASE_FIXTURE(Calls, "infer: rerank is cut to top_n, and holds texts where they are asked for") {
  REQUIRE(service
              ->put_endpoint(TaskType::rerank, "texts",
                             *parse_json(R"({"service":"elasticsearch",
                                 "service_settings":{"model_id":"cairn-mini","num_threads":1,
                                                     "num_allocations":1},
                                 "task_settings":{"return_documents":true}})"),
                             -1, os::Deadline::never())
              .ok());
  const std::string without = R"({"rerank":[{"index":1,"relevance_score":0.5}]})";
  const std::string with = R"({"rerank":[{"index":1,"relevance_score":0.5,"text":"xx"}]})";
  const auto ask = [&](std::string_view id, std::optional<bool> of_call) {
    return render(*service->infer({.inference_id = std::string(id),
                                   .input = {"xxxxxx", "xx"},
                                   .query = "qq",
                                   .return_documents = of_call,
                                   .top_n = 1},
                                  os::Deadline::never()));
  };
  CHECK(ask("rank", {}) == without);
  CHECK(ask("rank", false) == without);
  CHECK(ask("rank", true) == with);
  CHECK(ask("texts", {}) == with);
  CHECK(ask("texts", false) == without);
  CHECK_FALSE(infer("rank", {"x"}).ok());
}

TEST_CASE_FIXTURE(Calls, "complexity: a call holds at most 1,024 inputs, and more are no work") {
  for (const std::string id : {"dense", "sparse", "rank"}) {
    InferFields fields{.input = std::vector<std::string>(1'024, "x")};
    if (id == "rank") fields.query = "q";
    CHECK(service->check({}, id, fields).ok());
    fields.input->push_back("x");
    CHECK(refusal({}, id, fields) ==
          failed +
              "1: Field [input] holds 1025 inputs, and at most [1024] are taken "
              "(inference.inputs_max); send them in several calls;");
  }
  CHECK(models.script->seen().empty());
}

TEST_CASE_FIXTURE(Calls, "complexity: n inputs are n texts for the model, in batches of ten") {
  for (const std::string id : {"dense", "sparse", "rank"}) {
    for (const std::size_t n : {250, 500, 1'000}) {
      CAPTURE(id);
      const std::size_t calls_before = models.script->seen().size();
      REQUIRE(infer(id, std::vector<std::string>(n, "x"), "q").ok());
      const auto seen = models.script->seen();
      std::size_t texts = 0;
      for (std::size_t i = calls_before; i < seen.size(); ++i) texts += seen[i].size();
      CHECK(texts == n);
      CHECK(seen.size() - calls_before == n / 10);
    }
  }
}

TEST_CASE_FIXTURE(Calls, "infer: a passed deadline ends the cutting of long documents") {
  REQUIRE(put("chunked",
              R"({"model_id":"cairn-mini","num_threads":1,"num_allocations":1,
                  "long_document_strategy":"chunk"})",
              -1, TaskType::rerank)
              .ok());
  std::stop_source stop;
  stop.request_stop();
  const auto ended =
      service->infer({.inference_id = "chunked", .input = {"a b c"}, .query = "q"},
                     os::Deadline::never(stop.get_token()));
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().kind == ErrorKind::cancelled);
}

TEST_CASE_FIXTURE(Calls, "infer: rerank of long documents takes the best chunk") {
  std::string sentence;  // 60 words each, so that every chunk of 250 words holds four
  for (int i = 0; i < 60; ++i) sentence += "word ";
  std::string document;
  for (int i = 0; i < 12; ++i) document += sentence + ". ";
  REQUIRE(put("chunked",
              R"({"model_id":"cairn-mini","num_threads":1,"num_allocations":1,
                  "long_document_strategy":"chunk","max_chunks_per_doc":2})",
              -1, TaskType::rerank)
              .ok());
  const auto whole = infer("rank", {document, "x"}, "qq");
  const auto parts = infer("chunked", {document, "x"}, "qq");
  REQUIRE(parts.ok());
  REQUIRE(parts->rerank.size() == 2);
  CHECK(parts->rerank[1].relevance_score > whole->rerank[1].relevance_score);
  std::size_t texts = 0;
  for (const auto& call : models.script->seen()) texts += call.size();
  CHECK(texts == 2 + 3);
}

TEST_CASE("infer: waits for a deployment that is starting, up to its deadline") {
  ServiceBench bench(false);
  const InferRequest request{.inference_id = ".cairn-dense", .input = {"abcd"}, .timeout_ms = 5};
  const auto late = bench.service->infer(request, os::Deadline::in_ms(5));
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().message == "Timeout [5ms] waiting for inference result");
  CHECK(bench.service
            ->infer({.inference_id = ".cairn-dense", .input = {"x"}, .timeout_ms = 0},
                    os::Deadline::never())
            .error()
            .kind == ErrorKind::timeout);
  auto waiting =
      std::async(std::launch::async, [&] { return bench.infer(".cairn-dense", {"abcd"}); });
  bench.models.load_gate.set(true);
  CHECK(waiting.get()->dense[0][0] == 4);
}

TEST_CASE("infer: a deployment stopped by force comes back with the next call") {
  ServiceBench bench;
  REQUIRE(bench.put("e").ok());
  REQUIRE(bench.service->stop_deployment("e", true, true, os::Deadline::never()).ok());
  CHECK(bench.stats("e").is_null());
  CHECK(bench.infer("e", {"abc"})->dense[0][0] == 3);
  CHECK(bench.stats("e").string_or("state") == "started");
  bench.restart();
  CHECK(bench.stats("e").is_object());
}

TEST_CASE("infer: vectors in bytes, as the endpoint's element_type says") {
  ServiceBench bench;
  const auto made = bench.put(
      "bytes",
      R"({"model_id":"cairn-mini","num_threads":1,"num_allocations":1,"element_type":"byte"})");
  REQUIRE(made.ok());
  CHECK(to_json(*made).find_path("service_settings.element_type")->as_string() == "byte");
  CHECK(to_json(*made).find_path("service_settings.similarity")->as_string() == "cosine");
  bench.restart();
  const auto result = bench.infer("bytes", {"four"});
  REQUIRE(result.ok());
  CHECK(render(*result) == R"({"text_embedding_bytes":[{"embedding":[127,0]}]})");
  const auto bits = bench.put(
      "bits", R"({"model_id":"cairn-mini","num_threads":1,"num_allocations":1,"element_type":"bit"})");
  CHECK(bits.error().message ==
        "[element_type] [bit] needs a number of dimensions that is a multiple of 8, and model "
        "[cairn-mini] has [2]");
  const InferResult packed{.task = TaskType::text_embedding,
                           .element_type = ElementType::bit,
                           .dense = {{1, -1, 1, 1, -1, -1, -1, 1}}};
  CHECK(render(packed) == R"({"text_embedding_bits":[{"embedding":[-79]}]})");
}

TEST_CASE("infer: the last idle allocation goes after a day, by the service's clock") {
  ServiceBench bench;
  REQUIRE(bench.infer(".cairn-sparse", {"x"}).ok());
  bench.clock.advance_ms(24 * 3'600'000);
  bench.service->tick();
  CHECK(bench.stats(".elser-2-elasticsearch").int_or("number_of_allocations") == 0);
  CHECK(bench.service->get_endpoint(".cairn-sparse")->num_allocations == 0);
  CHECK(bench.infer(".cairn-sparse", {"x"}).ok());
}

}  // namespace
}  // namespace cairn::inference::service_infer_test
