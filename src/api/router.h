// SPDX-License-Identifier: Apache-2.0
// Collects the routes of the platform with their handlers. Each resource has a function
// add_<resource>_routes(Router&, its services...) in <resource>_routes.{h,cc}.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/call.h"
#include "gate/listener_gate.h"
#include "gate/route.h"

namespace cairn::api {

/// A service that handlers use once they are called, and that then outlives them. Empty where only
/// the rows are wanted: such a router answers nothing.
template <class T>
class ServiceRef {
 public:
  ServiceRef() = default;
  ServiceRef(T& service) : service_(&service) {}
  template <class Other>
  requires std::is_same_v<const Other, T> ServiceRef(ServiceRef<Other> other)
      : service_(other.operator->()) {}
  T& operator*() const { return *service_; }
  T* operator->() const { return service_; }

 private:
  T* service_ = nullptr;
};

/// What the body of a request asks for, worked out before the limits are asked, and what was
/// understood of it on the way, which the handler finds in Call::understood().
struct Weighed {
  gate::Weight weight = {};
  std::shared_ptr<const void> understood = {};
};
/// Of a row of GraphQL. Must not block, and takes time in proportion to the body.
using Weigher = std::function<Weighed(std::string_view body)>;

class Router {
 public:
  /// Adds one row. Two rows with the same method and the same shape of path are a bug and abort.
  /// Where two templates fit a path, the one with a literal segment earlier wins.
  void add(gate::Route route, Handler handler, Weigher weigher = {});

  const std::vector<gate::Route>& routes() const { return routes_; }
  /// Handlers, in the order of routes().
  const std::vector<Handler>& handlers() const { return handlers_; }
  /// The same; empty where a row has none.
  const std::vector<Weigher>& weighers() const { return weighers_; }

 private:
  std::vector<gate::Route> routes_;
  std::vector<Handler> handlers_;
  std::vector<Weigher> weighers_;
};

}  // namespace cairn::api
