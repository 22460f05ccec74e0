// SPDX-License-Identifier: Apache-2.0
// A source that says when it changed, on a clock that stands still.
#include "connectors/watches.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "store/memory_store.h"

namespace cairn::connectors::watches_test {

namespace {

/// What the test says of the source.
struct Said {
  bool changed = false;
  bool watched = true;
  int opened = 0;
  std::string limit = {};
};

class SaidWatch final : public SourceWatch {
 public:
  explicit SaidWatch(Said& said) : said_(said) {}
  Result<bool> changed(const os::Deadline&) override { return std::exchange(said_.changed, false); }
  const std::string& limit() const override { return said_.limit; }

 private:
  Said& said_;
};

class SaidType final : public SourceType {
 public:
  explicit SaidType(Said& said) : said_(said) {}
  Json configuration_schema() const override { return Json::object(); }
  Status validate(const Json&) const override { return ok_status(); }
  Result<std::unique_ptr<Source>> open(const Json&) const override {
    return Error{.kind = ErrorKind::unsupported, .message = "nobody reads it here"};
  }
  bool is_watched(const Json&) const override { return said_.watched; }
  Result<std::unique_ptr<SourceWatch>> watch(const Json&) const override {
    ++said_.opened;
    return std::unique_ptr<SourceWatch>(std::make_unique<SaidWatch>(said_));
  }

