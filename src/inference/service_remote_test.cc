// SPDX-License-Identifier: Apache-2.0
// Endpoints whose model is another server's: made, shown, changed, called and removed.
#include <thread>

#include "inference/remote/remote_models.h"
#include "inference/remote/scripted_server.h"
#include "inference/service_bench.h"

namespace cairn::inference::service_remote_test {
namespace {

using os::Deadline;

/// Vectors of two numbers: the length of the text, and one.
Json vector_for(const std::string& text) {
  return Json::array({static_cast<std::int64_t>(text.size()), 1});
}

ScriptedReply answer_vectors(const SeenRequest& request) {
  Json data = Json::array();
  const auto& input = request.body.find("input")->as_array();
  for (std::size_t i = input.size(); i-- > 0;) {  // in another order than they were asked
    data.push(Json::object({{"index", i}, {"embedding", vector_for(input[i].as_string())}}));
  }
  return {.body = Json::object(
                      {{"data", std::move(data)}, {"usage", Json::object({{"prompt_tokens", 5}})}})
                      .dump()};
}

std::string event(std::string_view data) { return "data: " + std::string(data) + "\n\n"; }

ScriptedReply answer_chat(const SeenRequest&) {
  return {.body = ": thinking\n\n" +
                  event(R"({"choices":[{"index":0,"delta":{"content":"Good "}}]})") +
                  event(R"({"choices":[{"index":0,"delta":{"content":"day"}}]})") +
                  event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})") +
                  event(R"({"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":2}})") +
                  event("[DONE]"),
          .type = "text/event-stream"};
}

Options allowing() {
  Options out;
  out.remote_allowed_hosts = {"127.0.0.1"};
  return out;
}

struct Remote : ServiceBench {
  explicit Remote(ScriptedServer::Answer answer = answer_vectors)
      : ServiceBench(true, allowing()), server(std::move(answer)) {
    service->set_key_seal(backwards_seal());
  }
  void restart_sealed() {
    restart();
    service->set_key_seal(backwards_seal());
  }
  Result<Endpoint> make(std::string_view service_name, TaskType task, const std::string& settings,
                        std::string_view rest = "") {
    return service->put_endpoint(task, "there",
                                 json(R"({"service":")" + std::string(service_name) +
                                      R"(","service_settings":{"api_key":"sk-secret",)" + settings +
                                      "}" + std::string(rest) + "}"),
                                 -1, Deadline::never());
  }
  Result<Endpoint> make_openai(TaskType task = TaskType::text_embedding,
                               const std::string& more = "") {
    return make("openai", task, R"("model_id":"m","url":")" + server.url("/v1") + "\"" + more);
  }
  std::string refusal(const Result<Endpoint>& made) {
    return made.ok() ? "no error" : made.error().message;
  }

  ScriptedServer server;
};

TextCall chat_call(std::string text) {
  TextCall out{.inference_id = "there"};
  out.prompt.text = std::move(text);
  out.prompt.as_message = true;
  return out;
}

struct Gathered {
  std::string text;
  std::optional<FinishReason> finished;
};

Result<Gathered> gather(TextAnswer& answer, const Deadline& deadline = net::patiently()) {
  Gathered out;
  for (;;) {
    CAIRN_TRY(const auto piece, answer.next(deadline));
    if (!piece) return out;
    out.text += piece->text;
    if (piece->finished) out.finished = piece->finished;
  }
}

struct Chats : Remote {
  Chats() : Remote(answer_chat) {}
};

TEST_CASE_FIXTURE(Remote,
                  "remote: dimensions are learned at creation, and the key is never shown") {
  const auto made =
      make_openai(TaskType::text_embedding,
                  R"(,"organization_id":"org","rate_limit":{"requests_per_minute":9})");
  REQUIRE_MESSAGE(made.ok(), refusal(made));
  CHECK(service->show(*made).dump() ==
        R"({"inference_id":"there","task_type":"text_embedding","service":"openai",)"
        R"("service_settings":{"model_id":"m","url":")" +
            server.url("/v1/embeddings") +
            R"(","organization_id":"org","dimensions":2,"similarity":"cosine",)"
            R"("rate_limit":{"requests_per_minute":9}},"chunking_settings":)" +
            service->show(*made).find("chunking_settings")->dump() + "}");
  const auto seen = server.seen();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].target == "/v1/embeddings");
  CHECK(seen[0].authorization == "Bearer sk-secret");
  CHECK(seen[0].organization == "org");
  CHECK(keys() == std::vector<std::string>{"endpoints/there"});
  const auto record = records->get("endpoints/there", Deadline::never());
  REQUIRE(record.ok());
  CHECK(record->bytes.find("sk-secret") == std::string::npos);
}

