// SPDX-License-Identifier: Apache-2.0
// The table of routes as an OpenAPI document, with what src/api/schemas says of bodies and answers.
#pragma once

#include <string>
#include <vector>

#include "format/json.h"
#include "gate/route.h"

namespace cairn::api {

/// {"cluster": [...], "index": ..., "on": ...}, as a row asks for them; empty for an open row.
Json shown_privileges(const gate::Route& route);
/// OpenAPI 3.1. Takes milliseconds for each hundred rows.
Json openapi_document(const std::vector<gate::Route>& routes, const std::string& version,
                      const std::string& base_path);

}  // namespace cairn::api
