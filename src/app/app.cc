// SPDX-License-Identifier: Apache-2.0
#include "app/app.h"

#include "app/reload/missing_roots.h"
#include "app/rooms.h"
#include "app/sign_in/sign_in_files.h"

namespace cairn::app {
namespace {

constexpr std::int64_t first_link_ms = 24ll * 3600 * 1000;
constexpr std::int64_t flush_wait_ms = 30'000;

}  // namespace

Result<std::unique_ptr<App>> App::open(const Settings& settings, ClusterNode* node) {
  auto rooms = std::make_unique<Rooms>(settings, node);
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
  if (node != nullptr) {
    Rooms& built = *rooms;
    node->serve([&built](net::Exchange& exchange) { built.dispatcher->answer(exchange); },
                [&built](net::Exchange& exchange) { built.objects->handle(exchange); },
                [&built](std::string_view asked) { return built.indices->tell_changes(asked); });
  }
  return std::unique_ptr<App>(new App(std::move(rooms)));
}

App::App(std::unique_ptr<Rooms> rooms) : rooms_(std::move(rooms)) {}
App::~App() = default;

/// For a browser that has reached the other port: by the name that it has for this machine.
std::string App::Rooms::console_url(const net::RequestHead& asked) const {
  const std::string page = settings.api.base_path + "/_console/";
  if (!settings.console_public_url.empty()) {
    std::string outer = settings.console_public_url;
    if (outer.ends_with('/')) outer.pop_back();
    return outer + page;
  }
  auto url = net::parse_url(url_of(*listeners().api));
  const auto host =
      net::parse_url("http://" + std::string(asked.headers.find("host").value_or("")));
  if (!url.ok()) return {};
  if (host.ok()) url->host = host->host;
  return url->scheme + "://" + url->authority() + page;
}

std::string App::api_url() const { return rooms_->url_of(*rooms_->listeners().api); }

std::string App::objects_url() const { return rooms_->url_of(*rooms_->listeners().objects); }

std::string App::first_link() {
  const auto key = rooms_->keys->get(rooms_->first_key_id);
  if (key == nullptr) return {};
  std::string server = rooms_->settings.console_public_url;
  if (server.ends_with('/')) server.pop_back();
  if (server.empty()) server = api_url();
  server += rooms_->settings.api.base_path;
  return api::sign_in_link(server, rooms_->sign_in_codes.make(*key, first_link_ms).code);
}

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

Status App::reload_tls() { return rooms_->listeners().reload_tls(); }

Status App::reload_sign_in() { return read_sign_in(rooms_->settings, *rooms_->sign_in); }

void App::drain(std::int64_t grace_ms) {
  rooms_->drain([this, grace_ms] {
    if (rooms_->node != nullptr)
      rooms_->node->drain(grace_ms);
    else
      rooms_->own_listeners.drain(grace_ms);
  });
}

void App::step_down(std::int64_t grace_ms) {
  rooms_->drain([this, grace_ms] { rooms_->node->stop_serving(grace_ms); });
}

/// `end_requests` returns once no request is under way.
void App::Rooms::drain(const std::function<void()>& end_requests) {
  ready = false;
  events->stop();
  messages->stop();
  connectors->stop();
  upkeep->stop();
  if (mirror_keeper) mirror_keeper->stop();
  backups->stop();
  search_contexts->stop();
  bucket_counting->stop();
  end_requests();
  if (audit_shipping) audit_shipping->stop();
  tasks->stop();  // what somebody waited for has ended with its request
  counters->stop();
  history_sampler->stop();
  session_upkeep->stop();
  key_use_upkeep->stop();
  tables->flush(os::Deadline::in_ms(flush_wait_ms));
  const auto flushed = indices->flush_all(os::Deadline::in_ms(flush_wait_ms));
  if (!flushed.ok())  // the log has it all
    os::log(os::LogLevel::warn, "app", "indices were not flushed",
            {{"error", flushed.error().message}});
}

}  // namespace cairn::app
