// SPDX-License-Identifier: Apache-2.0
#include "api/dispatcher.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/routes/cluster/catalogue_routes.h"
#include "api/routes/security/security_routes.h"
#include "api/routes/cluster/system_routes.h"
#include "api/testing.h"

namespace cairn::api::dispatcher_test {
namespace {

Result<Reply> put_thing(Call& call) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "thing");
  CAIRN_TRY(const auto name, fields.required_string("name"));
  CAIRN_TRY(const Json* settings, fields.object("settings"));
  if (settings != nullptr) {
    Fields inner = fields.nested(*settings, "settings", "thing_settings");
    CAIRN_CHECK(inner.integer("size"));
    CAIRN_CHECK(inner.finish());
  }
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool flag, call.flag("flag", false));
  CAIRN_TRY(const auto size, call.integer("size", 1));
  CAIRN_TRY(const auto timeout, call.time("timeout", 30'000));
  return Reply::json(Json::object({{"id", call.path("id")},
                                   {"name", name},
                                   {"flag", flag},
                                   {"size", size},
                                   {"timeout", timeout}}),
                     201);
}

struct Fixture : DispatcherFixture {
  Options options;
  ServerFacts facts{.cluster_name = "cairn",
                    .cluster_uuid = "u",
                    .node_name = "n",
                    .node_id = "i",
                    .version = "0.1.0",
                    .address = "127.0.0.1:9200"};
  ServerSources sources;

  explicit Fixture(Options o = {}) : options(std::move(o)) {
    Router router;
    add_system_routes(router, facts, sources, metrics, clock, options);
    add_security_routes(router, books);
    router.add({.method = "PUT",
                .path = "/_thing/{id}",
                .operation = "thing.put",
                .cluster = {"manage_inference"},
                .query = {{"flag", "boolean"}, {"size", "integer"}, {"timeout", "time"}},
                .body_required = true},
               put_thing);
    router.add({.method = "GET", .path = "/_throw", .operation = "throw", .cluster = {"monitor"}},
               [](Call&) -> Result<Reply> { throw std::runtime_error("secret detail"); });
    add_catalogue_routes(router, "0.1.0", options, facts);
    serve(std::move(router), options);
  }
};

std::string reason_of(const MemoryReply& reply) {
  const Json body = reply.json();
  const Json* reason = body.find_path("error.reason");
  return reason != nullptr ? reason->as_string() : body.string_or("error");
}

std::string type_of(const MemoryReply& reply) {
  const Json body = reply.json();
  const Json* type = body.find_path("error.type");
  return type != nullptr ? type->as_string() : "";
}

}  // namespace

TEST_CASE("dispatcher: an answer, with its parameters, and the product on every reply") {
  const Fixture fixture;
  const auto reply = fixture.ask("PUT", "/_thing/a%2Fb?flag&size=5&timeout=2s", R"({"name":"x"})");
  CHECK(reply.status == 201);
  CHECK(reply.body == R"({"id":"a/b","name":"x","flag":true,"size":5,"timeout":2000})");
  CHECK(reply.headers.find("x-elastic-product") == "Elasticsearch");
  CHECK(reply.headers.find("content-type") == "application/json");
  CHECK(fixture.ask("GET", "/_nothing/here").headers.find("x-elastic-product") == "Elasticsearch");
}

TEST_CASE("dispatcher: without a key everything but health is 401, known or not") {
  const Fixture fixture;
  for (const auto* target : {"/", "/_thing/a", "/_nothing/here", "/_metrics", "/_openapi.json"}) {
    const auto reply = fixture.ask(MemoryRequest{.target = target});
    CHECK_MESSAGE(reply.status == 401, target);
    CHECK(reason_of(reply) ==
          "missing authentication credentials for REST request [" + std::string(target) + "]");
    CHECK(reply.headers.joined("www-authenticate") ==
          "Basic realm=\"security\", charset=\"UTF-8\", ApiKey");
    CHECK(reply.json().find_path("error.header") != nullptr);
  }
  CHECK(fixture.ask(MemoryRequest{.target = "/_health/live"}).body == "live\n");
}

