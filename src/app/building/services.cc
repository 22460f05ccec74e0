// SPDX-License-Identifier: Apache-2.0
// What tells of the program itself; large files and backups.
#include "app/rooms.h"

#include "app/backups/backup_places.h"
#include "app/objects/large_files.h"
#include "app/version.h"
#include "os/machine.h"
#include "os/metrics.h"

namespace cairn::app {

void App::Rooms::build_facts() {
  facts = {.cluster_name = settings.api.cluster_name,
           .cluster_uuid = installation.cluster_uuid,
           .node_name = settings.api.node_name,
           .node_id = node ? node->node_id() : installation.node_id,
           .version = version,
           .address = {},
           .started_ms = clock.unix_ms(),
           .installed_ms = installation.installed_ms};
  sources.not_ready = [this]() -> std::string {
    if (!ready) return "starting or stopping";
    const Status writable = engine->check_writable();
    return writable.ok() ? place->fault() : writable.error().message;
  };
  sources.warning = [this]() -> std::string {
    if (!data.mirror || mirror_fault(data.mirror->status()).empty()) return "";
    return "the mirror of the data is not whole";
  };
  sources.indices =
      [this](const std::string& expression) -> Result<api::ServerSources::IndexCounts> {
    CAIRN_TRY(const auto found,
              indices->resolve(expression.empty() ? "_all" : expression,
                               {.expand_hidden = true, .closed = true, .expand_closed = true}));
    const auto count = static_cast<std::int64_t>(found.size());
    return api::ServerSources::IndexCounts{.total = count, .ready = count};
  };
  sources.address = [this] {
    const auto& api = listeners().api;
    return api ? api->host() + ":" + std::to_string(api->port()) : settings.listen_api;
  };
  if (node != nullptr) {
    sources.nodes = [this] { return node->nodes(); };
    sources.set_draining = [this](const std::string& id, bool draining, const os::Deadline& until) {
      return node->set_draining(id, draining, until);
    };
  }
  sources.memory = &*memory;
  sources.compute = [this] { return compute.get(); };
  sources.disk = [this] { return os::disk_space(settings.data_dir); };
}

Status App::Rooms::build_services() {
  memory.emplace(settings.memory_bytes, clock);
  build_facts();
  if (data.mirror) {
    CAIRN_TRY(mirror_keeper,
              objectstore::MirrorKeeper::start(*engine, *data.mirror, settings.mirror_fill_bytes));
  }
  mirror = mirror_control(mirror_keeper.get());
  state_metrics = std::make_unique<StateMetrics>(
      os::metrics(), StateSources{.clock = clock,
                                  .data_dir = settings.data_dir,
                                  .mirror = data.mirror.get(),
                                  .engine = *engine,
                                  .indices = *indices,
                                  .memory = *memory,
                                  .compute = *compute,
                                  .ready = [this] { return ready.load(); },
                                  .api_server = [this] { return listeners().api.get(); },
                                  .objects_server = [this] { return listeners().objects.get(); }});
  large_files_key = app::large_files_key(*object_keys);
  large_file_locks = std::make_unique<lfs::Locks>(*lfs_store, clock, random);
  large_files = std::make_unique<lfs::Service>(
      lfs::ServiceParams{.open_bucket = large_files_bucket(*engine, large_files_key),
                         .objects_url = [this] { return url_of(*listeners().objects); },
                         .key = large_files_key,
                         .region = settings.objects.region,
                         .options = settings.large_files,
                         .locks = large_file_locks.get()});
  CAIRN_TRY(backups, named("backup", backup::Service::start(
                                         backup_dependencies(settings, *engine, keys_stay),
                                         {.place = {settings.backup.place, settings.backup.client},
                                          .keep = static_cast<std::size_t>(settings.backup.keep)},
                                         {.owner = installation.cluster_uuid,
                                          .program = version,
                                          .bytes_per_second = settings.backup.rate_bytes},
                                         clock, random)));
  return ok_status();
}

}  // namespace cairn::app
