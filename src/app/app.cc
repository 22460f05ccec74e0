// SPDX-License-Identifier: Apache-2.0
// The order of building is the architecture: what is built earlier knows nothing of what comes
// later.
#include "app/app.h"

#include <algorithm>
#include <atomic>

#include "api/dispatcher.h"
#include "api/server_error.h"
#include "app/index_facts.h"
#include "app/installation.h"
#include "app/key_files.h"
#include "app/key_service.h"
#include "app/large_files.h"
#include "app/object_rights.h"
#include "app/platform_store.h"
#include "app/routes.h"
#include "app/saved_counters.h"
#include "app/search_context_upkeep.h"
#include "app/log_levels.h"
#include "app/settings/cluster_setting_table.h"
#include "app/settings/model_sources.h"
#include "app/settings/repository_places.h"
#include "app/shipped_models.h"
#include "app/sign_in_files.h"
#include "app/task_ground.h"
#include "app/upkeep.h"
#include "app/version.h"
#include "auth/accounts/access_grants.h"
#include "auth/accounts/accounts.h"
#include "auth/first_keys.h"
#include "auth/keys/keys.h"
#include "auth/keys/rights.h"
#include "auth/principals.h"
#include "auth/secrets/encryption_keys.h"
#include "auth/secrets/object_keys.h"
#include "connectors/ingest_target.h"
#include "connectors/isolation/extractor.h"
#include "connectors/known_sources.h"
#include "connectors/service.h"
#include "gate/audit.h"
#include "gate/gate.h"
#include "index/indices.h"
#include "inference/fetch/fetched_models.h"
#include "inference/model/model_store.h"
#include "inference/model/stored_models.h"
#include "inference/model_imports.h"
#include "inference/service.h"
#include "ingest/ingest.h"
#include "lfs/service.h"
#include "net/server/server.h"
#include "objectstore/engine.h"
#include "os/files/files.h"
#include "os/log.h"
#include "os/memory_breaker.h"
#include "os/metrics.h"
#include "os/threads/compute_pool.h"
#include "os/threads/pool.h"
#include "os/threads/thread.h"
#include "ratelimit/memory/memory_limiter.h"
#include "ratelimit/redis/redis_limiter.h"
#include "s3api/service.h"
#include "search/service.h"
#include "snapshots/service.h"
#include "tables/tables.h"

namespace cairn::app {
namespace {

constexpr std::int64_t start_wait_ms = 600'000;  // a long log to replay is no reason to give up
constexpr std::int64_t flush_wait_ms = 30'000;
constexpr std::uint64_t set_aside_bytes = 64ull << 20;  // for deletes on a full disk

template <class T>
Result<T> in_room(std::string_view room, Result<T> result) {
  if (result.ok()) return result;
  return with_context(std::move(result).error(), room);
}

/// In memory, or shared through Redis with what is in memory to fall back on.
Result<std::unique_ptr<ratelimit::Limiter>> make_limiter(
    const std::shared_ptr<const ratelimit::Policy>& policy, const os::Clock& clock,
    os::Random& random) {
  auto local = ratelimit::memory_limiter(policy, clock, random, os::metrics());
  if (policy->store.kind == ratelimit::SharedState::Kind::memory) return local;
  CAIRN_TRY(auto shared,
            ratelimit::RedisLimiter::open(policy, clock, random, os::metrics(), std::move(local)));
  return std::unique_ptr<ratelimit::Limiter>(std::move(shared));
}

/// A folder may come later, with its disk; a slip of the pen should be seen at once.
void tell_missing_roots(const std::vector<std::string>& roots) {
  for (const auto& root : roots) {
    const auto info = os::system_files().info(root);
    if (info.ok() && info->is_directory) continue;
    os::log(os::LogLevel::warn, "app", "a folder of connectors.directory.roots is not there",
            {{"folder", root},
             {"reason", info.ok() ? std::string("it is no folder") : info.error().message}});
  }
}

}  // namespace

// Members are taken down from the last to the first.
struct App::Rooms {
  explicit Rooms(const Settings& given) : settings(given) {}

  Status build_ground(const os::Deadline& deadline);
  Status build_platform(const os::Deadline& deadline);
  Status listen();
  std::string url_of(const net::Server& server) const;
  Result<std::unique_ptr<store::Store>> reserved(std::string_view bucket);

