// SPDX-License-Identifier: Apache-2.0
// Data streams and rollovers: what names mean, what changes, what a restart and a crash leave.
#include "index/names/data_streams.h"

#include <functional>
#include <string>

#include "index/errors.h"
#include "index/faulty_store.h"
#include "index/names/named_index.h"
#include "index/testing.h"

namespace cairn::index::data_streams_test {
namespace {

void put_template(Fixture& house, std::string_view body) {
  auto read = read_index_template(Fixture::json(body));
  REQUIRE(read.ok());
  const Status put = house.indices().put_template("t", std::move(*read), false, {}, house.soon());
  INFO((put.ok() ? std::string() : put.error().message));
  REQUIRE(put.ok());
}

std::string text_of(const Status& status) {
  return status.ok() ? "ok" : status.error().code + ": " + status.error().message;
}

/// "name=indices" of each stream and alias; "!" behind the index that is written to.
std::string state_of(const Indices& indices) {
  std::string out;
  const auto streams = indices.data_streams();
  for (const auto& [name, stream] : streams->all()) {
    out += name + "=";
    for (const BackingIndex& one : stream.indices) out += one.name + ",";
    out.back() = ' ';
  }
  const auto aliases = indices.aliases();
  for (const auto& [name, members] : aliases->all()) {
    out += name + "=";
    for (const auto& [index, member] : members)
      out += index + (member.properties->is_write_index.value_or(false) ? "!," : ",");
    out.back() = ' ';
  }
  out += "|";
  for (const auto& index : indices.all()) out += " " + index->name();
  return out;
}

std::string reached(const Indices& indices, std::string_view expression,
                    const ResolveOptions& options = {}) {
  const auto found = indices.resolve_names(expression, options);
  if (!found.ok()) return found.error().message;
  std::string out;
  for (const NamedIndex& one : *found) {
    out += (out.empty() ? "" : " ") + one->name();
    for (const std::string& name : one.names()) out += "<" + name;
  }
  return out;
}

Status roll(Indices& indices, std::string_view name, const os::Deadline& deadline,
            std::string_view new_index = {}) {
  CAIRN_TRY(const auto plan, indices.plan_rollover(name, new_index));
  CAIRN_TRY(const auto templated, indices.templated(plan.is_stream ? name : plan.new_index, {}));
  return indices.roll_over(plan, templated.definition, deadline);
}

constexpr const char* stream_template = R"({"index_patterns": ["logs-*"], "data_stream": {},
    "template": {"mappings": {"properties": {"n": {"type": "long"}}}}})";

TEST_CASE("data streams: the next name counts on") {
  CHECK(next_index_name("logs-000007").value() == "logs-000008");
  CHECK(next_index_name("logs-1").value() == "logs-000002");
  CHECK(next_index_name("a-b-999999").value() == "a-b-1000000");
  for (const char* name : {"logs", "logs-", "logs-1x", "-", "logs-+1", "logs-99999999999999999999"})
    CHECK_FALSE(next_index_name(name).ok());
  CHECK(backing_index_name("logs-x", 12, 1'700'000'000'000) == ".ds-logs-x-2023.11.14-000012");
}

