// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/report.h"

#include "cli/exit_codes.h"
#include "cli/objects/amounts.h"
#include "cli/objects/failure.h"

namespace cairn::cli {
namespace {

ProgressStyle progress_style(const Arguments& arguments, const Console& console) {
  if (arguments.flag("--quiet") || arguments.flag("--no-progress") ||
      arguments.flag("--only-show-errors"))
    return ProgressStyle::none;
  if (console.err_is_terminal) return ProgressStyle::bar;
  return arguments.flag("--progress") ? ProgressStyle::lines : ProgressStyle::none;
}

std::string text_of_action(const Action& action) {
  std::string out = std::string(action.verb) + ": " + action.source;
  return action.destination.empty() ? out : out + " to " + action.destination;
}

}  // namespace

Report::Report(const Arguments& arguments, const Console& console, const os::Clock& clock)
    : console_(console),
      json_(arguments.flag("--json")),
      quiet_(arguments.flag("--quiet") || arguments.flag("--only-show-errors")),
      dry_run_(arguments.flag("--dry-run") || arguments.flag("--dryrun")),
      progress_(progress_style(arguments, console), console.columns, clock) {}

void Report::print(const std::string& text) {
  if (const std::string clear = progress_.clear(); !clear.empty()) console_.err(clear);
  console_.out(text);
}

void Report::tell(const std::string& text) { console_.err(progress_.clear() + text); }

void Report::draw() {
  if (const std::string text = progress_.next(); !text.empty()) console_.err(text);
}

Json Report::line_of(const Action& action, std::string_view status) const {
  Json line = Json::object({{"operation", action.verb}, {"status", status}});
  line.set("source", action.source);
  if (!action.destination.empty()) line.set("destination", action.destination);
  return line;
}

void Report::expect(std::uint64_t bytes) {
  MutexLock lock(mutex_);
  progress_.add_expected(bytes);
}

void Report::all_expected() {
  MutexLock lock(mutex_);
  progress_.all_expected();
}

void Report::moved(std::uint64_t& counted, std::uint64_t so_far) {
  MutexLock lock(mutex_);
  progress_.add_bytes(static_cast<std::int64_t>(so_far) - static_cast<std::int64_t>(counted));
  counted = so_far;
  draw();
}

void Report::done(const Action& action, const Json& more) {
  MutexLock lock(mutex_);
  ++done_;
  bytes_ += action.bytes;
  progress_.file_done();
  if (json_) {
    Json line = line_of(action, dry_run_ ? "dry_run" : "ok");
    line.set("bytes", action.bytes);
    if (more.is_object())
      for (const auto& [name, value] : more.as_object()) line.set(name, value);
    print(line.dump() + "\n");
  } else if (!quiet_) {
    print((dry_run_ ? "(dryrun) " : "") + text_of_action(action) + "\n");
  }
  draw();
}

void Report::skipped(const Action& action, std::string_view why) {
  MutexLock lock(mutex_);
  ++skipped_;
  progress_.file_done();
  if (json_) {
    Json line = line_of(action, "skipped");
    line.set("reason", why);
    print(line.dump() + "\n");
  } else if (!quiet_) {
    print("skipped " + text_of_action(action) + ": " + std::string(why) + "\n");
  }
}

void Report::failed(const Action& action, const Error& error) {
  MutexLock lock(mutex_);
  ++failed_;
  if (!first_status_) first_status_ = exit_status_of(error);
  progress_.file_done();
  if (json_) {
    Json line = line_of(action, "failed");
    line.set("error", json_of_failure(error));
    print(line.dump() + "\n");
  }
  tell(std::string(action.verb) + " failed: " +
       text_of_action(action).substr(action.verb.size() + 2) + ": " + error.message + "\n");
}

void Report::odd(const std::string& what, const std::string& why) {
  MutexLock lock(mutex_);
  ++failed_;
  if (!first_status_) first_status_ = cli::failed;
  if (json_)
    print(Json::object({{"operation", "none"},
                        {"status", "failed"},
                        {"source", what},
                        {"error", Json::object({{"code", "odd_name"}, {"message", why}})}})
              .dump() +
          "\n");
  tell("left out: " + what + ": " + why + "\n");
}

void Report::without(const Action& action, const std::string& what) {
  MutexLock lock(mutex_);
  ++failed_;
  if (!first_status_) first_status_ = cli::failed;
  if (json_) {
    Json line = line_of(action, "without");
    line.set("error", Json::object({{"code", "not_carried_over"}, {"message", what}}));
    print(line.dump() + "\n");
  }
  tell("not carried over: " + action.destination + ": " + what + "\n");
}

int Report::finish(bool summary) {
  MutexLock lock(mutex_);
  if (const std::string clear = progress_.clear(); !clear.empty()) console_.err(clear);
  if (json_ && summary)
    print(Json::object({{"summary", Json::object({{"done", done_},
                                                  {"bytes", bytes_},
                                                  {"skipped", skipped_},
                                                  {"failed", failed_},
                                                  {"dry_run", dry_run_}})}})
              .dump() +
          "\n");
  else if ((failed_ > 0 && done_ + failed_ > 1) || (summary && !quiet_))
    tell(std::to_string(done_) + (dry_run_ ? " to do" : " done") + ", " + human_bytes(bytes_) +
         (skipped_ > 0 ? ", " + std::to_string(skipped_) + " skipped" : "") +
         (failed_ > 0 ? ", " + std::to_string(failed_) + " failed" : "") + "\n");
  if (failed_ == 0) return success;
  return done_ > 0 ? partly_failed : first_status_.value_or(cli::failed);
}

}  // namespace cairn::cli
