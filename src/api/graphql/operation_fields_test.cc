// SPDX-License-Identifier: Apache-2.0
#include "api/graphql/operation_fields.h"

#include <doctest/doctest.h>

#include "api/graphql/graphql_service.h"

namespace cairn::api {
namespace {

std::vector<gate::Route> graphql_test_rows() {
  return {
      {.method = "GET",
       .path = "/_things",
       .operation = "thing.get_all",
       .summary = "Shows \"all\"."},
      {.method = "GET",
       .path = "/_things/{thing_id}",
       .operation = "thing.get_all",
       .query = {{"size", "integer", "How many."}, {"_source", "list"}, {"thing_id", "string"}}},
      {.method = "POST",
       .path = "/_things/{thing_id}/_look",
       .operation = "thing.look",
       .reads = true},
      {.method = "PUT",
       .path = "/_things/{thing_id}",
       .operation = "thing.put",
       .content = true,
       .body_required = true},
      {.method = "POST", .path = "/_lines", .operation = "lines", .ndjson = true},
      {.method = "DELETE", .path = "/_things", .operation = "thing.forget", .reads = true},
      {.method = "HEAD", .path = "/_things/{thing_id}", .operation = "thing.exists"},
      {.method = "GET", .path = "/_health/live", .operation = "health.live", .open = true},
      {.method = "POST", .path = "/_taken", .operation = "search", .reads = true}};
}

}  // namespace

TEST_CASE("graphql: rows become fields with the arguments of path, query and body") {
  const auto fields = operation_fields(graphql_test_rows(), {"Query.search"});
  CHECK(text_of_fields(fields, false) ==
        R"(  "Shows \"all\".\nGET /_things\nGET /_things/{thing_id}")"
        "\n  thingGetAll(thingId: String, \"How many.\" size: Long, source: [String!]): JSON\n"
        "  \"POST /_things/{thing_id}/_look\"\n"
        "  thingLook(thingId: String!, \"The body of the request.\" body: JSON): JSON\n");
  CHECK(text_of_fields(fields, true) ==
        "  \"PUT /_things/{thing_id}\"\n"
        "  thingPut(thingId: String!, \"The body of the request.\" body: JSON!): Answer\n"
        "  \"POST /_lines\"\n"
        "  lines(\"The lines of the body, a JSON value each.\" lines: [JSON!]!): Answer\n"
        "  \"DELETE /_things\"\n"
        "  thingForget(\"The body of the request.\" body: JSON): Answer\n");
}

TEST_CASE("graphql: a request is weighed before it runs") {
  const auto made = GraphqlService::make(graphql_test_rows());
  REQUIRE_MESSAGE(made.ok(), made.error().message);
  GraphqlService& service = **made;
  const auto weight = [&](std::string_view body) { return service.weigh(body).weight; };
  CHECK(weight(R"({"query":"{ thingGetAll }"})").cost == 1);
  CHECK_FALSE(weight(R"({"query":"{ thingGetAll }"})").mutation);
  CHECK(weight(R"({"query":"mutation { thingForget { status } }"})").mutation);
  CHECK_FALSE(weight(R"({"query":"mutation { thingForget { status } }"})").content);
  const auto put =
      weight(R"({"query":"mutation { thingPut(thingId: \"a\", body: {}) { status } }"})");
  CHECK(put.content);
  CHECK(put.mutation);
  CHECK(weight(R"({"query":"query Q { thingGetAll } mutation M { thingForget { status } }",)"
               R"("operationName":"Q"})")
            .mutation == false);
  const std::string page =
      R"({"query":"{ indices(first: 100) { nodes { search(first: 50) { nodes { id } } } } }"})";
  CHECK(weight(page).cost == 1);
  CHECK(weight("[" + page + "," + page + "]").cost == 2);
  for (const char* const wrong : {"", "nonsense", "5", "[]", "{}", R"({"query":5})"})
    CHECK(weight(wrong).cost == 1);
}

}  // namespace cairn::api
