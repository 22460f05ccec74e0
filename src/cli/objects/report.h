// SPDX-License-Identifier: Apache-2.0
// What became of each file and object, and of all together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/threads.h"
#include "cli/arguments.h"
#include "cli/objects/console.h"
#include "cli/objects/progress.h"
#include "format/json.h"

namespace cairn::cli {

/// One thing that is done: "upload: a/b to s3://bucket/a/b".
struct Action {
  std::string_view verb;         // "upload", "download", "copy", "move", "delete"
  std::string source = {};       // as people write it
  std::string destination = {};  // empty where there is none
  std::uint64_t bytes = 0;
};

/// Safe from any thread.
class Report {
 public:
  /// Reads --json, --quiet, --only-show-errors, --no-progress, --progress and --dry-run.
  Report(const Arguments& arguments, const Console& console, const os::Clock& clock);

  bool dry_run() const { return dry_run_; }
  bool json() const { return json_; }

  void expect(std::uint64_t bytes);
  void all_expected();
  /// Bytes of one transfer as the client counts them: all so far, beginning again with a retry.
  void moved(std::uint64_t& counted, std::uint64_t so_far);

  void done(const Action& action, const Json& more = {});
  void skipped(const Action& action, std::string_view why);
  void failed(const Action& action, const Error& error);
  /// Of an action that is done: what of its source could not come along. Counts as failed as well.
  void without(const Action& action, const std::string& what);
  /// A name that cannot be taken. Counts as failed.
  void odd(const std::string& what, const std::string& why);

  /// Prints how it went, where `summary` or something failed. The exit status: success; that of
  /// the error where nothing went well; partly_failed.
  int finish(bool summary);

 private:
  void print(const std::string& text) CAIRN_REQUIRES(mutex_);
  void tell(const std::string& text) CAIRN_REQUIRES(mutex_);
  void draw() CAIRN_REQUIRES(mutex_);
  Json line_of(const Action& action, std::string_view status) const;

  const Console console_;
  const bool json_;
  const bool quiet_;
  const bool dry_run_;
  Mutex mutex_;
  Progress progress_ CAIRN_GUARDED_BY(mutex_);
  std::uint64_t done_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::uint64_t bytes_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::uint64_t skipped_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::uint64_t failed_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::optional<int> first_status_ CAIRN_GUARDED_BY(mutex_);
};

/// The flags that a report reads, for a command's syntax.
inline constexpr std::string_view report_flags[] = {
    "--json",    "--quiet", "--only-show-errors", "--no-progress", "--progress",
    "--dry-run", "--dryrun"};

}  // namespace cairn::cli
