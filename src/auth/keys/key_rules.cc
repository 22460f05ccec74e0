// SPDX-License-Identifier: Apache-2.0
// A key never gets more than the key that made or changed it.
#include "auth/keys/key_rules.h"

#include <algorithm>

#include "auth/errors.h"
#include "auth/keys/document_query.h"
#include "base/strings.h"

namespace cairn::auth {
namespace {

constexpr std::size_t name_bytes_max = 256;
constexpr std::size_t metadata_bytes_max = 64 << 10;

bool grants_something(const Json& role_descriptors) {
  for (const auto& [name, role] : role_descriptors.as_object()) {
    for (const auto* member : {"cluster", "indices", "index"}) {
      const Json* value = role.find(member);
      if (value != nullptr && value->is_array() && !value->as_array().empty()) return true;
      if (value != nullptr && value->is_string()) return true;
    }
  }
  return false;
}

/// True where a query of a role is a template.
bool names_user(const Json& role_descriptors) {
  return role_descriptors.dump().find("template") != std::string::npos;
}

std::vector<std::string> name_faults(const std::string& name) {
  std::vector<std::string> faults;
  if (name.empty()) return {"api key name is required"};
  if (name.size() > name_bytes_max)
    faults.push_back("api key name may not be more than 256 characters long");
  if (trim(name) != name) faults.push_back("api key name may not begin or end with whitespace");
  if (name.front() == '_') faults.push_back("api key name may not begin with an underscore");
  const bool control = std::any_of(name.begin(), name.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (control || !is_utf8(name))
    faults.push_back("api key name may not contain control characters");
  return faults;
}

Error identity_is_holders() {
  return illegal_argument(
      "[metadata._cairn.identity] of a key with an access key is that of the access key's user; "
      "leave it out");
}

}  // namespace

Status check_new_key(const NewKey& wanted, const Key& creator) {
  auto faults = name_faults(wanted.name);
  if (wanted.holder && wanted.metadata.find_path("_cairn.identity") != nullptr)
    return identity_is_holders();
  if (wanted.lifetime_ms && *wanted.lifetime_ms <= 0)
    faults.push_back("api key expiration must be greater than 0");
  if (!faults.empty()) return validation_failed(faults);
  CAIRN_CHECK(Rights::parse(wanted.role_descriptors,
                            user_of_templates(creator.username, wanted.metadata)));
  if (creator.may_cluster("manage_api_key")) return ok_status();
  const bool given =
      wanted.role_descriptors.is_object() && !wanted.role_descriptors.as_object().empty();
  if (!given || grants_something(wanted.role_descriptors))
    return illegal_argument(
        "creating derived api keys requires an explicit role descriptor that is empty (has no "
        "privileges)");
  return ok_status();
}

Result<Json> metadata_of(const Json& wanted, const Key& creator) {
  Json metadata = wanted.is_null() ? Json::object() : wanted;
  if (!metadata.is_object()) return illegal_argument("[metadata] must be an object");
  if (metadata.dump().size() > metadata_bytes_max)
    return illegal_argument("[metadata] may not be larger than 64kb");
  for (const auto& [name, value] : metadata.as_object()) {
    if (name.empty() || name.front() != '_') continue;
    if (name != "_cairn")
      return validation_failed({"API key metadata keys may not start with [_]"});
    if (!creator.may_cluster("manage_api_key"))
      return not_allowed(
          "[metadata._cairn] may only be set with the cluster privilege [manage_api_key]");
    if (!value.is_object()) return illegal_argument("[metadata._cairn] must be an object");
    for (const auto& [member, content] : value.as_object()) {
      if (member != "identity")
        return illegal_argument("[metadata._cairn] has no member [" + member +
                                "]; it has [identity]");
      CAIRN_CHECK(ratelimit::parse_identity(content, creator.username));
    }
  }
  if (metadata.find_path("_cairn.identity") != nullptr) return metadata;
  if (const Json* inherited = creator.identity(); inherited != nullptr)
    metadata.set("_cairn", Json::object({{"identity", *inherited}}));
  else if (!creator.may_cluster("manage_api_key"))  // or each new key would be a fresh allowance
    metadata.set("_cairn", Json::object({{"identity", Json::object({{"kind", "key"},
                                                                    {"id", creator.id}})}}));
  return metadata;
}

Status check_alive(const Key& key, std::int64_t now_ms) {
  if (key.invalidation_ms)
    return validation_failed({"cannot update invalidated API key [" + key.id + "]"});
  if (key.expired(now_ms))
    return validation_failed({"cannot update expired API key [" + key.id + "]"});
  return ok_status();
}

Result<std::optional<Key>> changed_key(const Key& current, const KeyChange& change,
                                       const Key& changer, std::int64_t now_ms) {
  CAIRN_CHECK(check_alive(current, now_ms));
  Key next = current;
  if (change.role_descriptors) {
    CAIRN_CHECK(Rights::parse(*change.role_descriptors,
                              user_of_templates(current.username, change.metadata.value_or(current.metadata))));
    next.role_descriptors =
        change.role_descriptors->is_null() ? Json::object() : *change.role_descriptors;
    // None would be all that the changer has.
    if (!current.access_key_id.empty() && next.role_descriptors.as_object().empty())
      next.role_descriptors = no_rights();
    next.limited_by = limits_for_children(changer);
  }
  if (change.metadata) {
    CAIRN_TRY(next.metadata, metadata_of(*change.metadata, changer));
    if (!current.access_key_id.empty() && change.metadata->find_path("_cairn.identity") != nullptr)
      return identity_is_holders();
    // Templates of queries know the metadata: whoever changes it gives no more than it has.
    if (names_user(next.role_descriptors)) next.limited_by = limits_for_children(changer);
    // What the limiter knows a key by stays until it is set anew.
    if (change.metadata->find_path("_cairn.identity") == nullptr) {
      next.metadata.erase("_cairn");
      if (const Json* kept = current.identity(); kept != nullptr)
        next.metadata.set("_cairn", Json::object({{"identity", *kept}}));
    }
  }
  if (change.lifetime_ms) {
    if (*change.lifetime_ms <= 0)
      return validation_failed({"api key expiration must be greater than 0"});
    next.expiration_ms = now_ms + *change.lifetime_ms;
  }
  const bool same = next.role_descriptors == current.role_descriptors &&
                    next.limited_by == current.limited_by && next.metadata == current.metadata &&
                    next.expiration_ms == current.expiration_ms;
  if (same) return std::optional<Key>();
  ++next.version;
  CAIRN_CHECK(next.prepare());
  return std::optional<Key>(std::move(next));
}

bool fits(const KeyFilter& filter, const Key& key, std::int64_t now_ms) {
  const auto listed = [&] {
    return std::find(filter.ids.begin(), filter.ids.end(), key.id) != filter.ids.end();
  };
  if (!filter.ids.empty() && !listed()) return false;
  if (!filter.name.empty() && !wildcard_match(filter.name, key.name)) return false;
  if (!filter.realm.empty() && filter.realm != "cairn") return false;
  if (!filter.username.empty() && filter.username != key.username) return false;
  if (!filter.owner.empty() && key.id != filter.owner && key.created_by != filter.owner)
    return false;
  return !filter.active_only || (!key.invalidation_ms && !key.expired(now_ms));
}

}  // namespace cairn::auth
