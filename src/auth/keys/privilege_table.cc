// SPDX-License-Identifier: Apache-2.0
// The rows: each privilege with those that imply it, narrowest first (search-platform rules: manage
// is everything but security; monitor is everything that only looks).
#include "auth/keys/privilege_table.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "auth/keys/rights.h"
#include "base/assert.h"

namespace cairn::auth {
namespace {

struct PrivilegeRow {
  std::string_view name;
  std::vector<std::string_view> implied_by;  // besides itself
};

const std::vector<PrivilegeRow>& cluster_rows() {
  // Privileges that open nothing here are known so that roles written for other servers are taken.
  static const std::vector<PrivilegeRow> rows = {
      {"all", {}},
      {"cancel_task", {"manage", "all"}},
      {"check_limits", {"manage_security", "all"}},  // Cairn's own: POST /_cairn/limits/_check
      {"create_snapshot", {"manage", "all"}},
      {"cross_cluster_replication", {"manage", "all"}},
      {"cross_cluster_search", {"manage", "all"}},
      {"delegate_pki", {"manage_security", "all"}},
      {"grant_api_key", {"manage_api_key", "manage_security", "all"}},
      {"manage", {"all"}},
      {"manage_api_key", {"manage_security", "all"}},
      {"manage_autoscaling", {"manage", "all"}},
      {"manage_behavioral_analytics", {"manage", "all"}},
      {"manage_ccr", {"manage", "all"}},
      {"manage_connector", {"manage", "all"}},
      {"manage_data_frame_transforms", {"manage", "all"}},
      {"manage_data_stream_global_retention", {"manage", "all"}},
      {"manage_enrich", {"manage", "all"}},
      {"manage_ilm", {"manage", "all"}},
      {"manage_index_templates", {"manage", "all"}},
      {"manage_inference", {"manage", "all"}},
      {"manage_ingest_pipelines", {"manage_pipeline", "manage", "all"}},
      {"manage_logstash_pipelines", {"manage", "all"}},
      {"manage_ml", {"manage", "all"}},
      {"manage_oidc", {"manage_security", "all"}},
      {"manage_own_api_key", {"manage_api_key", "manage_security", "all"}},
      {"manage_pipeline", {"manage", "all"}},
      {"manage_rollup", {"manage", "all"}},
      {"manage_saml", {"manage_security", "all"}},
      {"manage_search_application", {"manage", "all"}},
      {"manage_search_query_rules", {"manage", "all"}},
      {"manage_search_synonyms", {"manage", "all"}},
      {"manage_security", {"all"}},
      {"manage_service_account", {"manage_security", "all"}},
      {"manage_slm", {"manage", "all"}},
      {"manage_token", {"manage_security", "all"}},
      {"manage_transform", {"manage", "all"}},
      {"manage_user_profile", {"manage_security", "all"}},
      {"manage_watcher", {"manage", "all"}},
      {"monitor", {"manage", "all"}},
      {"monitor_connector", {"manage_connector", "manage", "all"}},
      {"monitor_data_frame_transforms",
       {"manage_data_frame_transforms", "monitor", "manage", "all"}},
      {"monitor_data_stream_global_retention",
       {"manage_data_stream_global_retention", "monitor", "manage", "all"}},
      {"monitor_enrich", {"manage_enrich", "monitor", "manage", "all"}},
      {"monitor_inference", {"manage_inference", "monitor", "manage", "all"}},
      {"monitor_ml", {"manage_ml", "monitor", "manage", "all"}},
      {"monitor_rollup", {"manage_rollup", "monitor", "manage", "all"}},
      {"monitor_snapshot", {"create_snapshot", "manage", "all"}},
      {"monitor_stats", {"monitor", "manage", "all"}},
      {"monitor_text_structure", {"monitor", "manage", "all"}},
      {"monitor_transform", {"manage_transform", "monitor", "manage", "all"}},
      {"monitor_watcher", {"manage_watcher", "monitor", "manage", "all"}},
      {"none", {}},
      {"post_behavioral_analytics_event", {"manage_behavioral_analytics", "manage", "all"}},
      {"read_audit", {"manage_security", "all"}},  // Cairn's own: the audit log
      {"read_ccr", {"manage_ccr", "manage", "all"}},
      {"read_connector_secrets", {"manage", "all"}},
      {"read_fleet_secrets", {"manage", "all"}},
      {"read_ilm", {"manage_ilm", "manage", "all"}},
      {"read_pipeline", {"manage_ingest_pipelines", "manage_pipeline", "manage", "all"}},
      {"read_security", {"manage_security", "all"}},
      {"read_slm", {"manage_slm", "manage", "all"}},
      {"send_connector_events",  // Cairn's own: POST /_connector/{id}/_event
       {"manage_connector", "manage", "all"}},
      {"transport_client", {"manage", "all"}},
      {"write_connector_secrets", {"manage", "all"}},
      {"write_fleet_secrets", {"manage", "all"}},
  };
  return rows;
}

const std::vector<PrivilegeRow>& index_rows() {
  static const std::vector<PrivilegeRow> rows = {
      {"all", {}},
      {"auto_configure", {"create_index", "manage", "all"}},
      {"create", {"index", "write", "all"}},
      {"create_doc", {"create", "index", "write", "all"}},
      {"create_index", {"manage", "all"}},
      {"cross_cluster_replication", {"all"}},
      {"cross_cluster_replication_internal", {"all"}},
      {"delete", {"write", "all"}},
      {"delete_index", {"manage", "all"}},
      {"index", {"write", "all"}},
      {"maintenance", {"manage", "all"}},
      {"manage", {"all"}},
      {"manage_data_stream_lifecycle", {"manage", "all"}},
      {"manage_failure_store", {"all"}},
      {"manage_follow_index", {"manage", "all"}},
      {"manage_ilm", {"manage", "all"}},
      {"manage_leader_index", {"manage", "all"}},
      {"monitor", {"manage", "all"}},
      {"none", {}},
      {"read", {"all"}},
      {"read_cross_cluster", {"all"}},
      {"read_failure_store", {"all"}},
      {"view_index_metadata", {"manage", "all"}},
      {"write", {"all"}},
  };
  return rows;
}

const std::vector<PrivilegeRow>& rows_of(Scope scope) {
  return scope == Scope::cluster ? cluster_rows() : index_rows();
}

struct Table {
  std::unordered_map<std::string_view, std::size_t> numbers;
  std::vector<PrivilegeSet> implied;  // by the number of the holder

