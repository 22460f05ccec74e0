// SPDX-License-Identifier: Apache-2.0
#include "objectclient/call/byte_range.h"

#include <doctest/doctest.h>

namespace cairn::objectclient::byte_range_test {

TEST_CASE("range: a Content-Range that contradicts itself is none") {
  const auto whole = parse_content_range("bytes 0-9/10");
  REQUIRE(whole);
  CHECK(whole->is_whole());
  CHECK(whole->length() == 10);
  CHECK_FALSE(parse_content_range("bytes 1-9/*")->total);
  for (const auto* bad :
       {"", "bytes", "bytes */10", "bytes 5-4/10", "bytes 0-10/10", "items 0-9/10", "bytes 0-9",
        "bytes -9/10", "bytes 0-/10", "bytes 0-9/x", "bytes 0-18446744073709551615/*"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_content_range(bad));
  }
}

TEST_CASE("range: only the bytes that were asked for answer, cut at the object's end alone") {
  struct Row {
    const char* asked;
    const char* given;
    bool good;
  };
  for (const Row& row :
       {Row{"bytes=0-3", "bytes 0-3/10", true}, Row{"bytes=0-3", "bytes 0-3/*", true},
        Row{"bytes=8-20", "bytes 8-9/10", true}, Row{"bytes=0-3", "bytes 1-4/10", false},
        Row{"bytes=0-3", "bytes 0-2/10", false}, Row{"bytes=0-3", "bytes 0-4/10", false},
        Row{"bytes=4-", "bytes 4-9/10", true}, Row{"bytes=4-", "bytes 4-8/10", false},
        Row{"bytes=4-", "bytes 0-9/10", false}, Row{"bytes=-4", "bytes 6-9/10", true},
        Row{"bytes=-40", "bytes 0-9/10", true}, Row{"bytes=-4", "bytes 5-9/10", false},
        Row{"bytes=-4", "bytes 7-9/10", false}}) {
    CAPTURE(row.asked);
    CAPTURE(row.given);
    CHECK(answers(*parse_content_range(row.given), *parse_asked_range(row.asked)) == row.good);
  }
  for (const auto* bad : {"", "bytes=", "bytes=-", "bytes=a-b", "bytes=0-1,3-4", "items=0-1"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_asked_range(bad));
  }
}

}  // namespace cairn::objectclient::byte_range_test
