// SPDX-License-Identifier: Apache-2.0
// What a program that serves does around its rooms: signals, the file that says it is ready, and
// the settings that follow their files.
#pragma once

#include <signal.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/app.h"
#include "app/reload/reloading.h"
#include "app/settings/settings.h"
#include "base/result.h"
#include "os/processes/service_notices.h"

namespace cairn::app {

/// What `serve` began with. All of it outlives what it is given to.
struct Serving {
  const LoadedSettings& loaded;
  const SettingsSources& sources;
  const os::ServiceNotices& notices;
  const sigset_t& signals;  // blocked in all threads
  const Settings& settings() const { return loaded.settings; }
};

int exit_code_of(const Error& error);

/// Waits for a signal, `wait_ms` at most, and tells the service manager that the program lives.
/// 0 where none came.
int next_signal(const Serving& serving, std::int64_t wait_ms);

/// Reads the settings and files that `app`, which outlives it, follows.
std::shared_ptr<Reloading> make_reloading(App& app, const Serving& serving);

/// Runs `work`, which ends the program in order. A second SIGTERM or SIGINT ends it at once.
void end_in_order(const Serving& serving, const std::function<void()>& work);

/// The first start's link, on a terminal alone: it must not come to lie in a log.
void show_first_link(App& app);

/// Writes the addresses into settings.ready_file, where one is named. Errors: those of writing it.
Status tell_ready(const Settings& settings, const std::string& api_url,
                  const std::string& objects_url);

}  // namespace cairn::app
