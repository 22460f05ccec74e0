// SPDX-License-Identifier: Apache-2.0
// Indices, documents, bulk and search over the wire forms.
#include "api/routes/msearch_routes.h"
#include "api/routes/search_routes.h"

#include <doctest/doctest.h>

#include "api/routes/analyze_routes.h"
#include "api/routes/bulk_routes.h"
#include "api/routes/cluster/cat_routes.h"
#include "api/routes/document_routes.h"
#include "api/routes/indices/index_routes.h"
#include "api/testing.h"
#include "inference/concept_model.h"

namespace cairn::api::search_routes_test {
namespace {

const os::Deadline forever = os::Deadline::never();

struct Fixture : DispatcherFixture {
  std::unique_ptr<store::Store> records = store::memory_store();
  os::Pool pool{{.name = "test", .threads = 2}};
  inference::ConceptModels models;
  std::unique_ptr<inference::Service> inference =
      inference::Service::open(*records, models, pool, clock, {.background = false}, forever)
          .value();
  std::unique_ptr<index::Indices> indices =
      index::Indices::open(*store, pool, clock, *random, {.background = false}, forever).value();
  ServerFacts facts;
  ServerSources sources;
  ingest::Ingest ingest{*indices, *inference};
  search::Service search{*inference, clock};
  std::string narrow =
      key("narrow", R"({"a":{"indices":[{"names":["mine*"],"privileges":["read","write"]}]}})");

