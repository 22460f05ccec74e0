// SPDX-License-Identifier: Apache-2.0
// Checks each kind of identity against the members that it has.
#include "ratelimit/identity.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"

namespace cairn::ratelimit {
namespace {

struct Row {
  IdentityKind kind;
  std::string_view name;
  std::string_view bucket;  // the prefix of the account
  std::string_view id;      // the member that names it
  bool id_required;
  std::vector<std::string_view> facts;
};

const std::vector<Row>& rows() {
  static const std::vector<std::string_view> of_users = {"enterprise_member",
                                                         "app_owner_enterprise", "app_approved"};
  static const std::vector<Row> all = {
      {IdentityKind::user, "user", "user", "user", false, of_users},
      {IdentityKind::user, "key", "key", "id", true, {}},
      {IdentityKind::oauth_user, "oauth_user", "user", "user", false, of_users},
      {IdentityKind::app_user, "app_user", "user", "user", false, of_users},
      {IdentityKind::installation,
       "installation",
       "inst",
       "id",
       true,
       {"repositories", "users", "organization", "resource_enterprise"}},
      {IdentityKind::oauth_app, "oauth_app", "app", "id", true, {"app_owner_enterprise"}},
      {IdentityKind::workflow, "workflow", "wf", "repo", true, {"resource_enterprise"}},
      {IdentityKind::service, "service", "service", "id", false, {}},
  };
  return all;
}

const Row* row_of(std::string_view name) {
  const auto found = std::find_if(rows().begin(), rows().end(),
                                  [name](const Row& row) { return row.name == name; });
  return found == rows().end() ? nullptr : &*found;
}

Error fault(std::string_view member, std::string_view text) {
  return {ErrorKind::invalid_argument, "illegal_argument_exception",
          "[_cairn.identity" + (member.empty() ? "" : "." + std::string(member)) + "] " +
              std::string(text)};
}

Result<std::string> read_id(const Row& row, const Json* value, std::string_view owner) {
  if (value == nullptr) {
    if (!row.id_required && !owner.empty()) return std::string(owner);
    return fault(row.id, "is required for an identity of kind [" + std::string(row.name) + "]");
  }
  if (value->is_integer() && value->as_int() >= 0) return value->dump();
  if (value->is_string() && !value->as_string().empty() && value->as_string().size() <= 256)
    return value->as_string();
  return fault(row.id, "must be a text of up to 256 bytes or an integer that is not negative");
}

Status read_flag(std::string_view name, const Json& value, bool& into) {
  if (!value.is_bool()) return fault(name, "must be true or false");
  into = value.as_bool();
  return ok_status();
}

Status read_count(std::string_view name, const Json& value, std::uint64_t& into) {
  if (!value.is_integer() || value.as_int() < 0)
    return fault(name, "must be an integer that is not negative");
  into = static_cast<std::uint64_t>(value.as_int());
  return ok_status();
}

Status read_fact(std::string_view name, const Json& value, Facts& into) {
  if (name == "enterprise_member") return read_flag(name, value, into.enterprise_member);
  if (name == "app_owner_enterprise") return read_flag(name, value, into.app_owner_enterprise);
  if (name == "app_approved") return read_flag(name, value, into.app_approved);
  if (name == "resource_enterprise") return read_flag(name, value, into.resource_enterprise);
  if (name == "repositories") return read_count(name, value, into.repositories);
  if (name == "users") return read_count(name, value, into.users);
  if (value.is_string() && !value.as_string().empty()) {
    into.organization = true;
    return ok_status();
  }
  return read_flag(name, value, into.organization);
}

}  // namespace

std::string_view name_of(IdentityKind kind) {
  for (const Row& row : rows())
    if (row.kind == kind) return row.name;
  return "address";
}

Result<Identity> parse_identity(const Json& identity, std::string_view owner) {
  if (!identity.is_object()) return fault({}, "must be an object");
  const Json* given = identity.find("kind");
  if (given == nullptr || !given->is_string()) return fault({}, "needs a [kind]");
  const Row* row = row_of(given->as_string());
  if (row == nullptr) {
    std::vector<std::string> names;
    for (const Row& each : rows()) names.emplace_back(each.name);
    return fault("kind",
                 "is [" + given->as_string() + "]; it must be one of [" + join(names, ", ") + "]");
  }
  Identity out{.kind = row->kind};
  CAIRN_TRY(const std::string id, read_id(*row, identity.find(row->id), owner));
  out.account = std::string(row->bucket) + ":" + id;
  for (const auto& [name, value] : identity.as_object()) {
    if (name == "kind" || name == row->id) continue;
    if (std::find(row->facts.begin(), row->facts.end(), name) == row->facts.end())
      return fault(name, "is no member of kind [" + std::string(row->name) + "], which has [" +
                             join({row->facts.begin(), row->facts.end()}, ", ") + "]");
    CAIRN_CHECK(read_fact(name, value, out.facts));
  }
  return out;
}

Identity user_identity(std::string_view owner) {
  return {.kind = IdentityKind::user, .account = "user:" + std::string(owner)};
}

Identity key_identity(std::string_view key_id) {
  return {.kind = IdentityKind::user, .account = "key:" + std::string(key_id)};
}

}  // namespace cairn::ratelimit
