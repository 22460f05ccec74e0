// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/databases/database_values.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "connectors/configuration.h"
#include "connectors/errors.h"

namespace cairn::connectors {
namespace {

const std::vector<std::string> tls_modes = {"verify-full", "require", "disable"};

std::string quoted_table(const std::string& table, const DatabaseDialect& dialect) {
  std::string out;
  for (const auto part : split(table, '.'))
    out += (out.empty() ? "" : ".") + dialect.quoted_name(part);
  return out;
}

Result<DatabasePlace> place_of(const Json& configuration, const DatabaseDialect& dialect,
                               const Outreach& outreach) {
  DatabasePlace out;
  CAIRN_TRY(out.host, required_text(configuration, "host", "a server"));
  if (out.host.find_first_of(",/ ") != std::string::npos)
    return invalid("[host] must be one name or address; sockets of the system are not offered");
  CAIRN_TRY(const std::int64_t port,
            configured_number(configuration, "port", dialect.port, 1, 65'535));
  out.port = static_cast<std::uint16_t>(port);
  CAIRN_CHECK(outreach.check_host("host", out.host, out.port));
  CAIRN_TRY(out.database, required_text(configuration, "database", "a database"));
  CAIRN_TRY(out.user, required_text(configuration, "user", "a user of the database"));
  CAIRN_TRY(out.password, configured_text(configuration, "password"));
  CAIRN_TRY(out.sslmode, configured_text(configuration, "sslmode", "verify-full"));
  if (std::find(tls_modes.begin(), tls_modes.end(), out.sslmode) == tls_modes.end())
    return invalid("[sslmode] must be one of " + join(tls_modes, ", "));
  return out;
}

}  // namespace

Json database_schema(const DatabaseDialect& dialect) {
  return Json::object(
      {{"host", configuration_entry({.label = "Host", .order = 1, .required = true})},
       {"port",
        configuration_entry({.label = "Port", .type = "int", .value = dialect.port, .order = 2})},
       {"database", configuration_entry({.label = "Database", .order = 3, .required = true})},
       {"user", configuration_entry({.label = "User", .order = 4, .required = true})},
       {"password", configuration_entry({.label = "Password", .order = 5, .sensitive = true})},
       {"sslmode", configuration_entry({.label = "TLS",
                                        .tooltip = "verify-full asks the system's authorities",
                                        .value = "verify-full",
                                        .order = 6,
                                        .options = tls_modes})},
       {"table", configuration_entry({.label = "Table or view",
                                      .tooltip = "name or schema.name; or give a query",
                                      .order = 7})},
       {"query", configuration_entry(
                     {.label = "Query", .tooltip = "A SELECT, instead of a table", .order = 8})},
       {"key", configuration_entry({.label = "Key columns",
                                    .type = "list",
                                    .tooltip = "Empty: the table's primary key",
                                    .order = 9})},
       {"cursor", configuration_entry({.label = "Cursor column",
                                       .tooltip = "Grows with every change of a row",
                                       .order = 10})},
       {std::string(error_budget_field), error_budget_entry(11)}});
}

Result<DatabaseValues> database_values(const Json& configuration, const DatabaseDialect& dialect,
                                       const Outreach& outreach) {
  DatabaseValues out;
  CAIRN_TRY(out.place, place_of(configuration, dialect, outreach));
  CAIRN_TRY(out.table, configured_text(configuration, "table"));
  CAIRN_TRY(const std::string query, configured_text(configuration, "query"));
  if (out.table.empty() == query.empty())
    return invalid("one of [table] and [query] must be given");
  CAIRN_TRY(out.key, configured_list(configuration, "key"));
  if (!query.empty() && out.key.empty())
    return invalid("[key] must name the columns of the query that tell its rows apart");
  CAIRN_TRY(out.cursor, configured_text(configuration, "cursor"));
  if (query.empty()) {
    out.table = quoted_table(out.table, dialect);
    out.rows = out.table + " r";
  } else {
    // A line end, so that a remark at the end of the query does not hide what follows.
    out.rows = "(" + query + "\n) r";
  }
  return out;
}

}  // namespace cairn::connectors
