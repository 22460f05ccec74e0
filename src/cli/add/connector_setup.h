// SPDX-License-Identifier: Apache-2.0
// The connector of a folder: who has its name, and making it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/connection.h"

namespace cairn::cli {

/// Who has a name on the server.
enum class NameHolder { nobody, connector_of_folder, uploaded_folder };

/// Looks for a connector and an index of that name. Errors: already_exists where another folder,
/// another kind of connector or an index of one's own has it, with who does; what the server
/// refuses.
Result<NameHolder> holder_of_name(Connection& connection, const std::string& name,
                                  const std::string& folder);

struct ConnectorWishes {
  std::string name;  // of connector and index
  std::string folder;
  bool watch = false;
  std::optional<std::string> cron = {};  // of incremental syncs
};

/// Makes the connector where it is not there, sets what is wished, and starts a sync, or finds the
/// one that goes on. The id of the job. What was set before and is not wished now stays.
Result<std::string> set_up_connector(Connection& connection, const ConnectorWishes& wishes,
                                     bool is_there);

}  // namespace cairn::cli
