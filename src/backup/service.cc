// SPDX-License-Identifier: Apache-2.0
#include "backup/service.h"

#include <algorithm>
#include <utility>

#include "backup/verify.h"
#include "format/time.h"
#include "os/log.h"
#include "os/metrics.h"

namespace cairn::backup {
namespace {

constexpr std::size_t runs_kept = 20;
constexpr std::int64_t look_every_ms = 5'000;  // at the schedule: clocks may be set
constexpr std::int64_t first_look_wait_ms = 60'000;  // for a repository far away
constexpr std::int64_t retry_ms = 15 * 60'000;  // of one of the schedule that failed

os::Counter& ended(const char* outcome) {
  return os::metrics().counter("cairn_backups_total", "Backups that ended, by their outcome",
                               {{"outcome", outcome}});
}

/// Figures of the last backup; those of none are 0.
struct LastBackup {
  os::Gauge& begun = os::metrics().gauge(
      "cairn_backup_last_success_timestamp_seconds",
      "When the last backup that succeeded was begun, since this server started");
  os::Gauge& size =
      os::metrics().gauge("cairn_backup_last_size_bytes", "What a restore of the last backup would write");
  os::Gauge& added =
      os::metrics().gauge("cairn_backup_last_added_bytes", "What the last backup added to its repository");
  os::Gauge& took =
      os::metrics().gauge("cairn_backup_last_duration_seconds", "How long the last backup took");

  void set(const Run& run) const {
    begun.set(run.begun_ms / 1000);
    size.set(static_cast<std::int64_t>(run.size_bytes));
    added.set(static_cast<std::int64_t>(run.added_bytes));
    took.set((run.ended_ms - run.begun_ms) / 1000);
  }
};

void show(const Run& run) {
  ended(run.state == Run::State::done ? "success" : "failure").add();
  if (run.state == Run::State::done) LastBackup().set(run);
}

void tell(const Run& run) {
  if (run.error) {
    os::log(os::LogLevel::error, "backup", "backup_failed",
            {{"id", run.id}, {"place", run.place.text}, {"reason", run.error->message}});
    return;
  }
  os::log(run.damaged == 0 ? os::LogLevel::info : os::LogLevel::error, "backup", "backup_made",
          {{"id", run.id},
           {"place", run.place.text},
           {"bytes", static_cast<std::int64_t>(run.size_bytes)},
           {"added_bytes", static_cast<std::int64_t>(run.added_bytes)},
           {"took_ms", run.ended_ms - run.begun_ms},
           {"damaged_extents", static_cast<std::int64_t>(run.damaged)},
           {"older_removed", static_cast<std::int64_t>(run.removed)}});
}

}  // namespace

/// One backup that was asked for.
struct Service::Job {
  explicit Job(Key given) : key(std::move(given)) {}
  Run run;
  const Key key;
  bool rereads = false;
  Progress progress = {};
  std::stop_source ends = {};

  Run now() const {
    Run out = run;
    out.files_total = progress.files_total;
    out.files_done = progress.files_done;
    out.bytes_done = progress.bytes_done;
    out.added_bytes = progress.added_bytes;
    out.added_pieces = progress.added_pieces;
    return out;
  }
};

Service::Service(Dependencies dependencies, Standing standing, Options options,
                 const os::Clock& clock, os::Random& random)
    : dependencies_(std::move(dependencies)),
      standing_(std::move(standing)),
      options_(std::move(options)),
      clock_(clock),
      random_(random) {}

Service::~Service() { stop(); }

Result<std::unique_ptr<Service>> Service::start(Dependencies dependencies, Standing standing,
                                                Options options, const os::Clock& clock,
                                                os::Random& random) {
  std::unique_ptr<Service> service(
      new Service(std::move(dependencies), std::move(standing), std::move(options), clock, random));
  Service* const self = service.get();
  CAIRN_TRY(service->thread_,
            os::Thread::start_stoppable({.name = "cairn-backup", .nice = 5},
                                        [self](const std::stop_token& stop) { self->work(stop); }));
  return service;
}

void Service::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_) waiting_->ends.request_stop();
  }
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  LastBackup().set({});  // another node may make them from now on
}

