// SPDX-License-Identifier: Apache-2.0
#include "connectors/runs/problems.h"

#include <doctest/doctest.h>

#include "store/memory_store.h"

namespace cairn::connectors::problems_test {

namespace {

const os::Deadline never = os::Deadline::never();

void add_some(ProblemLog& log, std::size_t count, const std::string& reason) {
  for (std::size_t i = 0; i < count; ++i)
    REQUIRE(log.add({.path = "file" + std::to_string(i),
                     .kind = i % 2 == 0 ? ProblemKind::skipped : ProblemKind::refused,
                     .reason = reason,
                     .version = i},
                    never)
                .ok());
}

ProblemPage page_of(store::Store& store, std::size_t from, std::size_t size) {
  auto page = ProblemLog::page(store, "c", from, size, never);
  REQUIRE(page.ok());
  return *std::move(page);
}

}  // namespace

TEST_CASE("problems: any page of many is those that stand there, in their order") {
  const auto store = store::memory_store();
  CHECK(page_of(*store, 0, 10).count == 0);
  ProblemLog log(*store, "c", "job");
  add_some(log, 2'500, "why");
  CHECK(page_of(*store, 0, 10).count == 0);  // until the run has ended
  REQUIRE(log.finish(never).ok());
  for (const std::size_t from : {0, 1, 999, 1'000, 1'001, 1'999, 2'499, 2'500, 9'999})
    for (const std::size_t size : {0, 1, 2, 1'000, 5'000}) {
      const ProblemPage page = page_of(*store, from, size);
      CAPTURE(from);
      CAPTURE(size);
      CHECK(page.count == 2'500);
      CHECK(page.problems.size() ==
            (from >= 2'500 ? 0 : std::min<std::size_t>(size, 2'500 - from)));
      for (std::size_t i = 0; i < page.problems.size(); ++i)
        CHECK(page.problems[i].path == "file" + std::to_string(from + i));
    }
}

TEST_CASE("problems: those of the next run take the place of all before") {
  const auto store = store::memory_store();
  ProblemLog first(*store, "c", "one");
  add_some(first, 1'200, "why");
  REQUIRE(first.finish(never).ok());
  ProblemLog second(*store, "c", "two");
  const auto earlier = second.earlier(never);
  REQUIRE(earlier.ok());
  CHECK(earlier->size() == 1'200);
  CHECK((*earlier)[1'199].version == 1'199);
  CHECK((*earlier)[1].kind == ProblemKind::refused);
  add_some(second, 1, std::string(5'000, 'x'));
  REQUIRE(second.finish(never).ok());
  const ProblemPage page = page_of(*store, 0, 10);
  CHECK(page.count == 1);
  CHECK(page.job_id == "two");
  CHECK(page.problems[0].reason.size() == 1'000);
  std::size_t objects = 0;
  REQUIRE(store::for_each_object(*store, "state/", never, [&](const store::ObjectInfo&) {
            ++objects;
            return ok_status();
          }).ok());
  CHECK(objects == 2);  // the last run's, and which one that is
}

TEST_CASE("problems: a run that is done again after a crash leaves no more than it has") {
  const auto store = store::memory_store();
  ProblemLog cut(*store, "c", "job");
  add_some(cut, 3'000, "before the crash");
  ProblemLog again(*store, "c", "job");
  add_some(again, 1'100, "after it");
  REQUIRE(again.finish(never).ok());
  const ProblemPage page = page_of(*store, 0, 5'000);
  CHECK(page.count == 1'100);
  CHECK(page.problems.back().reason == "after it");
}

}  // namespace cairn::connectors::problems_test
