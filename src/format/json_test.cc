// SPDX-License-Identifier: Apache-2.0
// JSON in and out.
#include "format/json.h"
#include <doctest/doctest.h>
#include "format/ndjson.h"
#include "format/time.h"
#include "format/xml.h"
using namespace cairn;
TEST_CASE("json: round trips") {
  for (const char* text :
       {R"({"a":1,"b":[true,false,null,"x\u0001\n",1.5,-7,18446744073709551615]})", "[]", "{}", "3",
        "0.1"}) {
    auto v = parse_json(text);
    REQUIRE(v.ok());
    CHECK(v->dump() == text);
  }
  auto bad = parse_json("{\"a\":1,\n \"b\" 2}");
  REQUIRE(!bad.ok());
  CHECK(bad.error().message ==
        "[2:6] Unexpected character ('2' (code 50)): was expecting a colon to separate field name "
        "and value");
  CHECK(Json(1.0f).dump() == "1.0");
  CHECK(Json(100000.0).dump() == "100000.0");
  CHECK(parse_json("123456789012345678901234567890")->is_number());
}