TEST_CASE("data streams: one name for a row of indices, of which the last is written to") {
  Fixture house;
  Indices& all = house.indices();
  CHECK(text_of(all.create_data_stream("logs-a", house.soon())) ==
        "illegal_argument_exception: no matching index template found for data stream [logs-a]");
  put_template(house, stream_template);
  REQUIRE(all.create_data_stream("logs-a", house.soon()).ok());
  CHECK(text_of(all.create_data_stream("logs-a", house.soon())) ==
        "resource_already_exists_exception: data_stream [logs-a] already exists");
  REQUIRE(roll(all, "logs-a", house.soon()).ok());
  const std::string day = backing_index_name("logs-a", 1, house.clock().unix_ms());
  const std::string next = backing_index_name("logs-a", 2, house.clock().unix_ms());
  CHECK(state_of(all) == "logs-a=" + day + "," + next + " | " + day + " " + next);
  CHECK(all.data_streams()->find("logs-a")->generation == 2);
  CHECK(reached(all, "logs-*") == day + "<logs-a " + next + "<logs-a");
  CHECK(reached(all, "logs-a") == day + "<logs-a " + next + "<logs-a");
  CHECK(reached(all, day) == day + "<" + day);
  CHECK(reached(all, "*,-logs-a") == "");
  CHECK(reached(all, "logs-a", {.aliases = false}) ==
        "The provided expression [logs-a] matches a data stream, specify the corresponding concrete "
        "indices instead.");
  CHECK(all.resolve_data_streams("l*,-logs-b") == std::vector<std::string>{"logs-a"});
  const auto place = all.find_write("logs-a");
  REQUIRE(place.ok());
  CHECK(place->is_stream);
  CHECK(place->index->name() == next);
  CHECK_FALSE(all.find_write("logs-a", "r").ok());
  CHECK(all.knows("logs-a"));
  CHECK_FALSE(all.find_one("logs-a").ok());
  // Names are of one thing.
  CHECK(text_of(all.create("logs-a", {}, {}, house.soon()).ok()
                    ? ok_status()
                    : Status(all.create("logs-a", {}, {}, house.soon()).error())) ==
        "invalid_index_name_exception: Invalid index name [logs-a], already exists as data stream");
  house.create("own");
  CHECK(text_of(all.change_aliases(std::vector{AliasChange{.index = "own", .alias = "logs-a"}},
                                   house.soon())) ==
        "invalid_alias_name_exception: Invalid alias name [logs-a]: an index or data stream exists "
        "with the same name as the alias");
  CHECK_FALSE(all.change_aliases(std::vector{AliasChange{.index = day, .alias = "x"}}, house.soon())
                  .ok());
  CHECK(text_of(all.remove(next, house.soon())) ==
        "illegal_argument_exception: index [" + next +
            "] is the write index for data stream [logs-a] and cannot be deleted");
  CHECK(text_of(all.remove_index_templates({"t"}, house.soon())) ==
        "illegal_argument_exception: unable to remove composable templates [t] as they are in use "
        "by a data streams [logs-a]");
  REQUIRE(all.remove(day, house.soon()).ok());
  CHECK(state_of(all) == "logs-a=" + next + " | " + next + " own");
  CHECK(state_of(*house.reopen()) == "logs-a=" + next + " | " + next + " own");
  REQUIRE(house.indices().remove_data_streams({"logs-a", "none"}, house.soon()).ok());
  CHECK(state_of(house.indices()) == "| own");
  CHECK(state_of(*house.reopen()) == "| own");
  CHECK(house.indices().remove_index_templates({"t"}, house.soon()).ok());
}

TEST_CASE("data streams: each document has one time") {
  Fixture house;
  put_template(house, stream_template);
  REQUIRE(house.indices().create_data_stream("logs-a", house.soon()).ok());
  const auto index = house.indices().find_write("logs-a")->index;
  const auto wrote = [&](const char* source) {
    WriteOperation operation;
    operation.kind = WriteOperation::Kind::create;
    operation.source = source;
    const auto result = house.write(*index, operation);
    return result.error ? result.error->cause->message : std::string("ok");
  };
  CHECK(wrote(R"({"@timestamp": "2026-01-01", "n": 1})") == "ok");
  CHECK(wrote(R"({"n": 1})") == "data stream timestamp field [@timestamp] is missing");
  CHECK(wrote(R"({"@timestamp": []})") == "data stream timestamp field [@timestamp] is missing");
  CHECK(wrote(R"({"@timestamp": ["2026-01-01", "2026-01-02"]})") ==
        "data stream timestamp field [@timestamp] encountered multiple values");
  CHECK_FALSE(index
                  ->put_mapping(Fixture::json(R"({"_data_stream_timestamp": {"enabled": false}})"),
                                house.soon())
                  .ok());
  CHECK(house.reopen()->find(index->name()).value()->mapping()->timestamp_required());
}

