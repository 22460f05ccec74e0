// SPDX-License-Identifier: Apache-2.0
// The data folder, the engine on it, and where the other rooms keep what they must not lose.
#include "app/rooms.h"

#include "app/monitoring/metric_table.h"
#include "app/version.h"
#include "os/host.h"
#include "os/metrics.h"

namespace cairn::app {
namespace {

constexpr std::uint64_t set_aside_bytes = 64ull << 20;  // for deletes on a full disk

}  // namespace

Result<std::unique_ptr<store::Store>> App::Rooms::reserved(std::string_view bucket) {
  return place->reserved(bucket);
}

Status App::Rooms::build_ground(const os::Deadline& deadline) {
  // Who may read the metrics without a key learns no names that users made.
  os::limit_shown_names(settings.api.open_metrics ? 0 : settings.metric_names_max);
  declare_metrics(os::metrics());
  if (node == nullptr) {
    CAIRN_TRY(own_data, open_data_place(settings));
  }
  settings.data_dir = data.folder;
  settings.engine.data_dir = settings.data_dir;
  settings.engine.files = &data.files();
  settings.objects.access_log = settings.api.access_log;
  settings.engine.key_ring = &key_service;
  settings.engine.set_aside_bytes = set_aside_bytes;
  CAIRN_TRY(engine, objectstore::Engine::open(settings.engine));
  CAIRN_TRY(place, PlatformStore::open(node, *engine, deadline));
  CAIRN_TRY(auth_store, reserved(".cairn-auth"));
  CAIRN_TRY(index_store, reserved(".cairn-index"));
  CAIRN_TRY(inference_store, reserved(".cairn-inference"));
  CAIRN_TRY(models_store, reserved(".cairn-models"));
  CAIRN_TRY(connector_store, reserved(".cairn-connectors"));
  CAIRN_TRY(task_store, reserved(".cairn-tasks"));
  CAIRN_TRY(lfs_store, reserved(".cairn-lfs"));
  CAIRN_TRY(limits_store, reserved(".cairn-limits"));
  CAIRN_TRY(installation, open_installation(*auth_store, clock, random, deadline));
  CAIRN_TRY(traces, TraceExport::start(settings.traces,
                                       {{"service.name", "cairn"},
                                        {"service.version", version},
                                        {"service.instance.id", installation.node_id},
                                        {"host.name", os::host_name()}},
                                       os::metrics()));
  return ok_status();
}

}  // namespace cairn::app
