// SPDX-License-Identifier: Apache-2.0
#include "auth/secrets/encryption_keys.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/strings.h"
#include "format/json.h"
#include "store/read_each.h"
#include "store/update.h"

namespace cairn::auth {
namespace {

constexpr std::string_view key_prefix = "encryption-key/";
constexpr std::string_view alias_prefix = "encryption-alias/";
constexpr std::string_view root_record = "encryption-root";
constexpr std::string_view alias_start = "alias/";
constexpr std::string_view kept_back = "alias/aws/";
constexpr std::size_t alias_bytes_max = 256;
constexpr std::size_t root_bytes = 32;

std::string encryption_record_of(std::string_view id) {
  return std::string(key_prefix) + std::string(id);
}

std::string alias_row(std::string_view account_id, std::string_view alias) {
  return std::string(account_id) + "/" + std::string(alias);
}

Error no_key(std::string_view id) {
  return {ErrorKind::not_found, "resource_not_found_exception",
          "there is no encryption key [" + std::string(id) + "]"};
}

/// With "alias/" before it, whether or not that was given.
Result<std::string> checked_alias(std::string_view given) {
  std::string alias(given.starts_with(alias_start) ? "" : alias_start);
  alias += given;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '_' || c == '-';
  };
  const bool good = alias.size() > alias_start.size() && alias.size() <= alias_bytes_max &&
                    std::all_of(alias.begin(), alias.end(), fits);
  if (good && !alias.starts_with(kept_back)) return alias;
  return Error{ErrorKind::invalid_argument, "illegal_argument_exception",
               "an alias is [alias/] and up to 250 letters, digits and any of /_- behind it, and "
               "[alias/aws/] is kept back; [" +
                   std::string(given) + "] is not that"};
}

// The errors that clients of the object storage know, by their names there.
Error kms_error(std::string_view code, std::string message) {
  return {ErrorKind::invalid_argument, std::string(code), std::move(message)};
}

Error no_such_key(std::string message) {
  return kms_error("KMS.NotFoundException", std::move(message));
}

bool is_id(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

/// "arn:aws:kms:<region>:<account>:<what>".
struct Arn {
  std::string_view account_id;
  std::string_view what;
};

std::optional<Arn> encryption_key_arn(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() != 6 || parts[0] != "arn" || parts[2] != "kms" || parts[4].empty())
    return std::nullopt;
  return Arn{.account_id = parts[4], .what = parts[5]};
}

}  // namespace

Result<std::unique_ptr<EncryptionKeys>> EncryptionKeys::open(Params params,
                                                             const os::Deadline& deadline) {
  std::unique_ptr<EncryptionKeys> keys(new EncryptionKeys(std::move(params)));
  CAIRN_CHECK(keys->load_root(deadline));
  CAIRN_CHECK(keys->load(deadline));
  return keys;
}

Status EncryptionKeys::load_root(const os::Deadline& deadline) {
  const std::string fresh = seal_.seal(random_.bytes(root_bytes), root_record, random_);
  const auto made = store_.put(root_record, fresh, deadline, {.if_none_match = true});
  if (!made.ok() && made.error().kind != ErrorKind::precondition_failed) return made.error();
  CAIRN_TRY(const auto object, store_.get(root_record, deadline));
  auto root = seal_.unseal(object.bytes, root_record);
  if (!root.ok()) return with_context(std::move(root).error(), root_record);
  root_ = std::move(*root);
  return ok_status();
}

Status EncryptionKeys::load(const os::Deadline& deadline) {
  auto table = std::make_shared<Table>();
  CAIRN_CHECK(store::read_each(
      store_, std::string(key_prefix), deadline, [&](const store::Object& object) -> Status {
        auto key = decode(object.bytes);
        if (!key.ok()) return with_context(key.error(), object.info.key);
        const std::string id = key->id;
        table->keys[id] = std::make_shared<const EncryptionKey>(std::move(*key));
        return ok_status();
      }));
  CAIRN_CHECK(store::for_each_object(
      store_, std::string(alias_prefix), deadline, [&](const store::ObjectInfo& info) -> Status {
        CAIRN_TRY(const auto object, store_.get(info.key, deadline));
        table->aliases[info.key.substr(alias_prefix.size())] = object.bytes;
        return ok_status();
      }));
  table_.replace(std::move(table));
  return ok_status();
}