TEST_CASE_FIXTURE(Remote, "remote: dimensions that are given are asked for, not learned") {
  const auto made = make_openai(TaskType::text_embedding, R"(,"dimensions":2)");
  REQUIRE(made.ok());
  CHECK(server.seen().empty());
  const auto result = infer("there", {"abc"});
  REQUIRE(result.ok());
  CHECK(server.seen()[0].body.int_or("dimensions") == 2);
  REQUIRE(remove("there").ok());
  REQUIRE(make_openai(TaskType::text_embedding, R"(,"dimensions":3)").ok());
  const auto other = infer("there", {"abc"});
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().message.find("a vector has [2] dimensions and not [3]") != std::string::npos);
}

TEST_CASE_FIXTURE(Remote, "remote: many inputs go in several requests and come back in order") {
  REQUIRE(make_openai().ok());
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < 600; ++i) inputs.emplace_back(i % 50, 'x');
  const auto result = infer("there", inputs);
  REQUIRE(result.ok());
  REQUIRE(result->dense.size() == 600);
  for (std::size_t i = 0; i < 600; ++i)
    CHECK(result->dense[i] == std::vector<float>{static_cast<float>(i % 50), 1});
  CHECK(result->tokens == 10);
  const auto seen = server.seen();
  REQUIRE(seen.size() == 3);  // one was to learn the dimensions
  CHECK(seen[1].body.find("input")->as_array().size() == 512);
  CHECK(seen[2].body.find("input")->as_array().size() == 88);
}

TEST_CASE("remote: vectors of many dimensions are asked for in smaller requests") {
  Remote remote([](const SeenRequest& request) {
    const std::size_t count = request.body.find("input")->as_array().size();
    Json data = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
      Json::Array numbers(16'384, Json(1));
      data.push(Json::object({{"index", i}, {"embedding", std::move(numbers)}}));
    }
    return ScriptedReply{.body = Json::object({{"data", std::move(data)}}).dump()};
  });
  REQUIRE(remote.make_openai(TaskType::text_embedding, R"(,"dimensions":16384)").ok());
  const auto result = remote.infer("there", std::vector<std::string>(17, "x"));
  REQUIRE(result.ok());
  CHECK(result->dense.size() == 17);
  const auto seen = remote.server.seen();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].body.find("input")->as_array().size() == 16);
}

struct Held {
  net::Signal over;  // outlives the server that waits for it
};

/// A server that answers nothing before the test ends.
struct Silent : Held, Remote {
  Silent()
      : Remote([this](const SeenRequest&) {
          over.wait();
          return ScriptedReply{.body = "{}"};
        }) {
    close();
    options.infer_timeout_ms = options.text_timeout_ms = 50;
    open();
    service->set_key_seal(backwards_seal());
  }
  ~Silent() { over.give(); }
};

TEST_CASE_FIXTURE(Silent, "remote: a call that gives no time ends after the usual one") {
  REQUIRE(make_openai(TaskType::text_embedding, R"(,"dimensions":2)").ok());
  for (const auto asked : {std::optional<std::int64_t>(), std::optional<std::int64_t>(0)}) {
    const auto result = service->infer(
        {.inference_id = "there", .input = {"a"}, .timeout_ms = asked}, Deadline::never());
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().kind == ErrorKind::timeout);
  }
}

TEST_CASE_FIXTURE(Silent, "remote: a text that gives no time ends after the usual one") {
  REQUIRE(make_openai(TaskType::chat_completion).ok());
  TextCall call = chat_call("Hello");
  call.timeout_ms = 0;
  const auto answer = service->begin_text(call, Deadline::never());
  const auto whole = answer.ok() ? gather(**answer, Deadline::never()) : answer.error();
  REQUIRE_FALSE(whole.ok());
  CHECK(whole.error().kind == ErrorKind::timeout);
}

