// SPDX-License-Identifier: Apache-2.0
// Versions, conflicts, visibility, and several writers at once.
#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <thread>

#include "index/testing.h"
#include "os/step_clock.h"

namespace cairn::index::write_test {
namespace {

using Kind = WriteOperation::Kind;
using Outcome = WriteResult::Outcome;

WriteOperation operation(Kind kind, std::string id, std::string source = R"({"a":1})") {
  WriteOperation out;
  out.kind = kind;
  out.id = std::move(id);
  if (kind != Kind::remove) out.source = std::move(source);
  return out;
}

TEST_CASE("versions: count up, start anew for new ids, go on after a deletion") {
  Fixture fixture;
  auto index = fixture.create("i");
  WriteResult r = fixture.put(*index, "a", R"({"n":1})");
  CHECK(r.version == 1);
  CHECK(r.seq_no == 0);
  CHECK(r.primary_term == 1);
  CHECK(r.outcome == Outcome::created);
  r = fixture.put(*index, "a", R"({"n":2})");
  CHECK(r.version == 2);
  CHECK(r.seq_no == 1);
  CHECK(r.outcome == Outcome::updated);
  r = fixture.remove(*index, "a");
  CHECK(r.version == 3);
  CHECK(r.outcome == Outcome::deleted);
  r = fixture.remove(*index, "a");
  CHECK(r.outcome == Outcome::not_found);
  r = fixture.put(*index, "a", R"({"n":3})");
  CHECK(r.version == 5);
  CHECK(r.outcome == Outcome::created);
  // Long after a deletion nobody remembers.
  fixture.remove(*index, "a");
  fixture.clock().advance_ms(61'000);
  REQUIRE(index->maintain(fixture.soon()).ok());
  CHECK(fixture.put(*index, "a", R"({"n":4})").version == 1);
  // Ids are made where none is given.
  const auto made = fixture.write(*index, operation(Kind::index, ""));
  CHECK(made.id.size() == 20);
  CHECK(made.outcome == Outcome::created);
}

TEST_CASE("versions: survive refresh, flush, merge and restart") {
  Fixture fixture;
  auto index = fixture.create("i");
  for (int i = 0; i < 3; ++i) fixture.put(*index, "a", R"({"n":)" + std::to_string(i) + "}");
  const auto next = [&](std::int64_t version) {
    const auto at = index->get("a", fixture.soon());
    REQUIRE(at.ok());
    REQUIRE(at->has_value());
    CHECK((*at)->version == version);
    CHECK(fixture.put(*index, "a", R"({"n":9})").version == version + 1);
  };
  REQUIRE(index->refresh(fixture.soon()).ok());
  next(3);
  REQUIRE(index->flush(fixture.soon()).ok());
  next(4);
  REQUIRE(index->force_merge(1, fixture.soon()).ok());
  next(5);
  index = *fixture.reopen()->find("i");
  next(6);
  CHECK(index->statistics().documents == 1);
  CHECK(index->statistics().max_seq_no == 6);
}

TEST_CASE("merge: one whose caller has gone ends at once and changes nothing") {
  std::stop_source caller;
  bool merging = false;
  int calls = 0, calls_after = 0;
  Fixture fixture(Fixture::quiet_options(),
                  store::memory_store({.before = [&](std::string_view, std::string_view) {
                    if (!merging) return ok_status();
                    ++calls;
                    if (caller.stop_requested()) ++calls_after;
                    caller.request_stop();
                    return ok_status();
                  }}));
  auto index = fixture.create("i");
  for (int segment = 0; segment < 6; ++segment) {
    for (int i = 0; i < 100; ++i)
      fixture.put(*index, std::to_string(segment) + "." + std::to_string(i), R"({"t":"a b c"})");
    REQUIRE(index->flush(fixture.soon()).ok());
  }
  merging = true;
  const Status ended = index->force_merge(1, os::Deadline::never(caller.get_token()));
  merging = false;
  REQUIRE(calls > 0);  // else nobody has gone
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().kind == ErrorKind::cancelled);
  CHECK(calls_after <= 2);
  CHECK(index->statistics().documents == 600);
  REQUIRE(index->force_merge(1, fixture.soon()).ok());
  index = *fixture.reopen()->find("i");
  CHECK(index->statistics().documents == 600);
}

TEST_CASE("merge: one whose deadline passes half-way ends there, whatever it is busy with") {
  constexpr int segments = 5, documents = 1000;
  const std::map<std::string, std::string> sources = {
      {"texts", R"({"t":"one two three four five six seven eight nine ten #"})"},
      {"terms", R"({"k":["#a","#b","#c","#d","#e","#f","#g"]})"},
      {"columns", R"({"n":[1#,2#,3#,4#,5#,6#,7#]})"},
      {"vectors", R"({"v":[#,1,2,3]})"}};
  for (const auto& [name, source] : sources) {
    std::unique_ptr<Fixture> fixture;
    std::shared_ptr<Index> index;
    const auto prepare = [&, &text = source] {
      index.reset();
      fixture = std::make_unique<Fixture>();
      index = fixture->create("i", R"({"properties":{"t":{"type":"text"},"k":{"type":"keyword"},
          "n":{"type":"long"},"v":{"type":"dense_vector","dims":4}}})");
      for (int i = 0; i < segments * documents; ++i) {
        std::string now = text;
        for (std::size_t at = 0; (at = now.find('#')) != std::string::npos;)
          now.replace(at, 1, std::to_string(1 + i * 31 % 977));
        fixture->put(*index, std::to_string(i), std::move(now));
        if ((i + 1) % documents == 0) REQUIRE(index->flush(fixture->soon()).ok());
      }
    };
    const os::HalfWay half = os::cut_half_way(
        prepare, [&](const os::Deadline& deadline) { return index->force_merge(1, deadline); });
    INFO(name << ": " << half.whole_us << " steps in all, " << half.late_us << " too late");
    CHECK(half.whole_us >= segments * documents);
    CHECK(half.ends_soon());
    CHECK(index->statistics().documents == segments * documents);
    REQUIRE(index->force_merge(1, fixture->soon()).ok());
    CHECK((*fixture->reopen()->find("i"))->statistics().documents == segments * documents);
  }
}

TEST_CASE("conflicts: have the platform's words") {
  Fixture fixture;
  auto index = fixture.create("i");
  fixture.put(*index, "a", R"({"n":1})");
  WriteResult r = fixture.write(*index, operation(Kind::create, "a"));
  REQUIRE(r.error);
  CHECK(r.error->code == "version_conflict_engine_exception");
  CHECK(r.error->kind == ErrorKind::conflict);
  CHECK(r.error->message == "[a]: version conflict, document already exists (current version [1])");
  WriteOperation guarded = operation(Kind::index, "a");
  guarded.if_seq_no = 7;
  guarded.if_primary_term = 1;
  r = fixture.write(*index, guarded);
  REQUIRE(r.error);
  CHECK(r.error->message ==
        "[a]: version conflict, required seqNo [7], primary term [1]. current document has seqNo "
        "[0] and primary term [1]");
  guarded.if_seq_no = 0;
  CHECK(!fixture.write(*index, guarded).error);
  guarded.id = "nosuch";
  r = fixture.write(*index, guarded);
  REQUIRE(r.error);
  CHECK(r.error->message ==
        "[nosuch]: version conflict, required seqNo [0], primary term [1]. but no document was "
        "found");
  // The others of a batch are written.
  const std::vector<WriteOperation> batch = {
      operation(Kind::create, "a"), operation(Kind::create, "b"), operation(Kind::create, "b")};
  const auto results = index->write(batch, fixture.soon());
  REQUIRE(results.ok());
  CHECK((*results)[0].error);
  CHECK(!(*results)[1].error);
  CHECK((*results)[2].error);
}

TEST_CASE("documents: the platform's own names are no fields of theirs") {
  Fixture fixture;
  const auto index = fixture.create("books");
  for (const char* name : {"_id", "_index", "_source", "_routing", "_version", "_seq_no"}) {
    CAPTURE(name);
    const auto written = fixture.write(
        *index, {.id = "1", .source = R"({"n": 1, ")" + std::string(name) + R"(": 7})"});
    REQUIRE(written.error);
    CHECK(written.error->code == "document_parsing_exception");
    CHECK(written.error->message.find("failed to parse field [" + std::string(name) +
                                      "] of type [" + name + "] in document with id '1'") !=
          std::string::npos);
    REQUIRE(written.error->cause);
    CHECK(written.error->cause->message.find("Field [" + std::string(name) +
                                             "] is a metadata field and cannot be added inside a "
                                             "document. Use the index API request parameters.") !=
          std::string::npos);
  }
  CHECK(!fixture.write(*index, {.id = "1", .source = R"({"in": {"_id": 7}, "_own": 1})"}).error);
}

TEST_CASE("batches: several changes of one id count in order") {
  Fixture fixture;
  auto index = fixture.create("i");
  const std::vector<WriteOperation> batch = {operation(Kind::index, "a", R"({"n":1})"),
                                             operation(Kind::index, "a", R"({"n":2})"),
                                             operation(Kind::remove, "a"),
                                             operation(Kind::index, "a", R"({"n":3})"),
                                             operation(Kind::index, "b", R"({"n":"x"})"),
                                             operation(Kind::index, "c", R"({"n":4})")};
  const auto results = index->write(batch, fixture.soon());
  REQUIRE(results.ok());
  CHECK((*results)[1].outcome == Outcome::updated);
  CHECK((*results)[2].outcome == Outcome::deleted);
  CHECK((*results)[3].version == 4);
  CHECK((*results)[4].error->code == "document_parsing_exception");
  CHECK(!(*results)[5].error);
  REQUIRE(index->refresh(fixture.soon()).ok());
  CHECK(index->view()->document_count() == 2);
  CHECK(fixture.ids(*index, term("n", 3)) == std::vector<std::string>{"a"});
  CHECK(fixture.ids(*index, term("n", 2)).empty());
  const auto again = fixture.reopen()->find("i");
  REQUIRE(again.ok());
  CHECK((*again)->view()->document_count() == 2);
  CHECK((*(*again)->get("a", fixture.soon()))->version == 4);
}

TEST_CASE("visibility: searches see what was refreshed, gets see everything") {
  Fixture fixture;
  auto index = fixture.create("i");
  (void)index->view();  // somebody searches: not idle
  fixture.put(*index, "a", R"({"t":"old"})");
  CHECK(fixture.ids(*index, match("t", "old")).empty());
  REQUIRE((*index->get("a", fixture.soon())).has_value());
  REQUIRE(index->refresh(fixture.soon()).ok());
  CHECK(fixture.ids(*index, match("t", "old")).size() == 1);
  // An update or a deletion is not half visible.
  const auto before = index->view();
  fixture.put(*index, "a", R"({"t":"new"})");
  CHECK(fixture.ids(*index, match("t", "old")).size() == 1);
  REQUIRE(index->flush(fixture.soon()).ok());
  CHECK(fixture.ids(*index, match("t", "old")).empty());
  CHECK(fixture.ids(*index, match("t", "new")).size() == 1);
  // A view keeps showing what it showed.
  const auto old = before->search(match("t", "old"), {}, fixture.soon());
  REQUIRE(old.ok());
  CHECK(old->hits.size() == 1);
  fixture.remove(*index, "a");
  CHECK(fixture.ids(*index, match("t", "new")).size() == 1);
  REQUIRE(index->refresh(fixture.soon()).ok());
  CHECK(fixture.ids(*index, match("t", "new")).empty());
}

TEST_CASE("refresh: by itself while searched, on demand while idle, as the setting says") {
  Fixture fixture;
  auto index = fixture.create("i");
  (void)index->view();
  fixture.put(*index, "a", R"({"t":"x"})");
  fixture.clock().advance_ms(1001);
  REQUIRE(index->maintain(fixture.soon()).ok());
  CHECK(fixture.ids(*index, match("t", "x")).size() == 1);
  // Idle: nothing is done until somebody asks.
  fixture.clock().advance_ms(40'000);
  fixture.put(*index, "b", R"({"t":"x"})");
  fixture.clock().advance_ms(5'000);
  REQUIRE(index->maintain(fixture.soon()).ok());
  CHECK(fixture.ids(*index, match("t", "x")).size() == 2);

  auto never = fixture.create("never", "null", R"({"refresh_interval": "-1"})");
  fixture.put(*never, "a", R"({"t":"x"})");
  fixture.clock().advance_ms(100'000);
  REQUIRE(never->maintain(fixture.soon()).ok());
  CHECK(fixture.ids(*never, match("t", "x")).empty());
  REQUIRE(never->put_settings(Fixture::json(R"({"index": {"refresh_interval": "2s"}})"), fixture.soon())
              .ok());
  REQUIRE(never->maintain(fixture.soon()).ok());
  CHECK(fixture.ids(*never, match("t", "x")).size() == 1);
  REQUIRE(never->wait_for_refresh(fixture.soon()).ok());
}

TEST_CASE("mapping: changes are kept, and meet what is being written") {
  Fixture fixture;
  auto index = fixture.create("i", R"({"properties": {"a": {"type": "keyword"}}})");
  REQUIRE(
      index->put_mapping(Fixture::json(R"({"properties": {"b": {"type": "date"}}})"), fixture.soon())
          .ok());
  const auto wrong =
      index->put_mapping(Fixture::json(R"({"properties": {"a": {"type": "long"}}})"), fixture.soon());
  REQUIRE(!wrong.ok());
  CHECK(wrong.error().code == "illegal_argument_exception");
  fixture.put(*index, "1", R"({"c": 5})");
  index = *fixture.reopen()->find("i");
  CHECK(index->mapping()->find("b")->type == FieldType::date);
  CHECK(index->mapping()->find("c")->type == FieldType::long_);
  const auto text = fixture.write(*index, operation(Kind::index, "2", R"({"c": "word"})"));
  REQUIRE(text.error);
  CHECK(text.error->cause->code == "number_format_exception");

  auto limited = fixture.create("limited", "null", R"({"index.mapping.total_fields.limit": 3})");
  fixture.put(*limited, "1", R"({"a": "x"})");
  const auto over = fixture.write(*limited, operation(Kind::index, "2", R"({"b": 1, "c": 2})"));
  REQUIRE(over.error);
  CHECK(over.error->message.starts_with("Limit of total fields [3] has been exceeded"));
}

TEST_CASE("settings: known ones are kept and shown, unknown ones refused") {
  Fixture fixture;
  auto index = fixture.create("i", "null",
                            R"({"number_of_replicas": 0, "index": {"max_result_window": 20},
                                "index.refresh_interval": "5s"})");
  const Json shown = index->settings();
  CHECK(shown.find_path("index.number_of_replicas")->as_string() == "0");
  CHECK(shown.find_path("index.number_of_shards")->as_string() == "1");
  CHECK(shown.find_path("index.max_result_window")->as_string() == "20");
  CHECK(shown.find_path("index.uuid")->as_string() == index->uuid());
  const auto fixed = index->put_settings(Fixture::json(R"({"number_of_shards": 2})"), fixture.soon());
  REQUIRE(!fixed.ok());
  CHECK(fixed.error().message ==
        "Can't update non dynamic settings [[index.number_of_shards]] for open indices");
  const auto unknown =
      fixture.indices().create("j", Json(), Fixture::json(R"({"nosuch": 1})"), fixture.soon());
  REQUIRE(!unknown.ok());
  CHECK(unknown.error().message.starts_with("unknown setting [index.nosuch]"));
  CHECK(index->put_settings(Fixture::json(R"({"index.public": true})"), fixture.soon()).ok());
  CHECK(index->settings().find_path("index.public")->as_string() == "true");
  CHECK_FALSE(index->put_settings(Fixture::json(R"({"public": "yes"})"), fixture.soon()).ok());
  auto own = fixture.create("own", R"({"properties": {"t": {"type": "text", "analyzer": "mine"}}})",
                          R"({"analysis": {"analyzer": {"mine": {"tokenizer": "standard",
                              "filter": ["lowercase", "porter_stem"]}}}})");
  fixture.put(*own, "1", R"({"t": "running"})");
  own = *fixture.reopen()->find("own");
  CHECK(fixture.ids(*own, match("t", "RUNS")).size() == 1);
}

