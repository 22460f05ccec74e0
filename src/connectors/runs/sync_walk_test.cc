// SPDX-License-Identifier: Apache-2.0
// Runs over a source that tells changes, pages, and items with several documents; cut at every call
// of the store.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "connectors/runs/probe.h"
#include "connectors/runs/sync_run.h"
#include "connectors/source_document.h"
#include "connectors/testing.h"
#include "store/memory_store.h"

namespace cairn::connectors::sync_walk_test {
namespace {

/// What a source holds: for each path a version and the bodies of its documents.
struct Held {
  std::string version;
  std::vector<std::string> bodies;
};

struct Contents {
  std::map<std::string, Held> items;
  std::vector<std::string> changed, removed;  // since the cursor that was given last
  std::map<std::string, ErrorKind> faults;    // of reading, by path
  std::string unreadable_folder = "-";
  std::string cursor = {};
  bool in_listing = false;  // documents come with the walk
  bool ids = false;
  bool has_place = false;
  std::size_t went_on_at = 0;     // where the last walk did
  int empty_pages = 0;            // before the first item
  std::function<void()> on_page;  // asked for each of those
  int walks = 0, walks_over_changes = 0, reads = 0;
  bool takes_told = true;
  int told_walks = 0;
};

class ScriptedWalk final : public Walk {
 public:
  ScriptedWalk(Contents& all, bool whole) : all_(all), whole_(whole) {
    if (!whole) {
      for (const auto& path : all.changed) paths_.push_back(path);
      return;
    }
    for (const auto& [path, held] : all.items)
      if (!path.starts_with(all.unreadable_folder)) paths_.push_back(path);
  }
  Result<SourcePage> next(const os::Deadline&) override {
    SourcePage page;
    if (all_.empty_pages > 0) {
      --all_.empty_pages;
      all_.on_page();
      return page;
    }
    if (at_ == 0 && !whole_) page.removed = all_.removed;
    if (at_ == 0 && all_.unreadable_folder != "-")
      page.unreadable.push_back({all_.unreadable_folder, "no permission"});
    for (; at_ < paths_.size() && page.items.size() < 3; ++at_) {
      const Held& held = all_.items.at(paths_[at_]);
      SourceItem item{.path = paths_[at_], .version = held.version};
      if (all_.in_listing) {
        item.content = SourceContent{.content_hash = held.bodies[0], .documents = {}};
        item.content->documents.push_back({.whole = "{\"n\":\"" + held.bodies[0] + "\"}"});
      }
      page.items.push_back(std::move(item));
    }
    page.last = at_ == paths_.size();
    return page;
  }
  bool is_whole() const override { return whole_; }
  std::string cursor() const override { return all_.cursor; }
  std::string place() const override { return all_.has_place ? std::to_string(at_) : ""; }
  void resume_at(const std::string& place,
                 const std::function<bool(const SourceItem&)>& is_recorded) override {
    all_.went_on_at = std::stoul(place);
    for (std::size_t i = 0; i < all_.went_on_at; ++i)
      CHECK(is_recorded({.path = paths_[i], .version = all_.items.at(paths_[i]).version}));
  }

 private:
  Contents& all_;
  const bool whole_;
  std::vector<std::string> paths_;
  std::size_t at_ = 0;
};

/// One item a page, of those that somebody named.
class ToldWalk final : public Walk {
 public:
  ToldWalk(Contents& all, std::vector<std::string> paths) : all_(all), paths_(std::move(paths)) {}
  Result<SourcePage> next(const os::Deadline&) override {
    SourcePage page;
    const std::string& path = paths_[at_++];
    if (const auto held = all_.items.find(path); held != all_.items.end())
      page.items.push_back({.path = path, .version = held->second.version});
    else
      page.removed.push_back(path);
    page.last = at_ == paths_.size();
    return page;
  }
  bool is_whole() const override { return false; }