Result<std::string> Service::begin(const Wanted& wanted) { return queue(wanted, false); }

Result<std::string> Service::queue(const Wanted& wanted, bool by_schedule) {
  const Place place = wanted.place.value_or(standing_.place);
  if (place.text.empty())
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "no place is given: name one, or set backup.place"};
  std::optional<Key> key = wanted.key;
  if (!key) {
    CAIRN_TRY(key, dependencies_.key());
  }
  const auto job = std::make_shared<Job>(*key);
  job->run = {.id = new_id(clock_, random_),
              .place = place,
              .by_schedule = by_schedule,
              .begun_ms = clock_.unix_ms()};
  job->rereads = wanted.rereads;
  const std::lock_guard lock(mutex_);
  if (waiting_)
    return Error{
        .kind = ErrorKind::conflict,
        .message = "the backup [" + waiting_->run.id + "] is being made; wait for its end"};
  waiting_ = job;
  changed_.notify_all();
  return job->run.id;
}

Result<Run> Service::wait(const std::string& id, const os::Deadline& deadline) {
  std::unique_lock lock(mutex_);
  const auto find = [&]() -> const Run* {
    for (const Run& run : ended_)
      if (run.id == id) return &run;
    return nullptr;
  };
  os::wait(changed_, lock, deadline,
           [&] { return find() != nullptr || !waiting_ || waiting_->run.id != id; });
  if (const Run* const run = find()) return *run;
  if (waiting_ && waiting_->run.id == id) {
    CAIRN_CHECK(deadline.check("wait for the backup"));
    return waiting_->now();
  }
  return Error{.kind = ErrorKind::not_found,
               .message = "no backup [" + id + "] was made since the server started"};
}

bool Service::cancel() {
  const std::lock_guard lock(mutex_);
  if (!waiting_) return false;
  waiting_->ends.request_stop();
  return true;
}

std::vector<Run> Service::runs() const {
  const std::lock_guard lock(mutex_);
  std::vector<Run> out;
  if (waiting_) out.push_back(waiting_->now());
  out.insert(out.end(), ended_.rbegin(), ended_.rend());
  return out;
}

std::optional<std::int64_t> Service::next_due_ms() const {
  const std::lock_guard lock(mutex_);
  return due_ms_;
}

void Service::work(const std::stop_token& stop) {
  const os::Deadline until_stop = os::Deadline::never(stop);
  bool scheduled = dependencies_.next_due && dependencies_.next_due(clock_.unix_ms()).has_value();
  if (scheduled) {
    const std::lock_guard lock(mutex_);
    due_ms_ = dependencies_.next_due(clock_.unix_ms());
  }
  std::int64_t looked_ns = clock_.steady_ns();
  bool knows_last = false;
  while (!stop.stop_requested()) {
    std::shared_ptr<Job> job;
    {
      std::unique_lock lock(mutex_);
      os::wait(changed_, lock, until_stop.sooner_ms(1000), [&] { return waiting_ != nullptr; });
      job = waiting_;
    }
    if (stop.stop_requested()) break;
    if (job) {
      run_job(*job, stop);
      continue;
    }
    if (!scheduled || clock_.steady_ns() - looked_ns < look_every_ms * 1'000'000) continue;
    looked_ns = clock_.steady_ns();
    if (!knows_last) {
      // One that was due while no server ran is made now.
      const std::int64_t last_ms = newest_ms(os::Deadline::in_ms(first_look_wait_ms, stop));
      const std::lock_guard lock(mutex_);
      due_ms_ = last_ms == 0 ? clock_.unix_ms() : dependencies_.next_due(last_ms);
      knows_last = true;
    }
    look_at_schedule(stop);
  }
  const std::lock_guard lock(mutex_);
  if (!waiting_) return;
  waiting_->run.state = Run::State::failed;
  waiting_->run.error = Error{ErrorKind::cancelled, {}, "the server stopped"};
  ended_.push_back(waiting_->now());
  waiting_.reset();
  changed_.notify_all();
}