TEST_CASE("settings: blocks forbid changes, and those that nothing heeds are refused") {
  Fixture fixture;
  const auto index = fixture.create("i");
  REQUIRE(!fixture.write(*index, {.id = "1", .source = "{}"}).error);
  const auto set = [&](const char* settings) {
    return index->put_settings(Fixture::json(settings), fixture.soon());
  };
  const auto reason = [&](const auto& error) { return error ? error->message : std::string(); };
  REQUIRE(set(R"({"index.blocks.write": true})").ok());
  const WriteOperation removal{.kind = WriteOperation::Kind::remove, .id = "1"};
  for (const WriteOperation& one : {WriteOperation{.id = "2", .source = "{}"}, removal}) {
    const auto refused = fixture.write(*index, one);
    CHECK(reason(refused.error) == "index [i] blocked by: [FORBIDDEN/8/index write (api)];");
    CHECK(refused.error->code == "cluster_block_exception");
  }
  CHECK(index->put_mapping(Fixture::json(R"({"properties": {"n": {"type": "long"}}})"), fixture.soon())
            .ok());
  REQUIRE(set(R"({"index": {"blocks": {"write": null, "read_only": "true"}}})").ok());
  CHECK_FALSE(
      index->put_mapping(Fixture::json(R"({"properties": {"m": {"type": "long"}}})"), fixture.soon())
          .ok());
  CHECK_FALSE(fixture.indices().remove("i", fixture.soon()).ok());
  fixture.reopen();
  const auto again = *fixture.indices().find("i");
  CHECK(fixture.write(*again, removal).error);
  REQUIRE(again->put_settings(Fixture::json(R"({"blocks.read_only": false})"), fixture.soon()).ok());
  CHECK_FALSE(fixture.write(*again, removal).error);

  for (const char* unheeded :
       {R"({"blocks.read": true})", R"({"default_pipeline": "p"})", R"({"blocks.write": "maybe"})",
        R"({"similarity.default.type": "boolean"})", R"({"similarity.default.k1": 2})",
        R"({"mode": "time_series"})", R"({"blocks.own": true})"})
    CHECK_FALSE_MESSAGE(fixture.indices().create("j", {}, Fixture::json(unheeded), fixture.soon()).ok(),
                        unheeded);
  CHECK(fixture.indices()
            .create("j", {}, Fixture::json(R"({"default_pipeline": "_none", "blocks.read": false,
              "similarity.default.type": "BM25", "mode": "standard"})"),
                    fixture.soon())
            .ok());
}

