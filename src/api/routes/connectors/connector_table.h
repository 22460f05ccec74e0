// SPDX-License-Identifier: Apache-2.0
// What the rows of connectors share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/router.h"
#include "auth/keys/keys.h"
#include "connectors/service.h"
#include "format/json.h"

namespace cairn::api {

using ConnectorFace = Result<Reply> (*)(Call&, connectors::Service&);

/// Adds rows whose handlers get the service.
class ConnectorTable {
 public:
  /// Both outlive the table.
  ConnectorTable(Router& router, ServiceRef<connectors::Service> service)
      : router_(router), service_(service) {}
  void add(gate::Route route, ConnectorFace face) {
    router_.add(std::move(route),
                [face, service = service_](Call& call) { return face(call, *service); });
  }

 private:
  Router& router_;
  ServiceRef<connectors::Service> service_;
};

enum class ConnectorNeeds { read, write };

/// A row with the columns that all rows of connectors share; `job`: of sync jobs.
gate::Route connector_row(std::string method, std::string path, std::string operation,
                          ConnectorNeeds needs, std::string summary, bool job = false);

Reply connector_changed(bool yes);
Reply connector_done();
Json counted_results(std::size_t count, std::vector<Json> results);

struct ConnectorWindow {
  std::size_t from = 0;
  std::size_t size = 100;
};

/// [from] and [size] of a request. Errors: negative ones; 400 beyond 10,000 results.
Result<ConnectorWindow> connector_window(const Call& call);
/// The two parameters, and more.
std::vector<gate::Parameter> with_connector_window(std::vector<gate::Parameter> more);

// The groups of rows, a file each.
void add_connector_sources(ConnectorTable& table);
void add_connector_key_events(Router& router, ServiceRef<connectors::Service> service,
                              ServiceRef<auth::Keys> keys);
void add_connector_secrets(ConnectorTable& table);
void add_sync_jobs(ConnectorTable& table);

}  // namespace cairn::api