 private:
  Contents& all_;
  const std::vector<std::string> paths_;
  std::size_t at_ = 0;
};

class ScriptedSource final : public Source {
 public:
  explicit ScriptedSource(Contents& all) : all_(all) {}
  Result<std::unique_ptr<Walk>> walk(const std::string& cursor, const os::Deadline&) override {
    ++all_.walks;
    if (!cursor.empty()) ++all_.walks_over_changes;
    return std::unique_ptr<Walk>(std::make_unique<ScriptedWalk>(all_, cursor.empty()));
  }
  Result<std::unique_ptr<Walk>> walk_told(const std::vector<std::string>& paths,
                                          const os::Deadline&) override {
    if (!all_.takes_told) return std::unique_ptr<Walk>();
    ++all_.told_walks;
    return std::unique_ptr<Walk>(std::make_unique<ToldWalk>(all_, paths));
  }
  Status read(const SourceItem& item, DocumentSink& sink, const os::Deadline&) override {
    ++all_.reads;
    if (const auto fault = all_.faults.find(item.path); fault != all_.faults.end())
      return Error{.kind = fault->second, .message = item.path + " cannot be read"};
    const Held& held = all_.items.at(item.path);
    std::string joined;
    for (const auto& body : held.bodies) joined += body + "|";
    if (!sink.wants(joined)) return ok_status();
    for (const auto& body : held.bodies)
      CAIRN_CHECK(sink.add({.title = body == "refuse me" ? body : item.path,
                            .body = body,
                            .fields = Json::object({{"path", "not mine"}, {"kind", "note"}}),
                            .part = body == "refuse me" ? "message 2" : ""}));
    return ok_status();
  }
  Result<Json> check(const os::Deadline&) override { return Json::object(); }
  bool paths_are_ids() const override { return all_.ids; }