TEST_CASE("catalogue: names, patterns, and what is not there") {
  Fixture fixture;
  for (const char* name : {"a1", "a2", "b1", ".hidden"}) fixture.create(name);
  const auto names = [&](std::string_view expression, ResolveOptions options = {}) {
    std::string out;
    const auto found = fixture.indices().resolve(expression, options);
    if (!found) return found.error().code;
    for (const auto& index : *found) out += (out.empty() ? "" : " ") + index->name();
    return out;
  };
  CHECK(names("_all") == "a1 a2 b1");
  CHECK(names("a*,-a2") == "a1");
  CHECK(names("*", {.expand_hidden = true}) == ".hidden a1 a2 b1");
  CHECK(names(".h*") == ".hidden");
  CHECK(names("b1,a1") == "a1 b1");
  CHECK(names("x") == "index_not_found_exception");
  CHECK(names("x,a1", {.ignore_unavailable = true}) == "a1");
  CHECK(names("x*") == "");
  CHECK(names("x*", {.allow_no_indices = false}) == "index_not_found_exception");

  const auto twice = fixture.indices().create("a1", Json(), Json(), fixture.soon());
  REQUIRE(!twice.ok());
  CHECK(twice.error().code == "resource_already_exists_exception");
  for (const char* wrong : {"", "A", "_a", "-a", "+a", "a b", "a/b", "a*", ".", "..", "a#", "a:b"})
    CHECK(Indices::check_name(wrong).error().code == "invalid_index_name_exception");

  auto gone = *fixture.indices().find("a1");
  REQUIRE(fixture.indices().remove("a1", fixture.soon()).ok());
  CHECK(fixture.indices().find("a1").error().message == "no such index [a1]");
  CHECK(fixture.indices().remove("a1", fixture.soon()).error().kind == ErrorKind::not_found);
  CHECK(gone->get("x", fixture.soon()).error().code == "index_not_found_exception");
  CHECK(fixture.write(*fixture.create("a1"), operation(Kind::index, "x")).version == 1);
}

