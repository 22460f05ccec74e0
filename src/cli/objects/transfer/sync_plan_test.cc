// SPDX-License-Identifier: Apache-2.0
// What sync decides, case by case.
#include "cli/objects/transfer/sync_plan.h"

#include <doctest/doctest.h>

#include <string>

using namespace cairn::cli;

TEST_CASE("sync: when a file goes") {
  struct Row {
    const char* what;
    Direction direction;
    bool size_only;
    bool exact;
    std::uint64_t source_size, target_size;
    std::int64_t source_ms, target_ms;
    const char* why;
  };
  const auto up = Direction::upload;
  const auto down = Direction::download;
  const auto copy = Direction::copy;
  const Row rows[] = {
      {"up: the same", up, false, false, 5, 5, 10'000, 10'000, ""},
      {"up: other size", up, false, false, 5, 6, 10'000, 10'000, "size"},
      {"up: newer file", up, false, false, 5, 5, 11'000, 10'000, "time"},
      {"up: older file", up, false, false, 5, 5, 9'000, 10'000, ""},
      {"up: newer by less than a second", up, false, false, 5, 5, 10'999, 10'000, ""},
      {"up: newer, sizes only", up, true, false, 5, 5, 99'000, 10'000, ""},
      {"up: other size, sizes only", up, true, false, 5, 6, 10'000, 10'000, "size"},
      {"up: exactness is for downloads", up, false, true, 5, 5, 9'000, 10'000, ""},
      {"copy: newer", copy, false, false, 5, 5, 11'000, 10'000, "time"},
      {"copy: older", copy, false, false, 5, 5, 9'000, 10'000, ""},
      {"down: the same", down, false, false, 5, 5, 10'000, 10'000, ""},
      {"down: newer object", down, false, false, 5, 5, 11'000, 10'000, ""},
      {"down: newer file", down, false, false, 5, 5, 10'000, 11'000, "time"},
      {"down: other size", down, false, false, 5, 6, 10'000, 10'000, "size"},
      {"down, exact: newer object", down, false, true, 5, 5, 11'000, 10'000, "time"},
      {"down, exact: newer file", down, false, true, 5, 5, 10'000, 11'000, "time"},
      {"down, exact: the same second", down, false, true, 5, 5, 10'999, 10'000, ""},
      {"down, exact, sizes only", down, true, true, 5, 5, 10'000, 99'000, ""},
      {"before 1970", up, false, false, 5, 5, -500, -1'000, ""}};
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const Entry source{.size = row.source_size, .modified_ms = row.source_ms};
    const Entry target{.size = row.target_size, .modified_ms = row.target_ms};
    CHECK(why_transfer(source, target,
                       {.direction = row.direction,
                        .size_only = row.size_only,
                        .exact_timestamps = row.exact}) == row.why);
  }
}

TEST_CASE("sync: new ones go, extra ones go away when told, in whatever order they are listed") {
  const auto entry = [](const char* name, std::uint64_t size) {
    return Entry{.name = name, .place = std::string("p/") + name, .size = size};
  };
  const std::vector<Entry> source = {entry("c", 1), entry("a", 1), entry("b/x", 2)};
  const std::vector<Entry> target = {entry("z", 1), entry("b", 1), entry("b/x", 1), entry("c", 1)};
  const auto shown = [&](bool remove) {
    std::string out;
    for (const SyncStep& step : plan_sync(source, target, {.delete_extra = remove}))
      out += (step.kind == SyncStep::Kind::remove ? "-" : "+") + step.entry.name + ":" +
             std::string(step.reason) + " ";
    return out;
  };
  CHECK(shown(false) == "+a:new +b/x:size ");
  CHECK(shown(true) == "+a:new +b/x:size -b:extra -z:extra ");
  CHECK(plan_sync({}, target, {.delete_extra = true}).size() == 4);
  CHECK(plan_sync(source, {}, {}).size() == 3);
}
