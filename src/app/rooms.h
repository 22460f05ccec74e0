// SPDX-License-Identifier: Apache-2.0
// What one running Cairn is made of, in the order in which it is built: what is built earlier knows
// nothing of what comes later. building/ builds it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

#include "api/dispatcher.h"
#include "api/events/event_publisher.h"
#include "api/events/history.h"
#include "api/routes/cluster/message_routes.h"
#include "api/routes/cluster/mirror_routes.h"
#include "api/routes/cluster/settings_routes.h"
#include "api/routes/cluster/system_routes.h"
#include "api/routes/security/master_key_routes.h"
#include "api/routes/security/session_routes.h"
#include "app/app.h"
#include "app/data/installation.h"
#include "app/data/mirrored_folder.h"
#include "app/keys/key_service.h"
#include "app/keys/master_key.h"
#include "app/messages/messages.h"
#include "app/monitoring/bucket_counting.h"
#include "app/monitoring/figures.h"
#include "app/monitoring/history_sampler.h"
#include "app/monitoring/state_metrics.h"
#include "app/monitoring/trace_export.h"
#include "app/nodes/cluster_node.h"
#include "app/nodes/listeners.h"
#include "app/nodes/platform_store.h"
#include "app/objects/object_passage.h"
#include "app/reload/reloading.h"
#include "app/settings/log_levels.h"
#include "app/settings/settings.h"
#include "app/upkeep/audit_shipping.h"
#include "app/upkeep/key_use_upkeep.h"
#include "app/upkeep/saved_counters.h"
#include "app/upkeep/search_context_upkeep.h"
#include "app/upkeep/session_upkeep.h"
#include "app/upkeep/upkeep.h"
#include "auth/accounts/access_grants.h"
#include "auth/accounts/accounts.h"
#include "auth/applications/application_grants.h"
#include "auth/key_uses.h"
#include "auth/keys/keys.h"
#include "auth/principals.h"
#include "auth/secrets/encryption_keys.h"
#include "auth/secrets/object_keys.h"
#include "auth/secrets/seal.h"
#include "auth/sessions/sessions.h"
#include "auth/sessions/sign_in_codes.h"
#include "auth/sign_in/code_flow.h"
#include "auth/sign_in/sign_in.h"
#include "backup/service.h"
#include "base/result.h"
#include "connectors/folder_roots.h"
#include "connectors/ingest_target.h"
#include "connectors/isolation/extractor.h"
#include "connectors/service.h"
#include "console/files.h"
#include "gate/audit.h"
#include "gate/gate.h"
#include "gate/trail/audit_trail.h"
#include "index/indices.h"
#include "index/settings/cluster_settings.h"
#include "inference/fetch/fetched_models.h"
#include "inference/model/model_store.h"
#include "inference/model/stored_models.h"
#include "inference/model_imports.h"
#include "inference/service.h"
#include "ingest/ingest.h"
#include "lfs/locks.h"
#include "lfs/service.h"
#include "net/server/server.h"
#include "objectstore/engine.h"
#include "objectstore/mirror/mirror_keeper.h"
#include "os/clock.h"
#include "os/files/files.h"
#include "os/log.h"
#include "os/memory_breaker.h"
#include "os/random.h"
#include "os/threads/compute_pool.h"
#include "os/threads/pool.h"
#include "ratelimit/limiter.h"
#include "s3api/service.h"
#include "search/service.h"
#include "snapshots/service.h"
#include "store/store.h"
#include "tables/tables.h"
#include "tasks/tasks.h"

namespace cairn::app {

constexpr std::int64_t start_wait_ms = 600'000;  // a long log to replay is no reason to give up

/// What comes once the program has started.
class ReloadingSlot {
 public:
  void set(std::shared_ptr<Reloading> reloading) {
    const MutexLock lock(mutex_);
    reloading_ = std::move(reloading);
  }
  std::shared_ptr<Reloading> get() const {
    const MutexLock lock(mutex_);
    return reloading_;
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<Reloading> reloading_ CAIRN_GUARDED_BY(mutex_);
};

// Members are taken down from the last to the first.
struct App::Rooms {
  /// `given_node`: null where the data folder is all there is; else it outlives the rooms.
  Rooms(const Settings& given, ClusterNode* given_node)
      : settings(given), node(given_node), data(node ? node->data() : own_data) {}

  /// The data folder, the engine and its stores.
  Status build_ground(const os::Deadline& deadline);
  /// Who may ask, how often, and what is written down of it.
  Status build_keys(const os::Deadline& deadline);
  Status build_audit();
  Status build_limits(const os::Deadline& deadline);
  Status build_gate(const os::Deadline& deadline);
  /// Search, models, connectors and tasks.
  Status build_platform(const os::Deadline& deadline);
  Status build_models(const os::Deadline& deadline);
  Status build_snapshots(const os::Deadline& deadline);
  Status build_connectors();
  Status build_tasks(const os::Deadline& deadline);
  /// What tells of the program itself; large files and backups.
  Status build_services();
  void build_facts();
  void build_objects();
  Status build_console();
  void build_settings_control();
  void build_dispatcher();
  Status listen();
  Status start_upkeep();

