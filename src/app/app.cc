// SPDX-License-Identifier: Apache-2.0
#include "app/app.h"

#include "app/reload/missing_roots.h"
#include "app/rooms.h"
#include "app/sign_in/sign_in_files.h"
#include "os/threads/thread.h"

namespace cairn::app {
namespace {

constexpr std::int64_t first_link_ms = 24ll * 3600 * 1000;
constexpr std::int64_t flush_wait_ms = 30'000;

}  // namespace

Result<std::unique_ptr<App>> App::open(const Settings& settings) {
  auto rooms = std::make_unique<Rooms>(settings);
  const auto deadline = os::Deadline::in_ms(start_wait_ms);
  CAIRN_CHECK(rooms->build_ground(deadline));
  CAIRN_CHECK(rooms->build_keys(deadline));
  CAIRN_CHECK(rooms->build_audit());
  CAIRN_CHECK(rooms->build_limits(deadline));
  CAIRN_CHECK(rooms->build_gate(deadline));
  CAIRN_CHECK(rooms->build_platform(deadline));
  CAIRN_CHECK(rooms->build_services());
  rooms->build_objects();
  CAIRN_CHECK(rooms->build_console());
  rooms->build_dispatcher();
  CAIRN_CHECK(rooms->listen());
  CAIRN_CHECK(rooms->start_upkeep());
  rooms->ready = true;
  return std::unique_ptr<App>(new App(std::move(rooms)));
}

App::App(std::unique_ptr<Rooms> rooms) : rooms_(std::move(rooms)) {}
App::~App() = default;

std::string App::Rooms::url_of(const net::Server& server) const {
  const bool v6 = server.host().find(':') != std::string::npos;
  return std::string(settings.http.tls.enabled() ? "https" : "http") + "://" +
         (v6 ? "[" + server.host() + "]" : server.host()) + ":" + std::to_string(server.port());
}

/// For a browser that has reached the other port: by the name that it has for this machine.
std::string App::Rooms::console_url(const net::RequestHead& asked) const {
  const std::string page = settings.api.base_path + "/_console/";
  if (!settings.console_public_url.empty()) {
    std::string outer = settings.console_public_url;
    if (outer.ends_with('/')) outer.pop_back();
    return outer + page;
  }
  auto url = net::parse_url(url_of(*api_server));
  const auto host =
      net::parse_url("http://" + std::string(asked.headers.find("host").value_or("")));
  if (!url.ok()) return {};
  if (host.ok()) url->host = host->host;
  return url->scheme + "://" + url->authority() + page;
}

std::string App::api_url() const { return rooms_->url_of(*rooms_->api_server); }

std::string App::objects_url() const { return rooms_->url_of(*rooms_->objects_server); }

std::string App::first_link() {
  const auto key = rooms_->keys->get(rooms_->first_key_id);
  if (key == nullptr) return {};
  std::string server = rooms_->settings.console_public_url;
  if (server.ends_with('/')) server.pop_back();
  if (server.empty()) server = api_url();
  server += rooms_->settings.api.base_path;
  return api::sign_in_link(server, rooms_->sign_in_codes.make(*key, first_link_ms).code);
}

bool App::lost() const { return rooms_->place->lost(); }

void App::set_limits(std::shared_ptr<const ratelimit::Policy> policy) {
  rooms_->gate->set_policy(std::move(policy));
}

void App::set_folder_roots(const connectors::RootsInUse& roots) {
  if (roots.roots != rooms_->folder_roots->get()) tell_missing_roots(roots.roots);
  rooms_->folder_roots->set(roots);
}

void App::set_log_level(os::LogLevel level) { rooms_->log_levels.set_configured(level); }

void App::set_reloading(std::shared_ptr<Reloading> reloading) {
  rooms_->reloading.set(std::move(reloading));
}

Status App::reload_tls() {
  const Status api = rooms_->api_server->reload_tls();
  const Status objects = rooms_->objects_server->reload_tls();
  return api.ok() ? objects : api;
}

Status App::reload_sign_in() { return read_sign_in(rooms_->settings, *rooms_->sign_in); }

void App::drain(std::int64_t grace_ms) {
  rooms_->ready = false;
  rooms_->events->stop();
  rooms_->messages->stop();
  rooms_->connectors->stop();
  rooms_->upkeep->stop();
  if (rooms_->mirror_keeper) rooms_->mirror_keeper->stop();
  rooms_->backups->stop();
  rooms_->search_contexts->stop();
  rooms_->bucket_counting->stop();
  {
    // Both within the same time. Where there is no thread to be had, one after the other.
    net::Server& objects = *rooms_->objects_server;
    const auto beside = os::Thread::start({.name = "drain-objects", .stack_bytes = 256 << 10},
                                          [&objects, grace_ms] { objects.drain(grace_ms); });
    rooms_->api_server->drain(grace_ms);
    if (!beside.ok()) objects.drain(grace_ms);
  }
  if (rooms_->audit_shipping) rooms_->audit_shipping->stop();
  rooms_->tasks->stop();  // what somebody waited for has ended with its request
  rooms_->counters->stop();
  rooms_->history_sampler->stop();
  rooms_->session_upkeep->stop();
  rooms_->key_use_upkeep->stop();
  rooms_->tables->flush(os::Deadline::in_ms(flush_wait_ms));
  const auto flushed = rooms_->indices->flush_all(os::Deadline::in_ms(flush_wait_ms));
  if (!flushed.ok())  // the log has it all
    os::log(os::LogLevel::warn, "app", "indices were not flushed",
            {{"error", flushed.error().message}});
}

}  // namespace cairn::app