TEST_CASE("writers: many threads share the log, each document once") {
  Fixture fixture;
  auto index = fixture.create("i");
  constexpr int threads = 4, each = 60;
  std::vector<std::jthread> writers;
  for (int t = 0; t < threads; ++t)
    writers.emplace_back([&, t] {
      for (int n = 0; n < each; ++n) {
        const std::string id = std::to_string(t) + "-" + std::to_string(n % 40);
        std::vector<WriteOperation> batch = {
            operation(Kind::index, id,
                      R"({"t":)" + std::to_string(t) + R"(,"f)" + std::to_string(t) + R"(": "x"})"),
            operation(Kind::index, "shared", R"({"n":)" + std::to_string(n) + "}")};
        const auto results = index->write(batch, fixture.soon());
        CHECK(results.ok());
      }
    });
  std::jthread reader([&](std::stop_token stop) {
    while (!stop.stop_requested()) {
      (void)index->refresh(fixture.soon()).ok();
      (void)index->flush(fixture.soon()).ok();
      (void)index->maintain(fixture.soon()).ok();
      (void)index->view()->search(term("t", 1), {}, fixture.soon()).ok();
      (void)index->get("shared", fixture.soon()).ok();
    }
  });
  writers.clear();
  reader.request_stop();
  reader.join();
  CHECK((*index->get("shared", fixture.soon()))->version == threads * each);
  REQUIRE(index->refresh(fixture.soon()).ok());
  CHECK(index->view()->document_count() == threads * 40 + 1);
  index = *fixture.reopen()->find("i");
  CHECK(index->view()->document_count() == threads * 40 + 1);
  CHECK((*index->get("shared", fixture.soon()))->version == threads * each);
  CHECK(index->statistics().max_seq_no == 2 * threads * each - 1);
}