  explicit Table(const std::vector<PrivilegeRow>& rows) : implied(rows.size()) {
    CAIRN_ASSERT(rows.size() <= privileges_max);
    for (std::size_t i = 0; i < rows.size(); ++i) numbers.emplace(rows[i].name, i);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].name != "none") implied[i].set(i);
      for (const auto& holder : rows[i].implied_by) implied[numbers.at(holder)].set(i);
    }
    // `all` is the only one that opens what no row names it for.
    implied[numbers.at("all")].set();
    implied[numbers.at("none")].reset();
  }
};

const Table& table_of(Scope scope) {
  static const Table cluster(cluster_rows());
  static const Table index(index_rows());
  return scope == Scope::cluster ? cluster : index;
}

std::vector<std::string> names_of(Scope scope) {
  std::vector<std::string> out;
  for (const auto& row : rows_of(scope)) out.emplace_back(row.name);
  return out;
}

std::vector<std::string> grants_of(Scope scope, std::string_view privilege) {
  std::vector<std::string> out{std::string(privilege)};
  if (const auto number = privilege_number(scope, privilege))
    for (const auto& name : rows_of(scope)[*number].implied_by) out.emplace_back(name);
  return out;
}

}  // namespace

std::optional<std::size_t> privilege_number(Scope scope, std::string_view name) {
  const auto& numbers = table_of(scope).numbers;
  const auto found = numbers.find(name);
  if (found == numbers.end()) return std::nullopt;
  return found->second;
}

const PrivilegeSet& implied_by(Scope scope, std::size_t number) {
  return table_of(scope).implied[number];
}

const std::vector<std::string>& cluster_privileges() {
  static const std::vector<std::string> names = names_of(Scope::cluster);
  return names;
}

const std::vector<std::string>& index_privileges() {
  static const std::vector<std::string> names = names_of(Scope::index);
  return names;
}

std::vector<std::string> cluster_grants(std::string_view privilege) {
  return grants_of(Scope::cluster, privilege);
}

std::vector<std::string> index_grants(std::string_view privilege) {
  return grants_of(Scope::index, privilege);
}

}  // namespace cairn::auth
