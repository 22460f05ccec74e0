// SPDX-License-Identifier: Apache-2.0
#include "net/http/accept.h"

#include <doctest/doctest.h>

namespace cairn::net::accept_test {
namespace {

bool prefers(std::string_view accept) {
  Headers headers;
  if (!accept.empty()) headers.add("Accept", accept);
  return prefers_html(headers);
}

}  // namespace

TEST_CASE("browsers prefer pages, and programs data") {
  CHECK(prefers("text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"));
  CHECK(prefers("text/html"));
  CHECK(prefers("TEXT/HTML; q=0.5, application/json;q=0.4"));
  for (const auto* accept :
       {"", "*/*", "application/json", "application/json, text/html", "text/html;q=0",
        "application/vnd.elasticsearch+json;compatible-with=9, text/html;q=0.9",
        "application/json;q=0.9, text/html;q=0.10", "text/*", "text/plain",
        "text/html;q=", "text/html;q=x", ",;,"})
    CHECK_FALSE(prefers(accept));
}

}  // namespace cairn::net::accept_test
