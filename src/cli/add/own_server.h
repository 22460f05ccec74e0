// SPDX-License-Identifier: Apache-2.0
// A server of this user, started by `cairn add --serve`.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/connection.h"

namespace cairn::cli {

struct OwnServer {
  std::string url;
  std::string key_file;
  std::string log_file;
  int process_id = 0;
};

/// Starts this program as a server that outlives this process, with its data in user_data_folder
/// and its configuration, which is written where there is none, in user_settings_folder; waits
/// until it is ready. `url` is where it is to listen, as "http://127.0.0.1:9200" (and the object
/// storage at a free port); nothing: where the configuration says. Errors: invalid_argument (no
/// home; an address that is none, or not of this machine); unavailable with the last lines of its
/// log.
Result<OwnServer> start_own_server(const Environment& environment,
                                   const std::optional<std::string>& url);

}  // namespace cairn::cli