  Settings settings;
  const os::Clock& clock = os::system_clock();
  os::Random& random = os::system_random();
  std::atomic<bool> ready{false};

  KeyService key_service{random};
  std::unique_ptr<objectstore::Engine> engine;
  std::unique_ptr<PlatformStore> place;
  std::unique_ptr<store::Store> auth_store, index_store, inference_store, models_store,
      connector_store, limits_store, task_store;
  Installation installation;
  std::unique_ptr<auth::Keys> keys;
  std::optional<auth::Seal> master_seal;  // also of sessions, and of other servers' keys
  std::unique_ptr<auth::ObjectKeys> object_keys;
  std::unique_ptr<auth::Accounts> accounts;
  std::unique_ptr<auth::Principals> principals;
  std::unique_ptr<auth::AccessGrants> access_grants;
  std::unique_ptr<auth::EncryptionKeys> encryption_keys;
  std::unique_ptr<gate::AuditLog> audit;
  std::unique_ptr<ratelimit::Limiter> limiter;
  std::unique_ptr<SavedCounters> counters;
  std::unique_ptr<auth::SignIn> sign_in;
  std::unique_ptr<gate::Gate> gate;

  std::unique_ptr<os::Pool> cpu;
  // Of requests, tasks and parts of searches; what they ask of `cpu` is leaves.
  std::unique_ptr<os::ComputePool> compute;
  std::optional<os::MemoryBreaker> memory;
  std::unique_ptr<index::Indices> indices;
  std::unique_ptr<tables::Tables> tables;
  std::unique_ptr<inference::PackedFiles> packed_models;
  std::unique_ptr<inference::StoredModels> stored_models;
  std::unique_ptr<inference::FetchedModels> models;
  std::unique_ptr<inference::Service> inference;
  std::unique_ptr<inference::ModelImports> imports;
  std::unique_ptr<ingest::Ingest> ingest;
  std::unique_ptr<search::Service> search;
  std::unique_ptr<snapshots::Service> snapshots;
  std::shared_ptr<connectors::FolderRoots> folder_roots;
  std::unique_ptr<connectors::Target> target;
  std::unique_ptr<connectors::Extractor> extractor;
  std::unique_ptr<connectors::Service> connectors;
  std::unique_ptr<lfs::Service> large_files;

