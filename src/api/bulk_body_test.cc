// SPDX-License-Identifier: Apache-2.0
#include "api/bulk_body.h"

#include <doctest/doctest.h>

namespace cairn::api::bulk_body_test {
namespace {

std::string fault(std::string_view body, const BulkDefaults& defaults = {}) {
  const auto items = parse_bulk(body, defaults);
  return items.ok() ? "no error" : items.error().message;
}

}  // namespace

TEST_CASE("bulk body: actions, defaults and untouched sources") {
  const auto items = parse_bulk(
      "{\"index\":{\"_id\":\"1\",\"if_seq_no\":3,\"if_primary_term\":1}}\r\n"
      "{\"a\" : 1.0}\n"
      "\n"
      "{\"create\":{\"_index\":\"other\"}}\n{}\n"
      "{\"delete\":{\"_id\":\"2\"}}\n"
      "{\"update\":{\"_id\":\"3\",\"retry_on_conflict\":2}}\n"
      "{\"doc\":{\"b\":1},\"doc_as_upsert\":true}\n",
      {.index = "i"});
  REQUIRE(items.ok());
  REQUIRE(items->size() == 4);
  CHECK((*items)[0].operation.source == "{\"a\" : 1.0}");
  CHECK((*items)[0].operation.if_seq_no == 3);
  CHECK((*items)[1].index == "other");
  CHECK((*items)[1].operation.kind == index::WriteOperation::Kind::create);
  CHECK((*items)[2].operation.kind == index::WriteOperation::Kind::remove);
  CHECK((*items)[3].update.retry_on_conflict == 2);
  CHECK((*items)[3].update.doc_as_upsert);
}

TEST_CASE("bulk body: what is wrong with the request, with its line") {
  CHECK(fault("{\"index\":{\"_index\":\"i\"}}\n{}") ==
        "The bulk request must be terminated by a newline [\\n]");
  CHECK(fault("\n") == "Validation Failed: 1: no requests added;");
  CHECK(fault("{\"foo\":{}}\n") ==
        "Malformed action/metadata line [1], expected field [create], [delete], [index] or "
        "[update] but found [foo]");
  CHECK(fault("[]\n") ==
        "Malformed action/metadata line [1], expected START_OBJECT but found [START_ARRAY]");
  CHECK(fault("{\"index\":{\"_index\":\"i\"}}\n{}\n{\"index\":{\"_foo\":1}}\n{}\n") ==
        "Action/metadata line [3] contains an unknown parameter [_foo]");
  CHECK(fault("{\"index\":{\"_index\":[]}}\n{}\n") ==
        "Malformed action/metadata line [1], expected a simple value for field [_index] but found "
        "[START_ARRAY]");
  CHECK(fault("{\"index\":{}}\n{}\n{\"delete\":{\"_index\":\"i\"}}\n") ==
        "Validation Failed: 1: index is missing;2: id is missing;");
  CHECK(fault("{\"index\":{\"_index\":\"i\"}}\n") == "Validation Failed: 1: source is missing;");
  CHECK(fault("{nonsense\n").starts_with("Malformed action/metadata line [1]: [1:2]"));
}

TEST_CASE("bulk body: what is wrong with one item leaves the others") {
  const auto items = parse_bulk(
      "{\"index\":{\"_id\":\"\"}}\n{}\n"
      "{\"update\":{\"_id\":\"1\"}}\n{\"script\":\"x\"}\n"
      "{\"index\":{\"pipeline\":\"p\"}}\n{}\n"
      "{\"index\":{}}\n{}\n",
      {.index = "i"});
  REQUIRE(items.ok());
  CHECK((*items)[0].refused->message == "if _id is specified it must not be empty");
  CHECK((*items)[1].refused->message.find("scripts do not run here") != std::string::npos);
  CHECK((*items)[2].refused->message == "pipeline with id [p] does not exist");
  CHECK_FALSE((*items)[3].refused.has_value());
}

}  // namespace cairn::api::bulk_body_test
