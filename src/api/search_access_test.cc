// SPDX-License-Identifier: Apache-2.0
// What a search may look up when the call that began it is over.
#include "api/search_access.h"

#include <doctest/doctest.h>

#include "api/testing.h"

namespace cairn::api::search_access_test {
namespace {

const os::Deadline forever = os::Deadline::never();

struct Fixture : DispatcherFixture {
  os::Pool pool{{.name = "test", .threads = 1}};
  std::unique_ptr<index::Indices> indices =
      index::Indices::open(*store, pool, clock, *random, {.background = false}, forever).value();
  search::SearchParameters parameters = {};
  std::stop_source stop = {};

  Fixture() {
    for (const auto* name : {"shown", "hidden"}) {
      const auto index = indices->create(name, {}, {}, forever).value();
      const index::WriteOperation one{.id = "1", .source = R"({"n": 1})"};
      REQUIRE(!index->write(std::span(&one, 1), forever).value().front().error);
    }
    Router router;
    router.add({.method = "GET",
                .path = "/{index}/_probe",
                .operation = "probe",
                .index_privilege = "read",
                .filters_indices = true},
               [this](Call& call) -> Result<Reply> {
                 CAIRN_CHECK(let_outlive(call, *indices, os::Deadline::never(stop.get_token()),
                                         parameters));
                 return Reply::json(Json::object());
               });
    serve(std::move(router));
  }
};

TEST_CASE("search access: the rights of who asked last longer than the call") {
  Fixture fixture;
  const std::string reader =
      fixture.key("reader", R"({"r":{"indices":[{"names":["shown"],"privileges":["read"]}]}})");
  MemoryRequest request{.method = "GET", .target = "/shown/_probe"};
  request.headers.add("Authorization", reader);
  REQUIRE(fixture.ask(request).status == 200);
  fixture.dispatcher.reset();  // with all that the call and its row were

  const search::SearchParameters& found = fixture.parameters;
  CHECK(found.caller.owner == "reader");
  CHECK(found.caller.may_read("shown", false).ok());
  const Status refused = found.caller.may_read("hidden", false);
  CHECK(refused.error().kind == ErrorKind::permission_denied);
  CHECK(refused.error().message.find("API key id [reader]") != std::string::npos);
  CHECK(found.find_document({.index = "shown", .id = "1"}).value()->source == R"({"n": 1})");
  CHECK(!found.find_document({.index = "shown", .id = "2"}).value());
  CHECK(found.find_document({.index = "hidden", .id = "1"}).error().code == "security_exception");
  CHECK(found.resolve_indices("*").value() == std::vector<std::string>{"shown"});
  CHECK(found.resolve_indices("none").error().code == "index_not_found_exception");
}

}  // namespace
}  // namespace cairn::api::search_access_test