TEST_CASE("dispatcher: unknown paths and wrong methods have their own sentences") {
  const Fixture fixture;
  auto reply = fixture.ask("PUT", "/a/b?x");
  CHECK(reply.status == 400);
  CHECK(reply.body == R"({"error":"no handler found for uri [/a/b?x] and method [PUT]"})");
  reply = fixture.ask("POST", "/_thing/a");
  CHECK(reply.status == 405);
  CHECK(reply.headers.find("allow") == "PUT");
  CHECK(
      reply.body ==
      R"({"error":"Incorrect HTTP method for uri [/_thing/a] and method [POST], allowed: [PUT]","status":405})");
  CHECK(fixture.ask("OPTIONS", "/_thing/a").status == 200);
}

TEST_CASE("dispatcher: 403 names the action and what would admit") {
  Fixture fixture;
  MemoryRequest request{.method = "PUT", .target = "/_thing/a", .body = "{}"};
  request.headers.add("Authorization", fixture.cluster_key("weak", R"(["monitor"])"));
  const auto reply = fixture.ask(request);
  CHECK(reply.status == 403);
  CHECK(type_of(reply) == "security_exception");
  CHECK(reason_of(reply) ==
        "action [cluster:admin/thing/put] is unauthorized for API key id [weak] of user [admin], "
        "this action is granted by the cluster privileges [manage_inference,manage,all]");
}

TEST_CASE("dispatcher: parameters that are unknown or of the wrong type") {
  const Fixture fixture;
  const auto reason = [&](const char* query) {
    const auto reply = fixture.ask("PUT", std::string("/_thing/a?") + query, R"({"name":"x"})");
    CHECK(reply.status == 400);
    CHECK(type_of(reply) == "illegal_argument_exception");
    return reason_of(reply);
  };
  CHECK(reason("flg=1") ==
        "request [/_thing/a] contains unrecognized parameter: [flg] -> did you mean [flag]?");
  CHECK(reason("zzzzzz&yyyyyy") ==
        "request [/_thing/a] contains unrecognized parameters: [zzzzzz], [yyyyyy]");
  CHECK(reason("flag=yes") == "Failed to parse value [yes] as only [true] or [false] are allowed.");
  CHECK(reason("size=abc") == "Failed to parse int parameter [size] with value [abc]");
  CHECK(reason("timeout=5").find("unit is missing or unrecognized") != std::string::npos);
  CHECK(reason("pretty=maybe") ==
        "Failed to parse value [maybe] as only [true] or [false] are allowed.");
  CHECK(reason("format=cbor").find("[cbor]") != std::string::npos);
  CHECK(reason("a=%zz").find("%") != std::string::npos);
}

TEST_CASE(
    "dispatcher: bodies that are missing, broken, too deep, too large, or have unknown fields") {
  const Fixture fixture({.json_body_bytes_max = 1000});
  auto reply = fixture.ask("PUT", "/_thing/a");
  CHECK(reply.status == 400);
  CHECK(type_of(reply) == "parse_exception");
  CHECK(reason_of(reply) == "request body is required");

  reply = fixture.ask("PUT", "/_thing/a", "{\"name\":\n  oops}");
  CHECK(reply.status == 400);
  CHECK(type_of(reply) == "x_content_parse_exception");
  CHECK(reason_of(reply).starts_with("[2:3]"));
  CHECK(reply.json().find_path("error.line")->as_int() == 2);
  CHECK(reply.json().find_path("error.col")->as_int() == 3);

  reply = fixture.ask("PUT", "/_thing/a", std::string(300, '[') + std::string(300, ']'));
  CHECK(reply.status == 400);
  reply = fixture.ask("PUT", "/_thing/a", "[]");
  CHECK(reply.status == 400);

  reply = fixture.ask("PUT", "/_thing/a", "{\"name\":\"" + std::string(2000, 'x') + "\"}");
  CHECK(reply.status == 413);
  CHECK(reason_of(reply).ends_with("bytes, the limit that [api.json_body_max] sets"));

  reply = fixture.ask("PUT", "/_thing/a", R"({"name":"x","setings":{}})");
  CHECK(reason_of(reply) == "[1:13] [thing] unknown field [setings] did you mean [settings]?");
  reply = fixture.ask("PUT", "/_thing/a", R"({"name":"x","settings":{"size":[]}})");
  CHECK(reason_of(reply) ==
        "[1:32] [thing_settings] size doesn't support values of type: START_ARRAY");
  reply = fixture.ask("PUT", "/_thing/a", "{\"name\":\"x\",\n \"settings\":{\n  \"sise\":1}}");
  CHECK(reason_of(reply) == "[3:3] [thing_settings] unknown field [sise] did you mean [size]?");
}

