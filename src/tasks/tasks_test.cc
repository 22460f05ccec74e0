// SPDX-License-Identifier: Apache-2.0
// Tasks over indices in memory: what they change, how they end, and how they go on.
#include "tasks/tasks.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "search/service_test_rig.h"
#include "tasks/remote/scripted_cluster.h"

namespace cairn::tasks::tasks_test {

const auto never = os::Deadline::never();

struct Rig : search::ServiceFixture {
  std::unique_ptr<store::Store> task_store = store::memory_store();
  ingest::Ingest ingest{*indices, *inference};
  Options options = {};
  std::function<std::int64_t(const std::string& key, std::int64_t cpu_ns)> charge = {};
  std::unique_ptr<Tasks> tasks = {};

  void open() {
    tasks.reset();
    Ground ground{.store = *task_store,
                  .indices = *indices,
                  .search = service,
                  .ingest = ingest,
                  .clock = os::system_clock(),
                  .node_id = "node"};
    ground.error_object = [](const Error& error) {
      return Json::object({{"type", error.code}, {"reason", error.message}});
    };
    ground.error_status = [](const Error& error) {
      return error.kind == ErrorKind::conflict || error.code == "version_conflict_engine_exception"
                 ? 409
                 : 400;
    };
    ground.charge = charge;
    ground.seal = {
        .close =
            [](std::string_view secret, std::string_view context) {
              return turned(secret) + "|" + std::string(context);
            },
        .open = [](std::string_view sealed, std::string_view context) -> Result<std::string> {
          const std::string end = "|" + std::string(context);
          if (!sealed.ends_with(end)) return Error{.kind = ErrorKind::corrupt};
          return turned(sealed.substr(0, sealed.size() - end.size()));
        }};
    options.remote_allowed_hosts = {"127.0.0.1"};
    tasks = Tasks::open(std::move(ground), options, never).value();
  }
  static std::string turned(std::string_view text) { return {text.rbegin(), text.rend()}; }

  std::shared_ptr<index::Index> make(const std::string& name, int documents) {
    auto index = indices->create(name, {}, {}, never).value();
    for (int i = 0; i < documents; ++i) write(*index, std::to_string(i), i);
    REQUIRE(index->refresh(never).ok());
    return index;
  }
  static void write(index::Index& index, const std::string& id, int n) {
    const index::WriteOperation one{.id = id, .source = Json::object({{"n", n}}).dump()};
    REQUIRE(!index.write(std::span(&one, 1), never).value().front().error);
  }
  static void remove(index::Index& index, const std::string& id) {
    const index::WriteOperation one{.kind = index::WriteOperation::Kind::remove, .id = id};
    REQUIRE(!index.write(std::span(&one, 1), never).value().front().error);
  }
  std::uint64_t documents(const std::string& name) const {
    return indices->find(name).value()->statistics().documents;
  }