 private:
  Said& said_;
};

struct Fixture {
  Said said;
  std::unique_ptr<store::Store> store = store::memory_store();
  SourceTypes types = [this] {
    SourceTypes out;
    out["said"] = std::make_unique<SaidType>(said);
    return out;
  }();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  Records records{*store, types, clock, *random};
  SyncJobs jobs{*store, records, clock, *random};
  os::Deadline deadline = os::Deadline::in_ms(60'000);
  ToldChanges told{*store};
  int jobs_refused = 0;
  std::vector<std::vector<std::string>> asked;  // paths of the jobs that were made
  Watches watches{
      records, jobs,   told, types, [this](const CreateSyncJob& job) { return make(job); },
      clock,   *random};

  Fixture() {
    REQUIRE(records.put("c", {.index_name = "i", .service_type = "said"}, deadline).ok());
  }
  Result<std::string> make(const CreateSyncJob& job) {
    if (jobs_refused > 0 && jobs_refused-- > 0)
      return Error{.kind = ErrorKind::unavailable, .message = "not now"};
    asked.push_back(job.paths);
    return jobs.create(job, deadline);
  }
  void look_after(std::int64_t ms) {
    clock.advance_ms(ms);
    watches.look(deadline);
  }
  std::vector<Json> all() { return jobs.list({.size = 1000}, deadline)->results; }
  Json error() { return *records.get("c", false, deadline)->find("error"); }
  void end_newest(std::int64_t took_ms = 0) {
    const std::string id = all().front().string_or("id");
    REQUIRE(*jobs.take(id, "here", 60'000, deadline));
    clock.advance_ms(took_ms);
    REQUIRE(jobs.finish(id, "completed", "", deadline).ok());
  }
};

}  // namespace

TEST_CASE("watches: a watch begins with a sync, and a change is followed by one when it is quiet") {
  Fixture f;
  f.look_after(0);
  CHECK(f.all().empty());
  f.look_after(400);
  REQUIRE(f.all().size() == 1);
  CHECK(f.all()[0].string_or("id").starts_with("watch-"));
  CHECK(f.all()[0].string_or("job_type") == "incremental");
  f.end_newest();
  f.look_after(10'000);
  f.look_after(10'000);
  CHECK(f.all().size() == 1);  // nothing changed
  f.said.changed = true;
  f.look_after(100);
  CHECK(f.all().size() == 1);
  f.look_after(400);
  CHECK(f.all().size() == 2);
}

TEST_CASE("watches: what goes on changing is not waited for longer than two seconds") {
  Fixture f;
  f.look_after(0);
  f.look_after(400);
  f.end_newest();
  f.look_after(10'000);
  f.look_after(10'000);
  for (int i = 0; i < 10; ++i) {
    f.said.changed = true;
    f.look_after(300);
  }
  CHECK(f.all().size() == 2);
}

TEST_CASE("watches: one sync at a time, and a pause as long as it took") {
  Fixture f;
  f.look_after(0);
  f.look_after(400);
  for (int i = 0; i < 3; ++i) {
    f.said.changed = true;
    f.look_after(1000);
  }
  CHECK(f.all().size() == 1);  // it waits or runs
  f.end_newest(3'000);
  f.look_after(0);
  f.look_after(2'900);
  CHECK(f.all().size() == 1);  // it took three seconds
  f.look_after(200);
  CHECK(f.all().size() == 2);
}

TEST_CASE("watches: ten jobs are kept, those of former starts among them") {
  Fixture f;
  f.look_after(0);
  for (int i = 0; i < 15; ++i) {
    f.said.changed = true;
    f.look_after(500);
    f.look_after(500);
    if (f.all().front().string_or("status") == "pending") f.end_newest();
    f.look_after(2'000);
    f.look_after(2'000);
  }
  CHECK(f.all().size() <= 11);
  Watches after{f.records,
                f.jobs,
                f.told,
                f.types,
                [&](const CreateSyncJob& job) { return f.jobs.create(job, f.deadline); },
                f.clock,
                *f.random};
  after.look(f.deadline);
  CHECK(f.all().size() <= 10);
}

TEST_CASE("watches: why changes are seen late stands in the connector, beside no error of a sync") {
  Fixture f;
  f.look_after(0);
  f.look_after(400);
  f.end_newest();
  CHECK(f.error().is_null());
  f.said.limit = "no more than 3 folders";
  f.look_after(2'000);
  f.look_after(2'000);
  const Json shown("changes of a source are found by looking, not at once: no more than 3 folders");
  CHECK(f.error() == shown);
  CHECK(f.records.get("c", false, f.deadline)->string_or("status") != "error");
  const auto set = [&](Json error) {
    REQUIRE(
        f.records.set_members("c", Json::object({{"error", std::move(error)}}), f.deadline).ok());
  };
  set(Json());  // as the end of a sync does
  f.look_after(2'000);
  CHECK(f.error() == shown);
  set(Json("of a sync"));
  f.look_after(2'000);
  CHECK(f.error() == Json("of a sync"));
  set(Json());
  f.look_after(2'000);
  f.said.limit.clear();
  f.look_after(2'000);
  f.look_after(2'000);
  CHECK(f.error().is_null());
  f.said.limit = "again";
  f.look_after(2'000);
  f.look_after(2'000);
  CHECK_FALSE(f.error().is_null());
  f.said.watched = false;
  f.look_after(2'000);
  CHECK(f.error().is_null());
}

TEST_CASE("watches: a connector that is gone or asks for it no more is not watched") {
  Fixture f;
  f.look_after(0);
  f.look_after(400);
  f.end_newest();
  CHECK(f.said.opened == 1);
  f.said.watched = false;
  f.look_after(2'000);
  f.said.changed = true;
  f.look_after(2'000);
  f.look_after(2'000);
  CHECK(f.all().size() == 1);
  f.said.watched = true;
  f.look_after(2'000);
  CHECK(f.said.opened == 2);
}

TEST_CASE("watches: what somebody said to have changed is followed by one sync") {
  Fixture f;
  f.said.watched = false;
  f.look_after(0);
  f.look_after(10'000);
  CHECK(f.all().empty());
  for (int i = 0; i < 3; ++i) REQUIRE(f.told.add("c", {}, f.deadline).ok());
  f.look_after(0);
  CHECK(f.all().empty());
  f.look_after(400);
  REQUIRE(f.all().size() == 1);
  CHECK(f.all()[0].string_or("job_type") == "incremental");
  // What is said while it waits or runs needs another one, after a pause.
  REQUIRE(f.told.add("c", {}, f.deadline).ok());
  f.look_after(1'000);
  CHECK(f.all().size() == 1);
  f.end_newest(5'000);
  f.look_after(0);
  f.look_after(4'000);
  CHECK(f.all().size() == 1);
  f.look_after(1'000);
  CHECK(f.all().size() == 2);
  f.end_newest();
  f.look_after(60'000);
  f.look_after(60'000);
  CHECK(f.all().size() == 2);
}

TEST_CASE("watches: what was said is kept over a restart, until a job is made") {
  Fixture f;
  f.said.watched = false;
  REQUIRE(f.told.add("c", {}, f.deadline).ok());
  REQUIRE(f.told.add("nobody", {}, f.deadline).ok());
  f.jobs_refused = 1;
  f.look_after(0);
  f.look_after(400);
  CHECK(f.all().empty());
  const auto words = [&] {
    ToldChanges later(*f.store);
    return later.all(f.deadline)->size();
  };
  CHECK(words() == 1);  // that of a connector which is not there is dropped
  f.look_after(30'000);
  CHECK(f.all().size() == 1);
  CHECK(words() == 0);
}

TEST_CASE("watches: a job looks at the items that were named, where all were") {
  Fixture f;
  f.said.watched = false;
  const auto asked = [&] { return f.asked.back(); };
  REQUIRE(f.told.add("c", {"b", "a"}, f.deadline).ok());
  f.look_after(0);
  f.look_after(400);
  REQUIRE(f.all().size() == 1);
  CHECK(asked() == std::vector<std::string>{"a", "b"});
  f.end_newest();
  REQUIRE(f.told.add("c", {"a"}, f.deadline).ok());
  REQUIRE(f.told.add("c", {}, f.deadline).ok());
  f.look_after(10'000);
  f.look_after(10'000);
  REQUIRE(f.all().size() == 2);
  CHECK(asked().empty());
}

TEST_CASE("watches: while a connector is paused nothing is made, and nothing is forgotten") {
  Fixture f;
  f.said.watched = false;
  REQUIRE(*f.records.set_paused("c", true, f.deadline));
  CHECK_FALSE(*f.records.set_paused("c", true, f.deadline));
  REQUIRE(f.told.add("c", {"a"}, f.deadline).ok());
  for (int i = 0; i < 5; ++i) f.look_after(10'000);
  CHECK(f.all().empty());
  REQUIRE(*f.records.set_paused("c", false, f.deadline));
  f.look_after(10'000);
  REQUIRE(f.all().size() == 1);
  CHECK(f.asked.back() == std::vector<std::string>{"a"});
}

}  // namespace cairn::connectors::watches_test