Result<EncryptionKey> EncryptionKeys::decode(std::string_view bytes) const {
  auto parsed = parse_json(bytes);
  if (!parsed.ok() || !parsed->is_object())
    return Error{ErrorKind::corrupt, {}, "the record of an encryption key does not read back"};
  EncryptionKey key;
  key.id = parsed->string_or("id");
  key.account_id = parsed->string_or("account_id");
  key.description = parsed->string_or("description");
  key.enabled = parsed->bool_or("enabled", true);
  key.creation_ms = parsed->int_or("creation");
  key.version = parsed->int_or("version");
  const auto sealed = from_base64(parsed->string_or("sealed_key"));
  CAIRN_TRY(key.material, seal_.unseal(sealed.value_or(""), encryption_record_of(key.id)));
  return key;
}

std::string EncryptionKeys::encode(const EncryptionKey& key) const {
  return Json::object({{"id", key.id},
                       {"account_id", key.account_id},
                       {"description", key.description},
                       {"enabled", key.enabled},
                       {"creation", key.creation_ms},
                       {"version", key.version},
                       {"sealed_key", to_base64(seal_.seal(
                                          key.material, encryption_record_of(key.id), random_))}})
      .dump();
}

template <class Change>
void EncryptionKeys::publish(Change change) {
  const std::lock_guard lock(publishing_);
  auto table = std::make_shared<Table>(*table_.read());
  change(*table);
  table_.replace(std::move(table));
}

Status EncryptionKeys::put_alias(const EncryptionKey& key, const std::string& alias,
                                 const os::Deadline& deadline) {
  const std::string row = alias_row(key.account_id, alias);
  const auto put =
      store_.put(std::string(alias_prefix) + row, key.id, deadline, {.if_none_match = true});
  if (!put.ok() && put.error().kind == ErrorKind::precondition_failed)
    return Error{ErrorKind::already_exists, "resource_already_exists_exception",
                 "account [" + key.account_id + "] has a key with the alias [" + alias + "]"};
  CAIRN_CHECK(put);
  publish([&](Table& table) { table.aliases[row] = key.id; });
  return ok_status();
}

Result<std::shared_ptr<const EncryptionKey>> EncryptionKeys::create(const NewEncryptionKey& wanted,
                                                                    const os::Deadline& deadline) {
  std::vector<std::string> aliases;
  for (const std::string& given : wanted.aliases) {
    CAIRN_TRY(std::string alias, checked_alias(given));
    if (table_.read()->aliases.contains(alias_row(wanted.account_id, alias)))
      return Error{ErrorKind::already_exists, "resource_already_exists_exception",
                   "account [" + wanted.account_id + "] has a key with the alias [" + alias + "]"};
    aliases.push_back(std::move(alias));
  }
  EncryptionKey key{.id = uuid_v4(random_.bytes(16)),
                    .account_id = wanted.account_id,
                    .description = wanted.description,
                    .creation_ms = clock_.unix_ms(),
                    .material = random_.bytes(32)};
  CAIRN_CHECK(
      store_.put(encryption_record_of(key.id), encode(key), deadline, {.if_none_match = true}));
  auto shared = std::make_shared<const EncryptionKey>(std::move(key));
  publish([&](Table& table) { table.keys[shared->id] = shared; });
  for (const std::string& alias : aliases) CAIRN_CHECK(put_alias(*shared, alias, deadline));
  return shared;
}

Result<bool> EncryptionKeys::set_enabled(std::string_view id, bool enabled,
                                         const os::Deadline& deadline) {
  std::optional<EncryptionKey> key;
  const auto changed = [&](const store::Object* current) -> Result<std::optional<std::string>> {
    if (current == nullptr) return no_key(id);
    CAIRN_TRY(key, decode(current->bytes));
    if (key->enabled == enabled) return std::optional<std::string>();
    key->enabled = enabled;
    ++key->version;
    return std::optional<std::string>(encode(*key));
  };
  CAIRN_TRY(const auto written,
            store::update(store_, encryption_record_of(id), changed, deadline));
  if (!written) return false;
  publish([&](Table& table) {
    auto& there = table.keys[key->id];
    // Changed again meanwhile: that one stands.
    if (there != nullptr && there->version > key->version) return;
    there = std::make_shared<const EncryptionKey>(*std::move(key));
  });
  return true;
}

Status EncryptionKeys::reseal(const os::Deadline& deadline) {
  const auto root_again = [&](const store::Object*) -> Result<std::optional<std::string>> {
    return std::optional<std::string>(seal_.seal(root_, root_record, random_));
  };
  CAIRN_CHECK(store::update(store_, root_record, root_again, deadline));
  for (const auto& key : all()) {
    const auto again = [&](const store::Object* current) -> Result<std::optional<std::string>> {
      if (current == nullptr) return no_key(key->id);
      CAIRN_TRY(const EncryptionKey read, decode(current->bytes));
      return std::optional<std::string>(encode(read));
    };
    CAIRN_CHECK(store::update(store_, encryption_record_of(key->id), again, deadline));
  }
  return ok_status();
}

