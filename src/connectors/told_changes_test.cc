// SPDX-License-Identifier: Apache-2.0
#include "connectors/told_changes.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "store/memory_store.h"

namespace cairn::connectors::told_changes_test {
namespace {

struct Kept {
  std::unique_ptr<store::Store> store = store::memory_store();
  os::Deadline deadline = os::Deadline::in_ms(60'000);
  ToldChanges told{*store};

  void add(std::vector<std::string> paths) { REQUIRE(told.add("c", paths, deadline).ok()); }
  /// What an earlier process left, as another one finds it.
  static std::string taken(ToldChanges& from) {
    const auto items = from.begin("c");
    if (!items) return "(nothing)";
    if (items->everything) return "(everything)";
    std::string out;
    for (const std::string& path : items->paths) out += (out.empty() ? "" : " | ") + path;
    return out;
  }
  std::string found_later() {
    ToldChanges later(*store);
    CHECK(later.all(deadline).ok());
    return taken(later);
  }
  std::size_t objects() {
    std::size_t count = 0;
    CHECK(store::for_each_object(*store, "told", deadline, [&](const store::ObjectInfo&) {
            ++count;
            return ok_status();
          }).ok());
    return count;
  }
};

}  // namespace

TEST_CASE("told changes: paths of any bytes are kept once, over a restart") {
  Kept kept;
  CHECK(Kept::taken(kept.told) == "(nothing)");
  kept.add({"a\nb", "100%/c"});
  kept.add({"100%/c"});
  CHECK(kept.objects() == 1);
  kept.add({"\xff", "a"});
  CHECK(kept.found_later() == "100%/c | a | a\nb | \xff");
  CHECK(Kept::taken(kept.told) == "100%/c | a | a\nb | \xff");
  REQUIRE(kept.told.end("c", true, kept.deadline).ok());
  CHECK(kept.objects() == 0);
  CHECK(kept.told.all(kept.deadline)->empty());
}

TEST_CASE("told changes: what is told while a job is made needs another one") {
  Kept kept;
  kept.add({"a"});
  CHECK(Kept::taken(kept.told) == "a");
  kept.add({"a", "b"});
  REQUIRE(kept.told.end("c", true, kept.deadline).ok());
  CHECK(kept.found_later() == "a | b");
  // And where it could not be made, both.
  CHECK(Kept::taken(kept.told) == "a | b");
  kept.add({"c"});
  REQUIRE(kept.told.end("c", false, kept.deadline).ok());
  CHECK(Kept::taken(kept.told) == "a | b | c");
  REQUIRE(kept.told.end("c", true, kept.deadline).ok());
  CHECK(kept.objects() == 0);
}

TEST_CASE("told changes: without paths, and with too many, it is everything") {
  Kept kept;
  kept.add({"a"});
  kept.add({});
  kept.add({"b"});
  CHECK(kept.found_later() == "(everything)");
  CHECK(Kept::taken(kept.told) == "(everything)");
  REQUIRE(kept.told.end("c", true, kept.deadline).ok());
  CHECK(kept.objects() == 0);
  std::vector<std::string> many;
  for (std::size_t i = 0; i < ToldChanges::paths_max; ++i) many.push_back(std::to_string(i));
  kept.add(many);
  kept.add({"1", "2"});
  CHECK(kept.objects() == 1);
  kept.add({"one more"});
  CHECK(kept.found_later() == "(everything)");
  CHECK(Kept::taken(kept.told) == "(everything)");
  REQUIRE(kept.told.end("c", true, kept.deadline).ok());
  CHECK(kept.objects() == 0);
  for (std::size_t i = 0; i <= ToldChanges::objects_max; ++i) kept.add({std::to_string(i)});
  CHECK(kept.found_later() == "(everything)");
}

TEST_CASE("told changes: a list of paths that is damaged is said to be") {
  CHECK(decode_paths(encode_paths({"a", "b/c"}))->size() == 2);
  CHECK(decode_paths("").value().empty());
  CHECK(decode_paths("a%z\n").error().kind == ErrorKind::corrupt);
}

}  // namespace cairn::connectors::told_changes_test