 private:
  Contents& all_;
};

class ScriptedType final : public SourceType {
 public:
  Json configuration_schema() const override { return Json::object(); }
  Status validate(const Json&) const override { return ok_status(); }
  Result<std::unique_ptr<Source>> open(const Json&) const override {
    return Error{.kind = ErrorKind::unsupported, .message = "opened by the test itself"};
  }
};

struct Fixture {
  int calls_left = -1;
  std::unique_ptr<store::Store> store =
      store::memory_store({.before = [this](std::string_view, std::string_view) -> Status {
        if (calls_left == 0)
          return Error{.kind = ErrorKind::unavailable, .message = "the store went away"};
        if (calls_left > 0) --calls_left;
        return ok_status();
      }});
  SourceTypes types = [] {
    SourceTypes out;
    out["scripted"] = std::make_unique<ScriptedType>();
    return out;
  }();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  Records records{*store, types, clock, *random};
  SyncJobs jobs{*store, records, clock, *random};
  MemoryTarget target;
  Options options{.batch_documents = 2};
  Contents all;
  std::int64_t budget = 1000;
  std::vector<std::string> told;
  os::Deadline deadline = os::Deadline::in_ms(60'000);

  Fixture() {
    REQUIRE(records.put("c", {.index_name = "i", .service_type = "scripted"}, deadline).ok());
    all.items = {{"a", {"1", {"a0"}}},
                 {"d/b", {"1", {"b0", "b1", "b2"}}},
                 {"d/c", {"1", {"c0"}}},
                 {"e", {"1", {"e0"}}}};
  }
  std::string new_job(const std::string& type) {
    auto id = jobs.create({.connector_id = "c", .job_type = type}, deadline);
    REQUIRE(id.ok());
    REQUIRE(*jobs.take(*id, "here", 60'000, deadline));
    return *id;
  }
  Result<SyncOutcome> run(const std::string& id, bool incremental) {
    ScriptedSource source(all);
    SyncState state(*store, "c", id);
    return run_sync({.job_id = id,
                     .index = "i",
                     .incremental = incremental,
                     .error_budget = budget,
                     .source = source,
                     .target = target,
                     .extractor = extractor_of_tests(),
                     .told = told,
                     .jobs = jobs,
                     .state = state,
                     .options = options},
                    deadline);
  }
  Json run_new(const std::string& type = "full") {
    const std::string id = new_job(type);
    const auto outcome = run(id, type == "incremental");
    REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? std::string() : outcome.error().message));
    REQUIRE(*outcome == SyncOutcome::completed);
    return *jobs.get(id, deadline);
  }
  std::string body(const std::string& id) const {
    const auto found = target.documents.find(id);
    return found == target.documents.end() ? "(none)" : found->second.string_or("body");
  }
  std::string body(const std::string& path, std::size_t n) {
    ScriptedSource source(all);
    return body(document_id(source, path, n));
  }
};

}  // namespace

TEST_CASE("sync: an item gives several documents, and loses those that it no longer has") {
  Fixture f;
  CHECK(f.run_new().int_or("indexed_document_count") == 6);
  CHECK(f.target.documents.size() == 6);
  CHECK(f.body("d/b", 0) == "b0");
  CHECK(f.body("d/b", 2) == "b2");
  const Json& one = f.target.documents.at(document_id("d/b"));
  CHECK(one.string_or("path") == "d/b");
  CHECK(one.string_or("kind") == "note");
  f.all.items["d/b"] = {"2", {"b0"}};
  const Json job = f.run_new("incremental");
  CHECK(job.int_or("indexed_document_count") == 1);
  CHECK(job.int_or("deleted_document_count") == 2);
  CHECK(f.target.documents.size() == 4);
  f.all.items.erase("d/b");
  CHECK(f.run_new("incremental").int_or("deleted_document_count") == 1);
  CHECK(f.target.documents.size() == 3);
}

TEST_CASE("sync: of items that somebody named, only those are looked at") {
  Fixture f;
  f.told = {"a", "d/b"};
  // Nothing is known of the others yet.
  CHECK(f.run_new("incremental").int_or("indexed_document_count") == 6);
  CHECK(f.all.told_walks == 0);
  f.all.items["a"] = {"2", {"a1"}};
  f.all.items["e"] = {"2", {"e1"}};  // nobody says so
  f.all.items.erase("d/b");
  f.all.reads = 0;
  f.told = {"a", "d/b", "d/c", "nothing"};
  const Json job = f.run_new("incremental");
  CHECK(job.int_or("indexed_document_count") == 1);
  CHECK(job.int_or("deleted_document_count") == 3);
  CHECK(f.all.told_walks == 1);
  CHECK(f.all.reads == 1);
  CHECK(f.body("a", 0) == "a1");
  CHECK(f.body("d/b", 0) == "(none)");
  CHECK(f.body("d/c", 0) == "c0");
  CHECK(f.body("e", 0) == "e0");
  // Again: nothing changed, and nothing is lost.
  CHECK(f.run_new("incremental").int_or("indexed_document_count") == 0);
  CHECK(f.target.documents.size() == 3);
  f.told = {};
  CHECK(f.run_new("incremental").int_or("indexed_document_count") == 1);
  CHECK(f.body("e", 0) == "e1");
  CHECK(f.target.documents.size() == 3);
  // A source without such a walk looks at everything.
  f.all.takes_told = false;
  f.all.items.erase("e");
  f.told = {"a"};
  CHECK(f.run_new("incremental").int_or("deleted_document_count") == 1);
}

TEST_CASE("sync: many runs over named items are followed by one over everything") {
  Fixture f;
  f.run_new();
  const int walks = f.all.walks;
  f.told = {"a"};
  for (int i = 0; i < 129; ++i) {
    f.all.items["a"] = {std::to_string(i + 2), {"a" + std::to_string(i)}};
    f.run_new("incremental");
  }
  CHECK(f.all.told_walks == 128);
  CHECK(f.all.walks == walks + 1);
  CHECK(f.body("a", 0) == "a128");
  CHECK(f.target.documents.size() == 6);
}

TEST_CASE("sync: a run over named items that was cut at any call of the store goes on") {
  for (int calls = 0;; ++calls) {
    Fixture f;
    f.run_new();
    f.all.items["a"] = {"2", {"a1"}};
    f.all.items.erase("e");
    f.told = {"a", "d/b", "e"};
    const std::string id = f.new_job("incremental");
    f.calls_left = calls;
    const auto cut = f.run(id, true);
    f.calls_left = -1;
    if (!cut.ok()) {
      const auto again = f.run(id, true);
      REQUIRE_MESSAGE(again.ok(), (again.ok() ? std::string() : again.error().message));
    }
    CHECK(f.body("a", 0) == "a1");
    CHECK(f.body("e", 0) == "(none)");
    CHECK(f.target.documents.size() == 5);
    if (cut.ok()) break;
  }
}

TEST_CASE("sync: a document of several that is refused is named with its place in the item") {
  Fixture f;
  f.all.items["d/b"] = {"2", {"b0", "refuse me", "b2"}};
  const Json job = f.run_new();
  const Json& named = *job.find_path("metadata.problems");
  REQUIRE(named.as_array().size() == 1);
  CHECK(named.as_array()[0] == Json("d/b: message 2: refused"));
  CHECK(f.body("d/b", 2) == "b2");
}

TEST_CASE("sync: a walk over changes reads those alone, and keeps the rest") {
  Fixture f;
  f.all.cursor = "after-1";
  f.run_new();
  f.all.items["a"] = {"2", {"a1"}};
  f.all.items.erase("d/b");
  f.all.changed = {"a"};
  f.all.removed = {"d/b", "never/there"};
  f.all.reads = 0;
  const Json job = f.run_new("incremental");
  CHECK(f.all.walks_over_changes == 1);
  CHECK(f.all.reads == 1);
  CHECK(job.int_or("deleted_document_count") == 3);
  CHECK(f.target.documents.size() == 3);
  CHECK(f.body("a", 0) == "a1");
  // What was removed stays removed, and what was kept is still known to be there.
  f.all.changed = f.all.removed = {};
  f.all.cursor.clear();
  f.run_new("incremental");
  f.all.items.erase("e");
  const Json whole = f.run_new("full");
  CHECK(whole.int_or("deleted_document_count") == 1);
  CHECK(f.target.documents.size() == 2);
}

TEST_CASE("sync: every 32nd incremental walk is over everything") {
  Fixture f;
  f.all.cursor = "here";
  f.run_new();
  for (int i = 0; i < 31; ++i) f.run_new("incremental");
  CHECK(f.all.walks_over_changes == 31);
  f.all.items.erase("a");  // and no walk over changes told it
  CHECK(f.run_new("incremental").int_or("deleted_document_count") == 1);
  CHECK(f.all.walks_over_changes == 31);
  f.run_new("incremental");
  CHECK(f.all.walks_over_changes == 32);
}

TEST_CASE("sync: documents may come with the walk, under ids of their own") {
  Fixture f;
  f.all.in_listing = f.all.ids = true;
  CHECK(f.run_new().int_or("indexed_document_count") == 4);
  CHECK(f.all.reads == 0);
  REQUIRE(f.target.documents.count("d/b") == 1);
  CHECK(f.target.documents.at("d/b").dump() == R"({"n":"b0"})");
  for (auto& [path, held] : f.all.items) held.version.clear();  // the content alone tells
  f.all.items["e"].bodies = {"e1"};
  f.all.items.erase("a");
  const Json job = f.run_new("incremental");
  CHECK(job.int_or("indexed_document_count") == 1);
  CHECK(job.int_or("deleted_document_count") == 1);
  CHECK(f.target.documents.at("e").dump() == R"({"n":"e1"})");
  CHECK(f.target.documents.count("a") == 0);
}

TEST_CASE("sync: more failed items than the budget has end the run, and others do not count") {
  Fixture f;
  f.budget = 1;
  f.all.faults = {{"a", ErrorKind::unsupported},
                  {"d/b", ErrorKind::too_large},
                  {"d/c", ErrorKind::unavailable}};
  f.run_new();
  f.all.faults["e"] = ErrorKind::permission_denied;
  const auto outcome = f.run(f.new_job("full"), false);
  REQUIRE_FALSE(outcome.ok());
  CHECK(outcome.error().message ==
        "2 items failed, and [error_budget] is 1. The last one: e cannot be read");
  f.all.faults.clear();
  f.budget = 0;
  f.all.items["a"].bodies = {"refuse me"};
  CHECK_FALSE(f.run(f.new_job("full"), false).ok());
}

TEST_CASE("sync: items of a folder that cannot be read keep all their documents") {
  Fixture f;
  f.run_new();
  f.all.unreadable_folder = "d";
  CHECK(f.run_new().int_or("deleted_document_count") == 0);
  CHECK(f.target.documents.size() == 6);
  f.all.unreadable_folder = "-";
  f.all.items.erase("d/b");
  CHECK(f.run_new().int_or("deleted_document_count") == 3);
}

TEST_CASE("sync: pages without items are signs of life, and end when the job is cancelled") {
  Fixture f;
  f.options.silence_ms = 0;
  f.all.empty_pages = 100;
  const std::string id = f.new_job("full");
  const auto seen = [&] { return f.jobs.get(id, f.deadline)->string_or("last_seen"); };
  std::string last = seen();
  int living = 0;
  f.all.on_page = [&] {
    if (f.all.empty_pages == 50) REQUIRE(f.jobs.cancel(id, f.deadline).ok());
    if (std::exchange(last, seen()) != last) ++living;
    f.clock.advance_ms(1000);
  };
  const auto outcome = f.run(id, false);
  REQUIRE(outcome.ok());
  CHECK(*outcome == SyncOutcome::canceled);
  CHECK(f.all.empty_pages == 50);
  CHECK(living >= 45);
}

TEST_CASE("sync: a walk over changes that is cut at any call ends as if it had not been") {
  for (int cut = 0;; ++cut) {
    CAPTURE(cut);
    REQUIRE(cut < 200);
    Fixture f;
    f.all.cursor = "after-1";
    f.run_new();
    f.all.items["a"] = {"2", {"a1", "a2", "a3"}};
    f.all.items["d/b"] = {"2", {"b0"}};
    f.all.items.erase("e");
    f.all.changed = {"a", "d/b"};
    f.all.removed = {"e"};
    f.all.cursor = "after-2";
    const std::string id = f.new_job("incremental");
    f.calls_left = cut;
    const bool whole = f.run(id, true).ok();
    f.calls_left = -1;
    if (!whole) REQUIRE(*f.run(id, true) == SyncOutcome::completed);
    CHECK(f.target.documents.size() == 5);
    CHECK(f.body("a", 2) == "a3");
    CHECK(f.body("d/b", 0) == "b0");
    CHECK(f.body("d/b", 1) == "(none)");
    const Json after = f.run_new("full");
    CHECK(after.int_or("deleted_document_count") == 0);
    CHECK(f.target.documents.size() == 5);
    if (whole) break;
  }
}

TEST_CASE("sync: a run that is cut at any call goes on where its walk was recorded to be") {
  std::size_t farthest = 0;
  for (int cut = 0;; ++cut) {
    CAPTURE(cut);
    REQUIRE(cut < 400);
    Fixture f;
    f.options.place_ms = 0;
    f.all.has_place = true;
    for (char c = 'f'; c < 'r'; ++c) f.all.items[{c}] = {"1", {std::string(3, c)}};
    const std::string id = f.new_job("full");
    f.calls_left = cut;
    const bool whole = f.run(id, false).ok();
    f.calls_left = -1;
    if (!whole) REQUIRE(*f.run(id, false) == SyncOutcome::completed);
    CHECK(f.target.documents.size() == 18);
    farthest = std::max(farthest, f.all.went_on_at);
    std::size_t places = 0;
    const auto count = [&](const store::ObjectInfo&) -> Status {
      ++places;
      return ok_status();
    };
    REQUIRE(store::for_each_object(*f.store, "state/c/place/", f.deadline, count).ok());
    CHECK(places == 0);
    if (whole) break;
  }
  CHECK(farthest == 15);
}

TEST_CASE("preview: the first documents, with what could not be read, and nothing written") {
  Fixture f;
  f.all.faults["a"] = ErrorKind::permission_denied;
  f.all.items["d/b"].bodies[0] = std::string(1999, 'x') + "äöü";
  ScriptedSource source(f.all);
  const auto found =
      preview_documents(source, {.count = 3, .extractor = extractor_of_tests()}, f.deadline);
  REQUIRE(found.ok());
  const auto& documents = found->find("documents")->as_array();
  REQUIRE(documents.size() == 3);
  CHECK(documents[0].string_or("_id") == document_id("d/b"));
  CHECK(documents[0].find_path("_source.body")->as_string() == std::string(1999, 'x') + "…");
  CHECK(documents[2].find_path("_source.body")->as_string() == "b2");
  REQUIRE(found->find("problems")->as_array().size() == 1);
  CHECK(found->find("problems")->as_array()[0].string_or("path") == "a");
  CHECK(f.target.documents.empty());
}

TEST_CASE("dry run: counts what a sync would do") {
  Fixture f;
  ScriptedSource source(f.all);
  const SyncState state(*f.store, "c", "");
  const auto first = dry_run(source, state, "", f.deadline);
  REQUIRE(first.ok());
  CHECK(first->int_or("items") == 4);
  CHECK(first->int_or("new") == 4);
  f.run_new();
  f.all.items["a"].version = "2";
  f.all.items["f"] = {"1", {"f0"}};
  f.all.items.erase("e");
  const int reads = f.all.reads;
  const auto counts = dry_run(source, state, f.target.name, f.deadline);
  REQUIRE(counts.ok());
  CHECK(counts->int_or("items") == 4);
  CHECK(counts->int_or("new") == 1);
  CHECK(counts->int_or("changed") == 1);
  CHECK(counts->int_or("unchanged") == 2);
  CHECK(counts->int_or("vanished") == 1);
  CHECK(f.all.reads == reads);
  CHECK(f.target.documents.size() == 6);
}

}  // namespace cairn::connectors::sync_walk_test