TEST_CASE("remote: no call of another server is without an end") {
  CHECK(remote_wait(Deadline::never(), -1, 50).remaining_ms() <= 600'000);
  CHECK(remote_wait(Deadline::never(), 0, 50).remaining_ms() <= 50);
  CHECK(remote_wait(Deadline::in_ms(10), -1, 50).remaining_ms() <= 10);
  CHECK(remote_wait(Deadline::in_ms(5'000), 5'000, 50).remaining_ms() > 50);
}

TEST_CASE_FIXTURE(Remote, "remote: endpoints and their keys come back after a restart") {
  REQUIRE(make_openai().ok());
  const Json before = service->show(*service->get_endpoint("there"));
  restart_sealed();
  CHECK(service->show(*service->get_endpoint("there")) == before);
  REQUIRE(infer("there", {"abc"}).ok());
  CHECK(server.seen().back().authorization == "Bearer sk-secret");
}

TEST_CASE_FIXTURE(Remote, "remote: _update changes the key and what limits the endpoint") {
  REQUIRE(make_openai().ok());
  REQUIRE(infer("there", {"a"}).ok());
  const auto update = [&](std::string_view text) {
    return service->update_endpoint({}, "there", json(text), Deadline::never());
  };
  const auto updated = update(R"({"service_settings":{"api_key":"sk-other","max_input_tokens":1},
      "task_settings":{"user":"me"}})");
  REQUIRE(updated.ok());
  restart_sealed();
  REQUIRE(infer("there", {"abcdef"}).ok());
  const SeenRequest last = server.seen().back();
  CHECK(last.authorization == "Bearer sk-other");
  CHECK(last.body.find("input")->dump() == R"(["abc"])");
  CHECK(last.body.string_or("user") == "me");
  CHECK(refusal(update(R"({"service_settings":{"url":"http://127.0.0.1:1/"}})")) ==
        "Configuration contains settings [{url=http://127.0.0.1:1/}] unknown to the [openai] "
        "service");
  CHECK(refusal(update(R"({"service_settings":{"num_allocations":2}})")) ==
        "Configuration contains settings [{num_allocations=2}] unknown to the [openai] service");
  CHECK(refusal(update("{}")) ==
        "The request holds nothing to update; [task_settings] and [service_settings.api_key] can "
        "be updated");
}

TEST_CASE_FIXTURE(Remote, "remote: a server that refuses the key makes no endpoint") {
  ScriptedServer strict([](const SeenRequest&) {
    return ScriptedReply{.status = 401, .body = R"({"error":{"message":"Incorrect API key"}})"};
  });
  const auto made = make("openai", TaskType::text_embedding,
                         R"("model_id":"m","url":")" + strict.url("/v1") + "\"");
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().message.find("refused the API key of the endpoint, and answered with status "
                                  "401: Incorrect API key") != std::string::npos);
  CHECK(keys().empty());
  CHECK_FALSE(service->get_endpoint("there").ok());
}

TEST_CASE_FIXTURE(Remote, "remote: an id is taken once, and is free again after a deletion") {
  REQUIRE(make_openai().ok());
  const auto again = make_openai();
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().code == "resource_already_exists_exception");
  REQUIRE(remove("there").ok());
  CHECK(keys().empty());
  CHECK(make_openai().ok());
}

TEST_CASE_FIXTURE(Remote, "remote: no deployment comes of it, and no local model is held by it") {
  models.add("extra", {TaskType::text_embedding});
  REQUIRE(make("openai", TaskType::text_embedding,
               R"("model_id":"extra","dimensions":2,"url":")" + server.url("/v1") + "\"")
              .ok());
  REQUIRE(infer("there", {"a"}).ok());
  // Nothing holds the model of that name: the place where models are is asked to remove it, which
  // these cannot.
  const auto deleted = service->delete_model("extra", false, Deadline::never());
  REQUIRE_FALSE(deleted.ok());
  CHECK(deleted.error().kind == ErrorKind::unsupported);
  CHECK(keys() == std::vector<std::string>{"endpoints/there"});
}

