// SPDX-License-Identifier: Apache-2.0
// Answers with documents are bounded before they are in memory: _mget, _search, _msearch, _bulk.
#include <doctest/doctest.h>

#include "api/routes/bulk_routes.h"
#include "api/routes/document_routes.h"
#include "api/routes/msearch_routes.h"
#include "api/routes/search_routes.h"
#include "api/testing.h"
#include "inference/concept_model.h"

namespace cairn::api::answer_bounds_test {
namespace {

const os::Deadline forever = os::Deadline::never();
constexpr std::size_t most = 10'000;

/// Three documents of 3,000 bytes each, where an answer may have 10,000.
struct Fixture : DispatcherFixture {
  std::unique_ptr<store::Store> records = store::memory_store();
  os::Pool pool{{.name = "test", .threads = 2}};
  inference::ConceptModels models;
  std::unique_ptr<inference::Service> inference =
      inference::Service::open(*records, models, pool, clock, {.background = false}, forever)
          .value();
  std::unique_ptr<index::Indices> indices =
      index::Indices::open(*store, pool, clock, *random, {.background = false}, forever).value();
  ingest::Ingest ingest{*indices, *inference, {.answer_bytes_max = most}};
  search::Service search{*inference, clock, {.answer_bytes_max = most}};

  Fixture() {
    Router router;
    add_document_routes(router, *indices, ingest, search, most);
    add_bulk_routes(router, *indices, ingest, clock);
    add_search_routes(router, *indices, search, clock);
    add_msearch_routes(router, *indices, search, clock);
    serve(std::move(router));
    for (const char* id : {"1", "2", "3"})
      REQUIRE(ask("PUT", "/i/_doc/" + std::string(id) + "?refresh=true",
                  Json::object({{"n", 0}, {"text", std::string(2980, 'x')}}).dump())
                  .status == 201);
  }
  MemoryReply lines(const std::string& target, const std::string& body) const {
    MemoryRequest request{.method = "POST", .target = target, .body = body};
    request.headers.add("Authorization", admin);
    request.headers.add("Content-Type", "application/x-ndjson");
    return DispatcherFixture::ask(request);
  }
};

std::string type_of(const Json& body) {
  const Json* type = body.find_path("error.type");
  return type == nullptr ? "no error" : type->as_string();
}

TEST_CASE("answers: one document may not be asked for without end") {
  const Fixture fixture;
  const auto ask = [&](int times, const std::string& query = "") {
    Json ids = Json::array();
    for (int i = 0; i < times; ++i) ids.push("1");
    return fixture.ask("POST", "/i/_mget" + query, Json::object({{"ids", ids}}).dump());
  };
  CHECK(ask(3).json().find("docs")->as_array().size() == 3);
  const auto refused = ask(4);
  CHECK(refused.status == 429);
  CHECK(type_of(refused.json()) == "circuit_breaking_exception");
  const std::string reason = refused.json().find_path("error.reason")->as_string();
  CHECK(reason.starts_with("[request] Data too large: the answer would take ["));
  CHECK(
      reason.ends_with("] bytes, which is larger than the limit of [10000]; ask for fewer "
                       "documents, or for less of each with [_source]"));
  // What is left out does not count.
  CHECK(ask(60, "?_source=false").status == 200);
  CHECK(ask(60, "?_source=n").status == 200);
}

TEST_CASE("answers: hits of a search") {
  const Fixture fixture;
  CHECK(fixture.ask("POST", "/i/_search").status == 200);
  REQUIRE(fixture
              .ask("PUT", "/i/_doc/4?refresh=true",
                   Json::object({{"n", 0}, {"text", std::string(2980, 'x')}}).dump())
              .status == 201);
  const auto refused = fixture.ask("POST", "/i/_search");
  CHECK(refused.status == 429);
  CHECK(type_of(refused.json()) == "circuit_breaking_exception");
  CHECK(fixture.ask("POST", "/i/_search?size=3").status == 200);
  CHECK(fixture.ask("POST", "/i/_search?_source=n").status == 200);
  CHECK(fixture.ask("POST", "/i/_search?_source=false").status == 200);
  CHECK(type_of(fixture.ask("POST", "/i/_search", R"({"_source": false, "fields": ["text"]})")
                    .json()) == "circuit_breaking_exception");
}

TEST_CASE("answers: the searches of an _msearch share one bound") {
  const Fixture fixture;
  const auto reply =
      fixture.lines("/i/_msearch", "{}\n{\"size\":2}\n{}\n{}\n{}\n{\"_source\":[\"n\"]}\n");
  CHECK(reply.status == 200);
  CHECK(reply.body.size() < most + 1000);
  const Json body = reply.json();
  const Json::Array& responses = body.find("responses")->as_array();
  REQUIRE(responses.size() == 3);
  CHECK(responses[0].find("status")->as_int() == 200);
  CHECK(responses[1].find("status")->as_int() == 429);
  CHECK(type_of(responses[1]) == "circuit_breaking_exception");
  CHECK(responses[2].find("status")->as_int() == 200);
}

TEST_CASE("answers: an update of a bulk that would give back too much is not done") {
  const Fixture fixture;
  for (const char* repeat : {"", R"(,"retry_on_conflict":1)"}) {
    CAPTURE(repeat);
    std::string body;
    for (int i = 0; i < 5; ++i)
      body += R"({"update":{"_index":"i","_id":"1")" + std::string(repeat) +
              (i < 4 ? R"(,"_source":true)" : R"(,"_source":false)") + "}}\n" + R"({"doc":{"n":)" +
              std::to_string(i + (*repeat == 0 ? 10 : 20)) + "}}\n";
    const Json reply = fixture.lines("/_bulk", body).json();
    const Json::Array& items = reply.find("items")->as_array();
    REQUIRE(items.size() == 5);
    const bool known_before = *repeat == 0;  // how long the document will be
    for (std::size_t i = 0; i < 5; ++i) {
      const Json& item = *items[i].find("update");
      const bool fits = i < 3 || i == 4 || !known_before;
      CHECK(item.find("status")->as_int() == (fits ? 200 : 429));
      CHECK((item.find("get") != nullptr) == (fits && i < 4));
    }
    CHECK(fixture.ask("GET", "/i/_source/1?_source=n").body ==
          (known_before ? R"({"n":14})" : R"({"n":24})"));
  }
}

}  // namespace
}  // namespace cairn::api::answer_bounds_test