  static NewTask wanted(Kind kind, IndexList sources, bool background = false) {
    NewTask out{.request = {.kind = kind, .source_names = "a"},
                .sources = std::move(sources),
                .owner = {.key = "k"},
                .background = background};
    out.request.destination.index = "copy";
    return out;
  }
  Json answer(NewTask task) {
    const auto begun = tasks->start(std::move(task), never).value();
    return tasks->finish(*begun, never).value().response;
  }
  /// A record as a crash leaves it.
  void leave(std::uint64_t number, NewTask task, std::int64_t until, SliceState state) {
    TaskFacts facts{.number = number, .owner = task.owner, .background = true, .started_ms = 5};
    for (const auto& index : task.sources)
      facts.sources.push_back({.name = index->name(), .uuid = index->uuid(), .until = until});
    Task one(std::move(facts), std::move(task.request), os::system_clock());
    one.change_slice(0, [&](SliceState& slice) { slice = state; });
    REQUIRE(TaskRecords(*task_store).put(number, one.record(), never).ok());
  }
  Json result(std::uint64_t number) {
    if (const auto task = tasks->find(number)) CHECK(task->wait(never));
    return tasks->result(number, never).value().value().answer;
  }
};

TEST_CASE("tasks: documents that changed since the search are conflicts") {
  for (const bool proceed : {false, true}) {
    Rig rig;
    rig.open();
    const auto index = rig.make("a", 20);
    REQUIRE(index->view()->document_count() == 20);
    for (const auto* id : {"3", "7"}) rig.write(*index, id, 1);  // not seen by searches yet
    auto task = rig.wanted(Kind::remove, {index});
    task.request.proceed = proceed;
    const auto begun = rig.tasks->start(std::move(task), never).value();
    const auto ending = rig.tasks->finish(*begun, never).value();
    CHECK(ending.response.int_or("deleted") == 18);
    CHECK(ending.response.int_or("version_conflicts") == 2);
    CHECK(ending.response.find("failures")->as_array().size() == (proceed ? 0 : 2));
    CHECK(ending.status == (proceed ? 200 : 409));
    CHECK(rig.documents("a") == 2);
  }
}

TEST_CASE("tasks: max_docs is kept exactly, in parts too") {
  for (const std::size_t slices : {1, 3}) {
    Rig rig;
    rig.open();
    const auto index = rig.make("a", 100);
    auto task = rig.wanted(Kind::remove, {index});
    task.request.max_docs = 31;
    task.request.slices = slices;
    task.request.scroll_size = 4;
    const Json answer = rig.answer(std::move(task));
    CHECK(answer.int_or("deleted") == 31);
    CHECK(answer.int_or("total") == 31);
    CHECK(rig.documents("a") == 69);
  }
}

TEST_CASE("tasks: sort and terminate_after choose the documents, over all indices") {
  Rig rig;
  rig.open();
  const auto a = rig.make("a", 30);
  const auto b = rig.make("b", 30);
  auto task = rig.wanted(Kind::remove, {a, b});
  task.request.sort = parse_json(R"([{"n": "desc"}])").value();
  task.request.terminate_after = 20;  // 0 to 19 of each
  task.request.max_docs = 14;         // 13 to 19 of each
  task.request.scroll_size = 5;
  const Json answer = rig.answer(std::move(task));
  CHECK(answer.int_or("total") == 14);
  CHECK(answer.int_or("deleted") == 14);
  for (const auto& index : {a, b})
    for (int i = 0; i < 30; ++i)
      CHECK(index->get(std::to_string(i), never).value().has_value() == (i < 13 || i > 19));
}

TEST_CASE("tasks: no more than terminate_after of an index, in parts and after a restart too") {
  for (const std::size_t slices : {1, 3}) {
    Rig rig;
    rig.open();
    const auto index = rig.make("a", 100);
    auto task = rig.wanted(Kind::remove, {index}, true);
    task.request.terminate_after = 31;
    task.request.slices = slices;
    task.request.scroll_size = 4;
    task.request.requests_per_second = 0.01;
    const auto begun = rig.tasks->start(std::move(task), never).value();
    const std::uint64_t number = begun->number();
    while (begun->slice(0).throttled_until_ns == 0) os::sleep_ms(1, never);
    rig.open();
    const auto again = rig.tasks->find(number);
    REQUIRE(again != nullptr);
    REQUIRE(rig.tasks->rethrottle(*again, 0).ok());
    CHECK(rig.result(number).find_path("response.deleted")->as_int() == 31);
    CHECK(rig.documents("a") == 69);
    for (int i = 0; i < 100; ++i)
      CHECK(index->get(std::to_string(i), never).value().has_value() == (i > 30));
  }
}

TEST_CASE("tasks: a sorted delete goes on where a crash left it, and counts what was done") {
  Rig rig;
  const auto index = rig.make("a", 100);
  auto task = rig.wanted(Kind::remove, {index});
  task.request.sort = parse_json(R"([{"n": "desc"}])").value();
  task.request.max_docs = 60;
  SliceState state{.in_flight = InFlight{.target = 0, .to = 80, .count = 10}, .began = true};
  for (int n = 89; n >= 80; --n) state.in_flight->seq_nos.push_back(n);
  state.counts.deleted = 10;
  for (int i = 85; i < 100; ++i) rig.remove(*index, std::to_string(i));
  rig.write(*index, "new", 1000);  // after the task began
  rig.leave(7, std::move(task), 99, state);
  rig.open();
  const Json answer = rig.result(7);
  CHECK(answer.find_path("response.deleted")->as_int() == 60);
  CHECK(answer.find_path("response.total")->as_int() == 60);
  CHECK(answer.find_path("response.version_conflicts")->as_int() == 0);
  for (int i = 0; i < 100; ++i)
    CHECK(index->get(std::to_string(i), never).value().has_value() == (i < 40));
  CHECK(rig.documents("a") == 41);
}

TEST_CASE("tasks: documents that are not found in time end a task, and the answer says so") {
  Rig rig;
  rig.open();
  const auto index = rig.make("a", 10);
  auto task = rig.wanted(Kind::remove, {index});
  task.request.search_timeout_ms = 0;
  const auto begun = rig.tasks->start(std::move(task), never).value();
  const auto ending = rig.tasks->finish(*begun, never).value();
  CHECK(ending.status == 408);
  CHECK(ending.response.bool_or("timed_out"));
  CHECK(ending.response.find("failures")->as_array().empty());
  CHECK(rig.documents("a") == 10);
}

TEST_CASE("tasks: copies, some of whose documents fail") {
  Rig rig;
  rig.open();
  const auto index = rig.make("a", 10);
  const auto copy =
      rig.indices->create("copy", parse_json(R"({"dynamic": "strict"})").value(), {}, never);
  auto task = rig.wanted(Kind::reindex, {index});
  task.request.proceed = true;
  task.request.scroll_size = 4;
  const Json answer = rig.answer(std::move(task));
  CHECK(answer.int_or("created") == 0);
  CHECK(answer.int_or("batches") == 1);
  CHECK(answer.find("failures")->as_array().size() == 4);
}

TEST_CASE("tasks: a delete goes on where a crash left it, and counts what was done") {
  Rig rig;
  const auto index = rig.make("a", 100);
  rig.leave(7, rig.wanted(Kind::remove, {index}), 99,
            {.in_flight = InFlight{.target = 0, .to = 49, .count = 50}, .began = true});
  for (int i = 0; i < 30; ++i) rig.remove(*index, std::to_string(i));
  rig.write(*index, "new", 1);  // after the task began
  rig.open();
  const Json answer = rig.result(7);
  CHECK(answer.bool_or("completed"));
  CHECK(answer.find_path("response.deleted")->as_int() == 100);
  CHECK(answer.find_path("response.total")->as_int() == 100);
  CHECK(answer.find_path("response.version_conflicts")->as_int() == 0);
  CHECK(rig.documents("a") == 1);
}

TEST_CASE("tasks: an update goes on where a crash left it, and indexes no document twice") {
  Rig rig;
  const auto index = rig.make("a", 40);
  SliceState state{.in_flight = InFlight{.target = 0, .to = 19, .count = 10}, .began = true};
  state.after = 9;
  state.counts.updated = 10;
  for (int i = 0; i < 15; ++i) rig.write(*index, std::to_string(i), i);
  rig.leave(7, rig.wanted(Kind::update, {index}), 39, state);
  rig.open();
  const Json answer = rig.result(7);
  CHECK(answer.find_path("response.updated")->as_int() == 40);
  for (int i = 0; i < 40; ++i) CHECK(index->get(std::to_string(i), never).value()->version == 2);
}

TEST_CASE("tasks: a copy goes on where a crash left it; its own copies are no conflicts") {
  for (const bool changed : {false, true}) {
    Rig rig;
    const auto index = rig.make("a", 40);
    const auto copy = rig.make("copy", 15);  // as the source has them
    if (changed) rig.write(*copy, "12", 1000);
    auto task = rig.wanted(Kind::reindex, {index});
    task.request.destination.create_only = true;
    SliceState state{.in_flight = InFlight{.target = 0, .to = 19, .count = 10}, .began = true};
    state.after = 9;
    state.counts.created = 10;
    rig.leave(7, std::move(task), INT64_MAX, state);
    rig.open();
    const Json answer = rig.result(7);
    CHECK(answer.find_path("response.created")->as_int() == (changed ? 39 : 40));
    CHECK(answer.find_path("response.version_conflicts")->as_int() == (changed ? 1 : 0));
    CHECK(rig.documents("copy") == 40);
  }
}

TEST_CASE("tasks: one whose index is another one since ends with that") {
  Rig rig;
  const auto index = rig.make("a", 5);
  rig.leave(7, rig.wanted(Kind::remove, {index}), 4, {});
  REQUIRE(rig.indices->remove("a", never).ok());
  rig.make("a", 5);
  rig.open();
  CHECK(rig.result(7).find_path("error.type")->as_string() == "index_not_found_exception");
  CHECK(rig.documents("a") == 5);
}

TEST_CASE("tasks: stopping the process suspends, the next one goes on") {
  Rig rig;
  rig.open();
  const auto index = rig.make("a", 50);
  auto task = rig.wanted(Kind::remove, {index}, true);
  task.request.scroll_size = 10;
  task.request.requests_per_second = 0.01;
  const auto begun = rig.tasks->start(std::move(task), never).value();
  const std::uint64_t number = begun->number();
  while (begun->slice(0).throttled_until_ns == 0) os::sleep_ms(1, never);
  rig.tasks->stop();
  CHECK(rig.documents("a") == 40);
  CHECK(!rig.tasks->start(rig.wanted(Kind::remove, {index}), never).ok());
  rig.open();
  const auto again = rig.tasks->find(number);
  REQUIRE(again != nullptr);
  REQUIRE(rig.tasks->rethrottle(*again, 0).ok());
  const Json answer = rig.result(number);
  CHECK(answer.find_path("response.deleted")->as_int() == 50);
  CHECK(rig.documents("a") == 0);
  // And once more: the result is there, the task is not.
  rig.open();
  CHECK(rig.tasks->running().empty());
  CHECK(rig.result(number).find_path("response.deleted")->as_int() == 50);
}

TEST_CASE("tasks: a cancelled one ends within a batch, and says so") {
  Rig rig;
  rig.open();
  const auto index = rig.make("a", 50);
  auto task = rig.wanted(Kind::update, {index}, true);
  task.request.scroll_size = 10;
  task.request.requests_per_second = 0.01;
  const auto begun = rig.tasks->start(std::move(task), never).value();
  while (begun->slice(0).throttled_until_ns == 0) os::sleep_ms(1, never);
  REQUIRE(rig.tasks->cancel(*begun, "by user request").ok());
  const Json answer = rig.result(begun->number());
  CHECK(answer.find_path("response.updated")->as_int() == 10);
  CHECK(answer.find_path("response.canceled")->as_string() == "by user request");
  CHECK(answer.find_path("task.cancelled")->as_bool());
}

TEST_CASE("tasks: one that is waited for ends with its client, and leaves no record") {
  Rig rig;
  rig.open();
  const auto index = rig.make("a", 50);
  auto task = rig.wanted(Kind::remove, {index});
  task.request.scroll_size = 10;
  task.request.requests_per_second = 0.01;
  const auto begun = rig.tasks->start(std::move(task), never).value();
  while (begun->slice(0).throttled_until_ns == 0) os::sleep_ms(1, never);
  std::stop_source gone;
  gone.request_stop();
  const auto ending = rig.tasks->finish(*begun, os::Deadline::never(gone.get_token())).value();
  CHECK(ending.response.find("canceled") != nullptr);
  CHECK(rig.documents("a") == 40);
  CHECK(!rig.tasks->result(begun->number(), never).value());
  REQUIRE(index->refresh(never).ok());
  auto late = rig.wanted(Kind::remove, {index});
  late.request.scroll_size = 10;
  late.request.requests_per_second = 0.01;
  const auto second = rig.tasks->start(std::move(late), never).value();
  while (second->slice(0).throttled_until_ns == 0) os::sleep_ms(1, never);
  const auto timed_out = rig.tasks->finish(*second, os::Deadline::in_ms(0)).value();
  CHECK(timed_out.status == 408);
  CHECK(timed_out.response.bool_or("timed_out"));
}

TEST_CASE("tasks: no more than so many at once, and so many results") {
  Rig rig;
  rig.options.running_max = 2;
  rig.options.results_max = 2;
  rig.open();
  const auto index = rig.make("a", 50);
  std::vector<std::shared_ptr<Task>> begun;
  for (int i = 0; i < 2; ++i) {
    auto task = rig.wanted(Kind::update, {index}, true);
    task.request.scroll_size = 1;
    task.request.requests_per_second = 0.01;
    begun.push_back(rig.tasks->start(std::move(task), never).value());
  }
  const auto third = rig.tasks->start(rig.wanted(Kind::update, {index}), never);
  REQUIRE(!third.ok());
  CHECK(third.error().kind == ErrorKind::rate_limited);
  for (const auto& task : begun) {
    REQUIRE(rig.tasks->cancel(*task, "x").ok());
    CHECK(task->wait(never));
  }
  auto last = rig.wanted(Kind::update, {index}, true);
  last.request.proceed = true;
  const auto one = rig.tasks->start(std::move(last), never).value();
  CHECK(one->wait(never));
  CHECK(!rig.tasks->result(begun.front()->number(), never).value());
  CHECK(rig.tasks->result(begun.back()->number(), never).value());
  CHECK(rig.tasks->result(one->number(), never).value());
}

TEST_CASE("tasks: a request is kept and read again as it was") {
  ByQuery request{.kind = Kind::reindex, .source_names = "a,b*"};
  request.query = parse_json(R"({"match": {"t": "x"}})").value();
  request.slice = search::Slice{.field = "n", .id = 1, .max = 4};
  request.max_docs = 9;
  request.sort = parse_json(R"([{"n": "desc"}, "_score"])").value();
  request.terminate_after = 12;
  request.search_timeout_ms = 300;
  request.proceed = true;
  request.destination = {.index = "c",
                         .create_only = true,
                         .routing = Destination::Routing::set,
                         .routing_value = "east"};
  request.source_filter = Json::array({"a.*"});
  const Json record = record_of(request);
  CHECK(record_of(read_by_query(parse_json(record.dump()).value()).value()) == record);
  CHECK(!read_by_query(Json::object({{"kind", "walk"}})).ok());
  CHECK(request.description() == "reindex from [a,b*] to [c]");
}

NewTask from(const ScriptedCluster& cluster, bool background = false) {
  NewTask out = Rig::wanted(Kind::reindex, {}, background);
  out.request.remote = cluster.source();
  out.request.remote->headers = {{"Authorization", "ApiKey secret"}};
  out.request.scroll_size = 4;
  return out;
}

TEST_CASE("tasks: a copy from another server, whole and the first documents") {
  for (const bool few : {false, true}) {
    Rig rig;
    rig.open();
    ScriptedCluster cluster(10);
    NewTask task = from(cluster);
    if (few) task.request.max_docs = 3;
    const Json answer = rig.answer(std::move(task));
    const int wanted = few ? 3 : 10;
    CHECK(answer.int_or("total") == wanted);
    CHECK(answer.int_or("created") == wanted);
    CHECK(rig.documents("copy") == static_cast<std::uint64_t>(wanted));
    CHECK(cluster.open_scrolls() == 0);
    CHECK(cluster.seen().front().authorization == "ApiKey secret");
  }
}

TEST_CASE(
    "tasks: a copy from another server keeps its credentials sealed, and not when it is over") {
  Rig rig;
  rig.open();
  ScriptedCluster cluster(10);
  const auto task = rig.tasks->start(from(cluster, true), never).value();
  const std::uint64_t number = task->number();
  CHECK(task->wait(never));
  CHECK(task->record().dump().find("secret") == std::string::npos);
  CHECK_FALSE(task->record().find_path("request.remote.sealed_headers")->as_string().empty());
  for (const auto& info : task->infos("node", true))
    CHECK(info.info.dump().find("secret") == std::string::npos);
  const Json kept = TaskRecords(*rig.task_store).get(number, never).value().value();
  CHECK(kept.find_path("request.remote.host") != nullptr);
  CHECK(kept.find_path("request.remote.sealed_headers") == nullptr);
}

/// What a crash leaves of a copy that a record of `task` tells of.
void leave_remote(Rig& rig, std::uint64_t number, NewTask task, const SourceIndex& destination) {
  RemoteSource& remote = *task.request.remote;
  remote.sealed_headers = Rig::turned(text_of_headers(remote)) + "|task/" + std::to_string(number) +
                          "/http://" + remote.authority();
  TaskFacts facts{.number = number,
                  .owner = task.owner,
                  .background = true,
                  .started_ms = 5,
                  .destination = destination};
  Task one(std::move(facts), std::move(task.request), os::system_clock());
  one.change_slice(0, [](SliceState& slice) {
    slice = {.counts = {.total = 10, .created = 4, .batches = 1, .read_retries = 2},
             .after = 3,
             .in_flight = InFlight{.target = 0, .to = 7, .count = 4},
             .began = true};
  });
  REQUIRE(TaskRecords(*rig.task_store).put(number, one.record(), never).ok());
}

TEST_CASE(
    "tasks: a copy from another server begins anew after a crash, and counts each copy once") {
  for (const bool create : {false, true}) {
    Rig rig;
    ScriptedCluster cluster(10);
    const auto copy = rig.indices->create("copy", {}, {}, never).value();
    rig.write(*copy, "9", 9);  // before the task: a conflict for `create`
    const SourceIndex before{.name = "copy", .uuid = copy->uuid(), .until = 0};
    for (int i = 0; i < 6; ++i) rig.write(*copy, std::to_string(i), i);  // by the former process
    rig.write(*copy, "5", 55);                                           // changed since
    NewTask task = from(cluster, true);
    task.request.destination.create_only = create;
    task.request.proceed = true;
    leave_remote(rig, 7, std::move(task), before);
    rig.open();
    const Json answer = *rig.result(7).find("response");
    CHECK(answer.int_or("total") == 10);
    CHECK(answer.int_or("batches") == 3);
    CHECK(answer.find_path("retries.search")->as_int() == 2);
    // 0 to 4 are there, 5 is something else, 9 is older, 6 to 8 are new.
    CHECK(answer.int_or("created") == 8);
    CHECK(answer.int_or("updated") == (create ? 0 : 2));
    CHECK(answer.int_or("version_conflicts") == (create ? 2 : 0));
    CHECK(copy->get("0", never).value()->version == 1);
    CHECK(copy->get("5", never).value()->version == (create ? 2 : 3));
    CHECK(rig.documents("copy") == 10);
  }
}

TEST_CASE("tasks: a copy whose credentials cannot be read any more ends, and says so") {
  Rig rig;
  ScriptedCluster cluster(10);
  leave_remote(rig, 7, from(cluster, true), {.name = "copy", .uuid = {}, .until = -1});
  auto record = TaskRecords(*rig.task_store).get(7, never).value().value();
  REQUIRE(TaskRecords(*rig.task_store).put(9, record, never).ok());  // sealed for another number
  NewTask first = from(cluster, true);
  first.request.max_docs = 8;
  leave_remote(rig, 11, std::move(first), {.name = "copy", .uuid = {}, .until = -1});
  rig.open();
  CHECK(rig.result(9).find_path("error.reason")->as_string().find("another master key") !=
        std::string::npos);
  CHECK(rig.result(11).find_path("error.reason")->as_string().find("[max_docs]") !=
        std::string::npos);
  CHECK(rig.result(7).find_path("response.created")->as_int() == 10);
}

TEST_CASE("tasks: another server that fails in the middle leaves what was done, and the reason") {
  ScriptedCluster cluster(10,
                          [](const ScriptedCluster::Seen& seen,
                             std::size_t number) -> std::optional<ScriptedCluster::Answer> {
                            if (number != 2 || seen.method == "DELETE") return std::nullopt;
                            return ScriptedCluster::Answer{.status = 500,
                                                           .body = R"({"error":"lost"})"};
                          });
  Rig rig;
  rig.open();
  const Json answer = rig.answer(from(cluster));
  CHECK(answer.int_or("created") == 8);
  REQUIRE(answer.find("failures")->as_array().size() == 1);
  CHECK(answer.find("failures")->as_array().front().dump().find("lost") != std::string::npos);
  CHECK(cluster.open_scrolls() == 0);
}

TEST_CASE("tasks: a server that is not allowed is refused before anything is asked") {
  Rig rig;
  rig.open();
  ScriptedCluster cluster(1);
  NewTask task = from(cluster);
  task.request.remote->host = "elsewhere";
  const auto begun = rig.tasks->start(std::move(task), never);
  REQUIRE_FALSE(begun.ok());
  CHECK(begun.error().code == "illegal_argument_exception");
  CHECK(rig.tasks->running().empty());
}

TEST_CASE("tasks: work in the background is charged batch by batch to the key that began it") {
  for (const bool background : {true, false}) {
    Rig rig;
    std::vector<std::string> keys;
    std::int64_t charged_ns = 0;
    int refused = 0;
    rig.charge = [&](const std::string& key, std::int64_t cpu_ns) -> std::int64_t {
      if (keys.size() == 2 && refused == 0)
        return ++refused;  // the account has no more for a moment
      keys.push_back(key);
      charged_ns += cpu_ns;
      return 0;
    };
    rig.open();
    const auto index = rig.make("a", 50);
    NewTask task = rig.wanted(Kind::remove, {index}, background);
    task.request.scroll_size = 10;
    const auto begun = rig.tasks->start(std::move(task), never).value();
    CHECK(begun->wait(never));
    CHECK(begun->ending()->response.int_or("deleted") == 50);
    if (!background) {
      CHECK(keys.empty());
      continue;
    }
    CHECK(keys == std::vector<std::string>(5, "k"));
    CHECK(refused == 1);
    CHECK(charged_ns <= begun->cpu_ns());
    CHECK(begun->status().int_or("throttled_millis") >= 1);
  }
}

TEST_CASE("merges: one in the background is listed, ends, and its answer is kept") {
  Rig rig;
  std::int64_t paid_ns = 0;
  rig.charge = [&](const std::string&, std::int64_t cpu_ns) {
    paid_ns += cpu_ns;
    return std::int64_t{0};
  };
  rig.open();
  const auto index = rig.make("a", 5);
  REQUIRE(index->flush(never).ok());
  rig.write(*index, "more", 1);
  const auto merge = rig.tasks->merges().start({.indices = {index}}, {.key = "k"}).value();
  CHECK(merge->wait(never));
  CHECK(merge->infos("node", true).front().info.string_or("description") ==
        "Force-merge indices [a], maxSegments[1], onlyExpungeDeletes[false], flush[true]");
  CHECK(index->statistics().segments == 1);
  CHECK(paid_ns > 0);
  CHECK(rig.tasks->find_listed(merge->number()) == nullptr);
  const Json answer = rig.result(merge->number());
  CHECK(answer.find_path("response._shards.successful")->as_int() == 1);
  rig.open();
  CHECK(rig.result(merge->number()) == answer);
}

TEST_CASE("merges: those that are stopped leave the index as it was; there are so many at most") {
  Rig rig;
  rig.options.running_max = 0;
  rig.open();
  const auto index = rig.make("a", 5);
  REQUIRE(index->flush(never).ok());
  rig.write(*index, "more", 1);
  REQUIRE(index->flush(never).ok());
  const auto segments = index->statistics().segments;
  REQUIRE(segments == 2);
  const auto refused = rig.tasks->merges().start({.indices = {index}}, {.key = "k"});
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == "es_rejected_execution_exception");
  Merge merge(1, {.indices = {index}}, {.key = "k"}, os::system_clock());
  merge.cancel("by user request");
  merge.cancel("again");
  CHECK(merge.cancelled() == "by user request");
  CHECK(!merge_all(merge.request(), os::Deadline::never(merge.stopped())).ok());
  CHECK(index->statistics().segments == segments);
}

}  // namespace cairn::tasks::tasks_test
