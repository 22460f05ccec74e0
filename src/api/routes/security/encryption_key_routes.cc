// SPDX-License-Identifier: Apache-2.0
#include "api/routes/security/encryption_key_routes.h"

#include "api/routes/security/administrator_routes.h"
#include "api/forms/error_json.h"
#include "api/forms/fields.h"

namespace cairn::api {
namespace {

using auth::EncryptionKeys;

struct EncryptionKeyRooms {
  ServiceRef<const auth::Accounts> accounts;
  ServiceRef<EncryptionKeys> keys;
};

Error not_found(std::string message) {
  return {ErrorKind::not_found, "resource_not_found_exception", std::move(message)};
}

Json shown(const EncryptionKeyRooms& rooms, const auth::EncryptionKey& key, bool by_default) {
  const auto aliases = by_default
                           ? std::vector<std::string>{std::string(EncryptionKeys::default_alias)}
                           : rooms.keys->aliases_of(key);
  Json out = Json::object({{"id", key.id},
                           {"arn", rooms.keys->arn_of(key)},
                           {"account", key.account_id},
                           {"aliases", Json::array_of(aliases)},
                           {"description", key.description},
                           {"default", by_default},
                           {"enabled", key.enabled}});
  if (!by_default) out.set("creation", key.creation_ms);
  return out;
}

Result<Reply> create(Call& call, const EncryptionKeyRooms& rooms) {
  CAIRN_TRY(const auto body, call.optional_body());
  const Json none = Json::object();
  Fields fields(body ? *body : none, "encryption_key_request");
  auth::NewEncryptionKey wanted;
  CAIRN_TRY(const auto account_id, fields.string("account"));
  CAIRN_TRY(wanted.description, fields.string_or("description", ""));
  CAIRN_TRY(auto aliases, fields.strings("aliases"));
  CAIRN_CHECK(fields.finish());
  const auto account = account_id ? rooms.accounts->find(*account_id) : rooms.accounts->first();
  if (account == nullptr) return not_found("there is no account [" + account_id.value_or("") + "]");
  wanted.account_id = account->id;
  if (aliases) wanted.aliases = std::move(*aliases);
  CAIRN_TRY(const auto key, rooms.keys->create(wanted, call.deadline()));
  return Reply::json(shown(rooms, *key, false));
}

Result<Reply> list(Call& call, const EncryptionKeyRooms& rooms) {
  const auto account_id = call.query("account");
  Json out = Json::array();
  for (const auto& account : rooms.accounts->all()) {
    if (account_id && *account_id != account->id) continue;
    out.push(shown(rooms, rooms.keys->default_key(account->id), true));
    for (const auto& key : rooms.keys->all())
      if (key->account_id == account->id) out.push(shown(rooms, *key, false));
  }
  return Reply::json(Json::object({{"encryption_keys", std::move(out)}}));
}

Result<Reply> change(Call& call, const EncryptionKeyRooms& rooms) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "encryption_key_change");
  CAIRN_TRY(const auto enabled, fields.boolean("enabled"));
  CAIRN_TRY(const auto added, fields.strings("add_aliases"));
  CAIRN_TRY(const auto removed, fields.strings("remove_aliases"));
  CAIRN_CHECK(fields.finish());
  const std::string& id = call.path("key_id");
  if (rooms.keys->find(id) == nullptr) return not_found("there is no encryption key [" + id + "]");
  if (enabled) CAIRN_CHECK(rooms.keys->set_enabled(id, *enabled, call.deadline()));
  for (const auto& alias : removed.value_or(std::vector<std::string>{}))
    CAIRN_CHECK(rooms.keys->remove_alias(id, alias, call.deadline()));
  for (const auto& alias : added.value_or(std::vector<std::string>{}))
    CAIRN_CHECK(rooms.keys->add_alias(id, alias, call.deadline()));
  return Reply::json(shown(rooms, *rooms.keys->find(id), false));
}

using EncryptionKeyWork = Result<Reply> (*)(Call&, const EncryptionKeyRooms&);

void add(Router& router, const EncryptionKeyRooms& rooms, gate::Route route,
         EncryptionKeyWork work) {
  router.add(for_administrators(std::move(route)),
             [rooms, work](Call& call) { return work(call, rooms); });
}

}  // namespace

void add_encryption_key_routes(Router& router, ServiceRef<const auth::Accounts> accounts,
                               ServiceRef<EncryptionKeys> keys) {
  const EncryptionKeyRooms rooms{accounts, keys};
  add(router, rooms,
      {.method = "POST",
       .path = "/_security/encryption_key",
       .operation = "security.create_encryption_key",
       .content = true,
       .summary = "Makes a key that objects can be encrypted with (SSE-KMS), for an account of the "
                  "object storage; its bytes are never shown."},
      create);
  add(router, rooms,
      {.method = "GET",
       .path = "/_security/encryption_key",
       .operation = "security.get_encryption_keys",
       .query = {{"account", "string", "Only keys of this account."}},
       .summary = "Shows the keys that objects can be encrypted with, without their bytes."},
      list);
  add(router, rooms,
      {.method = "PUT",
       .path = "/_security/encryption_key/{key_id}",
       .operation = "security.update_encryption_key",
       .summary = "Disables or enables an encryption key, gives it aliases or takes them away.",
       .body_required = true},
      change);
}

}  // namespace cairn::api
