// SPDX-License-Identifier: Apache-2.0
// The order of the checks, and what the audit log is told.
#include "gate/gate.h"

#include "gate/admit.h"
#include "gate/identify.h"

namespace cairn::gate {
namespace {

/// A change of the house itself: keys, endpoints, connectors, repositories, indices. Documents and
/// looks are not written down.
bool is_change(const Route& route) {
  if (route.method == "GET" || route.method == "HEAD") return false;
  if (route.cluster.empty())
    return route.index_privilege == "create_index" || route.index_privilege == "delete_index" ||
           route.index_privilege == "manage";
  const std::string& first = route.cluster.front();
  return !first.starts_with("monitor") && !first.starts_with("read");
}

}  // namespace

Result<Caller> Gate::who(const net::RequestHead& head) const {
  return identify(head.headers, head.path(), keys_);
}

Status Gate::pass(const Route& route, const Caller& caller,
                  const PathParameters& parameters) const {
  return admit(route, caller, parameters);
}

void Gate::record(const net::Exchange& exchange, const Route* route, const Caller& caller,
                  int status, const Error* error) const {
  AuditEvent event{.action = {}, .method = exchange.head.method, .path = exchange.head.path()};
  if (error != nullptr && error->kind == ErrorKind::unauthenticated)
    event.action = "authentication_failed";
  else if (error != nullptr && error->kind == ErrorKind::permission_denied)
    event.action = "access_denied";
  else if (error == nullptr && route != nullptr && is_change(*route))
    event.action = "access_granted";
  else
    return;
  if (route != nullptr) event.operation = route->operation;
  event.origin = exchange.head.peer_address;
  event.request_id = exchange.request_id;
  if (!caller.anonymous()) {
    event.username = caller.username();
    event.key_id = caller.key().id;
    event.key_name = caller.key().name;
  }
  event.status = status;
  if (error != nullptr) {
    event.reason = error->message;
    for (const auto& [name, value] : error->details)
      if (name == "additional_unsuccessful_credentials") event.reason = value;
  }
  audit_.write(event);
}

}  // namespace cairn::gate