TEST_CASE("dispatcher: media types") {
  const Fixture fixture;
  MemoryRequest request{.method = "PUT", .target = "/_thing/a", .body = R"({"name":"x"})"};
  request.headers.add("Authorization", fixture.admin);
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  auto reply = fixture.ask(request);
  CHECK(reply.status == 406);
  CHECK(reason_of(reply) ==
        "Content-Type header [application/x-www-form-urlencoded] is not supported");
  request.headers.set("Content-Type", "application/vnd.elasticsearch+json; compatible-with=9");
  request.headers.set("Accept", "application/vnd.elasticsearch+json; compatible-with=9");
  reply = fixture.ask(request);
  CHECK(reply.status == 201);
  CHECK(reply.headers.find("content-type") ==
        "application/vnd.elasticsearch+json;compatible-with=9");
  request.target += "?format=yaml";
  reply = fixture.ask(request);
  CHECK(reply.headers.find("content-type") == "application/yaml");
  CHECK(reply.body.starts_with("---\nid: \"a\"\n"));
}

TEST_CASE("dispatcher: pretty, filter_path and error_trace shape errors too") {
  const Fixture fixture;
  CHECK(fixture.ask("GET", "/?filter_path=tagline,version.number&pretty").body ==
        "{\n  \"version\" : {\n    \"number\" : \"9.1.0\"\n  },\n  \"tagline\" : \"You Know, for "
        "Search\"\n}\n");
  CHECK(fixture.ask("PUT", "/_thing/a?filter_path=status").body == R"({"status":400})");
  CHECK(fixture.ask("PUT", "/_thing/a?error_trace").json().find_path("error.stack_trace") != nullptr);
  CHECK(fixture.ask("PUT", "/_thing/a").json().find_path("error.stack_trace") == nullptr);
  const auto refused = fixture.ask(MemoryRequest{.target = "/?error_trace=true"});
  CHECK(refused.status == 401);
  CHECK(refused.json().find_path("error.stack_trace") == nullptr);
}

TEST_CASE("dispatcher: a handler that throws is a 500 that tells nothing") {
  const Fixture fixture;
  const auto reply = fixture.ask("GET", "/_throw");
  CHECK(reply.status == 500);
  CHECK(reply.body.find("secret detail") == std::string::npos);
  CHECK(reply.body.find("test-request") != std::string::npos);
}

TEST_CASE("dispatcher: X-Opaque-Id comes back") {
  const Fixture fixture;
  MemoryRequest request{.target = "/"};
  request.headers.add("Authorization", fixture.admin);
  request.headers.add("X-Opaque-Id", "trace-7");
  CHECK(fixture.ask(request).headers.find("x-opaque-id") == "trace-7");
}

TEST_CASE("dispatcher: base_path puts all routes under a prefix, but not the probes") {
  const Fixture fixture({.base_path = "/search"});
  CHECK(fixture.ask("GET", "/search").status == 200);
  CHECK(fixture.ask("GET", "/search/").status == 200);
  CHECK(fixture.ask("GET", "/search/_license").status == 200);
  CHECK(fixture.ask("GET", "/_license").status == 400);
  CHECK(fixture.ask("GET", "/searching").status == 400);
  CHECK(fixture.ask("GET", "/_health/ready").status == 200);
}

TEST_CASE("system routes: who this is, the licence, the nodes, health") {
  const Fixture fixture;
  const Json info = fixture.ask("GET", "/").json();
  CHECK(info.string_or("tagline") == "You Know, for Search");
  CHECK(info.find_path("version.build_flavor")->as_string() == "default");
  CHECK(fixture.ask("HEAD", "/").status == 200);
  CHECK(fixture.ask("GET", "/_license").json().find_path("license.status")->as_string() == "active");
  CHECK(fixture.ask("GET", "/_nodes/_all/http")
            .json()
            .find_path("nodes.i.http.publish_address")
            ->as_string() == "127.0.0.1:9200");
  const auto health = fixture.ask("GET", "/_cluster/health?wait_for_status=green&timeout=0");
  CHECK(health.status == 200);
  CHECK(health.json().string_or("status") == "green");
  const auto late = fixture.ask("GET", "/_cluster/health?wait_for_nodes=2&timeout=0");
  CHECK(late.status == 408);
  CHECK(late.json().bool_or("timed_out"));
  CHECK(fixture.ask("GET", "/_cluster/health?wait_for_status=blue").status == 400);
  CHECK(fixture.ask("GET", "/_metrics").body.find("cairn_http_requests_total") != std::string::npos);
}