TEST_CASE("rollover: an alias goes to the new index, or stays over both where it says what is written") {
  Fixture house;
  Indices& all = house.indices();
  const auto properties = [](const char* text) {
    return read_alias_properties(Fixture::json(text)).value();
  };
  REQUIRE(all.create("a-1", {}, {}, house.soon(), {{"moves", {}}}).ok());
  REQUIRE(all.create("b-1", {}, {}, house.soon(),
                     {{"stays", properties(R"({"is_write_index": true, "index_routing": "r"})")}})
              .ok());
  REQUIRE(roll(all, "moves", house.soon()).ok());
  REQUIRE(roll(all, "stays", house.soon()).ok());
  CHECK(state_of(all) == "moves=a-000002 stays=b-000002!,b-1 | a-000002 a-1 b-000002 b-1");
  CHECK(all.aliases()->find("stays")->find("b-000002")->second.properties->index_routing == "r");
  REQUIRE(roll(all, "stays", house.soon(), "other").ok());
  CHECK(state_of(*house.reopen()) ==
        "moves=a-000002 stays=b-000002,b-1,other! | a-000002 a-1 b-000002 b-1 other");
  Indices& again = house.indices();
  struct Row {
    const char* name;
    const char* new_index;
    const char* wanted;
  };
  const Row rows[] = {
      {"none", "", "rollover target [none] does not exist"},
      {"a-1", "",
       "rollover target is a [concrete index] but one of [alias,data_stream] was expected"},
      {"stays", "",
       "index name [other] does not match pattern '^.*-\\d+$'; name the new index in the request: "
       "/{alias}/_rollover/{new_index}"},
      {"stays", "a-1", ""},
      {"stays", "B", "Invalid index name [B], must be lowercase"}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Status done = roll(again, row.name, house.soon(), row.new_index);
    REQUIRE_FALSE(done.ok());
    if (row.wanted[0] != 0) CHECK(done.error().message == row.wanted);
  }
  // Of two that planned the same, one comes late.
  const auto plan = again.plan_rollover("moves", "").value();
  const auto late = again.plan_rollover("moves", "late").value();
  REQUIRE(again.roll_over(plan, {}, house.soon()).ok());
  const Status lost = again.roll_over(late, {}, house.soon());
  REQUIRE_FALSE(lost.ok());
  CHECK(lost.error().kind == ErrorKind::conflict);
  CHECK_FALSE(again.find("late").ok());
}

TEST_CASE("data streams: indices join and leave, and an alias becomes one") {
  Fixture house;
  Indices& all = house.indices();
  put_template(house, stream_template);
  REQUIRE(all.create_data_stream("logs-a", house.soon()).ok());
  const std::string first = all.data_streams()->find("logs-a")->write_index();
  house.create("old", R"({"properties": {"@timestamp": {"type": "date"}}})");
  house.create("bare");
  const auto change = [&](bool adds, const std::string& index) {
    return all.change_data_streams(
        std::vector{StreamChange{.adds = adds, .data_stream = "logs-a", .index = index}},
        house.soon());
  };
  REQUIRE(change(true, "old").ok());
  CHECK(state_of(all) == "logs-a=old," + first + " | " + first + " bare old");
  CHECK(all.find("old").value()->setting_text("hidden") == "true");
  CHECK_FALSE(change(true, "bare").ok());
  CHECK_FALSE(change(false, first).ok());
  REQUIRE(change(false, "old").ok());
  CHECK(state_of(*house.reopen()) == "logs-a=" + first + " | " + first + " bare old");

  Indices& again = house.indices();
  const char* timed = R"({"properties": {"@timestamp": {"type": "date"}}})";
  REQUIRE(again.create("x", Fixture::json(timed), {}, house.soon(), {{"logs-b", {}}}).ok());
  REQUIRE(again.create("y", Fixture::json(timed), {}, house.soon(),
                       {{"logs-b", {.is_write_index = true}}})
              .ok());
  REQUIRE(again.migrate_to_data_stream("logs-b", house.soon()).ok());
  CHECK(reached(again, "logs-b") == "x<logs-b y<logs-b");
  CHECK(again.find_write("logs-b")->index->name() == "y");
  CHECK(again.aliases()->find("logs-b") == nullptr);
  REQUIRE(roll(again, "logs-b", house.soon()).ok());
  CHECK(again.data_streams()->find("logs-b")->generation == 3);
}

