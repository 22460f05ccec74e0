// SPDX-License-Identifier: Apache-2.0
// The table in memory, and the protocol of changes: draw, check, put with a condition, publish.
#include "auth/keys.h"

#include <algorithm>
#include <utility>

#include "auth/errors.h"
#include "auth/key_rules.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/strings.h"
#include "os/log.h"

namespace cairn::auth {
namespace {

constexpr std::string_view key_records = "api-key/";
constexpr int key_attempts_max = 8;

std::string key_record_of(std::string_view id) {
  return std::string(key_records) + std::string(id);
}

Error refused(std::string reason) {
  return {ErrorKind::unauthenticated, "security_exception", std::move(reason)};
}

std::string draw_secret(os::Random& random) { return to_base64url(random.bytes(16)); }

}  // namespace

std::string encoded_key(std::string_view id, std::string_view secret) {
  return to_base64(std::string(id) + ":" + std::string(secret));
}

std::optional<KeyText> decode_key(std::string_view encoded) {
  auto text = from_base64(encoded);
  if (!text) text = from_base64url(encoded);
  if (!text) return std::nullopt;
  const auto colon = text->find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text->size()) return std::nullopt;
  return KeyText{text->substr(0, colon), text->substr(colon + 1)};
}

std::size_t Keys::TextHash::operator()(std::string_view text) const { return fast_hash(text); }

Keys::Keys(store::Store& store, const os::Clock& clock, os::Random& random, Options options)
    : store_(store), clock_(clock), random_(random), options_(options), table_([] {
        auto table = std::make_shared<Table>();
        table->fill(std::make_shared<const Shard>());
        return std::shared_ptr<const Table>(std::move(table));
      }()) {}

Result<std::unique_ptr<Keys>> Keys::open(store::Store& store, const os::Clock& clock,
                                         os::Random& random, Options options,
                                         const os::Deadline& deadline) {
  CAIRN_CHECK(options.validate());
  std::unique_ptr<Keys> keys(new Keys(store, clock, random, options));
  CAIRN_CHECK(keys->load(deadline));
  CAIRN_CHECK(keys->purge(deadline));
  return keys;
}

Status Keys::load(const os::Deadline& deadline) {
  std::array<std::shared_ptr<Shard>, shard_count> shards;
  for (auto& shard : shards) shard = std::make_shared<Shard>();
  CAIRN_CHECK(store::for_each_object(
      store_, key_records, deadline, [&](const store::ObjectInfo& info) -> Status {
        CAIRN_TRY(const auto object, store_.get(info.key, deadline));
        auto key = Key::decode(object.bytes, object.info.etag);
        if (!key.ok()) return with_context(key.error(), info.key);
        auto shared = std::make_shared<const Key>(std::move(*key));
        (*shards[TextHash{}(shared->id) % shard_count])[shared->id] = std::move(shared);
        return ok_status();
      }));
  auto table = std::make_shared<Table>();
  std::copy(shards.begin(), shards.end(), table->begin());
  table_.replace(std::move(table));
  return ok_status();
}

Status Keys::purge(const os::Deadline& deadline) {
  const std::int64_t before = clock_.unix_ms() - options_.retention_ms;
  for (const auto& key : find({})) {
    const bool gone = (key->invalidation_ms && *key->invalidation_ms <= before) ||
                      (key->expiration_ms && *key->expiration_ms <= before);
    if (!gone) continue;
    const auto removed = store_.remove(key_record_of(key->id), deadline, {.if_match = key->etag});
    if (!removed.ok() && removed.error().kind == ErrorKind::precondition_failed) continue;
    CAIRN_CHECK(removed);
    forget(key->id);
  }
  return ok_status();
}

std::shared_ptr<const Key> Keys::get(std::string_view id) const {
  const Shard& shard = *(*table_.read())[TextHash{}(id) % shard_count];
  const auto found = shard.find(id);
  return found == shard.end() ? nullptr : found->second;
}

Result<std::shared_ptr<const Key>> Keys::verify(std::shared_ptr<const Key> key, std::string_view id,
                                                std::string_view secret) const {
  const std::string presented = sha256(secret);
  // An unknown id costs the same digest and comparison as a known one.
  static const std::string nobody(32, '\0');
  const bool right = equals_constant_time(key ? key->secret_sha256 : nobody, presented);
  if (!key) return refused("API key: unable to find apikey with id " + std::string(id));
  if (!right) return refused("API key: invalid credentials for API key [" + key->id + "]");
  if (key->invalidation_ms)
    return refused("API key: api key [" + key->id + "] has been invalidated");
  if (key->expired(clock_.unix_ms())) return refused("API key: api key is expired");
  return key;
}

Result<CreatedKey> Keys::create(const NewKey& wanted, const Key& creator,
                                const os::Deadline& deadline) {
  // First, so that who may not name an identity hears that, whatever else is wrong.
  CAIRN_TRY(Json metadata, metadata_of(wanted.metadata, creator));
  CAIRN_CHECK(check_new_key(wanted, creator));
  Key key;
  key.id = url_safe_id(random_.bytes(15));
  key.name = wanted.name;
  key.creation_ms = clock_.unix_ms();
  if (wanted.lifetime_ms) key.expiration_ms = key.creation_ms + *wanted.lifetime_ms;
  key.username = creator.username;
  key.created_by = creator.id;
  key.role_descriptors = wanted.role_descriptors;
  key.limited_by = limits_for_children(creator);
  key.metadata = std::move(metadata);
  const std::string secret = draw_secret(random_);
  CAIRN_TRY(auto stored, install(std::move(key), secret, deadline));
  return CreatedKey{std::move(stored), secret};
}