void Service::look_at_schedule(const std::stop_token& stop) {
  const std::int64_t now_ms = clock_.unix_ms();
  {
    const std::lock_guard lock(mutex_);
    if (!due_ms_ || *due_ms_ > now_ms) return;
    due_ms_ = dependencies_.next_due(now_ms);
  }
  const auto begun = queue({}, true);
  if (begun.ok()) return;
  os::log(os::LogLevel::error, "backup", "backup_not_begun", {{"reason", begun.error().message}});
  if (stop.stop_requested()) return;
  const std::lock_guard lock(mutex_);
  due_ms_ = std::min(due_ms_.value_or(now_ms + retry_ms), now_ms + retry_ms);
}

/// When the newest backup of the place was begun; 0 where there is none. Where that cannot be known
/// now, one is made when the schedule says so.
std::int64_t Service::newest_ms(const os::Deadline& deadline) {
  const auto look = [&]() -> Result<std::int64_t> {
    CAIRN_TRY(const Key key, dependencies_.key());
    CAIRN_TRY(const auto store, dependencies_.open_place(standing_.place));
    CAIRN_TRY(auto repository, Repository::open(*store, key, deadline));
    CAIRN_TRY(const auto ids, repository.list(deadline));
    if (ids.empty()) return std::int64_t{0};
    return parse_basic_iso8601(ids.back().substr(0, ids.back().find('-'))).value_or(0);
  };
  const auto found = look();
  if (found.ok()) return *found;
  os::log(os::LogLevel::warn, "backup", "repository_not_read",
          {{"place", standing_.place.text}, {"reason", found.error().message}});
  return clock_.unix_ms();
}

void Service::run_job(Job& job, const std::stop_token& stop) {
  const std::stop_callback forward(stop, [&job] { job.ends.request_stop(); });
  const auto deadline = os::Deadline::never(job.ends.get_token());
  auto made = make(job, deadline);
  Run run = job.now();
  run.ended_ms = clock_.unix_ms();
  run.state = made.ok() ? Run::State::done : Run::State::failed;
  if (made.ok()) {
    run.size_bytes = made->size_bytes();
    run.damaged = made->damaged.size();
  } else {
    run.error = std::move(made).error();
  }
  run.removed = job.run.removed;
  show(run);
  tell(run);
  const std::lock_guard lock(mutex_);
  if (run.by_schedule && run.state == Run::State::failed && due_ms_)
    due_ms_ = std::min(*due_ms_, run.ended_ms + retry_ms);
  ended_.push_back(std::move(run));
  if (ended_.size() > runs_kept) ended_.erase(ended_.begin());
  waiting_.reset();
  changed_.notify_all();
}

Result<Manifest> Service::make(Job& job, const os::Deadline& deadline) {
  CAIRN_TRY(const auto store, dependencies_.open_place(job.run.place));
  CAIRN_TRY(auto repository, Repository::open(*store, job.key, deadline));
  std::shared_lock<std::shared_mutex> stay;
  if (dependencies_.keys_stay != nullptr) stay = std::shared_lock(*dependencies_.keys_stay);
  CAIRN_TRY(const auto checkpoint, dependencies_.checkpoint());
  CAIRN_TRY(auto files, dependencies_.files());
  CAIRN_TRY(auto configuration, dependencies_.configuration());
  const Source source{.checkpoint = *checkpoint,
                      .files = std::move(files),
                      .configuration = std::move(configuration)};
  CAIRN_TRY(Manifest manifest,
            create(repository, source, {.id = job.run.id, .rereads = job.rereads}, options_, clock_,
                   random_, job.progress, deadline));
  const bool is_standing = job.run.place.text == standing_.place.text;
  if (is_standing && standing_.keep != 0)
    if (const Status kept = keep_newest(repository, job, deadline); !kept.ok())
      os::log(os::LogLevel::warn, "backup", "older_backups_stay",
              {{"place", job.run.place.text}, {"reason", kept.error().message}});
  return manifest;
}

Status Service::keep_newest(Repository& repository, Job& job, const os::Deadline& deadline) {
  CAIRN_TRY(auto ids, repository.list(deadline));
  if (ids.size() <= standing_.keep) return ok_status();
  ids.resize(ids.size() - standing_.keep);
  CAIRN_CHECK(remove(repository, ids, options_, clock_, random_, deadline));
  job.run.removed = ids.size();
  return ok_status();
}

}  // namespace cairn::backup
