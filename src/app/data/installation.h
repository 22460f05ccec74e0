// SPDX-License-Identifier: Apache-2.0
// What tells one installation from another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/indices.h"
#include "os/clock.h"
#include "os/random.h"
#include "store/store.h"

namespace cairn::app {

struct Installation {
  std::string cluster_uuid;  // 22 url-safe characters, drawn at the first start
  std::string node_id;
  std::int64_t installed_ms = 0;
};

/// Reads the record "installation", or makes it.
Result<Installation> open_installation(store::Store& store, const os::Clock& clock,
                                       os::Random& random, const os::Deadline& deadline);

/// Names of the indices whose mapping names an inference endpoint.
std::vector<std::string> indices_that_name(const index::Indices& indices, std::string_view endpoint);

}  // namespace cairn::app
