// SPDX-License-Identifier: Apache-2.0
// Aliases: what names mean, what batches do, what a restart and a crash leave.
#include "index/names/aliases.h"

#include <functional>
#include <string>

#include "index/errors.h"
#include "index/faulty_store.h"
#include "index/names/named_index.h"
#include "index/testing.h"

namespace cairn::index::aliases_test {
namespace {

using Kind = AliasChange::Kind;

AliasChange add(std::string index, std::string alias, const char* properties = "{}") {
  return {.kind = Kind::add,
          .index = std::move(index),
          .alias = std::move(alias),
          .properties = read_alias_properties(parse_json(properties).value()).value()};
}
AliasChange remove(std::string index, std::string alias) {
  return {.kind = Kind::remove, .index = std::move(index), .alias = std::move(alias)};
}
AliasChange remove_index(std::string index) {
  return {.kind = Kind::remove_index, .index = std::move(index)};
}

std::string text_of(const Status& status) {
  return status.ok() ? "ok" : status.error().code + ": " + status.error().message;
}

/// "a=1,2 b=1"
std::string shown(const Indices& indices) {
  std::string out;
  const auto table = indices.aliases();
  for (const auto& [alias, members] : table->all()) {
    out += (out.empty() ? "" : " ") + alias + "=";
    for (const auto& [index, member] : members)
      out += (index == members.begin()->first ? "" : ",") + index;
  }
  return out;
}

/// "one[a,b]{filter}" for each index.
std::string reached(const Indices& indices, std::string_view expression,
                    const ResolveOptions& options = {}) {
  const auto found = indices.resolve_names(expression, options);
  if (!found.ok()) return found.error().code;
  std::string out;
  for (const NamedIndex& one : *found) {
    out += (out.empty() ? "" : " ") + one->name();
    if (one.names() != std::vector<std::string>{one->name()}) {
      out += "[";
      for (const std::string& name : one.names()) out += (out.back() == '[' ? "" : ",") + name;
      out += "]";
    }
    if (one.filter() != nullptr) out += one.filter()->dump();
  }
  return out;
}

TEST_CASE(
    "aliases: expressions mean indices by name and by alias, narrowed where aliases alone do") {
  Fixture house;
  for (const char* name : {"log-1", "log-2", "old"}) house.create(name);
  house.create("shy", "null", R"({"index.hidden": true})");
  const std::vector<AliasChange> changes = {
      add("log-1", "logs"),
      add("log-2", "logs"),
      add("log-1", "red", R"({"filter": {"term": {"c": "red"}}})"),
      add("log-1", "blue", R"({"filter": {"term": {"c": "blue"}}})"),
      add("old", "secret", R"({"is_hidden": true})"),
      add("shy", "open")};
  REQUIRE(house.indices().change_aliases(changes, house.soon()).ok());
  struct Row {
    const char* expression;
    const char* wanted;
  };
  const Row rows[] = {
      {"logs", "log-1[logs] log-2[logs]"},
      {"red", R"(log-1[red]{"term":{"c":"red"}})"},
      {"red,blue",
       R"(log-1[blue,red]{"bool":{"should":[{"term":{"c":"blue"}},{"term":{"c":"red"}}]}})"},
      {"red,logs", "log-1[logs,red] log-2[logs]"},  // one of them narrows nothing
      {"red,log-1", "log-1"},                       // its own name narrows nothing
      {"r*", R"(log-1[red]{"term":{"c":"red"}})"},
      {"log*", "log-1 log-2"},
      {"log*,-red", "log-2"},  // what stands behind the alias goes
      {"*,-logs", "old shy[open]"},
      {"s*", ""},  // both are hidden
      {"secret", "old[secret]"},
      {"o*", "old shy[open]"},
      {"_all", "log-1 log-2 old shy[open]"},
      {"none", "index_not_found_exception"},
      {"logs,none", "index_not_found_exception"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.expression);
    CHECK(reached(house.indices(), row.expression) == row.wanted);
  }
  CHECK(reached(house.indices(), "s*", {.expand_hidden = true}) == "old[secret] shy");
  CHECK(reached(house.indices(), "logs", {.aliases = false}) == "illegal_argument_exception");
  CHECK(reached(house.indices(), "logs,old", {.ignore_unavailable = true, .aliases = false}) ==
        "old");
  const auto only_red = [](std::string_view name) { return name == "red"; };
  CHECK(reached(house.indices(), "*", {.admits = only_red}) == R"(log-1[red]{"term":{"c":"red"}})");
  CHECK(house.indices().resolve_aliases("r*,l*,-logs") == std::vector<std::string>{"red"});
}

TEST_CASE("aliases: a write goes to the write index, or the only one") {
  Fixture house;
  for (const char* name : {"one", "two"}) house.create(name);
  Indices& all = house.indices();
  const auto place = [&](const char* name, const char* routing = "") {
    const auto found = all.find_write(name, routing);
    if (!found.ok()) return found.error().message;
    return found->index->name() + "/" + found->routing;
  };
  REQUIRE(all.change_aliases(
                 std::vector{add("one", "a"), add("one", "shut", R"({"is_write_index": false})"),
                             add("one", "r", R"({"routing": "x"})")},
                 house.soon())
              .ok());
  CHECK(place("one") == "one/");
  CHECK(place("a") == "one/");
  CHECK(place("a", "y") == "one/y");
  CHECK(place("r") == "one/x");
  CHECK(place("r", "x") == "one/x");
  CHECK(place("r", "y") ==
        "Alias [r] has index routing associated with it [x], and was provided with routing value "
        "[y], rejecting operation");
  CHECK(place("shut").starts_with("no write index is defined for alias [shut]"));
  CHECK(all.find_one("a").ok());
  REQUIRE(all.change_aliases(std::vector{add("two", "a")}, house.soon()).ok());
  CHECK(place("a").starts_with("no write index is defined for alias [a]"));
  CHECK(all.find_one("a").error().message ==
        "alias [a] has more than one index associated with it [one, two], can't execute a single "
        "index op");
  REQUIRE(
      all.change_aliases(std::vector{add("two", "a", R"({"is_write_index": true})")}, house.soon())
          .ok());
  CHECK(place("a") == "two/");
}

TEST_CASE("aliases: a batch that cannot be done whole changes nothing") {
  Fixture house;
  for (const char* name : {"one", "two"}) house.create(name);
  Indices& all = house.indices();
  REQUIRE(all.change_aliases(std::vector{add("one", "a")}, house.soon()).ok());
  struct Row {
    std::vector<AliasChange> changes;
    const char* wanted;
  };
  const std::string large(17'000, 'x');
  const Row rows[] = {
      {{add("two", "b"), add("none", "c")}, "index_not_found_exception"},
      {{remove_index("one"), remove("none", "a")}, "index_not_found_exception"},
      {{remove_index("one"), add("one", "b")}, "index_not_found_exception"},
      {{add("two", "b"), add("one", "two")}, "invalid_alias_name_exception"},
      {{add("two", "b"), add("one", "*")}, "invalid_alias_name_exception"},
      {{add("two", "b"), add("one", "_x")}, "invalid_alias_name_exception"},
      {{add("one", "w", R"({"is_write_index": true})"),
        add("two", "w", R"({"is_write_index": true})")},
       "illegal_argument_exception"},
      {{add("one", "h", R"({"is_hidden": true})"), add("two", "h")}, "illegal_argument_exception"},
      {{add("two", "b"),
        add("one", "f", (R"({"filter": {"term": {"t": ")" + large + R"("}}})").c_str())},
       "illegal_argument_exception"},
  };
  for (const Row& row : rows) {
    const auto done = all.change_aliases(row.changes, house.soon());
    CAPTURE(text_of(done));
    CHECK(text_of(done).starts_with(row.wanted));
    CHECK(shown(all) == "a=one");
    CHECK(all.find("one").ok());
  }
}

TEST_CASE("aliases: more than may be kept are refused") {
  AliasTable table;
  const auto none = std::make_shared<const AliasProperties>();
  for (int i = 0; i < 4; ++i) table.add("a" + std::to_string(i), "one", {"u", none});
  CHECK(table.check({.most = 4}).ok());
  CHECK_FALSE(table.check({.most = 3}).ok());
  CHECK_FALSE(table.check({.total_bytes = 100}).ok());
}

TEST_CASE("aliases: names are of one thing, with whatever comes first") {
  Fixture house;
  house.create("one");
  Indices& all = house.indices();
  REQUIRE(all.change_aliases(std::vector{add("one", "a")}, house.soon()).ok());
  const auto taken = all.create("a", {}, {}, house.soon());
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.error().message == "Invalid index name [a], already exists as alias");
  const auto own = all.create("two", {}, {}, house.soon(), {{"two", {}}});
  REQUIRE_FALSE(own.ok());
  CHECK(own.error().code == "invalid_alias_name_exception");
  CHECK_FALSE(all.create("two", {}, {}, house.soon(), {{"one", {}}}).ok());
  const auto refused = all.create("two", {}, {}, house.soon(), {{"b", {}}},
                                  [](const Index&) { return Status(illegal_argument("no")); });
  CHECK_FALSE(refused.ok());
  CHECK(shown(all) == "a=one");
  CHECK_FALSE(all.knows("two"));
  // An alias takes the name of an index that goes at the same moment.
  house.create("two");
  REQUIRE(
      all.change_aliases(std::vector{add("one", "two"), remove_index("two")}, house.soon()).ok());
  CHECK(shown(all) == "a=one two=one");
  CHECK_FALSE(all.find("two").ok());
}

TEST_CASE("aliases: they outlive a restart, and not their index") {
  Fixture house;
  REQUIRE(house.indices().create("one", {}, {}, house.soon(), {{"a", {}}, {"b", {}}}).ok());
  house.create("two");
  REQUIRE(house.indices()
              .change_aliases(std::vector{add("two", "a", R"({"filter": {"term": {"c": 1}},
                  "index_routing": "x", "search_routing": "y", "is_write_index": true})")},
                              house.soon())
              .ok());
  Indices* again = house.reopen();
  CHECK(shown(*again) == "a=one,two b=one");
  const auto table = again->aliases();
  CHECK(
      to_json(*table->find("a")->at("two").properties).dump() ==
      R"({"filter":{"term":{"c":1}},"index_routing":"x","search_routing":"y","is_write_index":true})");
  REQUIRE(again->remove("one", house.soon()).ok());
  CHECK(shown(*again) == "a=two");
  // Another index of the same name has none of them.
  house.create("one");
  CHECK(shown(*again) == "a=two");
  CHECK(shown(*house.reopen()) == "a=two");
}

TEST_CASE("aliases: a record that is damaged is told, and indices keep their own names") {
  Fixture house;
  house.create("one");
  REQUIRE(house.indices().change_aliases(std::vector{add("one", "a")}, house.soon()).ok());
  REQUIRE(house.store().put("index/aliases", "{", house.soon()).ok());
  Indices* again = house.reopen();
  CHECK(again->find("one").ok());
  const auto done = again->change_aliases(std::vector{add("one", "b")}, house.soon());
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().kind == ErrorKind::corrupt);
  CHECK(done.error().message.find("index/aliases") != std::string::npos);
}

/// What one step of a test may leave: as before, or as after.
struct Step {
  const char* what;
  std::function<Status(Indices&, const os::Deadline&)> run;
  const char* before;
  const char* after;
};

std::string state_of(const Indices& indices) {
  std::string out = shown(indices) + " |";
  for (const auto& index : indices.all()) out += " " + index->name();
  return out;
}

TEST_CASE("aliases: a crash at any call to the store leaves all of a batch or none") {
  const Step steps[] = {
      {"swap",
       [](Indices& all, const os::Deadline& soon) {
         return all.change_aliases(std::vector{remove("one", "a"), add("two", "a")}, soon);
       },
       "a=one b=one | one two", "a=two b=one | one two"},
      {"swap and remove",
       [](Indices& all, const os::Deadline& soon) {
         return all.change_aliases(
             std::vector{remove_index("one"), add("two", "one"), add("two", "a")}, soon);
       },
       "a=one b=one | one two", "a=two one=two | two"},
      {"create with aliases",
       [](Indices& all, const os::Deadline& soon) -> Status {
         CAIRN_CHECK(all.create("three", {}, {}, soon, {{"a", {}}, {"c", {}}}));
         return ok_status();
       },
       "a=one b=one | one two", "a=one,three b=one c=three | one three two"},
      {"remove", [](Indices& all, const os::Deadline& soon) { return all.remove("one", soon); },
       "a=one b=one | one two", " | two"},
  };
  for (const Step& step : steps)
    for (const bool for_good : {true, false})
      for (const auto fault : {FaultyStore::Fault::lost_call, FaultyStore::Fault::lost_answer})
        for (std::size_t at = 0;; ++at) {
          CAPTURE(step.what);
          CAPTURE(at);
          CAPTURE(for_good);
          auto inside = store::memory_store();
          auto owned = std::make_unique<FaultyStore>(*inside);
          FaultyStore& faulty = *owned;
          Fixture house(Fixture::quiet_options(), std::move(owned));
          house.create("one");
          house.create("two");
          REQUIRE(house.indices()
                      .change_aliases(std::vector{add("one", "a"), add("one", "b")}, house.soon())
                      .ok());
          faulty.set(at, fault, for_good);
          const Status done = step.run(house.indices(), house.soon());
          const bool reached = faulty.reached();
          if (done.ok()) CHECK(state_of(house.indices()) == step.after);
          faulty.set(0, FaultyStore::Fault::none, false);
          const std::string left = state_of(*house.reopen());
          CAPTURE(text_of(done));
          if (done.ok())
            CHECK(left == step.after);
          else
            CHECK((left == step.before || left == step.after));
          // Nothing of it comes up later.
          REQUIRE(house.indices().create("four", {}, {}, house.soon(), {{"d", {}}}).ok());
          const std::string later = state_of(*house.reopen());
          CHECK(later.find("d=four") != std::string::npos);
          CHECK((later.find("c=three") == std::string::npos) ==
                (left.find("c=three") == std::string::npos));
          if (!reached) break;
        }
}

}  // namespace
}  // namespace cairn::index::aliases_test
