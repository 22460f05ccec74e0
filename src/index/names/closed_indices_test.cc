// SPDX-License-Identifier: Apache-2.0
// Indices that are closed: what they answer, what may change, what a restart and a crash leave.
#include <functional>
#include <string>

#include "index/errors.h"
#include "index/faulty_store.h"
#include "index/names/named_index.h"
#include "index/testing.h"

namespace cairn::index::closed_indices_test {
namespace {

std::string state_of(const Indices& indices) {
  std::string out;
  for (const auto& index : indices.all())
    out += (out.empty() ? "" : " ") + index->name() + (index->closed() ? "-" : "+");
  return out;
}

std::string reached(const Indices& indices, std::string_view expression,
                    const ResolveOptions& options = {}) {
  const auto found = indices.resolve(expression, options);
  if (!found.ok()) return found.error().code;
  std::string out;
  for (const auto& index : *found) out += (out.empty() ? "" : " ") + index->name();
  return out;
}

void count_is(Fixture& house, std::string_view name, std::uint64_t wanted) {
  const auto index = house.indices().find(name);
  REQUIRE(index.ok());
  REQUIRE((*index)->refresh(house.soon()).ok());
  CHECK((*index)->view()->document_count() == wanted);
}

TEST_CASE("closed: an index answers nothing but what it is, and comes back as it was") {
  Fixture house;
  Indices& all = house.indices();
  const auto index = house.create("a", R"({"properties": {"n": {"type": "long"}}})");
  house.create("b");
  house.put(*index, "1", R"({"n": 1})");
  house.put(*index, "2", R"({"n": 2})");
  const auto before = index->view();
  REQUIRE(all.close({"a"}, house.soon()).ok());
  REQUIRE(all.close({"a", "a"}, house.soon()).ok());
  CHECK(state_of(all) == "a- b+");
  // Whoever had it, and whoever finds it now.
  for (const auto& one : {index, all.find("a").value()}) {
    WriteOperation write;
    write.source = "{}";
    const auto written = one->write({&write, 1}, house.soon());
    REQUIRE_FALSE(written.ok());
    CHECK(written.error().code == "index_closed_exception");
    CHECK(one->get("1", house.soon()).error().code == "index_closed_exception");
    CHECK(one->put_mapping(Fixture::json(R"({"properties": {"m": {"type": "long"}}})"),
                           house.soon())
              .error()
              .code == "index_closed_exception");
    CHECK(one->mapping()->find("n") != nullptr);
  }
  CHECK(before->document_count() <= 2);  // who reads on reads on
  CHECK(all.find("a").value()->statistics().memory_bytes == 0);
  struct Row {
    const char* expression;
    ResolveOptions options;
    const char* wanted;
  };
  const Row rows[] = {
      {"a", {}, "index_closed_exception"},
      {"a", {.ignore_unavailable = true}, ""},
      {"*", {}, "b"},
      {"*", {.closed = true}, "b"},
      {"*", {.closed = true, .expand_closed = true}, "a b"},
      {"*", {.closed = true, .expand_open = false, .expand_closed = true}, "a"},
      {"a", {.closed = true}, "a"},
      {"*,-a", {.closed = true, .expand_closed = true}, "b"}};
  for (const Row& row : rows) {
    CAPTURE(row.expression);
    CHECK(reached(all, row.expression, row.options) == row.wanted);
  }
  CHECK(state_of(*house.reopen()) == "a- b+");
  CHECK(house.indices().find("a").value()->mapping()->find("n") != nullptr);
  REQUIRE(house.indices().reopen({"a", "b"}, house.soon()).ok());
  CHECK(state_of(house.indices()) == "a+ b+");
  count_is(house, "a", 2);
  house.put(*house.indices().find("a").value(), "3", R"({"n": 3})");
  CHECK(state_of(*house.reopen()) == "a+ b+");
  count_is(house, "a", 3);
  // A closed index can go, and another of its name is open.
  REQUIRE(house.indices().close({"a"}, house.soon()).ok());
  REQUIRE(house.indices().remove("a", house.soon()).ok());
  house.create("a");
  CHECK(state_of(house.indices()) == "a+ b+");
  CHECK(state_of(*house.reopen()) == "a+ b+");
  CHECK_FALSE(house.indices().close({"none"}, house.soon()).ok());
}

TEST_CASE("closed: what flushes, merges and copies all indices leaves closed ones whole") {
  Fixture house;
  const auto index = house.create("a");
  for (const char* id : {"1", "2", "3"}) house.put(*index, id, "{}");
  REQUIRE(house.indices().close({"a"}, house.soon()).ok());
  // As a program does that ends, twice.
  for (int i = 0; i < 2; ++i) {
    REQUIRE(house.indices().flush_all(house.soon()).ok());
    CHECK(state_of(*house.reopen()) == "a-");
  }
  const auto closed = house.indices().find("a").value();
  (void)closed->force_merge(1, house.soon()).ok();
  (void)closed->maintain(house.soon()).ok();
  const auto copied = closed->checkpoint(house.soon());
  REQUIRE(copied.ok());
  CHECK(copied->objects().size() == 1);
  // What is copied stays while the copy is made, whatever becomes of the index.
  REQUIRE(house.indices().reopen({"a"}, house.soon()).ok());
  const auto open = house.indices().find("a").value();
  house.put(*open, "4", "{}");
  REQUIRE(open->flush(house.soon()).ok());
  REQUIRE(open->force_merge(1, house.soon()).ok());
  REQUIRE(open->maintain(house.soon()).ok());
  const CheckpointObject& object = copied->objects().front();
  CHECK(copied->read(object.name, 0, object.size_bytes, house.soon()).ok());
  count_is(house, "a", 4);
  house.reopen();
  count_is(house, "a", 4);
}

TEST_CASE("closed: one that cannot be opened keeps no other from its names") {
  Fixture house;
  const auto index = house.create("a");
  house.put(*index, "1", "{}");
  REQUIRE(house.indices().close({"a"}, house.soon()).ok());
  std::string key;
  REQUIRE(store::for_each_object(house.store(), "index/data/" + index->uuid() + "/seg/", house.soon(),
                                 [&](const store::ObjectInfo& info) {
                                   key = info.key;
                                   return ok_status();
                                 })
              .ok());
  const auto whole = house.store().get(key, house.soon());
  REQUIRE(whole.ok());
  REQUIRE(house.store().put(key, "damaged", house.soon()).ok());
  CHECK_FALSE(house.indices().reopen({"a"}, house.soon()).ok());
  CHECK(state_of(house.indices()) == "a-");
  house.create("b");
  REQUIRE(house.indices()
              .change_aliases(std::vector{AliasChange{.index = "b", .alias = "x"}}, house.soon())
              .ok());
  CHECK(house.indices().find("a").value()->put_settings(
            Fixture::json(R"({"refresh_interval": "3s"})"), house.soon()).ok());
  REQUIRE(house.store().put(key, whole->bytes, house.soon()).ok());
  REQUIRE(house.indices().reopen({"a"}, house.soon()).ok());
  count_is(house, "a", 1);
}

TEST_CASE("closed: aliases and streams reach open indices, and say which are closed") {
  Fixture house;
  Indices& all = house.indices();
  REQUIRE(all.create("a", {}, {}, house.soon(), {{"x", {}}}).ok());
  REQUIRE(all.create("b", {}, {}, house.soon(), {{"x", {}}}).ok());
  REQUIRE(all.close({"a"}, house.soon()).ok());
  CHECK(reached(all, "x") == "index_closed_exception");
  CHECK(reached(all, "x*") == "b");
  CHECK(reached(all, "x", {.ignore_unavailable = true}) == "b");
  CHECK(reached(all, "x", {.closed = true}) == "a b");
  auto read = read_index_template(
      Fixture::json(R"({"index_patterns": ["logs"], "data_stream": {}})"));
  REQUIRE(all.put_template("t", std::move(*read), false, {}, house.soon()).ok());
  REQUIRE(all.create_data_stream("logs", house.soon()).ok());
  CHECK_FALSE(all.close({all.data_streams()->find("logs")->write_index()}, house.soon()).ok());
}

TEST_CASE("closed: settings that are for ever of an open index change") {
  Fixture house;
  Indices& all = house.indices();
  const auto index = house.create("a", R"({"properties": {"t": {"type": "text"}}})");
  house.put(*index, "1", R"({"t": "Running dogs"})");
  const Json analysis = Fixture::json(R"({"analysis": {"analyzer": {"default_search": {
      "type": "english"}, "mine": {"type": "custom", "tokenizer": "whitespace"}}}})");
  CHECK_FALSE(index->put_settings(analysis, house.soon()).ok());
  REQUIRE(all.close({"a"}, house.soon()).ok());
  const auto closed = all.find("a").value();
  REQUIRE(closed->put_settings(analysis, house.soon()).ok());
  REQUIRE(closed->put_settings(Fixture::json(R"({"refresh_interval": "9s"})"), house.soon()).ok());
  CHECK_FALSE(closed->put_settings(Fixture::json(R"({"number_of_shards": 2})"), house.soon()).ok());
  CHECK_FALSE(closed
                  ->put_settings(Fixture::json(R"({"analysis": {"analyzer": {"x": {
                                     "type": "custom", "tokenizer": "none"}}}})"),
                                 house.soon())
                  .ok());
  CHECK(closed->setting_text("refresh_interval") == "9s");
  CHECK(house.reopen()->find("a").value()->setting_text("refresh_interval") == "9s");
  REQUIRE(house.indices().reopen({"a"}, house.soon()).ok());
  const auto again = house.indices().find("a").value();
  CHECK(again->setting_text("refresh_interval") == "9s");
  count_is(house, "a", 1);
  REQUIRE(again
              ->put_mapping(Fixture::json(R"({"properties": {"u": {"type": "text",
                                              "analyzer": "mine"}}})"),
                            house.soon())
              .ok());
}

