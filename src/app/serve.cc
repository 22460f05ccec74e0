// SPDX-License-Identifier: Apache-2.0
#include "app/serve.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <span>

#include "app/app.h"
#include "app/commands/commands.h"
#include "app/file_watch.h"
#include "app/reload.h"
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
int wait_for_end(const sigset_t& signals, Reload& reload, std::span<FileWatch> watches,
                 const App& app, const os::ServiceNotices& notices) {
  std::int64_t step_ms = 1'000;
  if (notices.watchdog_ms() > 0) step_ms = std::min(step_ms, notices.watchdog_ms() / 3 + 1);
  while (!app.lost()) {
    notices.alive();
    const timespec step{.tv_sec = step_ms / 1000, .tv_nsec = step_ms % 1000 * 1'000'000};
    const int signal = ::sigtimedwait(&signals, nullptr, &step);
    if (signal == SIGTERM || signal == SIGINT) return signal;
    if (signal == SIGHUP) {
      notices.reloading();
      const bool taken = reload.now();
      for (FileWatch& watch : watches) watch.now();
      notices.ready(taken ? "has read its settings again"
                          : "goes on with its old settings; the log says why");
    } else {
      reload.look();
      for (FileWatch& watch : watches) watch.look();
    }
  }
  return 0;
}

/// Ends the process at a second SIGTERM or SIGINT while the first one is being obeyed.
void end_at_second(const sigset_t& signals, std::stop_token stop) {
  while (!stop.stop_requested()) {
    const timespec step{.tv_sec = 0, .tv_nsec = 100'000'000};
    const int signal = ::sigtimedwait(&signals, nullptr, &step);
    if (signal == SIGTERM || signal == SIGINT) ::_exit(128 + signal);
  }
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
  Reload reload(
      *loaded.settings, loaded.sources, [&](auto policy) { (*app)->set_limits(std::move(policy)); },
      [&](const auto& roots) { (*app)->set_folder_roots(roots); },
      [&](os::LogLevel level) { (*app)->set_log_level(level); });
  os::log(os::LogLevel::info, "app", "ready",
          {{"version", version},
           {"api", (*app)->api_url()},
           {"objects", (*app)->objects_url()},
           {"data", settings.data_dir}});
  if (const Status told = tell_ready(settings.ready_file, **app); !told.ok()) {
    std::fprintf(stderr, "cairn: %s\n", told.error().message.c_str());
    return cli::io_error;
  }
  notices.ready("answers at " + (*app)->api_url() + " and " + (*app)->objects_url());
  FileWatch watches[] = {{os::system_clock(),
                          "certificate",
                          {settings.http.tls.certificate_file, settings.http.tls.key_file,
                           settings.api_client_authority, settings.objects_client_authority},
                          [&] { return (*app)->reload_tls(); }},
                         {os::system_clock(),
                          "issuer's keys",
                          {settings.oidc_keys_file, settings.oidc_roles_file},
                          [&] { return (*app)->reload_sign_in(); }}};
  const int signal = wait_for_end(signals, reload, watches, **app, notices);
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
