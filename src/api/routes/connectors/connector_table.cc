// SPDX-License-Identifier: Apache-2.0
#include "api/routes/connectors/connector_table.h"

#include "connectors/errors.h"

namespace cairn::api {
namespace {

constexpr std::string_view index_of_connectors = ".elastic-connectors-v1";
constexpr std::string_view index_of_jobs = ".elastic-connectors-sync-jobs-v1";
constexpr std::int64_t connector_window_max = 10'000;

}  // namespace

gate::Route connector_row(std::string method, std::string path, std::string operation,
                          ConnectorNeeds needs, std::string summary, bool job) {
  const bool writes = needs == ConnectorNeeds::write;
  return {.method = std::move(method),
          .path = std::move(path),
          .operation = std::move(operation),
          .cluster = writes ? std::vector<std::string>{"manage_connector"}
                            : std::vector<std::string>{"monitor_connector"},
          .index_privilege = writes ? "write" : "read",
          .fixed_index = std::string(job ? index_of_jobs : index_of_connectors),
          .stability = gate::Stability::beta,
          .since = "8.12.0",
          .summary = std::move(summary)};
}

Reply connector_changed(bool yes) {
  return Reply::json(Json::object({{"result", yes ? "updated" : "noop"}}));
}

Reply connector_done() { return Reply::json(Json::object({{"acknowledged", true}})); }

Json counted_results(std::size_t count, std::vector<Json> results) {
  return Json::object({{"count", static_cast<std::int64_t>(count)},
                       {"results", Json(Json::Array(std::move(results)))}});
}

Result<ConnectorWindow> connector_window(const Call& call) {
  CAIRN_TRY(const auto from, call.integer("from", 0));
  CAIRN_TRY(const auto size, call.integer("size", 100));
  if (from < 0 || size < 0) return connectors::invalid("[from] and [size] must not be negative");
  if (from + size > connector_window_max)
    return connectors::bad_argument("[from] + [size] must be at most " +
                                    std::to_string(connector_window_max) + ", got " +
                                    std::to_string(from + size));
  return ConnectorWindow{static_cast<std::size_t>(from), static_cast<std::size_t>(size)};
}

std::vector<gate::Parameter> with_connector_window(std::vector<gate::Parameter> more) {
  const gate::Parameter window[] = {{"from", "integer", "Results to skip; 0 where absent."},
                                    {"size", "integer", "Results to give; 100 where absent."}};
  more.insert(more.begin(), std::begin(window), std::end(window));
  return more;
}

}  // namespace cairn::api
