// SPDX-License-Identifier: Apache-2.0
// Which routes there are.
#pragma once

#include <vector>

#include "api/events/event_publisher.h"
#include "api/events/history.h"
#include "api/graphql/graphql_routes.h"
#include "api/options.h"
#include "api/router.h"
#include "api/routes/cluster/limit_watch_routes.h"
#include "api/routes/cluster/message_routes.h"
#include "api/routes/cluster/settings_routes.h"
#include "api/routes/cluster/system_routes.h"
#include "api/routes/security/master_key_routes.h"
#include "api/routes/cluster/mirror_routes.h"
#include "api/routes/security/session_routes.h"
#include "app/objects/object_passage.h"
#include "auth/accounts/accounts.h"
#include "auth/applications/application_grants.h"
#include "auth/keys/keys.h"
#include "auth/principals.h"
#include "auth/secrets/encryption_keys.h"
#include "auth/secrets/object_keys.h"
#include "backup/service.h"
#include "connectors/folder_roots.h"
#include "connectors/service.h"
#include "console/files.h"
#include "gate/route.h"
#include "gate/trail/audit_trail.h"
#include "index/indices.h"
#include "index/settings/cluster_settings.h"
#include "inference/model_imports.h"
#include "inference/service.h"
#include "ingest/ingest.h"
#include "lfs/service.h"
#include "ratelimit/limiter.h"
#include "search/service.h"
#include "snapshots/service.h"
#include "tasks/tasks.h"

namespace cairn::app {

/// What the handlers work on; all of it outlives the router. Services may be left out where only
/// the rows are wanted.
struct RouteServices {
  const api::ServerFacts& facts;
  const api::ServerSources& sources;
  const api::Options& options;
  api::ServiceRef<auth::Keys> keys = {};
  api::ServiceRef<auth::Accounts> accounts = {};
  api::ServiceRef<auth::ObjectKeys> object_keys = {};
  api::ServiceRef<auth::Principals> principals = {};
  api::ServiceRef<auth::EncryptionKeys> encryption_keys = {};
  api::ServiceRef<auth::ApplicationGrants> application_grants = {};
  api::ServiceRef<index::Indices> indices = {};
  api::ServiceRef<ingest::Ingest> ingest = {};
  api::ServiceRef<search::Service> search = {};
  api::ServiceRef<inference::Service> inference = {};
  api::ServiceRef<inference::ModelImports> imports = {};
  api::ServiceRef<snapshots::Service> snapshots = {};
  api::ServiceRef<connectors::Service> connectors = {};
  api::ServiceRef<const connectors::FolderRoots> folder_roots = {};
  api::ServiceRef<tasks::Tasks> tasks = {};
  api::ServiceRef<const lfs::Service> large_files = {};
  api::ServiceRef<ratelimit::Limiter> limiter = {};
  api::ServiceRef<index::ClusterSettings> cluster_settings = {};
  api::ServiceRef<backup::Service> backups = {};
  api::ServiceRef<const api::MasterKeyChange> master_key = {};
  api::ServiceRef<const api::MirrorControl> mirror = {};
  api::ServiceRef<const gate::AuditTrail> audit = {};
  api::ServiceRef<const api::MessageSender> messages = {};
  api::ServiceRef<const api::SessionServices> sessions = {};
  bool test_routes = false;      // those below /_test
  api::AskObjects objects = {};  // for GraphQL
  api::CountByObjects count_by_objects = {};
  api::ServiceRef<const console::Files> console_files = {};
  std::vector<std::string> search_frame_ancestors = {};
  api::ServiceRef<const ObjectPassage> object_passage = {};
  api::ServiceRef<api::EventPublisher> events = {};
  api::ServiceRef<const api::History> history = {};
  api::ServiceRef<const api::SettingsControl> settings = {};
};

void add_all_routes(api::Router& router, const RouteServices& services);

/// The rows alone, without services.
std::vector<gate::Route> all_routes(bool with_test_routes = false);

}  // namespace cairn::app