  std::unique_ptr<tasks::Tasks> tasks;
  LogLevels log_levels{settings.log_level};
  std::unique_ptr<index::ClusterSettings> cluster_settings;
  api::ServerFacts facts;
  api::ServerSources sources;
  std::unique_ptr<api::Dispatcher> dispatcher;
  std::unique_ptr<s3api::Service> objects;
  std::unique_ptr<Upkeep> upkeep;
  std::unique_ptr<SearchContextUpkeep> search_contexts;
  std::unique_ptr<net::Server> api_server, objects_server;
};

Result<std::unique_ptr<store::Store>> App::Rooms::reserved(std::string_view bucket) {
  return place->reserved(bucket);
}

Status App::Rooms::build_ground(const os::Deadline& deadline) {
  settings.engine.data_dir = settings.data_dir;
  settings.engine.key_ring = &key_service;
  settings.engine.set_aside_bytes = set_aside_bytes;
  CAIRN_TRY(engine, objectstore::Engine::open(settings.engine));
  CAIRN_TRY(place, PlatformStore::open(settings.store_url, *engine, deadline));
  CAIRN_TRY(auth_store, reserved(".cairn-auth"));
  CAIRN_TRY(index_store, reserved(".cairn-index"));
  CAIRN_TRY(inference_store, reserved(".cairn-inference"));
  CAIRN_TRY(models_store, reserved(".cairn-models"));
  CAIRN_TRY(connector_store, reserved(".cairn-connectors"));
  CAIRN_TRY(task_store, reserved(".cairn-tasks"));
  CAIRN_TRY(installation, open_installation(*auth_store, clock, random, deadline));
  const std::string keys_folder = settings.data_dir + "/keys";
  CAIRN_TRY(keys, auth::Keys::open(*auth_store, clock, random, settings.auth, deadline));
  if (!place->is_remote()) CAIRN_CHECK(check_master_key(keys_folder, *auth_store, deadline));
  CAIRN_TRY(auto seal, auth::Seal::open(keys_folder + "/master.key", random));
  master_seal = seal;
  auto opened_keys = auth::ObjectKeys::open(*auth_store, seal, clock, random, deadline);
  if (!opened_keys.ok() && place->is_remote() && opened_keys.error().kind == ErrorKind::corrupt)
    return with_context(opened_keys.error(),
                        "the store at store.url was begun with another data folder, whose keys/ "
                        "must be copied to " +
                            keys_folder);
  if (!opened_keys.ok() && opened_keys.error().kind == ErrorKind::corrupt)
    return with_context(opened_keys.error(),
                        "[" + keys_folder + "/master.key], or what is sealed with it, is damaged");
  CAIRN_TRY(object_keys, std::move(opened_keys));
  CAIRN_TRY(encryption_keys, auth::EncryptionKeys::open({.store = *auth_store,
                                                         .seal = seal,
                                                         .region = settings.objects.region,
                                                         .clock = clock,
                                                         .random = random},
                                                        deadline));
  key_service.attach(*encryption_keys);
  CAIRN_CHECK(auth::make_first_keys(keys_folder, *auth_store, *keys, *object_keys, clock, random,
                                    deadline));
  const auto faults =
      check_first_key_files(keys_folder, *auth_store, *keys, *object_keys, deadline);
  if (!faults.ok())
    os::log(os::LogLevel::error, "app", "key_files_not_read", {{"reason", faults.error().message}});
  for (const KeyFileFault& fault : faults.ok() ? *faults : std::vector<KeyFileFault>())
    os::log(os::LogLevel::error, "app", "damaged_key_file",
            {{"file", fault.file}, {"reason", fault.reason}});
  CAIRN_TRY(accounts, auth::Accounts::open(*auth_store, *object_keys, clock, random, deadline));
  CAIRN_TRY(principals, auth::Principals::open(*keys, *object_keys, *accounts, clock, deadline));
  CAIRN_TRY(access_grants, auth::AccessGrants::open(*auth_store, clock, random, deadline));
  gate::AuditOptions audit_options = settings.audit_log;
  if (settings.audit) {
    audit_options.folder = settings.data_dir + "/audit";
    audit_options.head_file = keys_folder + "/audit.head";
    CAIRN_TRY(audit_options.key, gate::audit_key(keys_folder + "/audit.key", &random));
  }
  CAIRN_TRY(audit, gate::AuditLog::open(os::system_files(), clock, audit_options));
  CAIRN_TRY(limits_store, reserved(".cairn-limits"));
  CAIRN_TRY(limiter, in_room("ratelimit", make_limiter(settings.limits, clock, random)));
  CAIRN_TRY(counters, SavedCounters::open(*limiter, *limits_store, deadline));
  sign_in = std::make_unique<auth::SignIn>(settings.oidc, clock);
  CAIRN_CHECK(read_sign_in(settings, *sign_in));
  gate = std::make_unique<gate::Gate>(
      *keys, *audit,
      gate::GateParams{
          .limiter = limiter.get(),
          .sign_in = sign_in.get(),
          .index_facts = index_facts(indices),
          .object_rights = object_rights(*principals, *engine, settings.objects.region, clock)});
  return ok_status();
}

Status App::Rooms::build_platform(const os::Deadline& deadline) {
  // Gives way to workers that answer at once, as the threads of `compute` do.
  cpu = std::make_unique<os::Pool>(
      os::PoolOptions{.name = "cpu", .threads = 0, .queue = 4096, .nice = 5});
  CAIRN_CHECK(cpu->started());
  compute = std::make_unique<os::ComputePool>();
  index::Options index_options;
  index_options.compute = compute.get();
  index_options.cache_bytes = settings.index_cache_bytes;
  index_options.merge_bytes_per_second = settings.index_merge_rate_bytes;
  index_options.reserved_prefix = auth::restricted_prefix;
  CAIRN_TRY(indices, in_room("index", index::Indices::open(*index_store, *cpu, clock, random,
                                                           index_options, deadline)));
  tables = std::make_unique<tables::Tables>(
      tables::Ground{.engine = *engine, .cpu = *cpu, .clock = clock, .random = random}, *indices);
  CAIRN_CHECK(tables->open_all(deadline));
  CAIRN_CHECK(import_shipped_models(*models_store, settings.models_dir, deadline));
  packed_models = std::make_unique<inference::PackedFiles>(
      os::system_files(), settings.data_dir + "/packed-models", settings.engine.reserve_bytes);
  stored_models = std::make_unique<inference::StoredModels>(
      *models_store, inference::Packing{packed_models.get(), settings.precision});
  CAIRN_CHECK(stored_models->remove_leftovers(clock.unix_ms(), deadline));
  CAIRN_TRY(auto sources, model_sources({.sources = settings.model_sources,
                                         .clients = settings.s3_clients,
                                         .keys_folder = settings.data_dir + "/keys"},
                                        *engine));
  models =
      std::make_unique<inference::FetchedModels>(*models_store, *stored_models, std::move(sources));
  settings.inference.node_id = installation.node_id;
  settings.inference.node_name = settings.api.node_name;
  CAIRN_TRY(inference,
            in_room("inference", inference::Service::open(*inference_store, *models, *cpu, clock,
                                                          settings.inference, deadline)));
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
  ingest = std::make_unique<ingest::Ingest>(*indices, *inference);
  search = std::make_unique<search::Service>(
      *inference, clock, search::Options{.node_id = installation.node_id}, random);
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
  CAIRN_CHECK(in_room("snapshots", snapshots->load(deadline)));
  target = connectors::ingest_target(*indices, *ingest);
  tell_missing_roots(settings.connectors.directory_roots);
  extractor = connectors::child_extractor(
      {.children = settings.connectors.workers, .pdftotext = connectors::installed_pdftotext()});
  settings.connectors.work_folder = settings.data_dir + "/connectors";
  folder_roots = std::make_shared<connectors::FolderRoots>(settings.connectors.directory_roots);
  CAIRN_TRY(auto types,
            in_room("connectors", connectors::known_sources(settings.connectors, folder_roots)));
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
  CAIRN_CHECK(in_room("connectors", connectors->start()));
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
  CAIRN_TRY(tasks,
            in_room("tasks", tasks::Tasks::open(std::move(ground), settings.tasks, deadline)));
  auto table = cluster_setting_table(
      {.indices = *indices, .search = *search, .tasks = *tasks, .log_levels = log_levels});
  auto configured = configured_settings(table);
  cluster_settings = std::make_unique<index::ClusterSettings>(*index_store, std::move(table),
                                                              std::move(configured));
  CAIRN_CHECK(cluster_settings->load(deadline));
  return ok_status();
}

Status App::Rooms::listen() {
  facts = {.cluster_name = settings.api.cluster_name,
           .cluster_uuid = installation.cluster_uuid,
           .node_name = settings.api.node_name,
           .node_id = installation.node_id,
           .version = version,
           .address = {},
           .started_ms = clock.unix_ms(),
           .installed_ms = installation.installed_ms};
  sources.not_ready = [this]() -> std::string {
    if (!ready) return "starting or stopping";
    const Status writable = engine->check_writable();
    return writable.ok() ? place->fault() : writable.error().message;
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
    return api_server ? api_server->host() + ":" + std::to_string(api_server->port())
                      : settings.listen_api;
  };
  memory.emplace(settings.memory_bytes, clock);
  sources.memory = &*memory;
  sources.compute = [this] { return compute.get(); };
  sources.disk = [this] { return os::disk_space(settings.data_dir); };
  const auth::ObjectKey large_files_key = app::large_files_key(*object_keys);
  large_files = std::make_unique<lfs::Service>(
      lfs::ServiceParams{.open_bucket = large_files_bucket(*engine, large_files_key),
                         .objects_url = [this] { return url_of(*objects_server); },
                         .key = large_files_key,
                         .region = settings.objects.region,
                         .options = settings.large_files});
  api::Router router;
  add_all_routes(router,
                 {facts, sources, settings.api, *keys, *accounts, *object_keys, *principals,
                  *encryption_keys, *indices, *ingest, *search, *inference, *imports, *snapshots,
                  *connectors, *folder_roots, *tasks, *large_files, *limiter, *cluster_settings,
                  settings.test_routes});
  dispatcher = std::make_unique<api::Dispatcher>(std::move(router), *gate, os::metrics(),
                                                 settings.api, compute.get(), &*memory);
  objects = std::make_unique<s3api::Service>(s3api::ServiceParams{
      .engine = *engine,
      .find_key = with_key(s3api::find_in(*principals), large_files_key),
      .find_caller = [this](const auth::ObjectKey& key) { return accounts->caller_of(key); },
      .options = settings.objects,
      .key_names = &key_service,
      .table_copy = [this](std::string_view bucket,
                           std::string_view table) -> std::optional<s3api::TableCopy> {
        auto copy = tables->state(bucket, table);
        if (!copy) return std::nullopt;
        return s3api::TableCopy{.filled = copy->filled, .fault = std::move(copy->fault)};
      },
      .accounts = s3api::book_of(*accounts),
      .audit = audit.get(),
      .gate = gate.get(),
      .seal = master_seal,
      .grants = {.grants = access_grants.get(),
                 .find_user =
                     [this](std::string_view account, std::string_view user) {
                       return accounts->caller_of(account, user);
                     }},
      .random = random});
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
  // First the one whose address answers of the other name.
  CAIRN_TRY(
      objects_server,
      in_room("listen.objects",
              net::Server::open(
                  objects_options, [this](net::Exchange& exchange) { objects->handle(exchange); },
                  s3api::render_server_error)));
  CAIRN_TRY(
      api_server,
      in_room("listen.api",
              net::Server::open(
                  api_options, [this](net::Exchange& exchange) { dispatcher->answer(exchange); },
                  api::render_server_error)));
  CAIRN_TRY(upkeep, Upkeep::start(*engine, tables.get(), settings.upkeep));
  CAIRN_TRY(search_contexts, SearchContextUpkeep::start(search->contexts(), tasks->searches()));
  engine->serving();
  ready = true;
  return ok_status();
}

Result<std::unique_ptr<App>> App::open(const Settings& settings) {
  auto rooms = std::make_unique<Rooms>(settings);
  const auto deadline = os::Deadline::in_ms(start_wait_ms);
  CAIRN_CHECK(rooms->build_ground(deadline));
  CAIRN_CHECK(rooms->build_platform(deadline));
  CAIRN_CHECK(rooms->listen());
  return std::unique_ptr<App>(new App(std::move(rooms)));
}

App::App(std::unique_ptr<Rooms> rooms) : rooms_(std::move(rooms)) {}
App::~App() = default;

std::string App::Rooms::url_of(const net::Server& server) const {
  const bool v6 = server.host().find(':') != std::string::npos;
  return std::string(settings.http.tls.certificate_file.empty() ? "http" : "https") + "://" +
         (v6 ? "[" + server.host() + "]" : server.host()) + ":" + std::to_string(server.port());
}

std::string App::api_url() const { return rooms_->url_of(*rooms_->api_server); }

std::string App::objects_url() const { return rooms_->url_of(*rooms_->objects_server); }

bool App::lost() const { return rooms_->place->lost(); }

void App::set_limits(std::shared_ptr<const ratelimit::Policy> policy) {
  rooms_->gate->set_policy(std::move(policy));
}

void App::set_folder_roots(const connectors::RootsInUse& roots) {
  if (roots.roots != rooms_->folder_roots->get()) tell_missing_roots(roots.roots);
  rooms_->folder_roots->set(roots);
}

void App::set_log_level(os::LogLevel level) { rooms_->log_levels.set_configured(level); }

Status App::reload_tls() {
  const Status api = rooms_->api_server->reload_tls();
  const Status objects = rooms_->objects_server->reload_tls();
  return api.ok() ? objects : api;
}

Status App::reload_sign_in() { return read_sign_in(rooms_->settings, *rooms_->sign_in); }

void App::drain(std::int64_t grace_ms) {
  rooms_->ready = false;
  rooms_->connectors->stop();
  rooms_->upkeep->stop();
  rooms_->search_contexts->stop();
  {
    // Both within the same time. Where there is no thread to be had, one after the other.
    net::Server& objects = *rooms_->objects_server;
    const auto beside = os::Thread::start({.name = "drain-objects", .stack_bytes = 256 << 10},
                                          [&objects, grace_ms] { objects.drain(grace_ms); });
    rooms_->api_server->drain(grace_ms);
    if (!beside.ok()) objects.drain(grace_ms);
  }
  rooms_->tasks->stop();  // what somebody waited for has ended with its request
  rooms_->counters->stop();
  rooms_->tables->flush(os::Deadline::in_ms(flush_wait_ms));
  const auto flushed = rooms_->indices->flush_all(os::Deadline::in_ms(flush_wait_ms));
  if (!flushed.ok())  // the log has it all
    os::log(os::LogLevel::warn, "app", "indices were not flushed",
            {{"error", flushed.error().message}});
}

}  // namespace cairn::app
