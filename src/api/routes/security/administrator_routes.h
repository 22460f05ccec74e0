// SPDX-License-Identifier: Apache-2.0
// Rows of the table of routes below /_security that are for administrators only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gate/route.h"

namespace cairn::api {

/// The row with the privileges that it asks: looking needs less than changing.
inline gate::Route for_administrators(gate::Route route) {
  route.cluster = route.method == "GET"
                      ? std::vector<std::string>{"read_security", "manage_security"}
                      : std::vector<std::string>{"manage_security"};
  route.since = "9.0.0";
  return route;
}

}  // namespace cairn::api
