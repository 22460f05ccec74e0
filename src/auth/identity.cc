// SPDX-License-Identifier: Apache-2.0
// Checks each kind of identity against the facts that it may have.
#include "auth/identity.h"

#include <algorithm>
#include <string>
#include <vector>

#include "auth/errors.h"
#include "base/strings.h"

namespace cairn::auth {
namespace {

struct Kind {
  std::string name;
  std::string account;  // the prefix of account_of
  std::string id;       // the required member
  std::vector<std::string> facts;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"user", "user", "user", {"enterprise"}},
      {"oauth_user", "user", "user", {"enterprise"}},
      {"app_user", "user", "user", {"enterprise"}},
      {"installation", "inst", "id", {"enterprise", "repos", "users", "organization"}},
      {"oauth_app", "app", "id", {"enterprise"}},
      {"workflow", "wf", "repo", {"enterprise"}},
  };
  return all;
}

const Kind* kind_of(std::string_view name) {
  for (const auto& kind : kinds())
    if (kind.name == name) return &kind;
  return nullptr;
}

Error fault(std::string_view member, std::string_view text) {
  return illegal_argument("[_cairn.identity." + std::string(member) + "] " + std::string(text));
}

bool is_id(const Json& value) {
  if (value.is_integer()) return value.as_int() >= 0;
  return value.is_string() && !value.as_string().empty() && value.as_string().size() <= 256;
}

Status check_fact(const std::string& name, const Json& value) {
  if (name == "enterprise" || name == "organization")
    return value.is_bool() ? ok_status() : fault(name, "must be true or false");
  const bool count = value.is_integer() && value.as_int() >= 0;
  return count ? ok_status() : fault(name, "must be an integer that is not negative");
}

}  // namespace

Status validate_identity(const Json& identity) {
  if (!identity.is_object()) return illegal_argument("[_cairn.identity] must be an object");
  const Json* given = identity.find("kind");
  if (given == nullptr || !given->is_string())
    return illegal_argument("[_cairn.identity] needs a [kind]");
  const Kind* kind = kind_of(given->as_string());
  if (kind == nullptr) {
    std::vector<std::string> names;
    for (const auto& k : kinds()) names.push_back(k.name);
    return fault("kind",
                 "is [" + given->as_string() + "]; it must be one of [" + join(names, ", ") + "]");
  }
  const Json* id = identity.find(kind->id);
  if (id == nullptr)
    return fault(kind->id, "is required for an identity of kind [" + kind->name + "]");
  if (!is_id(*id)) return fault(kind->id, "must be a string or an integer that is not negative");
  for (const auto& [name, value] : identity.as_object()) {
    if (name == "kind" || name == kind->id) continue;
    if (std::find(kind->facts.begin(), kind->facts.end(), name) == kind->facts.end())
      return fault(name, "is no fact of kind [" + kind->name + "], which has [" +
                             join(kind->facts, ", ") + "]");
    CAIRN_CHECK(check_fact(name, value));
  }
  return ok_status();
}

std::string account_of(const Json& identity) {
  const Kind* kind = kind_of(identity.string_or("kind"));
  if (kind == nullptr) return {};
  const Json* id = identity.find(kind->id);
  if (id == nullptr) return {};
  return kind->account + ":" + (id->is_string() ? id->as_string() : id->dump());
}

}  // namespace cairn::auth
