// SPDX-License-Identifier: Apache-2.0
// What can be set about the platform's REST face.
#pragma once

#include <cstddef>
#include <string>

#include "api/cors.h"
#include "base/result.h"
#include "gate/slow_log.h"

namespace cairn::api {

struct Options {
  std::string base_path = {};  // "/search": a prefix of all paths; empty: none
  std::size_t json_body_bytes_max = 10 << 20;
  std::size_t bulk_body_bytes_max = 100 << 20;
  bool access_log = false;    // a line for every request
  bool open_metrics = false;  // GET /_metrics without credentials
  CorsOptions cors = {};
  gate::SlowLogOptions slow_log = {};
  std::string cluster_name = "cairn";
  std::string node_name = "cairn-1";
  Status validate() const;
};

}  // namespace cairn::api
