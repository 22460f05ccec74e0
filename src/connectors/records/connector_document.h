// SPDX-License-Identifier: Apache-2.0
// The shape of a connector's record and the moves of its status.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"

namespace cairn::connectors {

/// A record with every default, as of `now` (ISO 8601).
Json default_connector(const std::string& now);

/// Moves the status. Errors: status_exception for a move that the protocol does not know.
Status move_status(Json& connector, std::string_view to);

bool is_connector_status(std::string_view status);

/// The filtering entry whose rules let everything through.
Json default_filtering_rules(const std::string& now);

}  // namespace cairn::connectors
