// SPDX-License-Identifier: Apache-2.0
#include "api/graphql/graphql_routes.h"

#include "api/graphql/graphql_service.h"
#include "base/assert.h"

namespace cairn::api {
namespace {

constexpr std::uint64_t request_bytes_max = 1 << 20;

}  // namespace

void add_graphql_routes(Router& router, AskObjects objects) {
  auto made = GraphqlService::make(router.routes(), std::move(objects));
  CAIRN_ASSERT(made.ok());  // the schema is ours
  const std::shared_ptr<GraphqlService> service = std::move(*made);
  router.add(
      {.method = "POST",
       .path = "/graphql",
       .operation = "graphql",
       .resource = "graphql",
       .reads = true,  // what a mutation changes asks for its own privileges and points
       .computes = true,
       .graphql = true,
       .since = "9.0.0",
       .summary = "Answers a GraphQL request over what the other operations read and change.",
       .body_required = true,
       .body_bytes_max = request_bytes_max,
       .media_type = "application/json; charset=utf-8"},
      [service](Call& call) { return service->answer(call); },
      [service](std::string_view body) { return service->weigh(body); });
}

}  // namespace cairn::api