struct Step {
  const char* what;
  std::function<Status(Indices&, const os::Deadline&)> run;
};

TEST_CASE("data streams: a crash at any call to the store leaves all of a change or none") {
  const Step steps[] = {
      {"create", [](Indices& all, const os::Deadline& soon) {
         return all.create_data_stream("logs-b", soon);
       }},
      {"roll a stream",
       [](Indices& all, const os::Deadline& soon) { return roll(all, "logs-a", soon); }},
      {"roll an alias",
       [](Indices& all, const os::Deadline& soon) { return roll(all, "stays", soon); }},
      {"remove the stream", [](Indices& all, const os::Deadline& soon) {
         return all.remove_data_streams({"logs-a"}, soon);
       }},
      {"remove an index of it", [](Indices& all, const os::Deadline& soon) {
         return all.remove(all.data_streams()->find("logs-a")->indices.front().name, soon);
       }},
  };
  for (const Step& step : steps)
    for (const bool for_good : {true, false})
      for (const auto fault : {FaultyStore::Fault::lost_call, FaultyStore::Fault::lost_answer}) {
        std::string before;
        std::string after;
        for (std::size_t at = 0;; ++at) {
          CAPTURE(step.what);
          CAPTURE(at);
          CAPTURE(for_good);
          auto inside = store::memory_store();
          auto owned = std::make_unique<FaultyStore>(*inside);
          FaultyStore& faulty = *owned;
          Fixture house(Fixture::quiet_options(), std::move(owned));
          put_template(house, stream_template);
          REQUIRE(house.indices().create_data_stream("logs-a", house.soon()).ok());
          REQUIRE(roll(house.indices(), "logs-a", house.soon()).ok());
          REQUIRE(house.indices()
                      .create("b-1", {}, {}, house.soon(), {{"stays", {.is_write_index = true}}})
                      .ok());
          if (at == 0) {
            before = state_of(house.indices());
            REQUIRE(step.run(house.indices(), house.soon()).ok());
            after = state_of(house.indices());
            CHECK(state_of(*house.reopen()) == after);
            if (for_good && fault == FaultyStore::Fault::lost_call) CHECK(before != after);
          }
          if (at > 0) {
            faulty.set(at - 1, fault, for_good);
            const Status done = step.run(house.indices(), house.soon());
            const bool was_reached = faulty.reached();
            if (done.ok()) CHECK(state_of(house.indices()) == after);
            faulty.set(0, FaultyStore::Fault::none, false);
            CAPTURE(text_of(done));
            const std::string left = state_of(*house.reopen());
            CHECK((left == after || (!done.ok() && left == before)));
            // Nothing of it comes up later, and what is there can be written and removed.
            const std::string stream_now =
                house.indices().data_streams()->find("logs-a") == nullptr ? "" : "logs-a";
            if (!stream_now.empty()) {
              REQUIRE(roll(house.indices(), "logs-a", house.soon()).ok());
              REQUIRE(house.indices().remove_data_streams({"logs-a"}, house.soon()).ok());
              CHECK(house.reopen()->data_streams()->find("logs-a") == nullptr);
            }
            if (!was_reached) break;
          }
        }
      }
}

/// Whether each index of a stream is of a stream, and is there.
void check_no_orphans(const Indices& indices) {
  const auto streams = indices.data_streams();
  for (const auto& index : indices.all())
    if (index->name().starts_with(".ds-")) CHECK(streams->stream_of(index->name()) != nullptr);
  for (const auto& [name, stream] : streams->all())
    for (const BackingIndex& one : stream.indices) CHECK(indices.find(one.name).ok());
}

