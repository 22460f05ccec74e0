// SPDX-License-Identifier: Apache-2.0
// Collects the routes of the platform with their handlers. Each resource has a function
// add_<resource>_routes(Router&, its services...) in <resource>_routes.{h,cc}.
#pragma once

#include <vector>

#include "api/call.h"
#include "gate/route.h"

namespace cairn::api {

class Router {
 public:
  /// Adds one row. Two rows with the same method and the same shape of path are a bug and abort.
  /// Where two templates fit a path, the one with a literal segment earlier wins.
  void add(gate::Route route, Handler handler);

  const std::vector<gate::Route>& routes() const { return routes_; }
  /// Handlers, in the order of routes().
  const std::vector<Handler>& handlers() const { return handlers_; }

 private:
  std::vector<gate::Route> routes_;
  std::vector<Handler> handlers_;
};

}  // namespace cairn::api
