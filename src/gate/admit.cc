// SPDX-License-Identifier: Apache-2.0
// Privileges of a row against rights of a key, and the wording of a refusal.
#include "gate/admit.h"

#include <algorithm>

#include "base/strings.h"
#include "gate/identify.h"

namespace cairn::gate {
namespace {

/// The grants of several alternatives, each once, in order.
std::vector<std::string> grants_of(const std::vector<std::string>& privileges) {
  std::vector<std::string> out;
  for (const auto& privilege : privileges)
    for (auto& name : auth::cluster_grants(privilege)) {
      out.erase(std::remove(out.begin(), out.end(), name), out.end());
      out.push_back(std::move(name));
    }
  return out;
}

std::string denied(const Route& route, const Caller& caller) {
  return "action [" + action_of(route) + "] is unauthorized for API key id [" + caller.key().id +
         "] of user [" + caller.key().username + "]";
}

Error refuse(std::string message) {
  return {ErrorKind::permission_denied, "security_exception", std::move(message)};
}

std::string_view index_parameter(const PathParameters& parameters) {
  for (const auto& [name, value] : parameters)
    if (name == "index") return value;
  return {};
}

bool is_wildcard(std::string_view name) {
  return name.empty() || name == "_all" || name.find('*') != std::string_view::npos;
}

/// A key whose roles hide documents of an index reads it through rows that leave them out, alone.
bool shows_hidden(const Route& route, const Caller& caller, std::string_view privilege,
                  std::string_view index) {
  return privilege == "read" && !route.filters_documents && !caller.reads_all_of(index);
}

/// What a key may not do with the indices that a path names.
struct Denied {
  std::vector<std::string> indices = {};  // that the caller may not use so; "*": all
  std::vector<std::string> narrowed = {};  // that it may, of which the row would show too much
};

Denied denied_indices(const Route& route, const Caller& caller, const PathParameters& parameters) {
  Denied out;
  const std::string& privilege = route.index_privilege;
  const auto check = [&](std::string_view name) {
    if (route.filters_indices && is_wildcard(name) && caller.may_some_index(privilege)) return;
    const std::string_view told = name.empty() ? "*" : name;
    if (!caller.may_index(privilege, name))
      out.indices.emplace_back(told);
    else if (shows_hidden(route, caller, privilege, name))
      out.narrowed.emplace_back(told);
  };
  if (!route.fixed_index.empty()) {
    check(route.fixed_index);
    return out;
  }
  for (const auto name : split(index_parameter(parameters), ',')) {
    if (!name.empty() && name.front() == '-') continue;  // takes away from what others named
    check(name);
  }
  return out;
}

Error would_show_hidden(const Route& route, const Caller& caller, const std::string& indices) {
  return refuse(denied(route, caller) + " on indices [" + indices +
                "], of which a query in its role descriptors hides documents that this action "
                "cannot leave out; search, count or get documents instead");
}

/// Of a caller without rights of its own.
Error not_public(const Route& route, const Caller& caller, std::string_view path) {
  if (caller.anonymous()) return missing_credentials(path.empty() ? route.path : path);
  return refuse("action [" + action_of(route) + "] is unauthorized for [" +
                caller.counted_as().account + "], which may use public data only");
}

Status admit_public(const Route& route, const Caller& caller, const PathParameters& parameters,
                    std::string_view path) {
  if (route.public_data) return ok_status();
  const auto names = split(index_parameter(parameters), ',');
  const bool only_takes_away =
      !names.empty() &&
      std::all_of(names.begin(), names.end(), [](auto name) { return name.starts_with('-'); });
  const bool reads_indices = !only_takes_away && reads_only(route) && route.cluster.empty() &&
                             !route.index_privilege.empty() && route.fixed_index.empty();
  if (reads_indices && denied_indices(route, caller, parameters).indices.empty())
    return ok_status();
  return not_public(route, caller, path);
}

}  // namespace

std::string action_of(const Route& route) {
  if (!route.action.empty()) return route.action;
  std::string path = route.operation;
  std::replace(path.begin(), path.end(), '.', '/');
  if (!route.cluster.empty()) {
    const std::string& first = route.cluster.front();
    const bool looks = first.starts_with("monitor") || first.starts_with("read");
    return (looks ? "cluster:monitor/" : "cluster:admin/") + path;
  }
  const std::string& privilege = route.index_privilege;
  if (privilege == "read") return "indices:data/read/" + path;
  if (privilege == "write" || privilege == "index" || privilege == "create" ||
      privilege == "create_doc" || privilege == "delete")
    return "indices:data/write/" + path;
  if (privilege == "monitor") return "indices:monitor/" + path;
  return "indices:admin/" + path;
}

Status admit(const Route& route, const Caller& caller, const PathParameters& parameters,
             std::string_view path) {
  if (route.open) return ok_status();
  if (caller.public_only()) return admit_public(route, caller, parameters, path);
  const bool by_cluster =
      std::any_of(route.cluster.begin(), route.cluster.end(),
                  [&](const std::string& name) { return caller.may_cluster(name); });
  if (by_cluster) return ok_status();
  if (route.index_privilege.empty()) {
    // A row that names no privilege asks for credentials only.
    if (route.cluster.empty()) return ok_status();
    return refuse(denied(route, caller) + ", this action is granted by the cluster privileges [" +
                  join(grants_of(route.cluster), ",") + "]");
  }
  const auto [indices, narrowed] = denied_indices(route, caller, parameters);
  if (indices.empty() && narrowed.empty()) return ok_status();
  if (indices.empty()) return would_show_hidden(route, caller, join(narrowed, ","));
  if (!route.cluster.empty())
    return refuse(denied(route, caller) + ", this action is granted by the cluster privileges [" +
                  join(grants_of(route.cluster), ",") + "], or by the index privileges [" +
                  join(auth::index_grants(route.index_privilege), ",") + "] on indices [" +
                  join(indices, ",") + "]");
  return refuse(denied(route, caller) + " on indices [" + join(indices, ",") +
                "], this action is granted by the index privileges [" +
                join(auth::index_grants(route.index_privilege), ",") + "]");
}

Status admit_index(const Route& route, const Caller& caller, std::string_view privilege,
                   std::string_view index, std::string_view path) {
  if (caller.may_index(privilege, index))
    return shows_hidden(route, caller, privilege, index)
               ? Status(would_show_hidden(route, caller, std::string(index)))
               : ok_status();
  if (caller.public_only()) return not_public(route, caller, path);
  return refuse(denied(route, caller) + " on indices [" + std::string(index) +
                "], this action is granted by the index privileges [" +
                join(auth::index_grants(privilege), ",") + "]");
}

Status admit_whole(const Route& route, const Caller& caller, std::string_view index) {
  if (caller.document_filter(index) == nullptr) return ok_status();
  return would_show_hidden(route, caller, std::string(index));
}

bool admits_index(const Route& route, const Caller& caller, std::string_view index) {
  for (const auto& privilege : route.cluster)
    if (caller.may_cluster(privilege)) return true;
  const std::string& privilege = route.index_privilege;
  return caller.may_index(privilege, index) && !shows_hidden(route, caller, privilege, index);
}

}  // namespace cairn::gate