TEST_CASE("catalogue: every row is listed, and in the OpenAPI document with its versions") {
  const Fixture fixture;
  const Json routes = fixture.ask("GET", "/_cairn/routes").json();
  CHECK(routes.find("routes")->as_array().size() == fixture.dispatcher->routes().size());
  const Json document = fixture.ask("GET", "/_openapi.json").json();
  CHECK(document.string_or("openapi") == "3.1.0");
  std::vector<std::string> ids;
  for (const auto& route : fixture.dispatcher->routes()) {
    const Json* path = document.find("paths")->find(route.path);
    REQUIRE_MESSAGE(path != nullptr, route.path);
    std::string method = route.method;
    for (auto& c : method) c = static_cast<char>(c | 0x20);
    const Json* row = path->find(method);
    REQUIRE_MESSAGE(row != nullptr, route.method << " " << route.path);
    CHECK(row->find_path("x-cairn.since")->as_string() == route.since);
    const std::string id = row->string_or("operationId");
    CHECK(std::find(ids.begin(), ids.end(), id) == ids.end());
    ids.push_back(id);
  }
}

// --- API keys over the wire

TEST_CASE("security: a key is made, used, looked at, changed and ended") {
  const Fixture fixture;
  const Json made = fixture
                        .ask("POST", "/_security/api_key", R"({"name":"app","expiration":"1d",
      "role_descriptors":{"r":{"cluster":["monitor"]}},"metadata":{"team":"a"}})")
                        .json();
  const std::string id = made.string_or("id");
  CHECK(id.size() == 20);
  CHECK(made.string_or("api_key").size() == 22);
  CHECK(made.int_or("expiration") == fixture.clock.unix_ms() + 86'400'000);
  CHECK(made.string_or("encoded") == auth::encoded_key(id, made.string_or("api_key")));

  MemoryRequest request{.target = "/_security/_authenticate"};
  request.headers.add("Authorization", "ApiKey " + made.string_or("encoded"));
  const Json who = fixture.ask(request).json();
  CHECK(who.find_path("api_key.id")->as_string() == id);
  CHECK(who.string_or("authentication_type") == "api_key");
  request.target = "/_security/api_key";
  CHECK(fixture.ask(request).status == 403);

  const Json shown = fixture.ask("GET", "/_security/api_key?id=" + id + "&with_limited_by").json();
  const Json& one = shown.find("api_keys")->as_array().at(0);
  CHECK(one.string_or("name") == "app");
  CHECK_FALSE(one.bool_or("invalidated", true));
  CHECK(one.find_path("metadata.team")->as_string() == "a");
  CHECK(one.find("limited_by")->is_array());
  CHECK(one.dump().find(made.string_or("api_key")) == std::string::npos);

  CHECK(fixture.ask("PUT", "/_security/api_key/" + id, R"({"metadata":{"team":"b"}})")
            .json()
            .bool_or("updated"));
  CHECK_FALSE(fixture.ask("PUT", "/_security/api_key/" + id, R"({"metadata":{"team":"b"}})")
                  .json()
                  .bool_or("updated", true));
  const Json ended =
      fixture.ask("DELETE", "/_security/api_key", R"({"ids":[")" + id + R"("]})").json();
  CHECK(ended.dump() == R"({"invalidated_api_keys":[")" + id +
                            R"("],"previously_invalidated_api_keys":[],"error_count":0})");
  request.target = "/";
  CHECK(fixture.ask(request).status == 401);
}

TEST_CASE("security: keys that are not there") {
  const Fixture fixture;
  const auto missing = fixture.ask("GET", "/_security/api_key?id=nobody");
  CHECK(missing.status == 404);
  CHECK(missing.body == R"({"api_keys":[]})");
  CHECK(fixture.ask("GET", "/_security/api_key?name=nobody").status == 200);
  CHECK(fixture.ask("PUT", "/_security/api_key/nobody", "{}").status == 404);
  CHECK(fixture.ask("DELETE", "/_security/api_key", "{}").status == 400);
}

