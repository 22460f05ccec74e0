// SPDX-License-Identifier: Apache-2.0
#include "snapshots/rename.h"

#include <doctest/doctest.h>

namespace cairn::snapshots::rename_test {
namespace {

std::string renamed(const std::string& name, const std::string& pattern,
                    const std::string& replacement) {
  const auto rename = Rename::compile(pattern, replacement);
  return rename.ok() ? (*rename)->apply(name) : rename.error().message;
}

}  // namespace

TEST_CASE("rename: groups of the pattern stand in the new name") {
  CHECK(renamed("logs-1", "", "x") == "logs-1");
  CHECK(renamed("logs-1", "^(.*)-([0-9])$", "old-$1.$2") == "old-logs.1");
  CHECK(renamed("aXbX", "X", "-") == "a-b-");
  CHECK(renamed("a.b", "a\\.b", "c") == "c");
  CHECK(renamed("a\\1", "\\\\1", "c") == "ac");
}

TEST_CASE("rename: a pattern that is none, or refers back, is refused") {
  CHECK(renamed("a", "(", "x").find("is no regular expression") != std::string::npos);
  for (const char* pattern : {"(a*)*\\1", "(.)\\\\\\1"})
    CHECK(renamed("a", pattern, "x").find("has a back-reference") != std::string::npos);
}

}  // namespace cairn::snapshots::rename_test
