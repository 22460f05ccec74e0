// SPDX-License-Identifier: Apache-2.0
// Search, models, connectors and tasks.
#include "app/rooms.h"

#include "app/data/shipped_models.h"
#include "app/reload/missing_roots.h"
#include "app/settings/cluster_setting_table.h"
#include "app/settings/model_sources.h"
#include "app/settings/repository_places.h"
#include "app/task_ground.h"
#include "auth/keys/rights.h"
#include "connectors/known_sources.h"
#include "os/available_memory.h"
#include "os/machine.h"

namespace cairn::app {
namespace {

/// A search of another node that began before a merge reads on for so long at most.
constexpr std::int64_t kept_for_replicas_ms = 300'000;

}  // namespace

Status App::Rooms::build_platform(const os::Deadline& deadline) {
  // Gives way to workers that answer at once, as the threads of `compute` do.
  cpu = std::make_unique<os::Pool>(
      os::PoolOptions{.name = "cpu", .threads = 0, .queue = 4096, .nice = 5});
  CAIRN_CHECK(cpu->started());
  compute = std::make_unique<os::ComputePool>();
  index::Options index_options;
  index_options.compute = compute.get();
  index_options.cache_bytes =
      index_cache_of(settings, os::available_memory_bytes().value_or(os::machine_memory_bytes()));
  index_options.merge_bytes_per_second = settings.index_merge_rate_bytes;
  if (node != nullptr) index_options.keep_replaced_ms = kept_for_replicas_ms;
  index_options.reserved_prefix = auth::restricted_prefix;
  CAIRN_TRY(indices, named("index", index::Indices::open(*index_store, *cpu, clock, random,
                                                         index_options, deadline)));
  tables = std::make_unique<tables::Tables>(
      tables::Ground{.engine = *engine, .cpu = *cpu, .clock = clock, .random = random}, *indices);
  CAIRN_CHECK(tables->open_all(deadline));
  CAIRN_CHECK(build_models(deadline));
  ingest = std::make_unique<ingest::Ingest>(*indices, *inference);
  search = std::make_unique<search::Service>(
      *inference, clock, search::Options{.node_id = installation.node_id}, random);
  CAIRN_CHECK(build_snapshots(deadline));
  CAIRN_CHECK(build_connectors());
  CAIRN_CHECK(build_tasks(deadline));
  auto table = cluster_setting_table(
      {.indices = *indices, .search = *search, .tasks = *tasks, .log_levels = log_levels});
  auto configured = configured_settings(table);
  cluster_settings = std::make_unique<index::ClusterSettings>(*index_store, std::move(table),
                                                              std::move(configured));
  CAIRN_CHECK(cluster_settings->load(deadline));
  return ok_status();
}

Status App::Rooms::build_models(const os::Deadline& deadline) {
  CAIRN_CHECK(import_shipped_models(*models_store, settings.models_dir, deadline));
  packed_models = std::make_unique<inference::PackedFiles>(
      os::system_files(), settings.data_dir + "/packed-models", settings.engine.reserve_bytes);
  stored_models = std::make_unique<inference::StoredModels>(
      *models_store, inference::Packing{.files = packed_models.get(),
                                        .maps = data.mirror == nullptr,
                                        .precision = settings.precision});
  CAIRN_CHECK(stored_models->remove_leftovers(clock.unix_ms(), deadline));
  CAIRN_TRY(auto sources, model_sources({.sources = settings.model_sources,
                                         .clients = settings.s3_clients,
                                         .keys_folder = settings.data_dir + "/keys"},
                                        *engine));
  models =
      std::make_unique<inference::FetchedModels>(*models_store, *stored_models, std::move(sources));
  settings.inference.node_id = node ? node->node_id() : installation.node_id;
  settings.inference.node_name = settings.api.node_name;
  CAIRN_TRY(inference,
            named("inference", inference::Service::open(*inference_store, *models, *cpu, clock,
                                                        settings.inference, deadline)));
  if (node != nullptr) inference->set_nodes(node->model_nodes());
  inference->set_key_seal(
      {.seal = [this](
                   std::string_view secret,
                   std::string_view context) { return master_seal->seal(secret, context, random); },
       .open = [this](std::string_view sealed,
                      std::string_view context) { return master_seal->unseal(sealed, context); }});
  imports =
      std::make_unique<inference::ModelImports>(*models_store, *inference, stored_models->turns());
  inference->set_references(
      {.indexes = [this](std::string_view id) { return indices_that_name(*indices, id); }});
  return ok_status();
}

Status App::Rooms::build_snapshots(const os::Deadline& deadline) {
  snapshots::Options snapshot_options;
  snapshot_options.owner = installation.cluster_uuid;
  snapshot_options.node_name = settings.api.node_name;
  snapshot_options.node_id = installation.node_id;
  snapshots = std::make_unique<snapshots::Service>(
      *index_store, *indices,
      repository_places({.path_repo = settings.path_repo,
                         .clients = settings.s3_clients,
                         .keys_folder = settings.data_dir + "/keys",
                         .allowed_endpoints = settings.allowed_endpoints},
                        *engine),
      snapshot_options, clock, random);
  CAIRN_CHECK(named("snapshots", snapshots->load(deadline)));
  return ok_status();
}

Status App::Rooms::build_connectors() {
  target = connectors::ingest_target(*indices, *ingest);
  tell_missing_roots(settings.connectors.directory_roots);
  extractor = connectors::child_extractor(
      {.children = settings.connectors.workers, .pdftotext = connectors::installed_pdftotext()});
  settings.connectors.work_folder = settings.data_dir + "/connectors";
  folder_roots = std::make_shared<connectors::FolderRoots>(settings.connectors.directory_roots);
  CAIRN_TRY(auto types,
            named("connectors", connectors::known_sources(settings.connectors, folder_roots)));
  connectors = std::make_unique<connectors::Service>(
      *connector_store, *target, *extractor, std::move(types), settings.connectors, clock, random,
      connectors::Seal{.close =
                           [this](std::string_view secret, std::string_view context) {
                             return master_seal->seal(secret, context, random);
                           },
                       .open =
                           [this](std::string_view sealed, std::string_view context) {
                             return master_seal->unseal(sealed, context);
                           }});
  CAIRN_CHECK(named("connectors", connectors->start()));
  return ok_status();
}

Status App::Rooms::build_tasks(const os::Deadline& deadline) {
  tasks::Ground ground = task_ground({.store = *task_store,
                                      .indices = *indices,
                                      .search = *search,
                                      .ingest = *ingest,
                                      .clock = clock,
                                      .compute = compute.get(),
                                      .node_id = installation.node_id},
                                     *keys, *limiter);
  ground.seal = {
      .close = [this](
                   std::string_view secret,
                   std::string_view context) { return master_seal->seal(secret, context, random); },
      .open = [this](std::string_view sealed,
                     std::string_view context) { return master_seal->unseal(sealed, context); }};
  CAIRN_TRY(tasks, named("tasks", tasks::Tasks::open(std::move(ground), settings.tasks, deadline)));
  MasterKey::Ground sealed{.seal = *master_seal,
                           .object_keys = *object_keys,
                           .encryption_keys = *encryption_keys,
                           .connectors = *connectors,
                           .inference = *inference,
                           .tasks = *tasks,
                           .random = random,
                           .keys_stay = keys_stay};
  if (node != nullptr) {
    sealed.check_nodes = [this](const os::Deadline& until) { return node->check_alone(until); };
    sealed.reseal_nodes = [this](const os::Deadline& until) {
      return node->reseal(*master_seal, until);
    };
  }
  master_key = std::make_unique<MasterKey>(std::move(sealed));
  master_key_change.rotate = [this](const os::Deadline& until) {
    return master_key->rotate(until);
  };
  // Both keys open meanwhile: a start goes on where this fails.
  if (const Status finished = master_key->finish(deadline); !finished.ok())
    os::log(os::LogLevel::warn, "app", "master_key_not_changed",
            {{"reason", finished.error().message}});
  return ok_status();
}

}  // namespace cairn::app