TEST_CASE("security: a key with manage_own_api_key sees itself and what it made") {
  Fixture fixture;
  MemoryRequest request{.method = "POST",
                        .target = "/_security/api_key",
                        .body = R"({"name":"child","role_descriptors":{"none":{}}})"};
  request.headers.add("Authorization", fixture.cluster_key("own", R"(["manage_own_api_key"])"));
  CHECK(fixture.ask(request).status == 200);
  request = {.target = "/_security/api_key?owner=true", .headers = request.headers};
  CHECK(fixture.ask(request).json().find("api_keys")->as_array().size() == 2);
  request.target = "/_security/api_key?id=admin";
  CHECK(fixture.ask(request).status == 403);
  request = {.method = "DELETE",
             .target = "/_security/api_key",
             .headers = request.headers,
             .body = R"({"name":"*"})"};
  CHECK(fixture.ask(request).status == 403);
  request.body = R"({"owner":true,"name":"child"})";
  CHECK(fixture.ask(request).json().find("invalidated_api_keys")->as_array().size() == 1);
  request = {.method = "PUT",
             .target = "/_security/api_key/admin",
             .headers = request.headers,
             .body = "{}"};
  CHECK(fixture.ask(request).status == 404);
}

TEST_CASE("security: searching keys") {
  const Fixture fixture;
  for (const auto* name : {"b", "a", "c"})
    fixture.ask("POST", "/_security/api_key",
              std::string(R"({"name":")") + name + R"(","metadata":{"n":")" + name + R"("}})");
  const auto names = [&](const char* body) {
    const auto reply = fixture.ask("POST", "/_security/_query/api_key", body);
    REQUIRE_MESSAGE(reply.status == 200, reply.body);
    std::string out;
    const Json json = reply.json();
    for (const auto& key : json.find("api_keys")->as_array()) out += key.string_or("name") + " ";
    return out + std::to_string(json.int_or("total"));
  };
  CHECK(names(R"({"query":{"prefix":{"metadata.n":"b"}}})") == "b 1");
  CHECK(names(R"({"query":{"exists":{"field":"metadata.n"}},"sort":["name"]})") == "a b c 3");
  CHECK(names(R"({"query":{"bool":{"must_not":{"term":{"name":"admin"}}}},
      "sort":[{"name":"desc"}],"size":2})") == "c b 3");
  CHECK(names(R"({"query":{"bool":{"must_not":{"term":{"name":"admin"}}}},
      "sort":[{"name":"desc"}],"search_after":["b"]})") == "a 3");
  CHECK(names(R"({"query":{"terms":{"name":["a","c"]}},"sort":"name","from":1})") == "c 2");
  CHECK(names(R"({"query":{"range":{"creation":{"lt":0}}}})") == "0");
  for (const auto* wrong :
       {R"({"query":{"fuzzy":{"name":"a"}}})", R"({"query":{"term":{"secret_sha256":"a"}}})",
        R"({"aggs":{}})", R"({"sort":["nothing"]})", R"({"size":10001})"})
    CHECK(fixture.ask("POST", "/_security/_query/api_key", wrong).status == 400);
}

TEST_CASE("security: privileges are asked and listed") {
  Fixture fixture;
  MemoryRequest request{.method = "POST",
                        .target = "/_security/user/_has_privileges",
                        .body = R"({"cluster":["monitor","manage"],
                            "index":[{"names":["logs-1","x"],"privileges":["read"]}]})"};
  request.headers.add("Authorization", fixture.key("r", R"({"r":{"cluster":["monitor"],
      "indices":[{"names":["logs-*"],"privileges":["read"]}]}})"));
  CHECK(
      fixture.ask(request).body ==
      R"({"username":"admin","has_all_requested":false,"cluster":{"monitor":true,"manage":false},"index":{"logs-1":{"read":true},"x":{"read":false}},"application":{}})");
  const Json builtin = fixture.ask("GET", "/_security/privilege/_builtin").json();
  CHECK(builtin.find("cluster")->as_array().size() > 40);
  CHECK(builtin.find("index")->as_array().size() > 15);
}

}  // namespace cairn::api::dispatcher_test
