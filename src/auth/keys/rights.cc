// SPDX-License-Identifier: Apache-2.0
// Role descriptors to bit sets, and the questions asked of them.
#include "auth/keys/rights.h"

#include <algorithm>

#include "auth/errors.h"
#include "auth/keys/document_query.h"
#include "base/strings.h"

namespace cairn::auth {
namespace {

/// * is any run of characters, ? one. A wildcard in `text` is matched by * alone, so that a match
/// means that the pattern covers all that `text` stands for.
bool covers(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    const bool wild = text[t] == '*';
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && !wild && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Error wrong_member(const std::string& role, std::string_view member, std::string_view wanted) {
  return illegal_argument("failed to parse role descriptor [" + role + "]. field [" +
                          std::string(member) + "] must be " + std::string(wanted));
}

Result<std::vector<std::string>> strings_of(const std::string& role, std::string_view member,
                                            const Json& value) {
  std::vector<std::string> out;
  if (value.is_string()) return std::vector<std::string>{value.as_string()};
  if (!value.is_array()) return wrong_member(role, member, "an array of strings");
  for (const auto& element : value.as_array()) {
    if (!element.is_string()) return wrong_member(role, member, "an array of strings");
    out.push_back(element.as_string());
  }
  return out;
}

Result<PrivilegeSet> privileges_of(Scope scope, const std::vector<std::string>& names) {
  PrivilegeSet out;
  for (const auto& given : names) {
    const std::string name = lower_ascii(given);
    const auto number = privilege_number(scope, name);
    if (!number) {
      const auto& known = scope == Scope::cluster ? cluster_privileges() : index_privileges();
      const auto near = nearest(name, known);
      return illegal_argument(
          std::string("unknown ") + (scope == Scope::cluster ? "cluster" : "index") +
          " privilege [" + given + "]. a privilege must be one of the predefined names [" +
          join(known, ",") + "]" + (near ? ", did you mean [" + *near + "]?" : ""));
    }
    out |= implied_by(scope, *number);
  }
  return out;
}

bool is_blank(const Json& value) {
  return value.is_null() || (value.is_array() && value.as_array().empty()) ||
         (value.is_object() && value.as_object().empty());
}

}  // namespace

Result<Rights> Rights::parse(const Json& role_descriptors, const Json& user) {
  Rights rights;
  if (role_descriptors.is_null()) return rights;
  if (!role_descriptors.is_object())
    return illegal_argument("[role_descriptors] must be an object of role descriptors by name");
  for (const auto& [name, role] : role_descriptors.as_object())
    CAIRN_CHECK(rights.add_role(name, role, user));
  return rights;
}

Rights Rights::all() {
  Rights rights;
  rights.cluster_ = implied_by(Scope::cluster, *privilege_number(Scope::cluster, "all"));
  rights.indices_.push_back(
      {.names = {"*"},
       .privileges = implied_by(Scope::index, *privilege_number(Scope::index, "all")),
       .restricted_too = true});
  return rights;
}

Status Rights::add_role(const std::string& name, const Json& role, const Json& user) {
  if (!role.is_object()) return wrong_member(name, name, "an object");
  for (const auto& [member, value] : role.as_object()) {
    if (member == "cluster") {
      CAIRN_TRY(const auto names, strings_of(name, member, value));
      CAIRN_TRY(const auto held, privileges_of(Scope::cluster, names));
      cluster_ |= held;
    } else if (member == "indices" || member == "index") {
      if (!value.is_array()) return wrong_member(name, member, "an array");
      for (const auto& entry : value.as_array()) CAIRN_CHECK(add_indices(name, entry, user));
    } else if (member == "applications" || member == "run_as" || member == "remote_indices" ||
               member == "remote_cluster" || member == "global" || member == "restriction") {
      if (!is_blank(value))
        return illegal_argument("role descriptor [" + name + "]: [" + member +
                                "] cannot be enforced by this server; leave it out or empty");
    } else if (member != "metadata" && member != "transient_metadata" && member != "description") {
      return illegal_argument("failed to parse role [" + name + "]. unexpected field [" + member +
                              "]");
    }
  }
  return ok_status();
}

Status Rights::add_indices(const std::string& role, const Json& entry, const Json& user) {
  if (!entry.is_object()) return wrong_member(role, "indices", "an array of objects");
  OnIndices on;
  bool privileges = false;
  for (const auto& [member, value] : entry.as_object()) {
    if (member == "names") {
      CAIRN_TRY(on.names, strings_of(role, member, value));
    } else if (member == "privileges") {
      CAIRN_TRY(const auto names, strings_of(role, member, value));
      CAIRN_TRY(on.privileges, privileges_of(Scope::index, names));
      privileges = true;
    } else if (member == "query") {
      if (is_blank(value)) continue;
      CAIRN_TRY(Json query, read_document_query(value, user));
      query_bytes_ += query.dump().size();
      on.query = std::make_shared<const Json>(std::move(query));
    } else if (member == "field_security") {
      if (!is_blank(value))
        return illegal_argument("role descriptor [" + role + "]: [" + member +
                                "] of an index privilege cannot be enforced by this server; leave "
                                "it out");
    } else if (member == "allow_restricted_indices") {
      on.restricted_too = value.is_bool() && value.as_bool();
    } else {
      return illegal_argument("failed to parse indices privileges for role [" + role +
                              "]. unexpected field [" + member + "]");
    }
  }
  if (on.names.empty())
    return illegal_argument("failed to parse indices privileges for role [" + role +
                            "]. missing required [names] field");
  if (!privileges)
    return illegal_argument("failed to parse indices privileges for role [" + role +
                            "]. missing required [privileges] field");
  for (const auto& name : on.names) {
    if (name.empty() || name.front() == '/')
      return illegal_argument("role descriptor [" + role + "]: the index name [" + name +
                              "] must be a name or a pattern with * and ?");
  }
  indices_.push_back(std::move(on));
  return ok_status();
}

bool Rights::cluster(std::string_view privilege) const {
  const auto number = privilege_number(Scope::cluster, privilege);
  return number && cluster_.test(*number);
}

bool Rights::OnIndices::admits(std::size_t privilege, std::string_view index) const {
  if (!privileges.test(privilege)) return false;
  if (index.empty() || index == "_all") index = "*";
  const bool restricted = index.starts_with(restricted_prefix);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return (!restricted || restricted_too || name.front() == '.') && covers(name, index);
  });
}

