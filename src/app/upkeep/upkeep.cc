// SPDX-License-Identifier: Apache-2.0
#include "app/upkeep/upkeep.h"

#include <memory>
#include <string>
#include <utility>

#include "app/upkeep/table_upkeep.h"
#include "objectstore/core/lifecycle.h"
#include "objectstore/mirror/mirror_scrub.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/metrics.h"
#include "s3api/access/bucket_documents.h"

namespace cairn::app {
namespace {

constexpr std::size_t walk_step = 1000;               // versions, of one look at a bucket
constexpr std::int64_t rest_factor = 2;               // rests, in times of the work before
constexpr std::uint64_t scrub_step = 1u << 20;        // bytes between two looks at the end
constexpr std::uint64_t scrub_rate_least = 64 << 10;  // one block in a second
constexpr std::int64_t tables_every_ms = 1000;        // rows come within seconds
constexpr int tables_nice = 5;  // of both: requests go before, as before the threads of `compute`
constexpr std::int64_t merges_every_ms = 2000;  // of their searchable copies
constexpr std::int64_t retry_ms = 60'000;       // after a scrub that failed

bool is_end(const Error& error) {
  return error.kind == ErrorKind::cancelled || error.kind == ErrorKind::timeout;
}

os::Counter& lifecycle_counter(std::string action) {
  return os::metrics().counter("cairn_objects_lifecycle_actions_total",
                               "What lifecycle rules did to versions, markers and uploads",
                               {{"action", std::move(action)}});
}

void tell(const std::string& bucket, const objectstore::LifecycleCount& count) {
  static os::Counter& expired = lifecycle_counter("expired");
  static os::Counter& markers = lifecycle_counter("marker_removed");
  static os::Counter& noncurrent = lifecycle_counter("noncurrent_removed");
  static os::Counter& aborted = lifecycle_counter("upload_aborted");
  expired.add(count.expired);
  markers.add(count.markers_removed);
  noncurrent.add(count.noncurrent_removed);
  aborted.add(count.uploads_aborted);
  const bool idle =
      count.expired + count.markers_removed + count.noncurrent_removed + count.uploads_aborted == 0;
  os::log(idle ? os::LogLevel::debug : os::LogLevel::info, "app", "lifecycle rules applied",
          {{"bucket", bucket},
           {"examined", count.examined},
           {"expired", count.expired},
           {"markers_removed", count.markers_removed},
           {"noncurrent_removed", count.noncurrent_removed},
           {"uploads_aborted", count.uploads_aborted}});
}

/// Walks one bucket, as long as its rules stay the ones that the walk began with.
Status walk(objectstore::Engine& engine, const std::string& bucket,
            const std::shared_ptr<const s3api::LifecycleDocument>& rules,
            const os::Deadline& deadline) {
  objectstore::LifecycleWalk walk(engine, bucket, rules->rules);
  Status outcome = ok_status();
  for (bool more = true; more;) {
    const std::int64_t begin_ns = os::system_clock().steady_ns();
    const auto step = walk.step(walk_step, deadline);
    if (!step.ok()) {
      outcome = step.error();
      break;
    }
    const std::int64_t worked_ms = (os::system_clock().steady_ns() - begin_ns) / 1'000'000;
    const auto view = engine.bucket(bucket);
    more = *step && view.ok() && s3api::lifecycle_of(**view) == rules;
    if (more && !os::sleep_ms(worked_ms * rest_factor, deadline))
      outcome = deadline.check("apply lifecycle rules");
    more = more && outcome.ok();
  }
  tell(bucket, walk.count());
  return outcome;
}

/// Waits so long that not more is read in a second.
objectstore::Pace pace_of(std::uint64_t bytes_per_second, const os::Deadline& deadline) {
  // `owed`: bytes that were read and not waited for yet.
  return [bytes_per_second, &deadline,
          owed = std::uint64_t{0}](std::uint64_t bytes) mutable -> Status {
    owed += bytes;
    const std::uint64_t ms = owed * 1000 / bytes_per_second;
    if (ms < 10) return ok_status();
    owed = 0;
    if (os::sleep_ms(static_cast<std::int64_t>(ms), deadline)) return ok_status();
    return deadline.check("scrub");
  };
}

}  // namespace

Status UpkeepOptions::validate() const {
  if (scrub_bytes_per_second >= scrub_rate_least) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message =
                   "objects.scrub_rate must be at least 64kb; objects.scrub_interval of 0 "
                   "turns the scrubber off"};
}

Status apply_lifecycle(objectstore::Engine& engine, const os::Deadline& deadline) {
  static os::Counter& walks = os::metrics().counter("cairn_objects_lifecycle_walks_total",
                                                    "Walks of lifecycle rules over all buckets");
  for (const s3::Bucket& bucket : engine.list_buckets()) {
    CAIRN_CHECK(deadline.check("apply lifecycle rules"));
    const auto view = engine.bucket(bucket.name);
    if (!view.ok()) continue;  // deleted meanwhile
    const auto rules = s3api::lifecycle_of(**view);
    if (rules == nullptr || rules->rules.empty()) continue;
    const Status done = walk(engine, bucket.name, rules, deadline);
    if (done.ok()) continue;
    if (is_end(done.error())) return done;
    os::log(os::LogLevel::warn, "app", "lifecycle rules were not applied to the end",
            {{"bucket", bucket.name}, {"reason", done.error().message}});
  }
  walks.add();
  return ok_status();
}

