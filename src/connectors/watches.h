// SPDX-License-Identifier: Apache-2.0
// Connectors whose sources are watched, or of which somebody says that they changed: a sync soon
// after that.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "connectors/records/records.h"
#include "connectors/records/sync_jobs.h"
#include "connectors/source.h"
#include "connectors/told_changes.h"
#include "os/clock.h"
#include "os/random.h"

namespace cairn::connectors {

/// For one thread, which calls look() a few times a second. What a source changed while nobody
/// watched is found by a sync at the beginning of a watch, so that a restart loses nothing. Why
/// changes are seen late stands in the connector's `error`, unless a sync has one.
class Watches {
 public:
  using CreateJob = std::function<Result<std::string>(const CreateSyncJob&)>;
  /// The references outlive it.
  Watches(Records& records, SyncJobs& jobs, ToldChanges& told, const SourceTypes& types,
          CreateJob create_job, const os::Clock& clock, os::Random& random);

  /// Makes incremental jobs where something changed: when it has been quiet for a moment, or has
  /// changed for a while; never two at a time of one connector, and no more than half of the time.
  void look(const os::Deadline& deadline);

  static constexpr std::int64_t look_every_ms = 250;
  static constexpr std::string_view job_prefix = "watch-";  // of the ids of its jobs

 private:
  struct Watched {
    std::string configuration = {};  // as text, to see that it changed
    std::unique_ptr<SourceWatch> watch = {};
    std::int64_t open_after_ms = 0;          // where it could not be opened
    std::int64_t first_ms = 0, last_ms = 0;  // changes that no job was made for; 0: none
    std::string job = {};                    // the last one, while it may run
    std::int64_t not_before_ms = 0;
    std::deque<std::string> past = {};  // jobs that are kept for people to see
    std::string told = {};              // in the log: why changes are seen late, or not at all
    std::string shown = {};             // of it, in the record
    bool was_told = false;              // by somebody, since this process began
  };

  void find_connectors(const os::Deadline& deadline);
  void open(const std::string& id, const Json& record, Watched& watched,
            const os::Deadline& deadline);
  void take_told(const os::Deadline& deadline);
  void ask(const std::string& id, Watched& watched, const os::Deadline& deadline);
  void make_job_when_due(const std::string& id, Watched& watched, const os::Deadline& deadline);
  void find_old_jobs(const std::string& id, Watched& watched, const os::Deadline& deadline);
  void forget_old_jobs(Watched& watched, const os::Deadline& deadline);
  bool job_has_ended(Watched& watched, const os::Deadline& deadline);
  void tell(const std::string& id, Watched& watched, const std::string& event,
            const std::string& reason);
  void show(const std::string& id, const Json& record, Watched& watched,
            const os::Deadline& deadline);
  std::int64_t now_ms() const { return clock_.steady_ns() / 1'000'000 + 1; }  // never 0

  Records& records_;
  SyncJobs& jobs_;
  ToldChanges& told_;
  const SourceTypes& types_;
  const CreateJob create_job_;
  const os::Clock& clock_;
  os::Random& random_;
  std::map<std::string, Watched> watched_;  // by connector
  std::set<std::string> paused_;            // connectors whose jobs rest
  std::int64_t found_ms_ = 0;
};

}  // namespace cairn::connectors
