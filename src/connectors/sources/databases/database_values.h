// SPDX-License-Identifier: Apache-2.0
// What the configurations of database sources have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connectors/outreach.h"
#include "format/json.h"

namespace cairn::connectors {

struct DatabasePlace {
  std::string host = {};
  std::uint16_t port = 0;
  std::string database = {};
  std::string user = {};
  std::string password = {};
  std::string sslmode = {};  // verify-full, require, disable
};

struct DatabaseValues {
  DatabasePlace place = {};
  std::string rows = {};   // what follows FROM; its rows are "r"
  std::string table = {};  // quoted; empty where there is a query
  std::vector<std::string> key = {};
  std::string cursor = {};
};

/// What a kind of database calls its own. `quoted_name`: a name as a statement has it.
struct DatabaseDialect {
  std::int64_t port;
  std::string (*quoted_name)(std::string_view);
};

/// `host`, `port`, `database`, `user`, `password`, `sslmode`, `table`, `query`, `key`, `cursor`,
/// `error_budget`.
Json database_schema(const DatabaseDialect& dialect);
/// Errors: action_request_validation_exception, status_exception (a host that nobody allows).
Result<DatabaseValues> database_values(const Json& configuration, const DatabaseDialect& dialect,
                                       const Outreach& outreach);

}  // namespace cairn::connectors
