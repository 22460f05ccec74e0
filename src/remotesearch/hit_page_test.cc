// SPDX-License-Identifier: Apache-2.0
#include "remotesearch/hit_page.h"

#include <doctest/doctest.h>

namespace cairn::remotesearch::hit_page_test {

std::string answer(const std::string& hits, const std::string& total = "2",
                   const std::string& more = "") {
  return R"({"_scroll_id":"abc==","timed_out":false,"_shards":{"total":1,"failed":0},)" + more +
         R"("hits":{"total":)" + total + R"(,"hits":[)" + hits + "]}}";
}
std::string hit(const std::string& members) { return "{\"_index\":\"b\"," + members + "}"; }
const std::string one = hit(R"("_id":"1","_source":{"a":1})");

TEST_CASE("hit page: ids, routes, and sources as they were written") {
  const auto page = read_hit_page(
      answer(hit(R"("_type":"_doc","_id":"é\"","_routing":"r","_source": {"n":1.50e0, "n2":)"
                 R"(12345678901234567890123} ,"sort":[1])") +
                 "," + one,
             R"({"value":7,"relation":"eq"})"),
      2);
  REQUIRE(page.ok());
  CHECK(page->scroll_id == "abc==");
  CHECK(page->total == 7);
  REQUIRE(page->hits.size() == 2);
  CHECK(page->hits[0].id == "é\"");
  CHECK(page->hits[0].routing == "r");
  CHECK(page->hits[0].source == R"({"n":1.50e0, "n2":12345678901234567890123})");
  CHECK(page->hits[1].routing.empty());
}

TEST_CASE("hit page: nothing is taken that was not asked for, or is not what it should be") {
  const auto refused = [](const std::string& text, const char* why, std::size_t most = 2) {
    const auto page = read_hit_page(text, most);
    REQUIRE_FALSE(page.ok());
    CHECK_MESSAGE(page.error().message.find(why) != std::string::npos, page.error().message);
  };
  refused("", "no page");
  refused("<html>", "no page");
  refused("[]", "no page");
  refused(R"({"_scroll_id":"a"})", "no [hits]");
  refused(R"({"hits":{"total":0,"hits":[]}})", "[_scroll_id]");
  refused(R"({"_scroll_id":"a","hits":{"total":0}})", "[hits.hits]");
  refused(R"({"_scroll_id":"a","hits":{"hits":[]}})", "[hits.total]");
  refused(R"({"_scroll_id":5,"hits":{"total":0,"hits":[]}})", "no text");
  refused(answer("", "-1"), "number of documents");
  refused(answer("", R"("2")"), "number of documents");
  refused(answer("", R"({"value":2,"relation":"gte"})"), "not exact");
  refused(answer(one + "," + one, "2"), "more than the [1]", 1);
  refused(answer(hit(R"("_source":{})")), "no [_id]");
  refused(answer(hit(R"("_id":"","_source":{})")), "no [_id]");
  refused(answer(hit(R"("_id":7,"_source":{})")), "no text");
  refused(answer(hit(R"("_id":")" + std::string(513, 'x') + R"(","_source":{})")), "too long");
  refused(answer(hit(R"("_id":"1")")), "didn't store _source");
  refused(answer(hit(R"("_id":"1","_source":[])")), "no object");
  refused(answer(hit(R"("_id":"1","_source":{"a":})")), "[_source] of [1]");
  refused(answer(hit(R"("_id":"1","_source":)" + std::string(200, '[') + std::string(200, ']'))),
          "[_source] of [1]");
  refused(answer(one, "1", R"("timed_out":true,)"), "timed out");
  refused(answer(one, "1", R"("_shards":{"failed":1},)"), "shards failed");
  CHECK(scroll_id_in(answer(hit(R"("_id":"1")"))) == "abc==");
  CHECK(scroll_id_in("nothing").empty());
}

}  // namespace cairn::remotesearch::hit_page_test
