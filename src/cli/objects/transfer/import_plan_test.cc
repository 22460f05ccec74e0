// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/transfer/import_plan.h"

#include <doctest/doctest.h>

namespace import_plan_test {

using namespace cairn::cli;

namespace {

const std::string md5_a(32, 'a'), md5_b(32, 'b'), parts = std::string(32, 'c') + "-2";
const ListedVersion a{.etag = md5_a, .size = 1}, b{.etag = md5_b, .size = 1},
    of_parts{.etag = parts, .size = 9}, marker{.is_marker = true};

KeyHistory history(std::vector<ListedVersion> versions) { return {"k", std::move(versions)}; }

TEST_CASE("import plan: versions") {
  struct Case {
    std::vector<ListedVersion> source, target;
    std::size_t first;
    bool refused;
  };
  ListedVersion other_parts = of_parts;
  other_parts.etag = std::string(32, 'd') + "-5";
  const Case cases[] = {{{a, b}, {}, 0, false},
                        {{a, b}, {a}, 1, false},
                        {{a, b}, {a, b}, 2, false},
                        {{a, marker, b}, {a, marker}, 2, false},
                        {{a, marker}, {a, b}, 1, true},
                        {{a}, {b}, 0, true},
                        {{a}, {a, b}, 1, true},
                        {{}, {a}, 0, true},
                        {{of_parts}, {other_parts}, 1, false},
                        {{of_parts}, {a}, 0, true}};
  for (const Case& one : cases) {
    CAPTURE(&one - cases);
    const ImportPlan plan = plan_versions(history(one.source), history(one.target));
    CHECK(plan.first == one.first);
    CHECK(plan.refusal.empty() != one.refused);
  }
}

TEST_CASE("import plan: the current one alone") {
  const auto at = [](std::uint64_t size, std::int64_t ms) {
    return history({{.size = size, .modified_ms = ms}});
  };
  CHECK(plan_current(at(1, 5000), history({})).first == 0);
  CHECK(plan_current(at(1, 5000), at(1, 5000)).first == 1);
  CHECK(plan_current(at(1, 5999), at(1, 5000)).first == 1);
  CHECK(plan_current(at(1, 6000), at(1, 5000)).first == 0);
  CHECK(plan_current(at(1, 1000), at(1, 5000)).first == 1);
  CHECK(plan_current(at(2, 1000), at(1, 5000)).first == 0);
}

}  // namespace
}  // namespace import_plan_test
