// SPDX-License-Identifier: Apache-2.0
#include "app/reload/file_watch.h"

#include <utility>

#include "app/settings/settings.h"
#include "os/log.h"

namespace cairn::app {

FileWatch::FileWatch(const os::Clock& clock, std::string what, std::vector<std::string> files,
                     Read read)
    : clock_(clock), what_(std::move(what)), files_(std::move(files)), read_(std::move(read)) {
  std::erase(files_, "");
  seen_ = state_of(files_);
}

Status FileWatch::read(bool last_try) {
  Status done = read_();
  if (done.ok())
    os::log(os::LogLevel::info, "app", what_ + " read again");
  else if (last_try)
    os::log(os::LogLevel::error, "app", what_ + " not read again, the old one stays",
            {{"reason", done.error().message}});
  return done;
}

Status FileWatch::now() {
  if (files_.empty()) return ok_status();
  seen_ = state_of(files_);
  tries_until_ns_ = 0;
  return read(true);
}

void FileWatch::look() {
  if (files_.empty()) return;
  if (std::string state = state_of(files_); state != seen_) {
    seen_ = std::move(state);
    tries_until_ns_ = clock_.steady_ns() + patience_ms * 1'000'000;
  }
  if (tries_until_ns_ == 0) return;
  const bool last_try = clock_.steady_ns() >= tries_until_ns_;
  if (read(last_try).ok() || last_try) tries_until_ns_ = 0;
}

}  // namespace cairn::app
