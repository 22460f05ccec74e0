// SPDX-License-Identifier: Apache-2.0
// Records with sealed secrets, and the table that signatures are checked against.
#include "auth/secrets/object_keys.h"

#include <algorithm>

#include "base/encode.h"
#include "base/hash.h"
#include "format/json.h"
#include "store/read_each.h"
#include "store/update.h"

namespace cairn::auth {
namespace {

constexpr std::string_view object_key_records = "object-key/";

std::string object_key_record_of(std::string_view id) {
  return std::string(object_key_records) + std::string(id);
}

Error no_access_key(std::string_view id) {
  return {ErrorKind::not_found, "resource_not_found_exception",
          "there is no access key [" + std::string(id) + "]"};
}

std::string draw_id(os::Random& random) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string id = "CK";
  while (id.size() < 20) id += letters[random.below(letters.size())];
  return id;
}

}  // namespace

Result<std::unique_ptr<ObjectKeys>> ObjectKeys::open(store::Store& store, Seal seal,
                                                     const os::Clock& clock, os::Random& random,
                                                     const os::Deadline& deadline) {
  std::unique_ptr<ObjectKeys> keys(new ObjectKeys(store, std::move(seal), clock, random));
  CAIRN_CHECK(keys->load(deadline));
  return keys;
}

Result<ObjectKey> ObjectKeys::decode(std::string_view bytes) const {
  auto parsed = parse_json(bytes);
  if (!parsed.ok() || !parsed->is_object())
    return Error{ErrorKind::corrupt, {}, "the record of an access key does not read back"};
  ObjectKey key;
  key.access_key_id = parsed->string_or("access_key_id");
  key.account_id = parsed->string_or("account_id");
  key.canonical_id = parsed->string_or("canonical_id");
  key.user = parsed->string_or("user");
  key.account_user = parsed->string_or("account_user");
  key.api_key_id = parsed->string_or("api_key_id");
  key.active = parsed->bool_or("active", true);
  key.creation_ms = parsed->int_or("creation");
  key.version = parsed->int_or("version");
  const auto sealed = from_base64(parsed->string_or("sealed_secret"));
  CAIRN_TRY(key.secret, seal_.unseal(sealed.value_or(""), object_key_record_of(key.access_key_id)));
  return key;
}

Status ObjectKeys::load(const os::Deadline& deadline) {
  auto table = std::make_shared<Table>();
  CAIRN_CHECK(store::read_each(
      store_, object_key_records, deadline, [&](const store::Object& object) -> Status {
        auto key = decode(object.bytes);
        if (!key.ok()) return with_context(key.error(), object.info.key);
        const std::string id = key->access_key_id;
        key->last_use = std::make_shared<LastUse>();
        (*table)[id] = std::make_shared<const ObjectKey>(std::move(*key));
        return ok_status();
      }));
  table_.replace(std::move(table));
  return ok_status();
}

std::shared_ptr<const ObjectKey> ObjectKeys::find(std::string_view access_key_id) const {
  const Table& table = *table_.read();
  const auto found = table.find(std::string(access_key_id));
  return found == table.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const ObjectKey>> ObjectKeys::all() const {
  std::vector<std::shared_ptr<const ObjectKey>> out;
  for (const auto& [id, key] : *table_.read()) out.push_back(key);
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a->access_key_id < b->access_key_id; });
  return out;
}

ObjectKey ObjectKeys::draw(std::string_view user) const {
  ObjectKey key;
  key.access_key_id = draw_id(random_);
  key.secret = to_base64(random_.bytes(30));
  key.user = user;
  // Of the first account, whose ids follow from its name; Accounts puts others in their place.
  const std::string root = sha256("cairn account " + key.user);
  key.canonical_id = to_hex(root);
  std::uint64_t digits = 0;
  for (int i = 0; i < 8; ++i) digits = digits << 8 | static_cast<unsigned char>(root[i]);
  key.account_id = std::to_string(100'000'000'000ull + digits % 900'000'000'000ull);
  key.creation_ms = clock_.unix_ms();
  return key;
}

Result<std::shared_ptr<const ObjectKey>> ObjectKeys::create(std::string_view user,
                                                            const os::Deadline& deadline) {
  return install(draw(user), deadline);
}