Result<std::shared_ptr<const Key>> Keys::install(Key key, std::string_view secret,
                                                 const os::Deadline& deadline) {
  key.secret_sha256 = sha256(secret);
  CAIRN_CHECK(key.prepare());
  return write(std::move(key), {.if_none_match = true}, deadline);
}

Result<std::shared_ptr<const Key>> Keys::write(Key key, const store::Condition& condition,
                                               const os::Deadline& deadline) {
  CAIRN_TRY(const auto info, store_.put(key_record_of(key.id), key.encode(), deadline, condition));
  key.etag = info.etag;
  auto shared = std::make_shared<const Key>(std::move(key));
  publish(shared);
  return shared;
}

Result<std::shared_ptr<const Key>> Keys::read_again(std::string_view id,
                                                    const os::Deadline& deadline) {
  auto object = store_.get(key_record_of(id), deadline);
  if (!object.ok() && object.error().kind == ErrorKind::not_found) return key_not_found(id);
  CAIRN_CHECK(object);
  CAIRN_TRY(auto key, Key::decode(object->bytes, object->info.etag));
  auto shared = std::make_shared<const Key>(std::move(key));
  publish(shared);
  return shared;
}

Result<bool> Keys::update(std::string_view id, const KeyChange& change, const Key& changer,
                          const os::Deadline& deadline) {
  auto current = get(id);
  if (!current) return key_not_found(id);
  for (int attempt = 0; attempt < key_attempts_max; ++attempt) {
    CAIRN_TRY(auto next, changed_key(*current, change, changer, clock_.unix_ms()));
    if (!next) return false;
    const auto written = write(std::move(*next), {.if_match = current->etag}, deadline);
    if (written.ok()) return true;
    if (written.error().kind != ErrorKind::precondition_failed) return written.error();
    CAIRN_TRY(current, read_again(id, deadline));
  }
  return Error{ErrorKind::conflict, "version_conflict_engine_exception",
               "API key [" + std::string(id) + "] is being changed by others; try again"};
}

Result<Invalidated> Keys::invalidate(const KeyFilter& filter, const os::Deadline& deadline) {
  Invalidated out;
  for (auto key : find(filter)) {
    for (int attempt = 0;; ++attempt) {
      if (key->invalidation_ms) {
        out.previously.push_back(key->id);
        break;
      }
      Key next = *key;
      next.invalidation_ms = clock_.unix_ms();
      ++next.version;
      const auto written = write(std::move(next), {.if_match = key->etag}, deadline);
      if (written.ok()) {
        out.ids.push_back(key->id);
        break;
      }
      const bool again = written.error().kind == ErrorKind::precondition_failed;
      const auto fresh = again && attempt < key_attempts_max
                             ? read_again(key->id, deadline)
                             : Result<std::shared_ptr<const Key>>(written.error());
      if (!fresh.ok()) {
        out.errors.push_back(fresh.error());
        break;
      }
      key = *fresh;
    }
  }
  if (const auto purged = purge(deadline); !purged.ok())
    os::log(os::LogLevel::warn, "auth", "old keys were not deleted",
            {{"reason", purged.error().message}});
  return out;
}

std::vector<std::shared_ptr<const Key>> Keys::find(const KeyFilter& filter) const {
  std::vector<std::shared_ptr<const Key>> out;
  const std::shared_ptr<const Table> table = table_.read();
  const std::int64_t now = clock_.unix_ms();
  for (const auto& shard : *table) {
    for (const auto& [id, key] : *shard)
      if (fits(filter, *key, now)) out.push_back(key);
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::pair(a->creation_ms, std::string_view(a->id)) <
           std::pair(b->creation_ms, std::string_view(b->id));
  });
  return out;
}

void Keys::put_shard(std::size_t shard, std::shared_ptr<const Shard> content) {
  auto table = std::make_shared<Table>(*table_.read());
  (*table)[shard] = std::move(content);
  table_.replace(std::move(table));
}

void Keys::publish(const std::shared_ptr<const Key>& key) {
  const std::lock_guard lock(publishing_);
  const std::size_t at = TextHash{}(key->id) % shard_count;
  auto shard = std::make_shared<Shard>(*(*table_.read())[at]);
  auto& there = (*shard)[key->id];
  if (there && there->version > key->version) return;  // a later change was faster
  there = key;
  put_shard(at, std::move(shard));
}

void Keys::forget(const std::string& id) {
  const std::lock_guard lock(publishing_);
  const std::size_t at = TextHash{}(id) % shard_count;
  auto shard = std::make_shared<Shard>(*(*table_.read())[at]);
  shard->erase(id);
  put_shard(at, std::move(shard));
}

}  // namespace cairn::auth
