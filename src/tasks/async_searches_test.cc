// SPDX-License-Identifier: Apache-2.0
// Async searches over indices in memory: how they end, what is kept of them, and for whom.
#include "tasks/async_searches.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <thread>

#include "index/faulty_store.h"
#include "os/threads/blocking.h"
#include "os/threads/pool.h"
#include "search/service_test_rig.h"

namespace cairn::tasks::async_searches_test {

using index::FaultyStore;

const auto never = os::Deadline::never();
constexpr std::int64_t minute_ms = 60'000;

/// Holds searches up that look a document up, until it is opened.
struct Door {
  std::mutex mutex = {};
  std::condition_variable_any changed = {};
  bool open = false;
  int waiting = 0;

  void let_go() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
  Status pass(const std::stop_token& stop) {
    const os::Blocking blocking;
    std::unique_lock lock(mutex);
    ++waiting;
    changed.notify_all();
    const auto until = os::Deadline::never(stop);
    if (os::wait(changed, lock, until, [this] { return open; })) return ok_status();
    return until.check("waiting at the door");
  }
  void wait_for(int searches) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting >= searches; });
  }
};

struct Rig : search::ServiceFixture {
  std::unique_ptr<store::Store> inside = store::memory_store();
  FaultyStore task_store{*inside};
  ingest::Ingest ingest{*indices, *inference};
  Options options = {.write_wait_ms = 1'000, .write_attempts = 3, .first_wait_ms = 1};
  std::function<std::int64_t(const std::string& key, std::int64_t cpu_ns)> charge = {};
  os::ComputePool compute{{.slots = 2}};
  std::shared_ptr<Door> door = std::make_shared<Door>();
  std::atomic<std::uint64_t> numbers{1};
  std::unique_ptr<Ground> ground = {};
  std::shared_ptr<index::Index> index = indices->create("a", {}, {}, never).value();
  std::unique_ptr<AsyncSearches> searches = {};

  Rig() {
    for (const auto* id : {"1", "2", "3"}) {
      const index::WriteOperation one{.id = id, .source = R"({"n": 1})"};
      REQUIRE(!index->write(std::span(&one, 1), never).value().front().error);
    }
    REQUIRE(index->refresh(never).ok());
  }

  void open() {
    searches.reset();
    ground.reset(new Ground{.store = task_store,
                            .indices = *indices,
                            .search = service,
                            .ingest = ingest,
                            .clock = clock,
                            .compute = &compute,
                            .node_id = "node"});
    ground->error_object = [](const Error& error) {
      return Json::object({{"type", error.code}, {"reason", error.message}});
    };
    ground->error_status = [](const Error&) { return 418; };
    ground->charge = charge;
    searches = AsyncSearches::open(
                   *ground, options, [this] { return numbers++; }, never)
                   .value();
  }

  NewAsyncSearch wanted(const std::string& body = R"({"query": {"match_all": {}}})") const {
    return {.indices = {index},
            .body = body,
            .owner = {.key = "k"},
            .target = "a",
            .wait_ms = minute_ms,
            .keep_alive_ms = minute_ms};
  }
  /// One that is held up at the door.
  NewAsyncSearch slow(const std::string& key = "k") const {
    auto out = wanted(R"({"query": {"terms": {"n": {"index": "x", "id": "1", "path": "n"}}}})");
    out.owner.key = key;
    out.wait_ms = 0;
    out.parameters.find_document =
        [door = door, stop = out.stop.get_token()](
            const search::DocumentName&) -> Result<std::optional<search::FoundDocument>> {
      CAIRN_CHECK(door->pass(stop));
      return std::optional(search::FoundDocument{.index = "x", .source = R"({"n": [1]})"});
    };
    return out;
  }
  NewAsyncSearch kept() const {
    auto out = wanted();
    out.keep_on_completion = true;
    return out;
  }
  AsyncAnswer submit(NewAsyncSearch search) const {
    return searches->submit(std::move(search), never).value();
  }
  Result<AsyncAnswer> get(const std::string& id, std::int64_t wait_ms = minute_ms,
                          const std::string& key = "k") const {
    return searches->get(id, {.key = key}, {.wait_ms = wait_ms}, never);
  }
  /// Keys of the store.
  std::vector<std::string> stored() const {
    std::vector<std::string> out;
    REQUIRE(store::for_each_object(*inside, "", never, [&](const store::ObjectInfo& info) {
              out.push_back(info.key);
              return ok_status();
            }).ok());
    return out;
  }
  void wait_until_paid() const {
    while (!searches->running().empty()) os::sleep_ms(1, never);
  }
};

std::int64_t total_of(const AsyncAnswer& answer) {
  return parse_json(answer.text).value().find_path("hits.total.value")->as_int();
}

TEST_CASE("async searches: one that ends while its client waits leaves nothing behind") {
  Rig rig;
  int charged = 0;
  rig.charge = [&](const std::string&, std::int64_t) { return ++charged, 0; };
  rig.open();
  const std::int64_t before = os::pool_cpu_ns();
  const AsyncAnswer answer = rig.submit(rig.wanted());
  CHECK(answer.id.empty());
  REQUIRE(answer.ending);
  CHECK(answer.ending->status == 200);
  CHECK(!answer.ending->failed);
  CHECK(answer.expires_ms == rig.clock.unix_ms() + minute_ms);
  CHECK(answer.shards == 1);
  CHECK(total_of(answer) == 3);
  CHECK(os::pool_cpu_ns() > before);
  rig.searches->stop();
  CHECK(charged == 0);
  CHECK(rig.stored().empty());
  CHECK(rig.searches->end_expired(never) == 0);
}

TEST_CASE("async searches: one that outlasts its client's patience is kept, and paid for") {
  Rig rig;
  std::atomic<int> asked{0};
  rig.charge = [&](const std::string& key, std::int64_t cpu_ns) -> std::int64_t {
    CHECK(key == "k");
    CHECK(cpu_ns > 0);
    return ++asked < 3 ? 1 : 0;
  };
  rig.open();
  const AsyncAnswer begun = rig.submit(rig.slow());
  CHECK(!begun.id.empty());
  CHECK(!begun.ending);
  CHECK(parse_json(begun.text).value().find_path("_shards.successful")->as_int() == 0);
  rig.door->wait_for(1);
  CHECK(!rig.get(begun.id, 0)->ending);
  CHECK(!rig.searches->status(begun.id, {.key = "k"}, {}, never)->ending);
  rig.door->let_go();
  const AsyncAnswer ended = rig.get(begun.id).value();
  REQUIRE(ended.ending);
  CHECK(total_of(ended) == 3);
  while (asked < 3) os::sleep_ms(1, never);
  CHECK(rig.stored().size() == 2);
  rig.open();
  CHECK(rig.get(begun.id)->text == ended.text);
}

TEST_CASE("async searches: a place is held until the work is paid for") {
  Rig rig;
  std::atomic<bool> pays{false};
  rig.options.searches_of_one_max = 1;
  rig.charge = [&](const std::string&, std::int64_t) -> std::int64_t { return pays ? 0 : 1; };
  rig.open();
  const AsyncAnswer begun = rig.submit(rig.slow());
  rig.door->let_go();
  CHECK(rig.get(begun.id)->ending);
  CHECK(rig.searches->submit(rig.wanted(), never).error().code ==
        "es_rejected_execution_exception");
  pays = true;
  while (!rig.searches->submit(rig.wanted(), never).ok()) os::sleep_ms(1, never);
}

TEST_CASE("async searches: begun at once though others compute for long") {
  Rig rig;
  rig.open();
  std::atomic<bool> done{false};
  std::atomic<int> computing{0};
  std::list<os::Thread> others;
  for (int i = 0; i < 2; ++i)
    others.push_back(os::Thread::start({.name = "other"}, [&] {
                       const auto hold = [&] {
                         ++computing;
                         while (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                       };
                       CHECK(rig.compute.run(hold, never).ok());
                     }).value());
  while (computing < 2) os::sleep_ms(1, never);
  auto search = rig.wanted();
  search.wait_ms = 1;
  const AsyncAnswer begun = rig.submit(std::move(search));
  CHECK(!begun.ending);
  CHECK(!rig.get(begun.id, 0)->ending);
  done = true;
  CHECK(total_of(rig.get(begun.id).value()) == 3);
}

TEST_CASE("async searches: no more than so many at work, and so many that are kept") {
  Rig rig;
  rig.options.searches_max = 3;
  rig.options.searches_of_one_max = 2;
  rig.options.kept_searches_max = 5;
  rig.options.kept_searches_of_one_max = 4;
  rig.open();
  const auto refused = [&](NewAsyncSearch search) {
    const auto tried = rig.searches->submit(std::move(search), never);
    return !tried.ok() && tried.error().kind == ErrorKind::rate_limited;
  };
  for (int i = 0; i < 2; ++i) rig.submit(rig.slow());
  CHECK(refused(rig.slow()));
  rig.submit(rig.slow("other"));
  CHECK(refused(rig.slow("third")));
  rig.door->let_go();
  rig.wait_until_paid();
  std::vector<std::string> ids;
  for (int i = 0; i < 2; ++i) {
    auto tried = rig.searches->submit(rig.kept(), never);
    while (!tried.ok()) tried = rig.searches->submit(rig.kept(), never);
    ids.push_back(tried->id);
  }
  CHECK(refused(rig.kept()));
  auto others = rig.kept();
  others.owner.key = "other";
  CHECK(refused(others));  // five in all
  REQUIRE(rig.searches->remove(ids.front(), {.key = "k"}, never).ok());
  CHECK(!rig.submit(rig.kept()).id.empty());
}

TEST_CASE("async searches: seen by who began it alone, or by who sees all") {
  Rig rig;
  rig.open();
  const std::string id = rig.submit(rig.kept()).id;
  CHECK(rig.get(id).ok());
  const auto missing = rig.get(id, 0, "other");
  CHECK(missing.error().code == "resource_not_found_exception");
  CHECK(missing.error().message == id);
  CHECK(!rig.searches->status(id, {.key = "other"}, {}, never).ok());
  CHECK(rig.searches->status(id, {.key = "other", .any = true}, {}, never).ok());
  CHECK(!rig.searches->remove(id, {.key = "other"}, never).ok());
  CHECK(rig.searches->remove(id, {.key = "other", .any = true}, never).ok());
  CHECK(!rig.get(id).ok());
  CHECK(rig.get("no id").error().kind == ErrorKind::invalid_argument);
  CHECK(rig.stored().empty());
}

TEST_CASE("async searches: kept until their time is up, which may be set anew") {
  Rig rig;
  rig.open();
  const std::string shorter = rig.submit(rig.kept()).id, longer = rig.submit(rig.kept()).id;
  const auto look = [&](std::int64_t keep_alive_ms) {
    return rig.searches->get(longer, {.key = "k"}, {.keep_alive_ms = keep_alive_ms}, never);
  };
  CHECK(look(2 * minute_ms)->expires_ms == rig.clock.unix_ms() + 2 * minute_ms);
  CHECK(look(999).error().code == "action_request_validation_exception");
  rig.open();  // the store knows it too
  rig.clock.advance_ms(minute_ms);
  CHECK(!rig.get(shorter).ok());
  CHECK(rig.get(longer).ok());
  CHECK(rig.searches->end_expired(never) == 1);
  CHECK(rig.stored().size() == 2);
  CHECK(rig.searches->status(longer, {.key = "k"}, minute_ms, never)->expires_ms ==
        rig.clock.unix_ms() + minute_ms);
  rig.clock.advance_ms(minute_ms);
  rig.open();  // a start removes what is over
  CHECK(rig.stored().empty());
}

TEST_CASE("async searches: one whose time is up while it runs ends") {
  Rig rig;
  rig.open();
  const std::string id = rig.submit(rig.slow()).id;
  rig.door->wait_for(1);
  rig.clock.advance_ms(minute_ms);
  rig.searches->end_expired(never);
  while (rig.searches->end_expired(never) != 0) os::sleep_ms(1, never);
  CHECK(!rig.get(id).ok());
  CHECK(rig.stored().empty());
}

TEST_CASE("async searches: deleted while it runs") {
  Rig rig;
  rig.open();
  const std::string id = rig.submit(rig.slow()).id;
  rig.door->wait_for(1);
  CHECK(rig.searches->remove(id, {.key = "k"}, never).ok());
  CHECK(!rig.get(id).ok());
  CHECK(rig.searches->running().empty());
  CHECK(rig.stored().empty());
}

TEST_CASE("async searches: one that is cancelled says so") {
  Rig rig;
  rig.open();
  const std::string id = rig.submit(rig.slow()).id;
  rig.door->wait_for(1);
  const auto running = rig.searches->running();
  REQUIRE(running.size() == 1);
  const TaskInfo info = running.front()->infos("node", true).front();
  CHECK(info.action == "indices:data/read/async_search/submit");
  CHECK(info.info.string_or("description").starts_with("async_search{indices[a], source[{"));
  running.front()->cancel("by user request");
  CHECK(running.front()->wait(never));
  const AsyncAnswer ended = rig.get(id).value();
  REQUIRE(ended.ending);
  CHECK(ended.ending->failed);
  CHECK(ended.ending->status == 418);
  CHECK(parse_json(ended.text).value() ==
        Json::object({{"type", "task_cancelled_exception"},
                      {"reason", "task cancelled [by user request]"}}));
}

TEST_CASE("async searches: whose client leaves while it waits ends") {
  Rig rig;
  rig.open();
  auto search = rig.slow();
  search.wait_ms = -1;
  std::stop_source gone;
  auto leaver = os::Thread::start({.name = "leaver"}, [&] {
    rig.door->wait_for(1);
    gone.request_stop();
  });
  const auto left = rig.searches->submit(std::move(search), os::Deadline::never(gone.get_token()));
  CHECK(left.error().kind == ErrorKind::cancelled);
  while (rig.searches->end_expired(never) != 0) os::sleep_ms(1, never);
  CHECK(rig.stored().empty());
}

TEST_CASE("async searches: what runs ends with the process, and nothing is left of it") {
  Rig rig;
  rig.open();
  const std::string id = rig.submit(rig.slow()).id;
  rig.door->wait_for(1);
  rig.searches->stop();
  CHECK(rig.searches->submit(rig.wanted(), never).error().code == "node_closed_exception");
  CHECK(rig.stored().empty());
  rig.open();
  CHECK(rig.get(id).error().kind == ErrorKind::not_found);
}

TEST_CASE(
    "async searches: errors before the search are those of the request, later ones its answer") {
  Rig rig;
  rig.open();
  CHECK(rig.searches->submit(rig.wanted("{"), never).error().code == "x_content_parse_exception");
  CHECK(rig.searches->submit(rig.wanted(R"({"sise": 1})"), never).error().code ==
        "parsing_exception");
  auto search = rig.wanted(R"({"query": {"no_query": {}}})");
  const AsyncAnswer passing = rig.submit(search);
  REQUIRE(passing.ending);
  CHECK(passing.ending->failed);
  CHECK(passing.id.empty());
  search.keep_on_completion = true;
  const AsyncAnswer kept = rig.submit(search);
  CHECK(kept.text == passing.text);
  rig.open();
  const AsyncAnswer again = rig.get(kept.id).value();
  CHECK(again.ending->failed);
  CHECK(again.text == passing.text);
}

TEST_CASE("async searches: an answer that is too large to be kept is an error") {
  Rig rig;
  rig.options.search_answer_bytes = 100;
  rig.open();
  CHECK(!rig.submit(rig.wanted()).ending->failed);  // it is not kept
  const AsyncAnswer answer = rig.submit(rig.kept());
  CHECK(answer.ending->failed);
  CHECK(parse_json(answer.text).value().string_or("reason") ==
        "Can't store an async search response larger than [100] bytes. This limit can be set by "
        "changing the [search.max_async_search_response_size] setting.");
  CHECK(rig.get(answer.id)->text == answer.text);
}

TEST_CASE("async searches: each look says in which form it wants the answer") {
  Rig rig;
  rig.open();
  auto search = rig.wanted(R"({"size": 0, "aggs": {"m": {"max": {"field": "n"}}}})");
  search.keep_on_completion = true;
  const AsyncAnswer plain = rig.submit(search);
  CHECK(parse_json(plain.text).value().find_path("aggregations.m") != nullptr);
  const auto typed = rig.searches->get(
      plain.id, {.key = "k"}, {.form = {.typed_keys = true, .total_hits_as_int = true}}, never);
  const Json answer = parse_json(typed->text).value();
  CHECK(answer.find_path("aggregations.max#m") != nullptr);
  CHECK(answer.find_path("hits.total")->as_int() == 3);
  search.parameters.typed_keys = true;
  CHECK(parse_json(rig.submit(search).text).value().find_path("aggregations.max#m") != nullptr);
}

TEST_CASE("async searches: a store that is away for a moment is asked again") {
  Rig rig;
  rig.open();
  for (std::size_t at = 0; at < 2; ++at)
    for (const auto fault : {FaultyStore::Fault::lost_call, FaultyStore::Fault::lost_answer}) {
      rig.task_store.set(at, fault, false);
      const AsyncAnswer answer = rig.submit(rig.kept());
      CHECK(rig.task_store.reached());
      CHECK(!answer.ending->failed);
      rig.task_store.set(0, FaultyStore::Fault::none, false);
      rig.open();
      CHECK(rig.get(answer.id)->text == answer.text);
    }
}

/// Whether `found` is the whole answer; else nothing of it may be left.
bool is_whole(const Rig& rig, const Result<AsyncAnswer>& found) {
  if (!found.ok()) {
    CHECK(found.error().kind == ErrorKind::not_found);
    CHECK(rig.stored().empty());
    return false;
  }
  CHECK(!found->ending->failed);
  CHECK(total_of(*found) == 3);
  CHECK(rig.stored().size() == 2);
  return true;
}

/// A process that ends at one call to the store.
struct Crash {
  Rig& rig;
  std::size_t at;
  FaultyStore::Fault fault;
  bool reached = false;

  void arm() { rig.task_store.set(at, fault, true); }
  /// The next process begins.
  void restart() {
    reached = rig.task_store.reached();
    rig.searches.reset();
    rig.task_store.set(0, FaultyStore::Fault::none, false);
    rig.open();
  }
};

/// `body` at each call that it makes, before and after that was done.
void crash_at_each_call(const std::function<void(Rig& rig, Crash& crash)>& body) {
  for (const auto fault : {FaultyStore::Fault::lost_call, FaultyStore::Fault::lost_answer})
    for (std::size_t at = 0;; ++at) {
      CAPTURE(at);
      Rig rig;
      Crash crash{.rig = rig, .at = at, .fault = fault};
      body(rig, crash);
      if (!crash.reached) break;
    }
}

TEST_CASE("async searches: the process ends at any call to the store while an answer is kept") {
  crash_at_each_call([](Rig& rig, Crash& crash) {
    rig.options.write_attempts = 1;
    rig.open();
    const std::string id = rig.submit(rig.slow()).id;
    crash.arm();
    rig.door->let_go();
    const auto told = rig.get(id);
    crash.restart();
    const bool there = is_whole(rig, rig.get(id));
    // What was told as ended with an answer is there.
    if (told.ok() && !told->ending->failed) CHECK(there);
  });
}

TEST_CASE("async searches: the process ends at any call to the store while an answer is deleted") {
  crash_at_each_call([](Rig& rig, Crash& crash) {
    rig.open();
    const std::string id = rig.submit(rig.kept()).id;
    crash.arm();
    const bool told = rig.searches->remove(id, {.key = "k"}, never).ok();
    crash.restart();
    const bool there = is_whole(rig, rig.get(id));
    if (told) CHECK(!there);
  });
}

TEST_CASE("async searches: the process ends at any call to the store while a time is set anew") {
  crash_at_each_call([](Rig& rig, Crash& crash) {
    rig.open();
    const std::string id = rig.submit(rig.kept()).id;
    crash.arm();
    const bool told = rig.searches->status(id, {.key = "k"}, 2 * minute_ms, never).ok();
    crash.restart();
    rig.clock.advance_ms(minute_ms);
    const auto found = rig.searches->status(id, {.key = "k"}, {}, never);
    if (told) CHECK(found.ok());
  });
}

TEST_CASE("async searches: where the store stays away, the search ends with that") {
  Rig rig;
  rig.options.write_attempts = 2;
  rig.open();
  rig.task_store.set(0, FaultyStore::Fault::lost_call, true);
  const AsyncAnswer answer = rig.submit(rig.kept());
  CHECK(answer.ending->failed);
  CHECK(parse_json(answer.text).value().string_or("reason").find("could not be kept") !=
        std::string::npos);
  CHECK(rig.get(answer.id)->text == answer.text);  // this process remembers
  CHECK(!rig.searches->remove(answer.id, {.key = "k"}, never).ok());
  rig.task_store.set(0, FaultyStore::Fault::none, false);
  CHECK(rig.searches->remove(answer.id, {.key = "k"}, never).ok());
}

}  // namespace cairn::tasks::async_searches_test
