// SPDX-License-Identifier: Apache-2.0
// Backups of a running server: one at a time, on demand or by a schedule.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "backup/create.h"
#include "backup/key.h"
#include "backup/options.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "os/threads/thread.h"
#include "store/store.h"

namespace cairn::backup {

/// Where a repository lies, as a person writes it.
struct Place {
  std::string text = {};    // a folder, or "s3://bucket/prefix"
  std::string client = {};  // the s3 client that reaches it; empty: "default"
};

/// What the service gets from the server around it. Every function may block, and is called by one
/// thread at a time.
struct Dependencies {
  std::function<Result<std::unique_ptr<store::Store>>(const Place&)> open_place;
  std::function<Result<std::unique_ptr<objectstore::Checkpoint>>()> checkpoint;
  /// Files beside the objects, and those of the configuration.
  std::function<Result<std::vector<KeptFile>>()> files;
  std::function<Result<std::vector<KeptFile>>()> configuration;
  /// The key of the place that is configured. Errors: those of the file.
  std::function<Result<Key>()> key;
  /// When the next one is due behind a moment; nothing: never.
  std::function<std::optional<std::int64_t>(std::int64_t unix_ms)> next_due;
  /// Held shared from the checkpoint until the files of keys are copied: what is sealed in the one
  /// must open with the other, so nobody may change the master key between them.
  std::shared_mutex* keys_stay = nullptr;
};

/// The place that is configured, and how many backups it keeps.
struct Standing {
  Place place = {};
  std::size_t keep = 0;  // the newest of them; 0: all
};

struct Wanted {
  std::optional<Place> place = {};  // else the one that is configured
  std::optional<Key> key = {};      // else the one that is configured
  bool rereads = false;
};

/// What is known of one backup that was asked for.
struct Run {
  enum class State { running, done, failed };
  std::string id;
  Place place;
  State state = State::running;
  bool by_schedule = false;
  std::int64_t begun_ms = 0;
  std::int64_t ended_ms = 0;
  std::uint64_t files_total = 0, files_done = 0, bytes_done = 0;
  std::uint64_t added_bytes = 0, added_pieces = 0;
  std::uint64_t size_bytes = 0;  // of all that a restore writes, once it is done
  std::uint64_t damaged = 0;     // extents that could not be read
  std::uint64_t removed = 0;     // older backups that went because of Standing::keep
  std::optional<Error> error = {};
};

/// Safe from any thread.
class Service {
 public:
  /// Starts the thread that works, and that heeds the schedule. What is given outlives it.
  /// Errors: unavailable (no thread can be had).
  static Result<std::unique_ptr<Service>> start(Dependencies dependencies, Standing standing,
                                                Options options, const os::Clock& clock,
                                                os::Random& random);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Begins a backup; its id. Errors: conflict, where one is being made; invalid_argument, where no
  /// place or no key is given and none configured.
  Result<std::string> begin(const Wanted& wanted);
  /// Waits for its end. Errors: not_found; timeout, cancelled: the backup goes on.
  Result<Run> wait(const std::string& id, const os::Deadline& deadline);
  /// Ends the one that is being made; false where there is none.
  bool cancel();
  /// The one that is being made, and the last ones that ended since the start, the newest first.
  std::vector<Run> runs() const;
  const Standing& standing() const { return standing_; }
  /// The next one of the schedule; nothing where there is none.
  std::optional<std::int64_t> next_due_ms() const;
  /// Ends the work. Later calls do nothing.
  void stop();

 private:
  Service(Dependencies dependencies, Standing standing, Options options, const os::Clock& clock,
          os::Random& random);
  struct Job;
  void work(const std::stop_token& stop);
  Result<std::string> queue(const Wanted& wanted, bool by_schedule);
  void look_at_schedule(const std::stop_token& stop);
  void run_job(Job& job, const std::stop_token& stop);
  Result<Manifest> make(Job& job, const os::Deadline& deadline);
  Status keep_newest(Repository& repository, Job& job, const os::Deadline& deadline);
  std::int64_t newest_ms(const os::Deadline& deadline);

  const Dependencies dependencies_;
  const Standing standing_;
  const Options options_;
  const os::Clock& clock_;
  os::Random& random_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<Job> waiting_;  // or being worked at
  std::vector<Run> ended_;
  std::optional<std::int64_t> due_ms_;
  os::Thread thread_;
};

}  // namespace cairn::backup
