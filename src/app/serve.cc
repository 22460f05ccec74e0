// SPDX-License-Identifier: Apache-2.0
#include "app/serve.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "app/app.h"
#include "app/commands/commands.h"
#include "app/reload/reloading.h"
#include "app/version.h"
#include "cli/exit_codes.h"
#include "os/files/files.h"
#include "os/log.h"
#include "os/processes/service_notices.h"
#include "os/threads/thread.h"

namespace cairn::app {
namespace {

constexpr std::string_view serve_usage =
    "usage: cairn serve [--data DIR] [--store s3://BUCKET/PREFIX?endpoint=URL] [--config FILE]\n"
    "                   [--api-listen HOST:PORT] [--objects-listen HOST:PORT] [--ready-file FILE]\n"
    "                   [--set KEY=VALUE]... [--test-routes] [--test-identities]\n"
    "--store: indices, keys and all other state lie on that cluster, instead of in the data "
    "folder.\n"
    "SIGHUP, or a change of their files: the section rate_limit, log.level and\n"
    "connectors.directory.roots of the settings are read again, and the files of tls and oidc.\n"
    "--test-routes adds routes below /_test; --test-identities takes tokens and oauth_apps\n"
    "from the settings. Both need listeners on a loopback address.\n";

int exit_code_of(const Error& error) {
  if (error.kind == ErrorKind::invalid_argument) return cli::configuration_error;
  const bool port_taken = error.kind == ErrorKind::conflict && error.message.starts_with("listen.");
  return port_taken ? cli::unavailable : cli::exit_code_of(error, cli::internal_error);
}

/// The descriptors that the system allows at most, since every connection and extent needs one.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

/// Until SIGTERM or SIGINT, or 0 where the app can go on no more. SIGHUP, or a change of their
/// files, reads the settings, certificates and keys of the issuer again.
int wait_for_end(const sigset_t& signals, Reloading& reloading, const App& app,
                 const os::ServiceNotices& notices) {
  std::int64_t step_ms = 1'000;
  if (notices.watchdog_ms() > 0) step_ms = std::min(step_ms, notices.watchdog_ms() / 3 + 1);
  while (!app.lost()) {
    notices.alive();
    const timespec step{.tv_sec = step_ms / 1000, .tv_nsec = step_ms % 1000 * 1'000'000};
    const int signal = ::sigtimedwait(&signals, nullptr, &step);
    if (signal == SIGTERM || signal == SIGINT) return signal;
    if (signal == SIGHUP)
      reloading.now();
    else
      reloading.look();
  }
  return 0;
}

/// The app outlives what reads for it.
std::shared_ptr<Reloading> make_reloading(App& app, const LoadedSettings& loaded,
                                          const SettingsSources& sources,
                                          const os::ServiceNotices& notices) {
  auto settings = std::make_unique<Reload>(
      loaded, sources, [&app](auto policy) { app.set_limits(std::move(policy)); },
      [&app](const auto& roots) { app.set_folder_roots(roots); },
      [&app](os::LogLevel level) { app.set_log_level(level); });
  const Settings& read = loaded.settings;
  std::vector<Reloading::Watched> watched;
  watched.push_back({"tls",
                     {os::system_clock(),
                      "certificate",
                      {read.http.tls.certificate_file, read.http.tls.key_file,
                       read.api_client_authority, read.objects_client_authority},
                      [&app] { return app.reload_tls(); }}});
  watched.push_back({"oidc",
                     {os::system_clock(),
                      "issuer's keys",
                      {read.oidc_keys_file, read.oidc_roles_file},
                      [&app] { return app.reload_sign_in(); }}});
  return std::make_shared<Reloading>(std::move(settings), std::move(watched), notices);
}

/// Ends the process at a second SIGTERM or SIGINT while the first one is being obeyed.
void end_at_second(const sigset_t& signals, std::stop_token stop) {
  while (!stop.stop_requested()) {
    const timespec step{.tv_sec = 0, .tv_nsec = 100'000'000};
    const int signal = ::sigtimedwait(&signals, nullptr, &step);
    if (signal == SIGTERM || signal == SIGINT) ::_exit(128 + signal);
  }
}

/// The first start's link, on a terminal alone: it must not come to lie in a log.
void show_first_link(App& app) {
  if (::isatty(STDERR_FILENO) != 1) return;
  const std::string link = app.first_link();
  if (link.empty()) return;
  std::fprintf(stderr,
               "\nThis is the first start. The console, for one browser, once, within 24 hours:\n\n"
               "  %s\n\nLater: cairn console\n\n",
               link.c_str());
}

Status tell_ready(const std::string& file, const App& app) {
  if (file.empty()) return ok_status();
  const Json facts = Json::object({{"api", app.api_url()},
                                   {"objects", app.objects_url()},
                                   {"pid", static_cast<std::int64_t>(::getpid())}});
  return os::replace_file(file, facts.dump() + "\n", 0644);
}

}  // namespace

std::string_view serve_help() { return serve_usage; }

int serve(const std::vector<std::string>& words, const std::vector<std::string>& environment) {
  const auto loaded = settings_of_words(words, environment, serve_usage);
  if (!loaded.settings) return loaded.exit_code;
  const Settings& settings = loaded.settings->settings;
  os::configure_log(settings.log_level, settings.log_format);
  if (const std::string passed = passed_over_file(loaded.sources); !passed.empty())
    os::log(os::LogLevel::warn, "app", "a cairn.yaml in the working folder is not read",
            {{"file", passed}, {"hint", "name it with --config or CAIRN_CONFIG"}});
  raise_descriptor_limit();
  ::signal(SIGPIPE, SIG_IGN);
  // Blocked before any thread starts, so that only this one takes them.
  const sigset_t signals = handled_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const os::ServiceNotices notices(environment);
  notices.status("opens " + settings.data_dir);
  auto app = App::open(settings);
  if (!app.ok()) {
    std::fprintf(stderr, "cairn: %s\n", app.error().message.c_str());
    return exit_code_of(app.error());
  }
  const auto reloading = make_reloading(**app, *loaded.settings, loaded.sources, notices);
  (*app)->set_reloading(reloading);
  os::log(os::LogLevel::info, "app", "ready",
          {{"version", version},
           {"api", (*app)->api_url()},
           {"objects", (*app)->objects_url()},
           {"data", settings.data_dir}});
  if (const Status told = tell_ready(settings.ready_file, **app); !told.ok()) {
    std::fprintf(stderr, "cairn: %s\n", told.error().message.c_str());
    return cli::io_error;
  }
  show_first_link(**app);
  notices.ready("answers at " + (*app)->api_url() + " and " + (*app)->objects_url());
  const int signal = wait_for_end(signals, *reloading, **app, notices);
  notices.stopping();
  os::log(os::LogLevel::info, "app", "stopping", {{"signal", signal}});
  {
    const auto second = os::Thread::start_stoppable_or_tell(
        {.name = "cairn-signals"},
        [&](std::stop_token stop) { end_at_second(signals, std::move(stop)); });
    (*app)->drain(settings.shutdown_grace_ms);
    (*app).reset();
  }
  os::log(os::LogLevel::info, "app", "stopped");
  if (signal != 0) return cli::success;
  std::fprintf(stderr, "cairn: another Cairn has taken over the store; this one has stopped\n");
  return cli::unavailable;
}

}  // namespace cairn::app
