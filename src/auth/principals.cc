// SPDX-License-Identifier: Apache-2.0
// The order of the records. Making: the API key first, which opens nothing until the access key
// names it. Ending: the API key first, which ends both, then the access key with its secret.
#include "auth/principals.h"

#include <utility>

#include "auth/errors.h"
#include "os/log.h"

namespace cairn::auth {
namespace {

Error no_such_access_key(std::string_view id) {
  return {ErrorKind::not_found, "resource_not_found_exception",
          "there is no access key [" + std::string(id) + "]"};
}

/// True where nothing was done for certain.
bool is_refusal(const Error& error) {
  return error.kind == ErrorKind::conflict || error.kind == ErrorKind::not_found;
}

Json identity_of_holder(const ObjectKey& key, const ObjectCaller& caller) {
  return caller.service ? Json::object({{"kind", "service"}, {"id", key.user}})
                        : Json::object({{"kind", "user"}, {"user", key.user}});
}

}  // namespace

Result<std::unique_ptr<Principals>> Principals::open(Keys& keys, ObjectKeys& object_keys,
                                                     const Accounts& accounts,
                                                     const os::Clock& clock,
                                                     const os::Deadline& deadline) {
  std::unique_ptr<Principals> principals(new Principals(keys, object_keys, accounts, clock));
  CAIRN_CHECK(principals->settle(deadline));
  keys.set_holders([&book = *principals](const Key& key) { return book.holder_of(key) != nullptr; });
  return principals;
}

// Clocks may go wrong: an API key that is only over its time keeps its access key, which opens
// nothing meanwhile.
Status Principals::settle(const os::Deadline& deadline) {
  for (const auto& key : keys_.find({})) {
    if (key->access_key_id.empty() || key->invalidation_ms) continue;
    const auto pair = object_keys_.find(key->access_key_id);
    if (pair == nullptr || pair->api_key_id != key->id) CAIRN_CHECK(give_up(key->id, deadline));
  }
  for (const auto& pair : object_keys_.all()) {
    if (pair->api_key_id.empty()) continue;
    const auto key = keys_.get(pair->api_key_id);
    if (key == nullptr || key->invalidation_ms)
      CAIRN_CHECK(object_keys_.remove(pair->access_key_id, deadline));
  }
  return ok_status();
}

Status Principals::give_up(std::string_view api_key_id, const os::Deadline& deadline) {
  CAIRN_TRY(const auto ended, keys_.invalidate({.ids = {std::string(api_key_id)}}, deadline));
  return ended.errors.empty() ? ok_status() : Status(ended.errors.front());
}

Result<KeyHolder> Principals::holder_of(const ObjectKey& key) const {
  const auto caller = accounts_.caller_of(key);
  if (caller == nullptr) return no_such_access_key(key.access_key_id);
  return KeyHolder{.access_key_id = key.access_key_id,
                   .username = key.user,
                   .identity = identity_of_holder(key, *caller)};
}

Result<CreatedBoth> Principals::create(NewKey wanted, std::string_view account_id,
                                       std::string_view user, const Key& creator,
                                       const os::Deadline& deadline) {
  CAIRN_TRY(ObjectKey pair, accounts_.draw_key(account_id, user));
  CAIRN_TRY(wanted.holder, holder_of(pair));
  CAIRN_TRY(auto key, keys_.create(wanted, creator, deadline));
  pair.api_key_id = key.key->id;
  auto stored = object_keys_.install(std::move(pair), deadline);
  if (!stored.ok()) {
    (void)give_up(key.key->id, deadline);  // it opens nothing, and the next start takes it away
    return stored.error();
  }
  return CreatedBoth{std::move(key), *std::move(stored)};
}

Result<CreatedBoth> Principals::create_for(NewKey wanted, std::string_view access_key_id,
                                           const Key& creator, const os::Deadline& deadline) {
  const auto pair = find(access_key_id);
  if (pair == nullptr) return no_such_access_key(access_key_id);
  if (!pair->active)
    return Error{ErrorKind::conflict, "status_exception",
                 "access key [" + pair->access_key_id + "] is idle; make it active first"};
  CAIRN_TRY(wanted.holder, holder_of(*pair));
  CAIRN_TRY(auto key, keys_.create(wanted, creator, deadline));
  auto stored = object_keys_.set_api_key(access_key_id, key.key->id, deadline);
  if (!stored.ok() && !is_refusal(stored.error()))  // it may have been done
    stored = object_keys_.set_api_key(access_key_id, key.key->id, deadline);
  if (!stored.ok()) {
    // Otherwise the end of the API key could be that of an access key that was good before.
    if (is_refusal(stored.error())) (void)give_up(key.key->id, deadline);
    return stored.error();
  }
  return CreatedBoth{std::move(key), *std::move(stored)};
}

Result<Invalidated> Principals::invalidate(const KeyFilter& filter, const os::Deadline& deadline) {
  CAIRN_TRY(auto done, keys_.invalidate(filter, deadline));
  for (const auto* ids : {&done.ids, &done.previously})
    for (const std::string& id : *ids) {
      const auto key = keys_.get(id);
      if (key == nullptr || key->access_key_id.empty()) continue;
      const auto pair = object_keys_.find(key->access_key_id);
      if (pair == nullptr || pair->api_key_id != id) continue;
      const auto removed = object_keys_.remove(pair->access_key_id, deadline);
      if (!removed.ok())  // it opens nothing any more
        os::log(os::LogLevel::warn, "auth", "the access key of an ended API key stays until a start",
                {{"access_key", pair->access_key_id}, {"reason", removed.error().message}});
    }
  return done;
}

Result<bool> Principals::remove(std::string_view access_key_id, const os::Deadline& deadline) {
  const auto pair = object_keys_.find(access_key_id);
  if (pair == nullptr) return false;
  const auto key = pair->api_key_id.empty() ? nullptr : keys_.get(pair->api_key_id);
  if (key != nullptr && key->access_key_id == pair->access_key_id)
    CAIRN_CHECK(give_up(key->id, deadline));
  return object_keys_.remove(access_key_id, deadline);
}

std::shared_ptr<const ObjectKey> Principals::find(std::string_view access_key_id) const {
  auto pair = object_keys_.find(access_key_id);
  if (pair == nullptr || pair->api_key_id.empty()) return pair;
  const auto key = keys_.get(pair->api_key_id);
  const bool stands = key != nullptr && key->access_key_id == pair->access_key_id &&
                      !key->invalidation_ms && !key->disabled && !key->expired(clock_.unix_ms());
  return stands ? pair : nullptr;
}

std::shared_ptr<const ObjectCaller> Principals::holder_of(const Key& key) const {
  if (key.access_key_id.empty()) return nullptr;
  const auto pair = object_keys_.find(key.access_key_id);
  if (pair == nullptr || !pair->active || pair->api_key_id != key.id) return nullptr;
  return accounts_.caller_of(*pair);
}

}  // namespace cairn::auth