TEST_CASE("data streams: a change whose answer was lost is taken up whole, without a restart") {
  const Step steps[] = {
      {"create", [](Indices& all, const os::Deadline& soon) {
         return all.create_data_stream("logs-b", soon);
       }},
      {"roll a stream",
       [](Indices& all, const os::Deadline& soon) { return roll(all, "logs-a", soon); }},
      {"roll an alias",
       [](Indices& all, const os::Deadline& soon) { return roll(all, "stays", soon); }},
      {"roll an alias that moves",
       [](Indices& all, const os::Deadline& soon) { return roll(all, "moves", soon); }},
      {"remove the stream", [](Indices& all, const os::Deadline& soon) {
         return all.remove_data_streams({"logs-a"}, soon);
       }},
      {"close an index",
       [](Indices& all, const os::Deadline& soon) { return all.close({"b-1"}, soon); }}};
  for (const Step& step : steps)
    for (const auto fault : {FaultyStore::Fault::lost_call, FaultyStore::Fault::lost_answer})
      for (std::size_t at = 0; at < 14; ++at) {
        CAPTURE(step.what);
        CAPTURE(at);
        std::string after;
        std::string before;
        for (const bool fails : {false, true}) {
          auto inside = store::memory_store();
          auto owned = std::make_unique<FaultyStore>(*inside);
          FaultyStore& faulty = *owned;
          Fixture house(Fixture::quiet_options(), std::move(owned));
          Indices& all = house.indices();
          put_template(house, stream_template);
          REQUIRE(all.create_data_stream("logs-a", house.soon()).ok());
          REQUIRE(
              all.create("b-1", {}, {}, house.soon(), {{"stays", {.is_write_index = true}}}).ok());
          REQUIRE(all.create("c-1", {}, {}, house.soon(), {{"moves", {}}}).ok());
          const auto shown = [&] {
            std::string out = state_of(all) + " closed:";
            for (const auto& index : all.all())
              if (index->closed()) out += " " + index->name();
            return out;
          };
          before = shown();
          // The store is away from the call on, so that nobody can look what is there.
          if (fails) faulty.set(at, fault, true);
          const Status done = step.run(all, house.soon());
          if (!fails) {
            REQUIRE(done.ok());
            after = shown();
            continue;
          }
          // Nobody writes to what may be gone.
          std::vector<std::pair<std::string, std::string>> written;
          faulty.set(0, FaultyStore::Fault::none, false);
          for (const auto& index : all.all()) {
            WriteOperation write;
            write.id = "w";
            write.source = R"({"@timestamp": 0})";
            const auto wrote = index->write({&write, 1}, house.soon());
            if (wrote.ok() && !wrote->front().error) written.emplace_back(index->name(), "w");
          }
          // It may be away again while that is found out.
          faulty.set(at % 5, FaultyStore::Fault::lost_call, true);
          (void)all.remove("b-none", house.soon()).ok();
          (void)all.change_aliases(std::vector{AliasChange{.index = "c-1", .alias = "other"}},
                                   house.soon())
              .ok();
          faulty.set(0, FaultyStore::Fault::none, false);
          // Any change of names finds it first.
          REQUIRE(all.change_aliases(
                         std::vector{AliasChange{.index = "c-1", .alias = "other"},
                                     AliasChange{.kind = AliasChange::Kind::remove,
                                                 .index = "c-1",
                                                 .alias = "other"}},
                         house.soon())
                      .ok());
          const std::string now = shown();
          CAPTURE(text_of(done));
          CHECK((now == after || (!done.ok() && now == before)));
          check_no_orphans(all);
          for (const auto& [index, id] : written) {
            CAPTURE(index);
            const auto there = all.find(index);
            REQUIRE(there.ok());
            if (!(*there)->closed()) CHECK((*there)->get(id, house.soon())->has_value());
          }
        }
      }
}

TEST_CASE("data streams: an index that is left of a stream is no hindrance to the next") {
  Fixture house;
  put_template(house, stream_template);
  const std::string left = backing_index_name("logs-a", 1, house.clock().unix_ms());
  house.create(left);
  REQUIRE(house.indices().create_data_stream("logs-a", house.soon()).ok());
  CHECK(house.indices().data_streams()->find("logs-a")->write_index() ==
        backing_index_name("logs-a", 2, house.clock().unix_ms()));
  CHECK(house.indices().data_streams()->find("logs-a")->generation == 2);
}

}  // namespace
}  // namespace cairn::index::data_streams_test