  std::string keys_folder() const { return settings.data_dir + "/keys"; }
  Listeners& listeners() { return node ? node->listeners() : own_listeners; }
  const Listeners& listeners() const { return node ? node->listeners() : own_listeners; }
  std::string url_of(const net::Server& server) const { return app::url_of(settings, server); }
  std::string console_url(const net::RequestHead& asked) const;
  Result<std::unique_ptr<store::Store>> reserved(std::string_view bucket);
  void drain(const std::function<void()>& end_requests);

  Settings settings;
  ClusterNode* const node;
  const os::Clock& clock = os::system_clock();
  os::Random& random = os::system_random();
  std::atomic<bool> ready{false};

  std::unique_ptr<TraceExport> traces;  // outlives all threads that record
  DataPlace own_data;                   // and all files in it, but for a node, which has its own
  DataPlace& data;
  KeyService key_service{random};
  std::unique_ptr<objectstore::Engine> engine;
  std::unique_ptr<PlatformStore> place;
  std::unique_ptr<store::Store> auth_store, index_store, inference_store, models_store,
      connector_store, lfs_store, limits_store, task_store;
  Installation installation;
  std::unique_ptr<auth::Keys> keys;
  std::optional<auth::Seal> master_seal;  // also of sessions, and of other servers' keys
  std::unique_ptr<auth::ObjectKeys> object_keys;
  std::unique_ptr<auth::Accounts> accounts;
  std::unique_ptr<auth::Principals> principals;
  std::unique_ptr<auth::KeyUses> key_uses;
  std::unique_ptr<auth::AccessGrants> access_grants;
  std::unique_ptr<auth::ApplicationGrants> application_grants;
  std::unique_ptr<auth::EncryptionKeys> encryption_keys;
  std::unique_ptr<gate::AuditLog> audit;
  std::unique_ptr<gate::AuditTrail> audit_trail;
  std::unique_ptr<ratelimit::Limiter> limiter;
  std::unique_ptr<SavedCounters> counters;
  std::unique_ptr<auth::SignIn> sign_in;
  std::unique_ptr<auth::Sessions> sessions;
  auth::SignInCodes sign_in_codes{clock, random};
  std::unique_ptr<auth::CodeFlow> code_flow;
  std::optional<api::SessionServices> session_services;
  std::string first_key_id;  // that this start made; empty: none
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
  std::unique_ptr<lfs::Locks> large_file_locks;
  std::unique_ptr<lfs::Service> large_files;

  std::unique_ptr<tasks::Tasks> tasks;
  std::shared_mutex keys_stay;  // of a backup, and of a change of the master key
  std::unique_ptr<MasterKey> master_key;
  api::MasterKeyChange master_key_change;
  api::MirrorControl mirror;
  LogLevels log_levels{settings.log_level};
  std::unique_ptr<index::ClusterSettings> cluster_settings;
  api::ServerFacts facts;
  api::ServerSources sources;
  std::unique_ptr<console::Files> console_files;
  std::optional<ObjectPassage> object_passage;
  std::optional<FigureReader> figures;
  api::History history;
  std::unique_ptr<HistorySampler> history_sampler;
  std::unique_ptr<api::EventPublisher> events;
  std::unique_ptr<api::Dispatcher> dispatcher;
  // Drawn once: what it signs for large files, the object service verifies.
  auth::ObjectKey large_files_key = {};
  std::unique_ptr<s3api::Service> objects;
  // The same for GraphQL, whose requests were counted there; and who asks it.
  std::shared_ptr<s3api::Service> uncounted_objects;
  std::shared_ptr<const ObjectCaller> object_callers;
  std::unique_ptr<AuditShipping> audit_shipping;
  std::unique_ptr<Messages> messages;
  api::MessageSender message_sender;
  api::SettingsControl settings_control;
  ReloadingSlot reloading;
  std::unique_ptr<objectstore::MirrorKeeper> mirror_keeper;
  std::unique_ptr<Upkeep> upkeep;
  std::unique_ptr<backup::Service> backups;
  std::unique_ptr<SearchContextUpkeep> search_contexts;
  std::unique_ptr<BucketCounting> bucket_counting;
  std::unique_ptr<SessionUpkeep> session_upkeep;
  std::unique_ptr<KeyUseUpkeep> key_use_upkeep;
  std::unique_ptr<StateMetrics> state_metrics;
  Listeners own_listeners;  // but for a node
};

}  // namespace cairn::app