bool Rights::index(std::string_view privilege, std::string_view index) const {
  const auto number = privilege_number(Scope::index, privilege);
  return number && std::any_of(indices_.begin(), indices_.end(), [&](const OnIndices& on) {
           return on.admits(*number, index);
         });
}

bool Rights::reads_all_of(std::string_view index) const {
  const std::size_t read = *privilege_number(Scope::index, "read");
  return std::any_of(indices_.begin(), indices_.end(), [&](const OnIndices& on) {
    return on.query == nullptr && on.admits(read, index);
  });
}

std::vector<std::shared_ptr<const Json>> Rights::queries_of(std::string_view index) const {
  const std::size_t read = *privilege_number(Scope::index, "read");
  std::vector<std::shared_ptr<const Json>> out;
  for (const OnIndices& on : indices_)
    if (on.query != nullptr && on.admits(read, index)) out.push_back(on.query);
  return out;
}

bool Rights::reads_only() const {
  if (cluster_.any()) return false;
  PrivilegeSet reading;
  for (const std::string_view name : {"read", "view_index_metadata"})
    reading |= implied_by(Scope::index, *privilege_number(Scope::index, name));
  return std::all_of(indices_.begin(), indices_.end(), [&](const OnIndices& one) {
    return (one.privileges & ~reading).none();
  });
}

bool Rights::some_index(std::string_view privilege) const {
  const auto number = privilege_number(Scope::index, privilege);
  return number && std::any_of(indices_.begin(), indices_.end(), [&](const OnIndices& on) {
           return on.privileges.test(*number);
         });
}

Result<Json> filled_roles(const Json& role_descriptors, const Json& user) {
  Json out = role_descriptors;
  if (!out.is_object()) return out;
  for (auto& [name, role] : out.as_object())
    for (const auto* member : {"indices", "index"}) {
      Json* entries = role.find(member);
      if (entries == nullptr || !entries->is_array()) continue;
      for (Json& entry : entries->as_array()) {
        const Json* query = entry.find("query");
        if (query == nullptr || is_blank(*query)) continue;
        CAIRN_TRY(Json filled, read_document_query(*query, user));
        entry.set("query", std::move(filled));
      }
    }
  return out;
}

Json normalized_roles(const Json& role_descriptors) {
  Json out = Json::object();
  if (!role_descriptors.is_object()) return out;
  for (const auto& [name, role] : role_descriptors.as_object()) {
    const auto list = [&role](std::string_view member) {
      const Json* value = role.find(member);
      if (value == nullptr || value->is_null()) return Json::array();
      return value->is_string() ? Json::array({*value}) : *value;
    };
    Json indices = Json::array();
    const Json given = role.find("indices") != nullptr ? list("indices") : list("index");
    for (const auto& entry : given.as_array()) {
      const auto strings = [&entry](std::string_view member) {
        const Json* value = entry.find(member);
        return value != nullptr && value->is_string() ? Json::array({*value}) : *value;
      };
      Json shown = Json::object({{"names", strings("names")}, {"privileges", strings("privileges")}});
      if (const Json* query = entry.find("query"); query != nullptr && !is_blank(*query))
        shown.set("query", *query);
      shown.set("allow_restricted_indices", entry.bool_or("allow_restricted_indices", false));
      indices.push(std::move(shown));
    }
    const Json* metadata = role.find("metadata");
    out.set(name, Json::object(
                      {{"cluster", list("cluster")},
                       {"indices", std::move(indices)},
                       {"applications", Json::array()},
                       {"run_as", Json::array()},
                       {"metadata",
                        metadata != nullptr && metadata->is_object() ? *metadata : Json::object()},
                       {"transient_metadata", Json::object({{"enabled", true}})}}));
  }
  return out;
}

}  // namespace cairn::auth
