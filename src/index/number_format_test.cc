// SPDX-License-Identifier: Apache-2.0
#include "index/number_format.h"

#include <doctest/doctest.h>

namespace cairn::index::number_format_test {
namespace {

std::string written(std::string_view pattern, double value) {
  const auto format = NumberFormat::parse(pattern);
  return format.ok() ? format->write(value) : "refused";
}

}  // namespace

TEST_CASE("number format: digits that are always or only where they count shown") {
  CHECK(written("0.00", 3) == "3.00");
  CHECK(written("0.00", 2.125) == "2.12");  // half to even
  CHECK(written("0.##", 3.10) == "3.1");
  CHECK(written("#.##", 0.5) == "0.5");
  CHECK(written(".##", 0.5) == ".5");
  CHECK(written("#", 0) == "0");
  CHECK(written("000", 7) == "007");
  CHECK(written("0.0", -1.25) == "-1.2");
}

TEST_CASE("number format: groups, percent, and text around the digits") {
  CHECK(written("#,##0.00", 1234567.5) == "1,234,567.50");
  CHECK(written("0%", 0.256) == "26%");
  CHECK(written("$0.00 each", 3) == "$3.00 each");
  CHECK(NumberFormat::parse("#,##0")->write(std::int64_t{9007199254740993}) ==
        "9,007,199,254,740,993");
}

TEST_CASE("number format: what is no pattern of a number is refused") {
  for (const char* pattern : {"", "abc", "0.0.0", "0#", "#.#0", "0E0", "0;-0", "'x'0", "0 0"})
    CHECK_MESSAGE(written(pattern, 1) == "refused", pattern);
}

}  // namespace cairn::index::number_format_test
