// SPDX-License-Identifier: Apache-2.0
#include "app/nodes/listeners.h"

#include <algorithm>

#include "api/server_error.h"
#include "os/threads/thread.h"
#include "s3api/service.h"

namespace cairn::app {
Result<Listeners> open_listeners(const Settings& settings, net::Handler api, net::Handler objects) {
  net::ServerOptions api_options = settings.http;
  api_options.name = "api";
  api_options.listen = settings.listen_api;
  api_options.tls.client_authority_file = settings.api_client_authority;
  api_options.body_bytes_max =
      std::max(settings.api.bulk_body_bytes_max, settings.api.json_body_bytes_max);
  // An orchestrator's probes are answered while all workers but these are busy.
  api_options.reserved_paths = {"/_health", "/_metrics"};
  net::ServerOptions objects_options = settings.http;
  objects_options.name = "objects";
  objects_options.listen = settings.listen_objects;
  objects_options.tls.client_authority_file = settings.objects_client_authority;
  objects_options = s3api::listener_options(objects_options);
  Listeners out;
  // First the one whose address answers of the other name.
  CAIRN_TRY(out.objects,
            named("listen.objects", net::Server::open(objects_options, std::move(objects),
                                                      s3api::render_server_error)));
  CAIRN_TRY(out.api, named("listen.api", net::Server::open(api_options, std::move(api),
                                                           api::render_server_error)));
  return out;
}

void Listeners::drain(std::int64_t grace_ms) {
  // Where there is no thread to be had, one after the other.
  const auto beside = os::Thread::start({.name = "drain-objects", .stack_bytes = 256 << 10},
                                        [this, grace_ms] { objects->drain(grace_ms); });
  api->drain(grace_ms);
  if (!beside.ok()) objects->drain(grace_ms);
}

Status Listeners::reload_tls() {
  const Status of_api = api->reload_tls();
  const Status of_objects = objects->reload_tls();
  return of_api.ok() ? of_objects : of_api;
}

std::string url_of(const Settings& settings, const net::Server& server) {
  const bool v6 = server.host().find(':') != std::string::npos;
  return std::string(settings.http.tls.enabled() ? "https" : "http") + "://" +
         (v6 ? "[" + server.host() + "]" : server.host()) + ":" + std::to_string(server.port());
}

}  // namespace cairn::app
