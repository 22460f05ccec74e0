// SPDX-License-Identifier: Apache-2.0
// The routes, both ports, and what goes on behind requests.
#include "app/rooms.h"

#include "app/messages/checks.h"
#include "app/objects/graphql_objects.h"
#include "app/objects/object_counts.h"
#include "app/routes.h"
#include "app/settings/shown_settings.h"
#include "os/threads/blocking.h"
#include "os/metrics.h"

namespace cairn::app {

namespace {

Error still_starting() {
  return {.kind = ErrorKind::unavailable, .message = "the server is still starting; ask again"};
}

Json faults_json(const std::vector<ReloadOutcome::Fault>& faults) {
  Json out = Json::array();
  for (const auto& fault : faults)
    out.push(Json::object({{"what", fault.what}, {"reason", fault.reason}}));
  return out;
}

}  // namespace

void App::Rooms::build_settings_control() {
  settings_control.shown = [this]() -> Result<Json> {
    const auto from = reloading.get();
    if (from == nullptr) return still_starting();
    return shown_settings(from->in_use(), *cluster_settings->values());
  };
  settings_control.reload = [this]() -> Result<Json> {
    const auto from = reloading.get();
    if (from == nullptr) return still_starting();
    const os::Blocking blocking;
    const ReloadOutcome outcome = from->now();
    return Json::object({{"reloaded", outcome.reloaded},
                         {"changed", Json::array_of(outcome.changed)},
                         {"needs_restart", Json::array_of(outcome.needs_restart)},
                         {"faults", faults_json(outcome.faults)}});
  };
}

void App::Rooms::build_dispatcher() {
  api::Router router;
  RouteServices services{facts,
                         sources,
                         settings.api,
                         *keys,
                         *accounts,
                         *object_keys,
                         *principals,
                         *encryption_keys,
                         *application_grants,
                         *indices,
                         *ingest,
                         *search,
                         *inference,
                         *imports,
                         *snapshots,
                         *connectors,
                         *folder_roots,
                         *tasks,
                         *large_files,
                         *limiter,
                         *cluster_settings,
                         *backups,
                         master_key_change,
                         mirror,
                         *audit_trail,
                         message_sender,
                         *session_services,
                         settings.test_routes,
                         ask_objects(uncounted_objects, object_callers)};
  services.console_files = *console_files;
  services.search_frame_ancestors = settings.search_frame_ancestors;
  services.object_passage = *object_passage;
  services.count_by_objects = count_by(*objects);
  services.events = *events;
  services.history = history;
  build_settings_control();
  services.settings = settings_control;
  add_all_routes(router, services);
  dispatcher = std::make_unique<api::Dispatcher>(std::move(router), *gate, os::metrics(),
                                                 settings.api, compute.get(), &*memory);
}

Status App::Rooms::listen() {
  CAIRN_TRY(audit_shipping, start_audit_shipping(settings, *audit_trail, clock, *engine));
  CAIRN_TRY(messages, start_messages(settings, *connectors, *audit_trail, clock, data));
  message_sender = messages->sender();
  if (node != nullptr) return ok_status();  // it listens already
  CAIRN_TRY(own_listeners,
            open_listeners(
                settings, [this](net::Exchange& exchange) { dispatcher->answer(exchange); },
                [this](net::Exchange& exchange) { objects->handle(exchange); }));
  return ok_status();
}

Status App::Rooms::start_upkeep() {
  CAIRN_TRY(upkeep, Upkeep::start(*engine, tables.get(),
                                  data.mirror ? &data.mirror->sides() : nullptr, settings.upkeep));
  CAIRN_TRY(search_contexts, SearchContextUpkeep::start(search->contexts(), tasks->searches()));
  CAIRN_TRY(bucket_counting, BucketCounting::start(*engine));
  CAIRN_TRY(session_upkeep, SessionUpkeep::start(*sessions));
  CAIRN_TRY(key_use_upkeep, KeyUseUpkeep::start(*key_uses));
  engine->serving();
  return ok_status();
}

}  // namespace cairn::app
