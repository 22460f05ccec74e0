// SPDX-License-Identifier: Apache-2.0
// One record for each thing; whole changes one at a time, the store first. An instance goes last
// and comes first, so that a crash leaves no grant without one.
#include "auth/accounts/access_grants.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "format/json.h"
#include "os/threads/blocking.h"

namespace cairn::auth {
namespace {

constexpr std::string_view grants_prefix = "access-grants/";
constexpr std::string_view scheme = "s3://";

std::string grants_record(std::string_view account, std::string_view rest) {
  return std::string(grants_prefix) + std::string(account) + "/" + std::string(rest);
}

Error grants_error(ErrorKind kind, std::string code, std::string message) {
  return {kind, std::move(code), std::move(message)};
}

Error invalid_grant(std::string message) {
  return grants_error(ErrorKind::invalid_argument, "InvalidRequest", std::move(message));
}

Error no_instance() {
  return grants_error(ErrorKind::not_found, "AccessGrantsInstanceNotExistsError",
                      "The account has no access grants instance.");
}

Error no_location(std::string_view id) {
  return grants_error(ErrorKind::not_found, "NoSuchAccessGrantsLocationError",
                      "There is no access grants location " + std::string(id) + ".");
}

Error no_grant(std::string_view id) {
  return grants_error(ErrorKind::not_found, "NoSuchAccessGrantError",
                      "There is no access grant " + std::string(id) + ".");
}

/// An id in the form of the field: 8-4-4-4-12 hexadecimal digits.
std::string draw_grant_id(os::Random& random) {
  std::string id = to_hex(random.bytes(16));
  for (const std::size_t at : {8, 13, 18, 23}) id.insert(at, 1, '-');
  return id;
}

Json shown_scope(const GrantScope& scope) {
  return Json::object({{"bucket", scope.bucket}, {"key", to_base64(scope.key)}, {"exact", scope.exact}});
}

GrantScope read_scope(const Json& record) {
  const Json* scope = record.find("scope");
  if (scope == nullptr || !scope->is_object()) return {};
  return {.bucket = scope->string_or("bucket"),
          .key = from_base64(scope->string_or("key")).value_or(""),
          .exact = scope->bool_or("exact")};
}

std::string encode_location(const GrantLocation& location) {
  return Json::object({{"id", location.id},
                       {"scope", shown_scope(location.scope)},
                       {"role_arn", location.role_arn},
                       {"user", location.user},
                       {"creation", location.creation_ms}})
      .dump();
}

std::string encode_grant(const AccessGrant& grant) {
  return Json::object({{"id", grant.id},
                       {"location_id", grant.location_id},
                       {"sub_prefix", to_base64(grant.sub_prefix)},
                       {"scope", shown_scope(grant.scope)},
                       {"permission", name_of(grant.permission)},
                       {"grantee", grant.grantee},
                       {"creation", grant.creation_ms}})
      .dump();
}

Result<AccessGrant> decode_grant(const Json& record) {
  const auto permission = find_grant_permission(record.string_or("permission"));
  AccessGrant grant{.id = record.string_or("id"),
                    .location_id = record.string_or("location_id"),
                    .sub_prefix = from_base64(record.string_or("sub_prefix")).value_or(""),
                    .scope = read_scope(record),
                    .permission = permission.value_or(GrantPermission::read),
                    .grantee = record.string_or("grantee"),
                    .creation_ms = record.int_or("creation")};
  if (!permission || grant.id.empty() || grant.grantee.empty() || grant.scope.bucket.empty())
    return Error{ErrorKind::corrupt, {}, "the record of an access grant does not read back"};
  return grant;
}

Result<GrantLocation> decode_location(const Json& record) {
  GrantLocation location{.id = record.string_or("id"),
                         .scope = read_scope(record),
                         .role_arn = record.string_or("role_arn"),
                         .user = record.string_or("user"),
                         .creation_ms = record.int_or("creation")};
  if (location.id.empty() || location.role_arn.empty())
    return Error{ErrorKind::corrupt, {}, "the record of an access grants location does not read back"};
  return location;
}

}  // namespace

bool GrantScope::covers(std::string_view bucket_name, std::string_view object_key) const {
  if (!bucket.empty() && bucket != bucket_name) return false;
  return exact ? key == object_key : object_key.starts_with(key);
}

bool GrantScope::covers(const GrantScope& other) const {
  if (bucket.empty()) return true;
  if (exact && !other.exact) return false;
  return covers(other.bucket, other.key);
}

std::string GrantScope::text() const {
  std::string out(scheme);
  if (bucket.empty()) return out;
  (out += bucket) += '/';
  out += key;
  return exact ? out : out += '*';
}

Result<GrantScope> GrantScope::parse(std::string_view text, bool object) {
  if (text.size() < scheme.size() || !equals_ignore_case(text.substr(0, scheme.size()), scheme))
    return invalid_grant("A scope begins with s3://, but was " + std::string(text) + ".");
  text.remove_prefix(scheme.size());
  GrantScope out{.exact = object};
  const auto slash = text.find('/');
  out.bucket = text.substr(0, slash);
  if (slash != std::string_view::npos) out.key = text.substr(slash + 1);
  if (slash == std::string_view::npos && out.bucket.ends_with('*'))
    return invalid_grant("A scope names a whole bucket: s3://bucket/*.");
  if (out.bucket.empty() && (!out.key.empty() || object))
    return invalid_grant("A scope with a key names a bucket.");
  if (object && out.key.empty()) return invalid_grant("A scope of one object names its key.");
  if (!object && out.key.ends_with('*')) out.key.pop_back();
  return out;
}

std::string_view name_of(GrantPermission permission) {
  switch (permission) {
    case GrantPermission::read:
      return "READ";
    case GrantPermission::write:
      return "WRITE";
    case GrantPermission::read_write:
      return "READWRITE";
  }
  return "READ";
}

std::optional<GrantPermission> find_grant_permission(std::string_view name) {
  for (const auto permission :
       {GrantPermission::read, GrantPermission::write, GrantPermission::read_write})
    if (name_of(permission) == name) return permission;
  return std::nullopt;
}

bool gives(GrantPermission held, GrantPermission wanted) {
  return held == wanted || held == GrantPermission::read_write;
}

const AccessGrant* GrantsOfAccount::find(std::string_view grantee, const GrantScope& target,
                                         GrantPermission permission) const {
  const AccessGrant* best = nullptr;
  const auto [from, to] = by_grantee.equal_range(grantee);
  for (auto at = from; at != to; ++at) {
    const auto grant = grants.find(at->second);
    if (grant == grants.end() || !gives(grant->second.permission, permission) ||
        !grant->second.scope.covers(target))
      continue;
    if (best == nullptr || grant->second.scope.key.size() > best->scope.key.size())
      best = &grant->second;
  }
  return best;
}

Result<std::unique_ptr<AccessGrants>> AccessGrants::open(store::Store& store,
                                                         const os::Clock& clock, os::Random& random,
                                                         const os::Deadline& deadline) {
  std::unique_ptr<AccessGrants> grants(new AccessGrants(store, clock, random));
  CAIRN_CHECK(grants->load(deadline));
  return grants;
}

Status AccessGrants::load(const os::Deadline& deadline) {
  std::map<std::string, std::shared_ptr<GrantsOfAccount>> read;
  CAIRN_CHECK(store::for_each_object(
      store_, grants_prefix, deadline, [&](const store::ObjectInfo& info) -> Status {
        CAIRN_TRY(const auto object, store_.get(info.key, deadline));
        const auto record = parse_json(object.bytes);
        const auto parts = split(info.key, '/');
        if (!record.ok() || !record->is_object() || parts.size() < 3)
          return Error{ErrorKind::corrupt, {}, info.key + " does not read back"};
        auto& account = read[std::string(parts[1])];
        if (account == nullptr) account = std::make_shared<GrantsOfAccount>();
        if (parts[2] == "instance") {
          account->instance = {.id = record->string_or("id"),
                               .creation_ms = record->int_or("creation")};
        } else if (parts[2] == "location") {
          auto location = decode_location(*record);
          if (!location.ok()) return with_context(location.error(), info.key);
          account->locations[location->id] = *std::move(location);
        } else {
          auto grant = decode_grant(*record);
          if (!grant.ok()) return with_context(grant.error(), info.key);
          account->by_grantee.emplace(grant->grantee, grant->id);
          account->grants[grant->id] = *std::move(grant);
        }
        return ok_status();
      }));
  auto table = std::make_shared<Table>();
  for (auto& [account, content] : read)
    if (!content->instance.id.empty()) (*table)[account] = std::move(content);
  table_.replace(std::move(table));
  return ok_status();
}

std::shared_ptr<const GrantsOfAccount> AccessGrants::find(std::string_view account) const {
  const Table& table = *table_.read();
  const auto found = table.find(account);
  return found == table.end() ? nullptr : found->second;
}

void AccessGrants::publish(const std::string& account,
                           std::shared_ptr<const GrantsOfAccount> content) {
  auto table = std::make_shared<Table>(*table_.read());
  if (content == nullptr)
    table->erase(account);
  else
    (*table)[account] = std::move(content);
  table_.replace(std::move(table));
}

Result<std::shared_ptr<GrantsOfAccount>> AccessGrants::copy_of(std::string_view account) const {
  const auto there = find(account);
  if (there == nullptr) return no_instance();
  return std::make_shared<GrantsOfAccount>(*there);
}

Result<GrantsInstance> AccessGrants::create_instance(const std::string& account,
                                                     const os::Deadline& deadline) {
  const os::Blocking blocking;
  const std::lock_guard lock(changing_);
  if (find(account) != nullptr)
    return grants_error(ErrorKind::conflict, "AccessGrantsInstanceAlreadyExists",
                        "The account has an access grants instance already.");
  const auto content = std::make_shared<GrantsOfAccount>();
  content->instance = {.id = "default", .creation_ms = clock_.unix_ms()};
  CAIRN_CHECK(store_.put(grants_record(account, "instance"),
                         Json::object({{"id", content->instance.id},
                                       {"creation", content->instance.creation_ms}})
                             .dump(),
                         deadline));
  publish(account, content);
  return content->instance;
}

Status AccessGrants::delete_instance(const std::string& account, const os::Deadline& deadline) {
  const os::Blocking blocking;
  const std::lock_guard lock(changing_);
  const auto there = find(account);
  if (there == nullptr) return no_instance();
  if (!there->locations.empty() || !there->grants.empty())
    return grants_error(ErrorKind::conflict, "AccessGrantsInstanceNotEmptyError",
                        "Delete the instance's grants and locations first.");
  CAIRN_CHECK(store_.remove(grants_record(account, "instance"), deadline));
  publish(account, nullptr);
  return ok_status();
}

Result<GrantLocation> AccessGrants::create_location(const std::string& account,
                                                    GrantLocation location,
                                                    const os::Deadline& deadline) {
  const os::Blocking blocking;
  const std::lock_guard lock(changing_);
  CAIRN_TRY(const auto content, copy_of(account));
  for (const auto& [id, other] : content->locations)
    if (other.scope.text() == location.scope.text())
      return grants_error(ErrorKind::conflict, "AccessGrantsLocationAlreadyExistsError",
                          "Location " + id + " has this scope already.");
  if (content->locations.size() >= grant_locations_max)
    return invalid_grant("The instance has " + std::to_string(grant_locations_max) +
                         " locations, and no more fit.");
  location.id = location.scope.bucket.empty() ? "default" : draw_grant_id(random_);
  location.creation_ms = clock_.unix_ms();
  CAIRN_CHECK(store_.put(grants_record(account, "location/" + location.id),
                         encode_location(location), deadline));
  content->locations[location.id] = location;
  publish(account, content);
  return location;
}

Result<GrantLocation> AccessGrants::update_location(const std::string& account, std::string_view id,
                                                    const std::string& role_arn,
                                                    const std::string& user,
                                                    const os::Deadline& deadline) {
  const os::Blocking blocking;
  const std::lock_guard lock(changing_);
  CAIRN_TRY(const auto content, copy_of(account));
  const auto found = content->locations.find(id);
  if (found == content->locations.end()) return no_location(id);
  found->second.role_arn = role_arn;
  found->second.user = user;
  CAIRN_CHECK(store_.put(grants_record(account, "location/" + found->second.id),
                         encode_location(found->second), deadline));
  publish(account, content);
  return found->second;
}

Status AccessGrants::delete_location(const std::string& account, std::string_view id,
                                     const os::Deadline& deadline) {
  const os::Blocking blocking;
  const std::lock_guard lock(changing_);
  CAIRN_TRY(const auto content, copy_of(account));
  const auto found = content->locations.find(id);
  if (found == content->locations.end()) return no_location(id);
  for (const auto& [grant_id, grant] : content->grants)
    if (grant.location_id == id)
      return grants_error(ErrorKind::conflict, "AccessGrantsLocationNotEmptyError",
                          "Delete the location's grants first; one is " + grant_id + ".");
  CAIRN_CHECK(store_.remove(grants_record(account, "location/" + found->second.id), deadline));
  content->locations.erase(found);
  publish(account, content);
  return ok_status();
}

Result<AccessGrant> AccessGrants::create_grant(const std::string& account, AccessGrant grant,
                                               const os::Deadline& deadline) {
  const os::Blocking blocking;
  const std::lock_guard lock(changing_);
  CAIRN_TRY(const auto content, copy_of(account));
  if (!content->locations.contains(grant.location_id)) return no_location(grant.location_id);
  const auto [from, to] = content->by_grantee.equal_range(grant.grantee);
  for (auto at = from; at != to; ++at) {
    const AccessGrant& other = content->grants.find(at->second)->second;
    if (other.location_id == grant.location_id && other.scope.text() == grant.scope.text() &&
        other.scope.exact == grant.scope.exact && other.permission == grant.permission)
      return grants_error(ErrorKind::conflict, "AccessGrantAlreadyExists",
                          "Grant " + other.id + " says the same already.");
  }
  if (content->grants.size() >= grants_max)
    return invalid_grant("The instance has " + std::to_string(grants_max) +
                         " grants, and no more fit.");
  grant.id = draw_grant_id(random_);
  grant.creation_ms = clock_.unix_ms();
  CAIRN_CHECK(
      store_.put(grants_record(account, "grant/" + grant.id), encode_grant(grant), deadline));
  content->by_grantee.emplace(grant.grantee, grant.id);
  content->grants[grant.id] = grant;
  publish(account, content);
  return grant;
}

Status AccessGrants::delete_grant(const std::string& account, std::string_view id,
                                  const os::Deadline& deadline) {
  const os::Blocking blocking;
  const std::lock_guard lock(changing_);
  CAIRN_TRY(const auto content, copy_of(account));
  const auto found = content->grants.find(id);
  if (found == content->grants.end()) return no_grant(id);
  CAIRN_CHECK(store_.remove(grants_record(account, "grant/" + found->second.id), deadline));
  const auto [from, to] = content->by_grantee.equal_range(found->second.grantee);
  for (auto at = from; at != to; ++at)
    if (at->second == id) {
      content->by_grantee.erase(at);
      break;
    }
  content->grants.erase(found);
  publish(account, content);
  return ok_status();
}

}  // namespace cairn::auth