TEST_CASE_FIXTURE(Remote, "remote: every refusal of settings has its words") {
  const std::string url = R"("url":")" + server.url("/v1") + "\"";
  const auto text = TaskType::text_embedding;
  const auto failed = std::string("Validation Failed: 1: ");
  CHECK(refusal(make("openai", TaskType::rerank, R"("model_id":"m")")) ==
        "The [openai] service does not support task type [rerank]");
  CHECK(refusal(make("cohere", TaskType::completion, R"("model_id":"m")")) ==
        "The [cohere] service does not support task type [completion]");
  CHECK(refusal(make("hugging_face", TaskType::sparse_embedding, url)) ==
        "The [hugging_face] service does not support task type [sparse_embedding]");
  CHECK(refusal(make("openai", text, url)) ==
        failed + "[service_settings] does not contain the required setting [model_id];");
  CHECK(refusal(make("hugging_face", text, R"("similarity":"cosine")")) ==
        failed + "[service_settings] does not contain the required setting [url];");
  CHECK(refusal(make("openai", text, R"("model_id":"m","url":"ftp://x/")")) ==
        failed +
            "[service_settings] [url] [ftp://x/] is not a URL: only http and https are known;");
  CHECK(refusal(make("openai", text, R"("model_id":"m","url":"http://u:p@x/")")) ==
        failed + "[service_settings] [url] [http://u:p@x/] is not a URL: it has a user name;");
  CHECK(refusal(make("openai", text, R"("model_id":"m","similarity":"near")")) ==
        failed +
            "[service_settings] Invalid value [near] received. [similarity] must be one of "
            "[cosine, dot_product, l2_norm];");
  CHECK(refusal(make("openai", text, R"("model_id":"m","dimensions":0)")) ==
        failed + "[service_settings] Invalid value [0]. [dimensions] must be a positive integer;");
  CHECK(refusal(make("openai", text, R"("model_id":"m","num_threads":1)")) ==
        "Configuration contains settings [{num_threads=1}] unknown to the [openai] service");
  CHECK(refusal(make("cohere", text, R"("model_id":"m","dimensions":4)")) ==
        "Configuration contains settings [{dimensions=4}] unknown to the [cohere] service");
  CHECK(refusal(make("cohere", text, R"("model_id":"m","embedding_type":"bit")")) ==
        failed +
            "[service_settings] Invalid value [bit] received. [embedding_type] must be one of "
            "[byte, float, int8];");
  CHECK(refusal(make("openai", text, R"("model_id":"m","rate_limit":{"requests_per_minute":0})")) ==
        failed +
            "[service_settings.rate_limit] Invalid value [0]. [requests_per_minute] must be a "
            "positive integer;");
  CHECK(refusal(make("openai", text, R"("model_id":"m","rate_limit":{"per_day":1})")) ==
        failed + "[service_settings.rate_limit] contains unknown settings [{per_day=1}];");
  CHECK(refusal(
            make("cohere", text, R"("model_id":"m")", R"(,"task_settings":{"truncate":"MID"})")) ==
        failed +
            "[task_settings] Invalid value [MID] received. [truncate] must be one of [NONE, START, "
            "END];");
  CHECK(refusal(make("openai", text, R"("model_id":"m")",
                     R"(,"task_settings":{"input_type":"search"})")) ==
        "Configuration contains settings [{input_type=search}] unknown to the [openai] service");
  CHECK(server.seen().empty());
}

TEST_CASE_FIXTURE(Remote, "remote: a key that is no key is refused without repeating it") {
  const auto put_key = [&](std::string_view key) {
    return refusal(service->put_endpoint(
        TaskType::text_embedding, "there",
        json(R"({"service":"openai","service_settings":{"model_id":"m","dimensions":2,"api_key":)" +
             std::string(key) + "}}"),
        -1, Deadline::never()));
  };
  const std::string plain =
      "Validation Failed: 1: [service_settings] [api_key] must be a text of 1 to 4096 visible "
      "ASCII characters;";
  for (const char* key :
       {R"("")", R"("sk a")", R"("sk\r\nX: y")", R"("schlüssel")", "17", R"({"id":"sk"})"}) {
    CHECK(put_key(key) == plain);
  }
  CHECK(put_key("null") ==
        "Validation Failed: 1: [service_settings] does not contain the required setting "
        "[api_key];");
}

TEST_CASE_FIXTURE(Remote, "remote: without a seal no key is taken") {
  restart();
  const auto made = make_openai();
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().message == "there is no key to seal API keys with");
  CHECK(server.seen().empty());
}

TEST_CASE("remote: hosts that are not allowed are refused at creation") {
  ServiceBench bench;
  bench.service->set_key_seal(backwards_seal());
  const auto made = bench.service->put_endpoint(
      TaskType::text_embedding, "there",
      ServiceBench::json(R"({"service":"hugging_face","service_settings":{"api_key":"k",
          "url":"http://169.254.169.254/latest"}})"),
      -1, Deadline::never());
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().kind == ErrorKind::invalid_argument);
  CHECK(made.error().message.find("inference.remote.allowed_hosts") != std::string::npos);
}