Status EncryptionKeys::add_alias(std::string_view id, std::string_view alias,
                                 const os::Deadline& deadline) {
  const auto key = find(id);
  if (key == nullptr) return no_key(id);
  CAIRN_TRY(const std::string checked, checked_alias(alias));
  return put_alias(*key, checked, deadline);
}

Result<bool> EncryptionKeys::remove_alias(std::string_view id, std::string_view alias,
                                          const os::Deadline& deadline) {
  const auto key = find(id);
  if (key == nullptr) return no_key(id);
  CAIRN_TRY(const std::string checked, checked_alias(alias));
  const std::string row = alias_row(key->account_id, checked);
  const Table& table = *table_.read();
  const auto found = table.aliases.find(row);
  if (found == table.aliases.end() || found->second != key->id) return false;
  CAIRN_TRY(const bool there, store_.remove(std::string(alias_prefix) + row, deadline));
  publish([&](Table& now) { now.aliases.erase(row); });
  return there;
}

std::shared_ptr<const EncryptionKey> EncryptionKeys::find(std::string_view id) const {
  const Table& table = *table_.read();
  const auto found = table.keys.find(id);
  return found == table.keys.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const EncryptionKey>> EncryptionKeys::all() const {
  std::vector<std::shared_ptr<const EncryptionKey>> out;
  for (const auto& [id, key] : table_.read()->keys) out.push_back(key);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a->account_id < b->account_id; });
  return out;
}

std::vector<std::string> EncryptionKeys::aliases_of(const EncryptionKey& key) const {
  std::vector<std::string> out;
  for (const auto& [row, id] : table_.read()->aliases)
    if (id == key.id) out.push_back(row.substr(key.account_id.size() + 1));
  return out;
}

std::string EncryptionKeys::service_key(std::string_view purpose) const {
  return hmac_sha256(root_, purpose);
}

EncryptionKey EncryptionKeys::default_key(std::string_view account_id) const {
  const std::string account(account_id);
  return {.id = uuid_v4(service_key("id of the default key of " + account).substr(0, 16)),
          .account_id = account,
          .description = "Default key that protects objects where no other key is named",
          .material = service_key("default key of " + account)};
}

std::string EncryptionKeys::arn_of(const EncryptionKey& key) const {
  return "arn:aws:kms:" + region_ + ":" + key.account_id + ":key/" + key.id;
}

Result<EncryptionKey> EncryptionKeys::by_id(std::string_view id, std::string_view account_id,
                                            std::string_view given) const {
  if (!is_id(id)) return no_such_key("Invalid keyId '" + std::string(given) + "'");
  EncryptionKey key = default_key(account_id);
  if (key.id == id) return key;
  const auto found = find(id);
  key.id = id;
  if (found == nullptr || found->account_id != account_id)
    return no_such_key("Key '" + arn_of(key) + "' does not exist");
  if (!found->enabled) return kms_error("KMS.DisabledException", arn_of(key) + " is disabled.");
  return *found;
}

Result<EncryptionKey> EncryptionKeys::resolve(std::string_view name,
                                              std::string_view account_id) const {
  constexpr std::string_view key_start = "key/";
  std::string_view what = name;
  if (name.starts_with("arn:")) {
    const auto arn = encryption_key_arn(name);
    if (!arn) return no_such_key("Invalid arn " + std::string(name));
    if (arn->account_id != account_id)
      return Error{ErrorKind::permission_denied, "AccessDenied",
                   "The key " + std::string(name) + " belongs to another account"};
    what = arn->what;
    if (what.starts_with(key_start)) return by_id(what.substr(key_start.size()), account_id, name);
    if (!what.starts_with(alias_start)) return no_such_key("Invalid arn " + std::string(name));
  }
  if (what.empty() || what == default_alias) return default_key(account_id);
  if (!what.starts_with(alias_start)) return by_id(what, account_id, name);
  const Table& table = *table_.read();
  const auto found = table.aliases.find(alias_row(account_id, what));
  if (found != table.aliases.end()) {
    const std::string id = found->second;  // the table may be replaced meanwhile
    return by_id(id, account_id, name);
  }
  return no_such_key("Alias arn:aws:kms:" + region_ + ":" + std::string(account_id) + ":" +
                     std::string(what) + " is not found.");
}

Result<EncryptionKey> EncryptionKeys::of_arn(std::string_view arn) const {
  const auto parts = encryption_key_arn(arn);
  return resolve(arn, parts ? parts->account_id : std::string_view());
}

}  // namespace cairn::auth
