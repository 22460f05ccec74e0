// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/connector_document.h"

#include <array>
#include <utility>

#include "connectors/errors.h"

namespace cairn::connectors {
namespace {

Json schedule() { return Json::object({{"enabled", false}, {"interval", "0 0 0 * * ?"}}); }

constexpr std::array<std::pair<std::string_view, std::string_view>, 13> moves = {{
    {"created", "needs_configuration"},
    {"created", "configured"},
    {"created", "connected"},
    {"created", "error"},
    {"needs_configuration", "configured"},
    {"needs_configuration", "error"},
    {"configured", "needs_configuration"},
    {"configured", "connected"},
    {"configured", "error"},
    {"connected", "configured"},
    {"connected", "error"},
    {"error", "connected"},
    {"error", "configured"},
}};

}  // namespace

Json default_filtering_rules(const std::string& now) {
  return Json::object({
      {"advanced_snippet",
       Json::object({{"created_at", now}, {"updated_at", now}, {"value", Json::object()}})},
      {"rules", Json::array({Json::object({{"created_at", now},
                                           {"field", "_"},
                                           {"id", "DEFAULT"},
                                           {"order", 0},
                                           {"policy", "include"},
                                           {"rule", "regex"},
                                           {"updated_at", now},
                                           {"value", ".*"}})})},
      {"validation", Json::object({{"errors", Json::array()}, {"state", "valid"}})},
  });
}

Json default_connector(const std::string& now) {
  return Json::object({
      {"api_key_id", nullptr},
      {"api_key_secret_id", nullptr},
      {"configuration", Json::object()},
      {"custom_scheduling", Json::object()},
      {"deleted", false},
      {"description", nullptr},
      {"error", nullptr},
      {"features", nullptr},
      {"filtering", Json::array({Json::object({{"active", default_filtering_rules(now)},
                                               {"domain", "DEFAULT"},
                                               {"draft", default_filtering_rules(now)}})})},
      {"index_name", nullptr},
      {"is_native", false},
      {"language", nullptr},
      {"last_access_control_sync_error", nullptr},
      {"last_access_control_sync_scheduled_at", nullptr},
      {"last_access_control_sync_status", nullptr},
      {"last_deleted_document_count", nullptr},
      {"last_incremental_sync_scheduled_at", nullptr},
      {"last_indexed_document_count", nullptr},
      {"last_seen", nullptr},
      {"last_sync_error", nullptr},
      {"last_sync_scheduled_at", nullptr},
      {"last_sync_status", nullptr},
      {"last_synced", nullptr},
      {"name", ""},
      {"paused", false},
      {"pipeline", Json::object({{"extract_binary_content", true},
                                 {"name", "search-default-ingestion"},
                                 {"reduce_whitespace", true},
                                 {"run_ml_inference", true}})},
      {"scheduling", Json::object({{"access_control", schedule()},
                                   {"full", schedule()},
                                   {"incremental", schedule()}})},
      {"service_type", nullptr},
      {"status", "created"},
      {"sync_cursor", nullptr},
      {"sync_now", false},
  });
}

bool is_connector_status(std::string_view status) {
  return status == "created" || status == "needs_configuration" || status == "configured" ||
         status == "connected" || status == "error";
}

Status move_status(Json& connector, std::string_view to) {
  const std::string from = connector.string_or("status", "created");
  if (from == to) return ok_status();
  for (const auto& [a, b] : moves) {
    if (a != from || b != to) continue;
    connector.set("status", std::string(to));
    return ok_status();
  }
  return refused("Invalid transition attempt from [" + from + "] to [" + std::string(to) +
                 "]. Such a state transition is not supported by the Connector Protocol.");
}

}  // namespace cairn::connectors
