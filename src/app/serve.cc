// SPDX-License-Identifier: Apache-2.0
#include "app/serve.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdio>

#include "app/app.h"
#include "app/commands/commands.h"
#include "app/serve_as_node.h"
#include "app/serving.h"
#include "app/version.h"
#include "cli/exit_codes.h"
#include "os/log.h"
#include "os/processes/service_notices.h"

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

/// Until SIGTERM or SIGINT. SIGHUP, or a change of their files, reads the settings, certificates
/// and keys of the issuer again.
int wait_for_end(const Serving& serving, Reloading& reloading) {
  for (;;) {
    const int signal = next_signal(serving, 1'000);
    if (signal == SIGTERM || signal == SIGINT) return signal;
    if (signal == SIGHUP)
      reloading.now();
    else
      reloading.look();
  }
}

/// With all that there is in the data folder.
int serve_alone(const Serving& serving) {
  const Settings& settings = serving.settings();
  serving.notices.status("opens " + settings.data_dir);
  auto app = App::open(settings);
  if (!app.ok()) {
    std::fprintf(stderr, "cairn: %s\n", app.error().message.c_str());
    return exit_code_of(app.error());
  }
  const auto reloading = make_reloading(**app, serving);
  (*app)->set_reloading(reloading);
  os::log(os::LogLevel::info, "app", "ready",
          {{"version", version},
           {"api", (*app)->api_url()},
           {"objects", (*app)->objects_url()},
           {"data", settings.data_dir}});
  if (const Status told = tell_ready(settings, (*app)->api_url(), (*app)->objects_url());
      !told.ok()) {
    std::fprintf(stderr, "cairn: %s\n", told.error().message.c_str());
    return cli::io_error;
  }
  show_first_link(**app);
  serving.notices.ready("answers at " + (*app)->api_url() + " and " + (*app)->objects_url());
  const int signal = wait_for_end(serving, *reloading);
  serving.notices.stopping();
  os::log(os::LogLevel::info, "app", "stopping", {{"signal", signal}});
  end_in_order(serving, [&] {
    (*app)->drain(settings.shutdown_grace_ms);
    (*app).reset();
  });
  os::log(os::LogLevel::info, "app", "stopped");
  return cli::success;
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
  const Serving serving{*loaded.settings, loaded.sources, notices, signals};
  return settings.store_url.empty() ? serve_alone(serving) : serve_as_node(serving);
}

}  // namespace cairn::app
