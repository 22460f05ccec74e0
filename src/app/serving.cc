// SPDX-License-Identifier: Apache-2.0
#include "app/serving.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "cli/exit_codes.h"
#include "format/json.h"
#include "os/clock.h"
#include "os/files/files.h"
#include "os/threads/thread.h"

namespace cairn::app {

int exit_code_of(const Error& error) {
  if (error.kind == ErrorKind::invalid_argument) return cli::configuration_error;
  const bool port_taken =
      error.kind == ErrorKind::conflict &&
      (error.message.starts_with("listen.") || error.message.starts_with("node.listen"));
  return port_taken ? cli::unavailable : cli::exit_code_of(error, cli::internal_error);
}

int next_signal(const Serving& serving, std::int64_t wait_ms) {
  if (const std::int64_t watchdog_ms = serving.notices.watchdog_ms(); watchdog_ms > 0)
    wait_ms = std::min(wait_ms, watchdog_ms / 3 + 1);
  serving.notices.alive();
  const timespec step{.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1'000'000};
  return std::max(::sigtimedwait(&serving.signals, nullptr, &step), 0);
}

std::shared_ptr<Reloading> make_reloading(App& app, const Serving& serving) {
  auto settings = std::make_unique<Reload>(
      serving.loaded, serving.sources, [&app](auto policy) { app.set_limits(std::move(policy)); },
      [&app](const auto& roots) { app.set_folder_roots(roots); },
      [&app](os::LogLevel level) { app.set_log_level(level); });
  const Settings& read = serving.settings();
  std::vector<Reloading::Watched> watched;
  watched.push_back({"tls",
                     {os::system_clock(),
                      "certificate",
                      {read.http.tls.certificate_file, read.http.tls.key_file,
                       read.api_client_authority, read.objects_client_authority},
                      [&app] { return app.reload_tls(); }}});
  watched.push_back(
      {"oidc",
       {os::system_clock(), "issuer's keys", {read.oidc_keys_file, read.oidc_roles_file}, [&app] {
          return app.reload_sign_in();
        }}});
  return std::make_shared<Reloading>(std::move(settings), std::move(watched), serving.notices);
}

void end_in_order(const Serving& serving, const std::function<void()>& work) {
  const auto second = os::Thread::start_stoppable_or_tell(
      {.name = "cairn-signals"}, [&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          const timespec step{.tv_sec = 0, .tv_nsec = 100'000'000};
          const int signal = ::sigtimedwait(&serving.signals, nullptr, &step);
          if (signal == SIGTERM || signal == SIGINT) ::_exit(128 + signal);
        }
      });
  work();
}

void show_first_link(App& app) {
  if (::isatty(STDERR_FILENO) != 1) return;
  const std::string link = app.first_link();
  if (link.empty()) return;
  std::fprintf(stderr,
               "\nThis is the first start. The console, for one browser, once, within 24 hours:\n\n"
               "  %s\n\nLater: cairn console\n\n",
               link.c_str());
}

Status tell_ready(const Settings& settings, const std::string& api_url,
                  const std::string& objects_url) {
  if (settings.ready_file.empty()) return ok_status();
  const Json facts = Json::object(
      {{"api", api_url}, {"objects", objects_url}, {"pid", static_cast<std::int64_t>(::getpid())}});
  return os::replace_file(settings.ready_file, facts.dump() + "\n", 0644);
}

}  // namespace cairn::app