Status scrub(objectstore::Scrubber& scrubber, std::uint64_t bytes_per_second,
             const os::Deadline& deadline) {
  static os::Counter& rounds = os::metrics().counter(
      "cairn_objects_scrub_rounds_total", "Rounds of the scrubber that came to their end");
  const objectstore::Pace pace = pace_of(bytes_per_second, deadline);
  for (;;) {
    const auto ended = scrubber.step(scrub_step, 0, deadline, pace);
    if (ended.ok() && *ended) break;
    if (ended.ok()) continue;
    if (is_end(ended.error())) return ended.error();
    os::log(os::LogLevel::warn, "app", "the scrubber was stopped and goes on later",
            {{"reason", ended.error().message}});
    if (!os::sleep_ms(retry_ms, deadline)) return deadline.check("scrub");
  }
  rounds.add();
  os::log(os::LogLevel::info, "app", "all objects were verified",
          {{"damaged", scrubber.damage().size()}});
  return ok_status();
}

Status compare_folders(objectstore::Engine& engine, os::MirrorSides& mirror,
                       std::uint64_t bytes_per_second, const os::Deadline& deadline) {
  if (!mirror.both_whole()) return ok_status();
  const auto pace = pace_of(bytes_per_second, deadline);
  const auto compared = objectstore::scrub_mirror(engine, mirror, pace, deadline);
  if (!compared.ok() && is_end(compared.error())) return compared.error();
  if (!compared.ok())
    os::log(os::LogLevel::warn, "app", "the folders of the mirror were not compared to the end",
            {{"reason", compared.error().message}});
  else
    os::log(
        os::LogLevel::info, "app", "the folders of the mirror were compared",
        {{"files", compared->files}, {"mended", compared->mended}, {"damaged", compared->damaged}});
  return ok_status();
}

Result<std::unique_ptr<Upkeep>> Upkeep::start(objectstore::Engine& engine, tables::Tables* copies,
                                              os::MirrorSides* mirror,
                                              const UpkeepOptions& options) {
  std::unique_ptr<Upkeep> out(new Upkeep(engine));
  if (options.lifecycle_interval_ms > 0) {
    const auto rounds = [&engine, every_ms = options.lifecycle_interval_ms](std::stop_token stop) {
      const auto until_stopped = os::Deadline::never(std::move(stop));
      while (apply_lifecycle(engine, until_stopped).ok() && os::sleep_ms(every_ms, until_stopped)) {
      }
    };
    CAIRN_TRY(out->lifecycle_, os::Thread::start_stoppable({.name = "cairn-lifecycle"}, rounds));
  }
  if (options.scrub_interval_ms > 0) {
    const auto rounds = [self = out.get(), options, mirror, &engine](std::stop_token stop) {
      const auto until_stopped = os::Deadline::never(std::move(stop));
      const std::uint64_t rate = options.scrub_bytes_per_second;
      while (scrub(self->scrubber_, rate, until_stopped).ok() &&
             (mirror == nullptr || compare_folders(engine, *mirror, rate, until_stopped).ok()) &&
             os::sleep_ms(options.scrub_interval_ms, until_stopped)) {
      }
    };
    CAIRN_TRY(out->scrub_, os::Thread::start_stoppable({.name = "cairn-scrub"}, rounds));
  }
  const auto rounds = [&engine, copies](std::stop_token stop) {
    const auto until_stopped = os::Deadline::never(std::move(stop));
    for (;;) {
      const auto busy = keep_tables(engine, copies, os::system_clock().unix_ms(), until_stopped);
      if (!busy.ok() || (!*busy && !os::sleep_ms(tables_every_ms, until_stopped))) return;
    }
  };
  CAIRN_TRY(out->tables_,
            os::Thread::start_stoppable({.name = "cairn-tables", .nice = tables_nice}, rounds));
  if (copies == nullptr) return out;
  const auto merges = [copies](std::stop_token stop) {
    const auto until_stopped = os::Deadline::never(std::move(stop));
    while (copies->maintain(until_stopped).ok() && os::sleep_ms(merges_every_ms, until_stopped)) {
    }
  };
  CAIRN_TRY(out->merges_,
            os::Thread::start_stoppable({.name = "cairn-table-idx", .nice = tables_nice}, merges));
  return out;
}

Upkeep::~Upkeep() { stop(); }

void Upkeep::stop() {
  lifecycle_.request_stop();
  scrub_.request_stop();
  tables_.request_stop();
  merges_.request_stop();
  lifecycle_.join();
  scrub_.join();
  tables_.join();
  merges_.join();
}

}  // namespace cairn::app