TEST_CASE_FIXTURE(Remote, "remote: the services are listed with their settings and tasks") {
  const auto all = service->services({}, Deadline::never());
  REQUIRE(all.ok());
  std::vector<std::string> names;
  for (const Json& one : all->as_array()) names.push_back(one.string_or("service"));
  CHECK(names ==
        std::vector<std::string>{"cairn", "elasticsearch", "cohere", "hugging_face", "openai"});
  const Json& openai = all->as_array()[4];
  CHECK(openai.find("task_types")->dump() ==
        R"(["text_embedding","completion","chat_completion"])");
  CHECK(openai.find_path("configurations.api_key.sensitive")->as_bool());
  CHECK_FALSE(openai.find_path("configurations.url.required")->as_bool());
  CHECK(all->as_array()[3].find_path("configurations.url.required")->as_bool());
}

struct Ranks : Remote {
  Ranks()
      : Remote([](const SeenRequest& request) {
          const bool of_cohere = request.target == "/v2/rerank";
          const auto& documents = request.body.find(of_cohere ? "documents" : "texts")->as_array();
          Json rows = Json::array();
          for (std::size_t i = documents.size(); i-- > 0;) {
            const auto score = static_cast<double>(documents[i].as_string().size()) / 64;
            rows.push(
                Json::object({{"index", i}, {of_cohere ? "relevance_score" : "score", score}}));
          }
          return ScriptedReply{.body = of_cohere
                                           ? Json::object({{"results", std::move(rows)}}).dump()
                                           : rows.dump()};
        }) {}
};

TEST_CASE_FIXTURE(Ranks, "remote: cohere ranks documents, and the endpoint's settings count") {
  const auto made = make("cohere", TaskType::rerank,
                         R"("model_id":"rerank-v3.5","url":")" + server.url("/v2") + "\"",
                         R"(,"task_settings":{"top_n":2,"return_documents":true})");
  REQUIRE_MESSAGE(made.ok(), refusal(made));
  CHECK(service->show(*made).find("task_settings")->dump() ==
        R"({"return_documents":true,"top_n":2})");
  const auto result = infer("there", {"a", "ccc", "bb"}, "q");
  REQUIRE(result.ok());
  CHECK(render(*result) == R"({"rerank":[{"index":1,"relevance_score":0.046875,"text":"ccc"},)"
                           R"({"index":2,"relevance_score":0.03125,"text":"bb"}]})");
  const auto seen = server.seen();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].body.dump() ==
        R"({"query":"q","documents":["a","ccc","bb"],"model":"rerank-v3.5"})");
  InferFields fields{.input = {{"a"}}, .query = "q"};
  fields.task_settings = Json::object({{"top_n", 1}});
  CHECK(service->check({}, "there", fields)->top_n == 1);
}

TEST_CASE_FIXTURE(Ranks,
                  "remote: a text embeddings server ranks many documents in several requests") {
  REQUIRE(make("hugging_face", TaskType::rerank, R"("url":")" + server.url("/rerank") + "\"").ok());
  std::vector<std::string> documents;
  for (std::size_t i = 0; i < 40; ++i) documents.emplace_back(i + 1, 'x');
  const auto result = infer("there", documents, "q");
  REQUIRE(result.ok());
  REQUIRE(result->rerank.size() == 40);
  for (std::size_t i = 0; i < 40; ++i) CHECK(result->rerank[i].index == 39 - i);
  CHECK(server.seen().size() == 2);
}

TEST_CASE("remote: bytes of cohere are vectors of bytes") {
  Remote remote([](const SeenRequest&) {
    return ScriptedReply{.body = R"({"embeddings":{"int8":[[-7,127]]}})"};
  });
  const auto made = remote.make(
      "cohere", TaskType::text_embedding,
      R"("model_id":"m","embedding_type":"int8","url":")" + remote.server.url("/v2") + "\"",
      R"(,"task_settings":{"input_type":"ingest","truncate":"END"})");
  REQUIRE_MESSAGE(made.ok(), remote.refusal(made));
  CHECK(made->dimensions == 2);
  CHECK(remote.server.seen()[0].target == "/v2/embed");
  const auto result = remote.infer("there", {"a"});
  REQUIRE(result.ok());
  CHECK(render(*result) == R"({"text_embedding_bytes":[{"embedding":[-7,127]}]})");
}

