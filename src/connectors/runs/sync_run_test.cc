// SPDX-License-Identifier: Apache-2.0
// Runs from a folder of real files into a target in memory, cut at every call of the store.
#include "connectors/runs/sync_run.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include "base/compress.h"
#include "connectors/service.h"
#include "connectors/source_document.h"
#include "connectors/sources/files/directory.h"
#include "connectors/testing.h"
#include "os/files/test_folder.h"
#include "store/memory_store.h"

namespace sync_run_test {

using namespace cairn;
using namespace cairn::connectors;
namespace fs = std::filesystem;

namespace {

struct SourceFolder : os::TestFolder {
  void touch(const std::string& name, int seconds) const {
    fs::last_write_time(*this / name,
                        fs::file_time_type::clock::now() + std::chrono::seconds(seconds));
  }
  void remove(const std::string& name) const { fs::remove_all(*this / name); }
};

struct Fixture {
  SourceFolder folder;
  int calls_left = -1;  // of the store, before it fails; -1: for ever
  std::unique_ptr<store::Store> store =
      store::memory_store({.before = [this](std::string_view, std::string_view) -> Status {
        if (calls_left == 0)
          return Error{.kind = ErrorKind::unavailable, .message = "the store went away"};
        if (calls_left > 0) --calls_left;
        return ok_status();
      }});
  SourceTypes own_types() const {
    SourceTypes out;
    out["directory"] = directory_source({folder.path});
    return out;
  }
  SourceTypes types = own_types();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  Records records{*store, types, clock, *random};
  SyncJobs jobs{*store, records, clock, *random};
  MemoryTarget target;
  Options options{.batch_documents = 2};
  os::Deadline deadline = os::Deadline::in_ms(60'000);

  Fixture() {
    REQUIRE(records.put("c", {.index_name = "i", .service_type = "directory"}, deadline).ok());
    const Json values = Json::object({{"path", folder.path}, {"max_file_size", 1000}});
    REQUIRE(records.set_configuration("c", nullptr, &values, deadline).ok());
  }
  std::string new_job(const std::string& type = "full") {
    auto id = jobs.create({.connector_id = "c", .job_type = type}, deadline);
    REQUIRE(id.ok());
    REQUIRE(*jobs.take(*id, "here", 60'000, deadline));
    return *id;
  }
  Result<SyncOutcome> run(const std::string& id, bool incremental, const os::Deadline& until) {
    CAIRN_TRY(const Json job, jobs.get(id, os::Deadline::in_ms(1000)));
    auto source = types["directory"]->open(*job.find_path("connector.configuration"));
    REQUIRE(source.ok());
    SyncState state(*store, "c", id);
    return run_sync({.job_id = id,
                     .index = "i",
                     .incremental = incremental,
                     .source = **source,
                     .target = target,
                     .extractor = extractor_of_tests(),
                     .jobs = jobs,
                     .state = state,
                     .options = options},
                    until);
  }
  Json run_new(const std::string& type = "full") {
    const std::string id = new_job(type);
    const auto outcome = run(id, type == "incremental", deadline);
    REQUIRE(outcome.ok());
    REQUIRE(*outcome == SyncOutcome::completed);
    return *jobs.get(id, deadline);
  }
  std::int64_t figure(const Json& job, const std::string& name) {
    return job.find("metadata")->int_or(name, -1);
  }
  void some_files() const {
    folder.write("a.txt", "first\nbody of a");
    folder.write("sub/b.md", "# B\nbody");
    folder.write("sub/c.1.gz", gzip(".TH C 1\n.SH NAME\nc \\- does c\n"));
    folder.write("picture.png", "nothing");
    folder.write("d.html", "<title>D</title><p>dd");
  }
};

}  // namespace

TEST_CASE("sync: a full run writes every text file with its fields") {
  Fixture f;
  f.some_files();
  const Json job = f.run_new();
  CHECK(job.int_or("indexed_document_count") == 4);
  CHECK(job.int_or("total_document_count") == 4);
  CHECK(f.figure(job, "files_read") == 4);
  CHECK(f.figure(job, "files_skipped") == 1);
  REQUIRE(f.target.documents.size() == 4);
  const Json& page = f.target.documents.at(document_id("sub/c.1.gz"));
  CHECK(page.string_or("title") == "c(1) - does c");
  CHECK(page.string_or("path") == "sub/c.1.gz");
  CHECK(page.int_or("size") > 0);
  CHECK(page.string_or("modified").ends_with("Z"));
}

TEST_CASE(
    "sync: an incremental run reads what changed, writes what differs, deletes what vanished") {
  Fixture f;
  f.some_files();
  f.run_new();
  f.folder.write("a.txt", "first\nanother body");
  f.folder.touch("a.txt", 5);
  f.folder.touch("sub/b.md", 5);  // touched only
  f.folder.remove("d.html");
  f.folder.write("e.txt", "new");
  const Json job = f.run_new("incremental");
  CHECK(f.figure(job, "files_read") == 3);
  CHECK(job.int_or("indexed_document_count") == 2);
  CHECK(job.int_or("deleted_document_count") == 1);
  CHECK(f.figure(job, "files_unchanged") == 2);
  CHECK(f.target.documents.size() == 4);
  CHECK(f.target.documents.count(document_id("d.html")) == 0);
  const Json again = f.run_new("incremental");
  CHECK(f.figure(again, "files_read") == 0);
  CHECK(again.int_or("deleted_document_count") == 0);
}

TEST_CASE("sync: an incremental run into an index that was made anew writes everything") {
  Fixture f;
  f.some_files();
  f.run_new();
  f.target.documents.clear();
  f.target.name = "uuid-2";
  CHECK(f.run_new("incremental").int_or("indexed_document_count") == 4);
  CHECK(f.target.documents.size() == 4);
}

TEST_CASE("sync: unreadable, too large, binary and refused files are named, never fatal") {
  Fixture f;
  f.some_files();
  f.folder.write("large.txt", std::string(2000, 'x'));
  f.folder.write("binary.txt", std::string_view("a\0b", 3));
  f.folder.write("refused.txt", "refuse me");
  fs::create_symlink("/etc/passwd", f.folder / "out.txt");
  fs::create_symlink("a.txt", f.folder / "inside.txt");
  fs::create_directory_symlink("/etc", f.folder / "etc.txt");
  REQUIRE(::mkfifo((f.folder / "pipe.txt").c_str(), 0600) == 0);
  const Json job = f.run_new();
  CHECK(f.target.documents.size() == 4);
  CHECK(f.target.documents.count(document_id("inside.txt")) == 0);  // a.txt again
  CHECK(f.figure(job, "files_unreadable") == 2);
  // The image, the second name, what holds no text, and two links out of the folder.
  CHECK(f.figure(job, "files_skipped") == 5);
  CHECK(f.figure(job, "documents_refused") == 1);
  CHECK(job.find_path("metadata.problems")->as_array().size() == 4);
}

TEST_CASE("sync: a file that becomes unreadable keeps its document") {
  Fixture f;
  f.some_files();
  f.run_new();
  f.folder.write("a.txt", std::string(2000, 'x'));
  f.folder.touch("a.txt", 5);
  f.run_new("incremental");
  CHECK(f.target.documents.count(document_id("a.txt")) == 1);
}

TEST_CASE("sync: documents refused for the moment are written a little later") {
  Fixture f;
  f.some_files();
  f.target.busy = 3;
  const Json job = f.run_new();
  CHECK(job.int_or("indexed_document_count") == 4);
  CHECK(f.figure(job, "documents_refused") == 0);
  CHECK(f.target.documents.size() == 4);
}

TEST_CASE("sync: a cancel request ends a run after its batch") {
  Fixture f;
  f.some_files();
  const std::string id = f.new_job();
  REQUIRE(f.jobs.cancel(id, f.deadline).ok());
  CHECK(*f.run(id, false, f.deadline) == SyncOutcome::canceled);
  CHECK(f.target.documents.empty());
}

TEST_CASE("sync: a stop suspends") {
  Fixture f;
  f.some_files();
  std::stop_source stop;
  stop.request_stop();
  const std::string id = f.new_job();
  CHECK(*f.run(id, false, os::Deadline::never(stop.get_token())) == SyncOutcome::suspended);
}

// The run is cut before each call of the store in turn and run again as after a crash: nothing is
// lost, and no file that was recorded as done is read twice.
TEST_CASE("sync: a run cut at any call goes on without reading again what was done") {
  for (int cut = 0;; ++cut) {
    CAPTURE(cut);
    Fixture f;
    f.some_files();
    const std::string id = f.new_job();
    f.calls_left = cut;
    const auto first = f.run(id, false, f.deadline);
    f.calls_left = -1;
    if (first.ok()) {
      CHECK(cut > 8);
      break;
    }
    SyncState state(*f.store, "c", id);
    std::size_t done = 0, finished = 0;
    const auto count = [](std::size_t& n) {
      return [&n](SyncedRow&&) {
        ++n;
        return ok_status();
      };
    };
    REQUIRE(state.done(f.target.name, count(done), f.deadline).ok());
    REQUIRE(state.finished(f.target.name, count(finished), f.deadline).ok());
    const auto second = f.run(id, false, f.deadline);
    REQUIRE_MESSAGE(second.ok(), (second.ok() ? "" : second.error().message));
    REQUIRE(*second == SyncOutcome::completed);
    const Json job = *f.jobs.get(id, f.deadline);
    CHECK(f.target.documents.size() == 4);
    if (finished == 0) {
      CHECK(f.figure(job, "files_resumed") == static_cast<std::int64_t>(done));
      CHECK(f.figure(job, "files_read") == static_cast<std::int64_t>(4 - done));
      CHECK(job.int_or("indexed_document_count") == 4);
    }
  }
}

TEST_CASE("sync jobs: states, row by row") {
  Fixture f;
  const auto id = f.jobs.create({.connector_id = "c"}, f.deadline);
  CHECK(f.jobs.get(*id, f.deadline)->string_or("status") == "pending");
  CHECK_FALSE(f.jobs.fail(*id, "x", f.deadline).ok());
  REQUIRE(f.jobs.cancel(*id, f.deadline).ok());
  CHECK(f.jobs.get(*id, f.deadline)->string_or("status") == "canceled");
  CHECK_FALSE(f.jobs.cancel(*id, f.deadline).ok());
  const std::string running = f.new_job();
  CHECK_FALSE(*f.jobs.take(running, "there", 60'000, f.deadline));
  f.clock.advance_ms(60'001);
  CHECK(*f.jobs.take(running, "there", 60'000, f.deadline));
  REQUIRE(f.jobs.cancel(running, f.deadline).ok());
  CHECK(f.jobs.get(running, f.deadline)->string_or("status") == "canceling");
  REQUIRE(f.jobs.finish(running, "canceled", "", f.deadline).ok());
  CHECK_FALSE(f.jobs.create({.connector_id = "none"}, f.deadline).ok());
  CHECK_FALSE(f.jobs.create({.connector_id = "c", .job_type = "odd"}, f.deadline).ok());
  REQUIRE(f.records.put("bare", {.service_type = "x"}, f.deadline).ok());
  CHECK(f.jobs.create({.connector_id = "bare"}, f.deadline).error().message.find("no index") !=
        std::string::npos);
  CHECK(f.jobs.list({.status = "canceled"}, f.deadline)->count == 2);
  CHECK(f.jobs.list({.connector_id = "c", .job_types = {"incremental"}}, f.deadline)->count == 0);
}

TEST_CASE("sync jobs: only a pending or suspended one can be claimed") {
  Fixture f;
  const auto claim = [&](const std::string& id) {
    return f.jobs.claim(id, "far", nullptr, f.deadline);
  };
  const auto pending = f.jobs.create({.connector_id = "c"}, f.deadline);
  CHECK(claim(*pending).ok());
  CHECK(f.jobs.get(*pending, f.deadline)->string_or("status") == "in_progress");
  const auto canceled = f.jobs.create({.connector_id = "c"}, f.deadline);
  REQUIRE(f.jobs.cancel(*canceled, f.deadline).ok());
  CHECK(claim(*canceled).ok());
  CHECK(f.jobs.get(*canceled, f.deadline)->string_or("status") == "in_progress");
  CHECK(f.jobs.get(*canceled, f.deadline)->find("canceled_at")->is_null());
  const std::string suspended = f.new_job();
  REQUIRE(f.jobs.finish(suspended, "suspended", "", f.deadline).ok());
  CHECK(claim(suspended).ok());
  for (const std::string status : {"in_progress", "canceling", "completed", "error"}) {
    CAPTURE(status);
    const std::string id = f.new_job();
    if (status.starts_with("cancel")) REQUIRE(f.jobs.cancel(id, f.deadline).ok());
    if (status != "in_progress" && status != "canceling")
      REQUIRE(f.jobs.finish(id, status, "", f.deadline).ok());
    const Json before = *f.jobs.get(id, f.deadline);
    REQUIRE(before.string_or("status") == status);
    const Status claimed = claim(id);
    REQUIRE_FALSE(claimed.ok());
    CHECK(claimed.error().kind == ErrorKind::invalid_argument);
    CHECK(claimed.error().code == "status_exception");
    CHECK(claimed.error().message ==
          "Invalid transition attempt from [" + status +
              "] to [in_progress]. Such a state transition is not supported by the Connector "
              "Protocol.");
    CHECK(*f.jobs.get(id, f.deadline) == before);
  }
}

TEST_CASE("service: refuses an access_control job of a source that tells of none") {
  Fixture f;
  SourceTypes types;
  types["directory"] = directory_source({f.folder.path});
  Service service(*f.store, f.target, extractor_of_tests(), std::move(types), {}, f.clock,
                  *f.random);
  const auto create = [&](const std::string& connector) {
    return service.create_job({.connector_id = connector, .job_type = "access_control"},
                              f.deadline);
  };
  const auto refused = create("c");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::invalid_argument);
  CHECK(refused.error().code == "status_exception");
  CHECK(refused.error().message.find("[directory], tells of no access control") !=
        std::string::npos);
  CHECK(refused.error().message.find("[full] or [incremental]") != std::string::npos);
  CHECK(f.jobs.list({}, f.deadline)->count == 0);
  REQUIRE(f.records.put("far", {.index_name = "j", .service_type = "other"}, f.deadline).ok());
  CHECK(create("far").ok());
  CHECK(create("none").error().code == "resource_not_found_exception");
}

TEST_CASE("service: a tick of a schedule makes one job, however many ask") {
  Fixture f;
  SourceTypes types;
  types["directory"] = directory_source({f.folder.path});
  Service service(*f.store, f.target, extractor_of_tests(), std::move(types), {}, f.clock,
                  *f.random);
  f.clock.advance_ms(3 * 86'400'000);  // ticks from before the schedule was enabled make none
  const Json daily = *parse_json(
      R"({"full":{"enabled":true,"interval":"0 0 0 * * ?"},
          "incremental":{"enabled":true,"interval":"0 0 0 * * ?"}})");
  REQUIRE(service.records().set_scheduling("c", daily, f.deadline).ok());
  CHECK(f.records.get("c", false, f.deadline)->find("scheduling_since") == nullptr);
  const auto ask_all = [&] {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i)
      workers.emplace_back([&] { CHECK(service.create_due_jobs(f.deadline).ok()); });
  };
  ask_all();
  CHECK(f.jobs.list({}, f.deadline)->count == 0);
  for (std::size_t day = 1; day <= 10; ++day) {
    f.clock.advance_ms(86'400'000);
    ask_all();
    ask_all();
    CHECK(f.jobs.list({}, f.deadline)->count == 2 * day);
  }
  // Off for some days, and on again: what lies between is not made up for.
  Json off = daily;
  off.find("full")->set("enabled", false);
  REQUIRE(service.records().set_scheduling("c", off, f.deadline).ok());
  f.clock.advance_ms(86'400'000);
  REQUIRE(service.create_due_jobs(f.deadline).ok());
  REQUIRE(service.records().set_scheduling("c", daily, f.deadline).ok());
  REQUIRE(service.create_due_jobs(f.deadline).ok());
  CHECK(f.jobs.list({}, f.deadline)->count == 21);
}

TEST_CASE("service: a tick that a crash cut off anywhere makes its job after it, and makes one") {
  const Json daily = *parse_json(R"({"full":{"enabled":true,"interval":"0 0 0 * * ?"}})");
  bool whole = false;
  for (int calls = 0; !whole; ++calls) {
    CAPTURE(calls);
    REQUIRE(calls < 100);
    Fixture f;
    Service before(*f.store, f.target, extractor_of_tests(), f.own_types(), {}, f.clock, *f.random);
    REQUIRE(before.records().set_scheduling("c", daily, f.deadline).ok());
    f.clock.advance_ms(86'400'000);
    f.calls_left = calls;
    whole = before.create_due_jobs(f.deadline).ok();
    f.calls_left = -1;
    // What comes after the crash counts ticks from its own start on.
    Service after(*f.store, f.target, extractor_of_tests(), f.own_types(), {}, f.clock, *f.random);
    const std::size_t made = f.jobs.list({}, f.deadline)->count;
    REQUIRE(after.create_due_jobs(f.deadline).ok());
    REQUIRE(after.create_due_jobs(f.deadline).ok());
    const bool was_taken =
        f.records.get("c", false, f.deadline)->find("last_sync_scheduled_at") != nullptr &&
        !f.records.get("c", false, f.deadline)->find("last_sync_scheduled_at")->is_null();
    CHECK(f.jobs.list({}, f.deadline)->count == (was_taken ? 1 : 0));
    CHECK((made == 0 || was_taken));
    CHECK(f.records.get("c", false, f.deadline)->find("scheduled_jobs") == nullptr);
    f.clock.advance_ms(86'400'000);
    REQUIRE(after.create_due_jobs(f.deadline).ok());
    CHECK(f.jobs.list({}, f.deadline)->count == (was_taken ? 2 : 1));
  }
}

TEST_CASE("service: a schedule whose job cannot be made keeps no other from its ticks") {
  Fixture f;
  const Json daily = *parse_json(R"({"full":{"enabled":true,"interval":"0 0 0 * * ?"}})");
  REQUIRE(f.records.put("a", {.service_type = "directory"}, f.deadline).ok());  // has no index
  Service service(*f.store, f.target, extractor_of_tests(), f.own_types(), {}, f.clock, *f.random);
  for (const char* id : {"a", "c"})
    REQUIRE(service.records().set_scheduling(id, daily, f.deadline).ok());
  f.clock.advance_ms(86'400'000);
  CHECK(service.create_due_jobs(f.deadline).ok());
  CHECK(f.jobs.list({}, f.deadline)->count == 1);
}

TEST_CASE("service: runs a job, takes up what was left, creates what is due") {
  Fixture f;
  f.some_files();
  SourceTypes types;
  types["directory"] = directory_source({f.folder.path});
  Service service(*f.store, f.target, extractor_of_tests(), std::move(types),
                  {.workers = 1, .poll_ms = 5}, f.clock, *f.random);
  const auto wait_for = [&](const std::string& id, const std::string& status) {
    for (int i = 0; i < 20'000; ++i) {
      if (f.jobs.get(id, f.deadline)->string_or("status") == status) return true;
      ::usleep(1000);
    }
    return false;
  };
  const auto left = f.jobs.create({.connector_id = "c"}, f.deadline);
  REQUIRE(service.start().ok());
  CHECK(wait_for(*left, "completed"));
  const auto id = service.create_job({.connector_id = "c", .job_type = "incremental"}, f.deadline);
  REQUIRE(id.ok());
  CHECK(wait_for(*id, "completed"));
  const Json schedule =
      Json::object({{"full", Json::object({{"enabled", true}, {"interval", "0 0 0 * * ?"}})}});
  REQUIRE(service.records().set_scheduling("c", schedule, f.deadline).ok());
  f.clock.advance_ms(86'400'000);
  bool scheduled = false;
  for (int i = 0; i < 20'000 && !scheduled; ++i, ::usleep(1000)) {
    const auto page = f.jobs.list({.status = "completed"}, f.deadline);
    for (const Json& job : page->results)
      scheduled |= job.string_or("trigger_method") == "scheduled";
  }
  CHECK(scheduled);
  service.stop();
  CHECK(f.records.get("c", false, f.deadline)->string_or("status") == "connected");
  CHECK(f.records.get("c", false, f.deadline)->string_or("last_sync_status") == "completed");
}

}  // namespace sync_run_test