TEST_CASE("closed: a restore takes the place of a closed index, and of no open one") {
  Fixture house;
  Indices& all = house.indices();
  const auto index = house.create("a");
  REQUIRE(all.change_aliases(std::vector{AliasChange{.index = "a", .alias = "x"}}, house.soon())
              .ok());
  house.put(*index, "1", "{}");
  {
    const auto kept = index->checkpoint(house.soon());
    REQUIRE(kept.ok());
    const FetchObject fetch = [&](const CheckpointObject& object,
                                  const std::function<Status(std::string_view)>& sink) -> Status {
      CAIRN_TRY(const auto bytes, kept->read(object.name, 0, object.size_bytes, house.soon()));
      return sink(bytes);
    };
    house.put(*index, "2", "{}");
    CHECK_FALSE(all.restore("a", kept->manifest(), fetch, house.soon()).ok());
    REQUIRE(all.close({"a"}, house.soon()).ok());
    const auto restored = all.restore("a", kept->manifest(), fetch, house.soon());
    INFO((restored.ok() ? std::string() : restored.error().message));
    REQUIRE(restored.ok());
  }
  {
    // Aliases of the snapshot take no names that are others'.
    house.create("taken");
    const auto kept = all.find("a").value()->checkpoint(house.soon());
    REQUIRE(kept.ok());
    const FetchObject fetch = [&](const CheckpointObject& object,
                                  const std::function<Status(std::string_view)>& sink) -> Status {
      CAIRN_TRY(const auto bytes, kept->read(object.name, 0, object.size_bytes, house.soon()));
      return sink(bytes);
    };
    REQUIRE(all.close({"a"}, house.soon()).ok());
    CHECK_FALSE(all.restore("a", kept->manifest(), fetch, house.soon(), {{"taken", {}}}).ok());
    CHECK_FALSE(all.restore("a", kept->manifest(), fetch, house.soon(), {{"a", {}}}).ok());
    CHECK(state_of(all) == "a- taken+");
    REQUIRE(all.reopen({"a"}, house.soon()).ok());
    REQUIRE(all.remove("taken", house.soon()).ok());
  }
  CHECK(state_of(all) == "a+");
  count_is(house, "a", 1);
  CHECK(all.find("a").value()->uuid() != index->uuid());
  CHECK(reached(all, "x") == "a");
  CHECK(state_of(*house.reopen()) == "a+");
  count_is(house, "a", 1);
  CHECK(reached(house.indices(), "x") == "a");
}