  Fixture() {
    Router router;
    add_index_routes(router, *indices, search, {});
    add_document_routes(router, *indices, ingest, search);
    add_bulk_routes(router, *indices, ingest, clock);
    add_search_routes(router, *indices, search, clock);
    add_msearch_routes(router, *indices, search, clock);
    add_analyze_routes(router, *indices);
    add_cat_routes(router, {*indices, facts, sources}, search, clock);
    serve(std::move(router));
  }
  MemoryReply ask(std::string method, std::string target, std::string body = {},
                  const std::string& credentials = {}) const {
    MemoryRequest request{
        .method = std::move(method), .target = std::move(target), .body = std::move(body)};
    request.headers.add("Authorization", credentials.empty() ? admin : credentials);
    if (request.target.find("_bulk") != std::string::npos ||
        request.target.find("_msearch") != std::string::npos)
      request.headers.add("Content-Type", "application/x-ndjson");
    return DispatcherFixture::ask(request);
  }
};

std::string at(const MemoryReply& reply, std::string_view path) {
  const Json body = reply.json();
  const Json* found = body.find_path(path);
  if (found == nullptr) return "nothing in " + reply.body;
  return found->is_string() ? found->as_string() : found->dump();
}

}  // namespace

TEST_CASE("index routes: the life of an index") {
  const Fixture fixture;
  CHECK(fixture.ask("PUT", "/things", R"({"mappings":{"properties":{"n":{"type":"long"}}}})").body ==
        R"({"acknowledged":true,"shards_acknowledged":true,"index":"things"})");
  const auto again = fixture.ask("PUT", "/things");
  CHECK(again.status == 400);
  CHECK(at(again, "error.type") == "resource_already_exists_exception");
  CHECK(at(fixture.ask("PUT", "/Things"), "error.type") == "invalid_index_name_exception");
  CHECK(at(fixture.ask("PUT", "/other", R"({"foo":1})"), "error.type") ==
        "x_content_parse_exception");
  CHECK(fixture.ask("HEAD", "/things").status == 200);
  CHECK(fixture.ask("HEAD", "/absent").status == 404);
  CHECK(fixture.ask("PUT", "/things/_mapping", R"({"properties":{"t":{"type":"text"}}})").body ==
        R"({"acknowledged":true})");
  const auto mapping = fixture.ask("GET", "/things/_mapping");
  CHECK(at(mapping, "things.mappings.properties.n.type") == "long");
  CHECK(at(mapping, "things.mappings.properties.t.type") == "text");
  CHECK(at(fixture.ask("GET", "/things/_settings"), "things.settings.index.number_of_shards") == "1");
  CHECK(fixture.ask("GET", "/things").status == 200);
  CHECK(at(fixture.ask("GET", "/absent"), "error.reason") == "no such index [absent]");
  CHECK(at(fixture.ask("POST", "/things/_refresh"), "_shards.successful") == "1");
  CHECK(at(fixture.ask("GET", "/things/_stats"), "_all.primaries.docs.count") == "0");
  CHECK(fixture.ask("GET", "/_cat/indices?h=index,docs.count&v").body ==
        "index  docs.count\nthings          0\n");
  CHECK(at(fixture.ask("DELETE", "/th*"), "error.type") == "illegal_argument_exception");
  CHECK(fixture.ask("DELETE", "/things").body == R"({"acknowledged":true})");
  CHECK(fixture.ask("DELETE", "/things").status == 404);
}

TEST_CASE("document routes: write, get, update, delete") {
  const Fixture fixture;
  const auto made = fixture.ask("PUT", "/i/_doc/1?refresh=true", R"({"a": 1,"b":{"c":2}})");
  CHECK(made.status == 201);
  CHECK(made.body ==
        R"({"_index":"i","_id":"1","_version":1,"result":"created","forced_refresh":true,)"
        R"("_shards":{"total":1,"successful":1,"failed":0},"_seq_no":0,"_primary_term":1})");
  CHECK(made.headers.find("location") == "/i/_doc/1");
  CHECK(fixture.ask("GET", "/i/_doc/1").body ==
        R"({"_index":"i","_id":"1","_version":1,"_seq_no":0,"_primary_term":1,"found":true,)"
        R"("_source":{"a": 1,"b":{"c":2}}})");
  CHECK(fixture.ask("GET", "/i/_source/1?_source_includes=b").body == R"({"b":{"c":2}})");
  const auto missing = fixture.ask("GET", "/i/_doc/2");
  CHECK(missing.status == 404);
  CHECK(missing.body == R"({"_index":"i","_id":"2","found":false})");
  CHECK(fixture.ask("HEAD", "/i/_doc/1").status == 200);
  CHECK(fixture.ask("PUT", "/i/_create/1", "{}").status == 409);
  CHECK(at(fixture.ask("POST", "/i/_update/1", R"({"doc":{"a":1}})"), "result") == "noop");
  CHECK(at(fixture.ask("POST", "/i/_update/1?_source=true", R"({"doc":{"a":5}})"), "get._source.a") ==
        "5");
  CHECK(at(fixture.ask("POST", "/i/_update/1", R"({"script":"x"})"), "error.type") ==
        "illegal_argument_exception");
  CHECK(fixture.ask("PUT", "/i/_doc/1?if_seq_no=0&if_primary_term=1", "{}").status == 409);
  CHECK(at(fixture.ask("PUT", "/i/_doc/3", R"({"a":"x"})"), "error.type") ==
        "document_parsing_exception");
  CHECK(fixture.ask("POST", "/i/_doc", R"({"a":2})").status == 201);
  const auto several = fixture.ask("POST", "/i/_mget", R"({"ids":["1","9"]})");
  CHECK(several.json().find("docs")->as_array().size() == 2);
  CHECK(fixture.ask("DELETE", "/i/_doc/1").status == 200);
  const auto gone = fixture.ask("DELETE", "/i/_doc/1");
  CHECK(gone.status == 404);
  CHECK(at(gone, "result") == "not_found");
}

TEST_CASE("bulk routes: items, their errors, and rights for each index") {
  const Fixture fixture;
  const auto reply = fixture.ask("POST", "/_bulk?refresh=wait_for",
                               "{\"index\":{\"_index\":\"mine\",\"_id\":\"1\"}}\n{\"a\":1}\n"
                               "{\"create\":{\"_index\":\"mine\",\"_id\":\"1\"}}\n{\"a\":1}\n"
                               "{\"delete\":{\"_index\":\"mine\",\"_id\":\"9\"}}\n"
                               "{\"index\":{\"_index\":\"mine\",\"_id\":\"2\"}}\n{\"a\":\"x\"}\n");
  CHECK(reply.status == 200);
  CHECK(at(reply, "errors") == "true");
  const Json body = reply.json();
  const auto& items = body.find("items")->as_array();
  REQUIRE(items.size() == 4);
  CHECK(items[0].find_path("index.status")->as_int() == 201);
  CHECK(items[1].find_path("create.status")->as_int() == 409);
  CHECK(items[1].find_path("create.error.type")->as_string() ==
        "version_conflict_engine_exception");
  CHECK(items[2].find_path("delete.result")->as_string() == "not_found");
  CHECK(items[3].find_path("index.error.type")->as_string() == "document_parsing_exception");
  CHECK(at(fixture.ask("GET", "/mine/_count"), "count") == "1");

  const auto narrow = fixture.ask("PUT", "/_bulk",
                                "{\"index\":{\"_index\":\"mine\",\"_id\":\"3\"}}\n{}\n"
                                "{\"index\":{\"_index\":\"theirs\",\"_id\":\"3\"}}\n{}\n"
                                "{\"index\":{\"_index\":\"mine-too\",\"_id\":\"3\"}}\n{}\n",
                                fixture.narrow);
  const Json narrow_body = narrow.json();
  const auto& rights = narrow_body.find("items")->as_array();
  CHECK(rights[0].find_path("index.status")->as_int() == 201);
  CHECK(rights[1].find_path("index.status")->as_int() == 403);
  CHECK(rights[2].find_path("index.status")->as_int() == 403);  // may not make an index
  CHECK(at(fixture.ask("POST", "/_bulk", "{}"), "error.type") == "illegal_argument_exception");
}

TEST_CASE("search routes: search, count, several at once, and what a key may see") {
  const Fixture fixture;
  for (const auto* target : {"/mine/_doc/1?refresh", "/theirs/_doc/1?refresh"})
    CHECK(fixture.ask("PUT", target, R"({"title":"the sea"})").status == 201);
  CHECK(at(fixture.ask("GET", "/_search?q=sea"), "hits.total.value") == "2");
  CHECK(at(fixture.ask("GET", "/_search?q=sea", "", fixture.narrow), "hits.total.value") == "1");
  CHECK(fixture.ask("GET", "/theirs/_search", "", fixture.narrow).status == 403);
  CHECK(at(fixture.ask("POST", "/mine/_search", R"({"query":{"match":{"title":"sea"}}})"),
           "hits.total.relation") == "eq");
  CHECK(at(fixture.ask("POST", "/mine/_search?rest_total_hits_as_int=true"), "hits.total") == "1");
  const auto wrong = fixture.ask("POST", "/mine/_search", "{\"query\":\n{\"foo\":{}}}");
  CHECK(wrong.status == 400);
  CHECK(at(wrong, "error.type") == "parsing_exception");
  CHECK(at(wrong, "error.line") == "2");
  const auto window = fixture.ask("GET", "/mine/_search?from=10000");
  CHECK(window.status == 400);
  CHECK(at(window, "error.phase") == "query");
  CHECK(at(window, "error.grouped") == "true");
  CHECK(at(fixture.ask("GET", "/absent/_search"), "status") == "404");
  const auto several = fixture.ask("POST", "/_msearch",
                                 "{\"index\":\"mine\"}\n{}\n{\"index\":[\"absent\"]}\n{}\n"
                                 "{}\n{\"size\":0}\n{\"index\":\"theirs\"}\n{}\n",
                                 fixture.narrow);
  const Json body = several.json();
  const auto& responses = body.find("responses")->as_array();
  REQUIRE(responses.size() == 4);
  CHECK(responses[0].int_or("status") == 200);
  CHECK(responses[1].int_or("status") == 403);
  CHECK(responses[2].find_path("hits.total.value")->as_int() == 1);
  CHECK(responses[3].int_or("status") == 403);
}

TEST_CASE("analyze: named, of a field, and put together") {
  const Fixture fixture;
  REQUIRE(fixture
              .ask("PUT", "/i", R"({"mappings":{"properties":{
      "t":{"type":"text","analyzer":"english"}}}})")
              .status == 200);
  CHECK(fixture.ask("POST", "/i/_analyze", R"({"field":"t","text":"The foxes"})").body ==
        R"({"tokens":[{"token":"fox","start_offset":4,"end_offset":9,"type":"<ALPHANUM>",)"
        R"("position":1}]})");
  CHECK(at(fixture.ask("GET", "/i/_analyze", R"({"analyzer":"nope","text":"a"})"), "error.reason") ==
        "failed to find analyzer [nope]");
  const auto custom = fixture.ask(
      "POST", "/i/_analyze", R"({"tokenizer":"whitespace","filter":["lowercase"],"text":"A-B c"})");
  CHECK(custom.json().find("tokens")->as_array().size() == 2);
}

}  // namespace cairn::api::search_routes_test
