// SPDX-License-Identifier: Apache-2.0
#include "api/graphql_operation.h"

#include <doctest/doctest.h>

#include <string>

#include "os/random.h"

namespace cairn::api::graphql_operation_test {

TEST_CASE("graphql: mutations are known by their operation, not by a word in it") {
  for (const char* text :
       {"mutation { add }", "mutation M($x: In = {a: 1}) @dir(a: \"{\") { add(x: $x) }",
        "# a remark {\n mutation { add }", "query Q { a } mutation M { b }",
        "fragment F on T { a } mutation { b }", "\xEF\xBB\xBFmutation{a}",
        "query Q { a(text: \"}\") } mutation { b }",
        "query Q { a(text: \"\"\"} \"quoted\" \\\"\"\" \"\"\") } mutation { b }"}) {
    CAPTURE(std::string(text));
    CHECK(is_mutation(text));
  }
  for (const char* text : {"", "{ mutation }", "query { mutation }", "query mutation { a }",
                           "# mutation { a }\n{ a }", "fragment F on mutation { a } query { a }",
                           "query Q($a: String = \"mutation {}\") { a }", "subscription S { a }",
                           "mutations { a }", "query Q { a(text: \"\"\"\n} mutation { \"\"\") }",
                           "}{ mutation }", "\"mutation { a }\""}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(is_mutation(text));
  }
}

TEST_CASE("graphql: of several operations the named one counts") {
  const char* text = "query Q { a } mutation M { b } query R { c }";
  CHECK(is_mutation(text));
  CHECK(is_mutation(text, "M"));
  CHECK_FALSE(is_mutation(text, "Q"));
  CHECK_FALSE(is_mutation(text, "none"));
}

TEST_CASE("graphql: any bytes are read to their end") {
  const auto random = os::seeded_random(3);
  const std::string parts[] = {"{",  "}", "(",  ")",        "\"", "\"\"\"",
                               "\\", "#", "\n", "mutation", " "};
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (std::size_t i = 0, n = random->below(20); i < n; ++i) text += parts[random->below(11)];
    (void)is_mutation(text);
  }
}

}  // namespace cairn::api::graphql_operation_test