struct Step {
  const char* what;
  const char* before;
  const char* after;
  std::function<Status(Indices&, const os::Deadline&)> run;
};

TEST_CASE("closed: a crash at any call to the store leaves an index open or closed, and whole") {
  const Step steps[] = {
      {"close", "a+ b- c+", "a- b- c-",
       [](Indices& all, const os::Deadline& soon) { return all.close({"a", "c"}, soon); }},
      {"open", "a+ b- c+", "a+ b+ c+",
       [](Indices& all, const os::Deadline& soon) { return all.reopen({"b"}, soon); }},
      {"remove", "a+ b- c+", "a+ c+",
       [](Indices& all, const os::Deadline& soon) { return all.remove("b", soon); }},
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
          for (const char* name : {"a", "b", "c"}) house.put(*house.create(name), "1", "{}");
          REQUIRE(house.indices().close({"b"}, house.soon()).ok());
          faulty.set(at, fault, for_good);
          const Status done = step.run(house.indices(), house.soon());
          const bool was_reached = faulty.reached();
          if (done.ok()) CHECK(state_of(house.indices()) == step.after);
          faulty.set(0, FaultyStore::Fault::none, false);
          CAPTURE((done.ok() ? std::string() : done.error().message));
          // Any later change finds out what has happened.
          if (!for_good) {
            REQUIRE(house.indices()
                        .change_aliases(std::vector{AliasChange{.index = "a", .alias = "x"}},
                                        house.soon())
                        .ok());
            const std::string now = state_of(house.indices());
            CHECK((now == step.after || (!done.ok() && now == step.before)));
            CHECK(state_of(*house.reopen()) == now);
          }
          const std::string left = state_of(*house.reopen());
          CHECK((left == step.after || (!done.ok() && left == step.before)));
          std::vector<std::string> names;
          for (const auto& index : house.indices().all()) names.push_back(index->name());
          REQUIRE(house.indices().reopen(names, house.soon()).ok());
          for (const std::string& name : names) {
            house.put(*house.indices().find(name).value(), "2", "{}");
            count_is(house, name, 2);
          }
          if (!was_reached) break;
        }
}

}  // namespace
}  // namespace cairn::index::closed_indices_test
