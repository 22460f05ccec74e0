// SPDX-License-Identifier: Apache-2.0
// The table of routes, with the services behind it or alone.
#include "app/routes.h"

#include "api/graphql/graphql_routes.h"
#include "api/routes/analyze_routes.h"
#include "api/routes/async_search_routes.h"
#include "api/routes/bulk_routes.h"
#include "api/routes/by_query_routes.h"
#include "api/routes/cluster/allocation_routes.h"
#include "api/routes/cluster/backup_routes.h"
#include "api/routes/cluster/cat_routes.h"
#include "api/routes/cluster/cat_server_routes.h"
#include "api/routes/cluster/catalogue_routes.h"
#include "api/routes/cluster/cluster_routes.h"
#include "api/routes/cluster/cluster_settings_routes.h"
#include "api/routes/cluster/cluster_state_routes.h"
#include "api/routes/cluster/event_routes.h"
#include "api/routes/cluster/health_report_routes.h"
#include "api/routes/cluster/language_routes.h"
#include "api/routes/cluster/limit_check_routes.h"
#include "api/routes/cluster/limit_routes.h"
#include "api/routes/cluster/limit_watch_routes.h"
#include "api/routes/cluster/node_routes.h"
#include "api/routes/cluster/node_use_routes.h"
#include "api/routes/cluster/remote_routes.h"
#include "api/routes/cluster/settings_routes.h"
#include "api/routes/cluster/task_routes.h"
#include "api/routes/connectors/connector_routes.h"
#include "api/routes/console_routes.h"
#include "api/routes/document_routes.h"
#include "api/routes/field_routes.h"
#include "api/routes/folder_routes.h"
#include "api/routes/indices/index_routes.h"
#include "api/routes/indices/merge_routes.h"
#include "api/routes/indices/recovery_routes.h"
#include "api/routes/inference_routes.h"
#include "api/routes/ml_routes.h"
#include "api/routes/model_routes.h"
#include "api/routes/msearch_routes.h"
#include "api/routes/names/alias_routes.h"
#include "api/routes/names/data_stream_routes.h"
#include "api/routes/names/template_routes.h"
#include "api/routes/openai_routes.h"
#include "api/routes/search_context_routes.h"
#include "api/routes/search_page_routes.h"
#include "api/routes/search_routes.h"
#include "api/routes/search_template_routes.h"
#include "api/routes/security/application_routes.h"
#include "api/routes/security/audit_routes.h"
#include "api/routes/security/encryption_key_routes.h"
#include "api/routes/security/object_key_routes.h"
#include "api/routes/security/security_routes.h"
#include "api/routes/snapshot_routes.h"
#include "api/routes/test_routes.h"
#include "api/routes/text_routes.h"
#include "app/objects/large_files.h"
#include "app/version.h"

namespace cairn::app {

void add_all_routes(api::Router& router, const RouteServices& services) {
  api::add_system_routes(router, services.facts, services.sources, os::metrics(),
                         os::system_clock(), services.options);
  const api::KeyBooks books{
      services.keys, services.accounts, services.object_keys, services.principals,
      [search = services.search](const Json& query, const os::Deadline& until) {
        return search->check_filter({}, {}, query, until);
      }};
  api::add_security_routes(router, books);
  api::add_object_key_routes(router, books);
  api::add_encryption_key_routes(router, services.accounts, services.encryption_keys);
  api::add_application_routes(router, services.application_grants);
  api::add_session_routes(router, services.sessions, services.options.base_path);
  api::add_index_routes(router, services.indices, services.search, services.connectors);
  api::add_merge_routes(router, services.indices, services.tasks);
  api::add_alias_routes(router, services.indices, services.search);
  api::add_template_routes(router, services.indices, services.search);
  api::add_data_stream_routes(router, services.indices);
  api::add_rollover_routes(router, services.indices, services.search, os::system_clock());
  api::add_document_routes(router, services.indices, services.ingest, services.search);
  api::add_bulk_routes(router, services.indices, services.ingest, os::system_clock());
  api::add_search_routes(router, services.indices, services.search, os::system_clock());
  api::add_msearch_routes(router, services.indices, services.search, os::system_clock());
  api::add_search_template_routes(router, services.indices, services.search);
  api::add_search_context_routes(router, services.indices, services.search, services.facts,
                                 services.sources);
  api::add_async_search_routes(router, services.indices, services.tasks);
  api::add_by_query_routes(router, services.indices, services.search, services.tasks);
  api::add_task_routes(router, services.tasks, services.facts, services.sources);
  api::add_field_routes(router, services.indices);
  const api::CatServices cat{services.indices, services.facts, services.sources};
  api::add_cat_routes(router, cat, services.search, os::system_clock());
  api::add_recovery_routes(router, cat);
  api::add_cluster_state_routes(router, cat);
  api::add_cat_template_routes(router, services.indices);
  api::add_cat_server_routes(router, cat, services.snapshots, os::system_clock());
  api::add_cluster_routes(router, cat, os::system_clock());
  api::add_node_use_routes(router, cat, os::metrics(), os::system_clock());
  api::add_cluster_settings_routes(router, services.cluster_settings);
  api::add_allocation_routes(router, cat);
  api::add_health_report_routes(router, cat, services.snapshots, services.mirror);
  api::add_language_routes(router);
  api::add_remote_routes(router, cat);
  api::add_analyze_routes(router, services.indices);
  api::add_inference_routes(router, services.inference);
  api::add_text_routes(router, services.inference);
  api::add_openai_routes(router, services.inference);
  api::add_ml_routes(router, services.inference);
  api::add_model_routes(router, services.imports, services.inference);
  api::add_snapshot_routes(router, services.snapshots);
  api::add_connector_routes(router, services.connectors, services.keys);
  api::add_folder_routes(router, services.folder_roots);
  add_large_file_routes(router, services.large_files);
  api::add_limit_routes(router, services.limiter, services.keys);
  api::add_limit_check_routes(router, services.limiter);
  api::add_limit_watch_routes(router, services.limiter, services.keys, services.count_by_objects);
  api::add_backup_routes(router, services.backups);
  api::add_master_key_routes(router, services.master_key);
  api::add_mirror_routes(router, services.mirror);
  api::add_node_routes(router, services.facts, services.sources);
  api::add_audit_routes(router, services.audit);
  api::add_message_routes(router, services.messages);
  api::add_settings_routes(router, services.settings);
  api::add_event_routes(router, services.events, services.history, services.keys,
                        services.sessions);
  add_object_passage_routes(router, services.object_passage, services.options.base_path);
  const api::ConsoleOptions console{.base_path = services.options.base_path,
                                    .search_frame_ancestors = services.search_frame_ancestors,
                                    .objects_url = objects_reached_at(services.object_passage)};
  api::add_console_routes(router, services.console_files, console);
  api::add_search_page_routes(router, services.console_files, services.indices, services.search,
                              console);
  if (services.test_routes) api::add_test_routes(router);
  api::add_graphql_routes(router, services.objects);
  // Last: it shows the others.
  api::add_catalogue_routes(router, version, services.options, services.facts);
}

std::vector<gate::Route> all_routes(bool with_test_routes) {
  const api::ServerFacts facts{};
  const api::ServerSources sources{};
  const api::Options options{};
  api::Router router;
  add_all_routes(router, {.facts = facts, .sources = sources, .options = options});
  if (with_test_routes) api::add_test_routes(router);
  return router.routes();
}

}  // namespace cairn::app