TEST_CASE("writers: one that waits for another's write is woken, and shares its log object") {
  // The store holds the first log object back until the others have queued up.
  std::atomic<bool> hold = false;
  std::atomic<int> log_objects = 0;
  store::MemoryStoreOptions options;
  options.before = [&](std::string_view call, std::string_view key) -> Status {
    if (call != "put" || key.find("/wal/") == std::string_view::npos) return ok_status();
    ++log_objects;
    while (hold) std::this_thread::yield();
    return ok_status();
  };
  Fixture fixture(Fixture::quiet_options(), store::memory_store(std::move(options)));
  auto index = fixture.create("i");
  hold = true;
  std::vector<std::jthread> writers;
  std::atomic<int> started = 0;
  for (int t = 0; t < 6; ++t)
    writers.emplace_back([&, t] {
      ++started;
      fixture.put(*index, std::to_string(t), R"({"a":1})");
    });
  while (started < 6) std::this_thread::yield();
  hold = false;
  writers.clear();
  CHECK(log_objects >= 1);
  CHECK(log_objects <= 6);
  REQUIRE(index->refresh(fixture.soon()).ok());
  CHECK(index->view()->document_count() == 6);
}

TEST_CASE("background: refreshes and flushes by itself") {
  Options options;
  options.flush_log_objects = 4;
  Fixture fixture(options);
  auto index = fixture.create("i");
  (void)index->view();
  for (int i = 0; i < 10; ++i) fixture.put(*index, std::to_string(i), R"({"t":"x"})");
  fixture.clock().advance_ms(2000);
  REQUIRE(index->wait_for_refresh(fixture.soon()).ok());
  CHECK(fixture.ids(*index, match("t", "x")).size() == 10);
  const auto flushed = [&] {
    std::size_t segments = 0;
    const auto walk =
        store::for_each_object(fixture.store(), "index/data/" + index->uuid() + "/seg/", fixture.soon(),
                               [&](const store::ObjectInfo&) { return ++segments, ok_status(); });
    return walk.ok() && segments > 0;
  };
  const auto deadline = fixture.soon();
  while (!flushed() && os::sleep_ms(5, deadline)) continue;
  CHECK(flushed());
}

}  // namespace
}  // namespace cairn::index::write_test