TEST_CASE_FIXTURE(Chats, "remote: a chat comes in pieces, with the numbers of tokens") {
  REQUIRE(make_openai(TaskType::chat_completion).ok());
  CHECK(server.seen().empty());
  const auto answer = service->begin_text(chat_call("Hello"), net::patiently());
  REQUIRE_MESSAGE(answer.ok(), answer.error().message);
  const auto whole = gather(**answer);
  REQUIRE(whole.ok());
  CHECK(whole->text == "Good day");
  CHECK(whole->finished == FinishReason::stop);
  CHECK((*answer)->prompt_tokens() == 4);
  CHECK((*answer)->new_tokens() == 2);
  CHECK((*answer)->tokenizer() == nullptr);
  CHECK(server.seen()[0].target == "/v1/chat/completions");
  CHECK(server.seen()[0].body.find("stream")->as_bool());
}

TEST_CASE("remote: a server that does not stream answers as a whole") {
  Remote remote([](const SeenRequest&) {
    return ScriptedReply{.body = R"({"choices":[{"index":0,"message":{"role":"assistant",
        "content":"Good day"},"finish_reason":"length"}],"usage":{"completion_tokens":2}})"};
  });
  REQUIRE(remote.make_openai(TaskType::completion).ok());
  const auto answer = remote.service->begin_text(chat_call("Hello"), net::patiently());
  REQUIRE(answer.ok());
  const auto whole = gather(**answer);
  REQUIRE(whole.ok());
  CHECK(whole->text == "Good day");
  CHECK(whole->finished == FinishReason::length);
  CHECK((*answer)->new_tokens() == 2);
}

TEST_CASE("remote: what goes wrong within a stream is an error behind what came") {
  for (const std::string& rest :
       {event(R"({"error":{"message":"overloaded"}})"), event("[1]"), std::string()}) {
    Remote remote([&](const SeenRequest&) {
      return ScriptedReply{.body = event(R"({"choices":[{"delta":{"content":"Go"}}]})") + rest,
                           .type = "text/event-stream"};
    });
    REQUIRE(remote.make_openai(TaskType::completion).ok());
    const auto answer = remote.service->begin_text(chat_call("Hello"), net::patiently());
    REQUIRE(answer.ok());
    const auto whole = gather(**answer);
    REQUIRE_FALSE(whole.ok());
    CHECK(whole.error().kind == ErrorKind::unavailable);
    CHECK(whole.error().message.find("of inference endpoint [there]") != std::string::npos);
  }
}

TEST_CASE("remote: a text that nobody waits for ends the connection") {
  net::Signal first;
  net::Signal gone;
  auto server = net::serve([&](net::Exchange& exchange) {
    net::Headers headers;
    headers.set("Content-Type", "text/event-stream");
    CHECK(exchange.reply.begin(200, headers, std::nullopt).ok());
    const std::string piece = event(R"({"choices":[{"delta":{"content":"x"}}]})");
    while (exchange.reply.write(piece).ok() && exchange.reply.flush().ok()) {
      first.give();
      os::sleep_ms(5, Deadline::never());
    }
    gone.give();
  });
  Remote remote;
  REQUIRE(remote
              .make("openai", TaskType::completion,
                    R"("model_id":"m","url":"http://127.0.0.1:)" + std::to_string(server->port()) +
                        R"(/v1")")
              .ok());
  {
    const auto answer = remote.service->begin_text(chat_call("Hello"), net::patiently());
    REQUIRE(answer.ok());
    CHECK(first.wait());
    CHECK((*answer)->next(net::patiently()).ok());
  }
  CHECK(gone.wait());
}

TEST_CASE("remote: a caller that leaves ends the wait for the head of an answer") {
  net::Signal asked;
  net::Signal answer;
  Remote remote([&](const SeenRequest& request) {
    asked.give();
    answer.wait();
    return answer_chat(request);
  });
  REQUIRE(remote.make_openai(TaskType::completion).ok());
  std::stop_source stop;
  std::optional<ErrorKind> kind;
  std::thread caller([&] {
    const auto begun =
        remote.service->begin_text(chat_call("Hello"), Deadline::in_ms(60'000, stop.get_token()));
    if (!begun.ok()) kind = begun.error().kind;
  });
  CHECK(asked.wait());
  stop.request_stop();
  caller.join();
  answer.give();
  CHECK(kind == ErrorKind::cancelled);
}

}  // namespace
}  // namespace cairn::inference::service_remote_test