std::string ObjectKeys::encode(const ObjectKey& key) const {
  const std::string sealed =
      seal_.seal(key.secret, object_key_record_of(key.access_key_id), random_);
  Json record = Json::object({{"access_key_id", key.access_key_id},
                              {"sealed_secret", to_base64(sealed)},
                              {"account_id", key.account_id},
                              {"canonical_id", key.canonical_id},
                              {"user", key.user},
                              {"account_user", key.account_user},
                              {"active", key.active},
                              {"creation", key.creation_ms},
                              {"version", key.version}});
  if (!key.api_key_id.empty()) record.set("api_key_id", key.api_key_id);
  return record.dump();
}

Result<std::shared_ptr<const ObjectKey>> ObjectKeys::install(ObjectKey key,
                                                             const os::Deadline& deadline) {
  auto put = store_.put(object_key_record_of(key.access_key_id), encode(key), deadline,
                        {.if_none_match = true});
  if (!put.ok() && put.error().kind == ErrorKind::precondition_failed)
    return Error{ErrorKind::already_exists, "resource_already_exists_exception",
                 "access key [" + key.access_key_id + "] exists"};
  CAIRN_CHECK(put);
  key.last_use = std::make_shared<LastUse>();
  auto shared = std::make_shared<const ObjectKey>(std::move(key));
  const std::lock_guard lock(publishing_);
  auto table = std::make_shared<Table>(*table_.read());
  (*table)[shared->access_key_id] = shared;
  table_.replace(std::move(table));
  return shared;
}

Result<std::shared_ptr<const ObjectKey>> ObjectKeys::change(
    std::string_view access_key_id, const std::function<Result<bool>(ObjectKey&)>& change,
    const os::Deadline& deadline) {
  std::optional<ObjectKey> key;
  const auto changed = [&](const store::Object* current) -> Result<std::optional<std::string>> {
    if (current == nullptr) return no_access_key(access_key_id);
    CAIRN_TRY(key, decode(current->bytes));
    CAIRN_TRY(const bool different, change(*key));
    if (!different) return std::optional<std::string>();
    ++key->version;
    return std::optional<std::string>(encode(*key));
  };
  CAIRN_TRY(const auto written,
            store::update(store_, object_key_record_of(access_key_id), changed, deadline));
  if (!written) return std::shared_ptr<const ObjectKey>();
  const std::lock_guard lock(publishing_);
  auto table = std::make_shared<Table>(*table_.read());
  const auto there = table->find(key->access_key_id);
  if (there != table->end()) key->last_use = there->second->last_use;
  const auto shared = std::make_shared<const ObjectKey>(*std::move(key));
  // Deleted meanwhile, or changed again: that one stands.
  if (there == table->end() || there->second->version > shared->version) return shared;
  there->second = shared;
  table_.replace(std::move(table));
  return shared;
}

Result<bool> ObjectKeys::set_active(std::string_view access_key_id, bool active,
                                    const os::Deadline& deadline) {
  const auto set = [&](ObjectKey& key) -> Result<bool> {
    const bool different = key.active != active;
    key.active = active;
    return different;
  };
  CAIRN_TRY(const auto changed, change(access_key_id, set, deadline));
  return changed != nullptr;
}

Result<std::shared_ptr<const ObjectKey>> ObjectKeys::set_api_key(std::string_view access_key_id,
                                                                 std::string_view api_key_id,
                                                                 const os::Deadline& deadline) {
  const auto set = [&](ObjectKey& key) -> Result<bool> {
    if (!key.api_key_id.empty() && key.api_key_id != api_key_id)
      return Error{ErrorKind::conflict, "status_exception",
                   "access key [" + key.access_key_id + "] has the API key [" + key.api_key_id +
                       "] already"};
    key.api_key_id = api_key_id;
    return true;
  };
  return change(access_key_id, set, deadline);
}

Status ObjectKeys::reseal(const os::Deadline& deadline) {
  for (const auto& key : all()) {
    const auto again = [](ObjectKey&) -> Result<bool> { return true; };
    const auto changed = change(key->access_key_id, again, deadline);
    if (!changed.ok() && find(key->access_key_id) != nullptr) return changed.error();
  }
  return ok_status();
}

Result<bool> ObjectKeys::remove(std::string_view access_key_id, const os::Deadline& deadline) {
  CAIRN_TRY(const bool there, store_.remove(object_key_record_of(access_key_id), deadline));
  const std::lock_guard lock(publishing_);
  auto table = std::make_shared<Table>(*table_.read());
  table->erase(std::string(access_key_id));
  table_.replace(std::move(table));
  return there;
}

}  // namespace cairn::auth
