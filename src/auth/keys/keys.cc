// SPDX-License-Identifier: Apache-2.0
// The table in memory, and the protocol of changes: draw, check, put with a condition, publish.
#include "auth/keys/keys.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "auth/errors.h"
#include "auth/keys/key_rules.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/strings.h"
#include "os/log.h"
#include "os/threads/blocking.h"
#include "store/read_each.h"
#include "store/update.h"

namespace cairn::auth {
namespace {

constexpr std::string_view key_records = "api-key/";
constexpr std::int64_t tokens_between_purges = 256;
constexpr std::int64_t overlap_max_ms = 30ll * 24 * 3600 * 1000;

std::string key_record_of(std::string_view id) {
  return std::string(key_records) + std::string(id);
}

Error refused(std::string reason) {
  return {ErrorKind::unauthenticated, "security_exception", std::move(reason)};
}

std::string draw_secret(os::Random& random) { return to_base64url(random.bytes(16)); }

void take_holder(const KeyHolder& holder, Key& key) {
  key.access_key_id = holder.access_key_id;
  key.metadata.set("_cairn", Json::object({{"identity", holder.identity}}));
  if (key.role_descriptors.is_null() || key.role_descriptors.as_object().empty())
    key.role_descriptors = no_rights();
}

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
  std::string secret = text->substr(colon + 1);
  text->resize(colon);
  return KeyText{.id = *std::move(text), .secret = std::move(secret)};
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

Result<std::unique_ptr<Keys>> Keys::open_replica(store::Store& store, const os::Clock& clock,
                                                 os::Random& random, Options options,
                                                 const os::Deadline& deadline) {
  CAIRN_CHECK(options.validate());
  std::unique_ptr<Keys> keys(new Keys(store, clock, random, options));
  CAIRN_CHECK(keys->load(deadline));
  return keys;
}

Status Keys::catch_up(const os::Deadline& deadline) {
  std::unordered_set<std::string> there;
  CAIRN_CHECK(store::for_each_object(
      store_, key_records, deadline, [&](const store::ObjectInfo& info) -> Status {
        std::string id = info.key.substr(key_records.size());
        const auto known = get(id);
        if (known == nullptr || known->etag != info.etag) {
          const auto object = store_.get(info.key, deadline);
          if (!object.ok() && object.error().kind == ErrorKind::not_found) return ok_status();
          if (!object.ok()) return object.error();
          auto key = Key::decode(object->bytes, object->info.etag);
          if (!key.ok()) return with_context(key.error(), info.key);
          publish(std::move(*key));
        }
        there.insert(std::move(id));
        return ok_status();
      }));
  for (const auto& key : find({}))
    if (!there.contains(key->id)) forget(key->id);
  return ok_status();
}

Status Keys::load(const os::Deadline& deadline) {
  std::array<std::shared_ptr<Shard>, shard_count> shards;
  for (auto& shard : shards) shard = std::make_shared<Shard>();
  CAIRN_CHECK(store::read_each(
      store_, key_records, deadline, [&](const store::Object& object) -> Status {
        auto key = Key::decode(object.bytes, object.info.etag);
        if (!key.ok()) return with_context(key.error(), object.info.key);
        key->last_use = std::make_shared<LastUse>();
        auto shared = std::make_shared<const Key>(std::move(*key));
        (*shards[TextHash{}(shared->id) % shard_count])[shared->id] = std::move(shared);
        return ok_status();
      }));
  const std::lock_guard lock(publishing_);
  for (const auto& shard : shards)
    for (const auto& [id, key] : *shard) {
      note_administrator(*key);
      last_serial_ = std::max(last_serial_.load(), key->serial);
    }
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
  // An unknown id, and a key without a secret before this one, cost the same digest and the same two
  // comparisons as any other.
  static const std::string nobody(32, '\0');
  const bool has_previous = key && !key->previous_sha256.empty();
  bool right = equals_constant_time(key ? key->secret_sha256 : nobody, presented);
  const bool was_right =
      equals_constant_time(has_previous ? key->previous_sha256 : nobody, presented);
  if (!key) return refused("API key: unable to find apikey with id " + std::string(id));
  if (has_previous && clock_.unix_ms() < key->previous_until_ms) right = right || was_right;
  if (!right) return refused("API key: invalid credentials for API key [" + key->id + "]");
  CAIRN_CHECK(check_usable(*key));
  return key;
}

bool Keys::takes_secret(const Key& key, std::string_view secret_sha256) const {
  if (equals_constant_time(key.secret_sha256, secret_sha256)) return true;
  return !key.previous_sha256.empty() && clock_.unix_ms() < key.previous_until_ms &&
         equals_constant_time(key.previous_sha256, secret_sha256);
}

Status Keys::check_usable(const Key& key) const {
  if (key.invalidation_ms)
    return refused("API key: api key [" + key.id + "] has been invalidated");
  if (key.expiration_ms && key.expired(clock_.unix_ms()))
    return refused("API key: api key is expired");
  if (key.disabled) return refused("API key: api key [" + key.id + "] is disabled");
  if (!key.access_key_id.empty() && (!holder_stands_ || !holder_stands_(key)))
    return refused("API key: the access key of api key [" + key.id +
                   "] is idle or has ended, or its user has");
  if (key.created_by.empty() && key.id == first_id_ && first_has_ended())
    return refused("API key: api key [" + key.id +
                   "] was that of the first start, and has ended since there is another "
                   "administrator's key");
  return ok_status();
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
  key.serial = ++last_serial_;
  if (wanted.lifetime_ms) key.expiration_ms = key.creation_ms + *wanted.lifetime_ms;
  key.username = wanted.holder ? wanted.holder->username : creator.username;
  key.created_by = creator.id;
  key.role_descriptors = wanted.role_descriptors;
  key.limited_by = limits_for_children(creator);
  key.metadata = std::move(metadata);
  if (wanted.holder) take_holder(*wanted.holder, key);
  const std::string secret = draw_secret(random_);
  CAIRN_TRY(auto stored, install(std::move(key), secret, deadline));
  return CreatedKey{std::move(stored), secret};
}

Result<CreatedKey> Keys::create_token(const NewToken& wanted, const Key& granting,
                                      std::string_view application, const os::Deadline& deadline) {
  Key key;
  key.id = url_safe_id(random_.bytes(15));
  key.name = wanted.name;
  key.creation_ms = clock_.unix_ms();
  key.serial = ++last_serial_;
  key.expiration_ms = key.creation_ms + wanted.lifetime_ms;
  key.username = granting.username;
  key.created_by = application;
  key.role_descriptors = wanted.role_descriptors;
  key.limited_by = limits_for_children(granting);
  key.metadata = Json::object({{"_cairn", Json::object({{"identity", wanted.identity}})}});
  // Tokens come all day, and nobody else looks for those that are over.
  if (key.serial % tokens_between_purges == 0) CAIRN_CHECK(purge(deadline));
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
  return publish(std::move(key));
}

Result<std::shared_ptr<const Key>> Keys::change(std::string_view id, const Change& change,
                                                const os::Deadline& deadline) {
  const os::Blocking blocking;
  const std::lock_guard lock(changing_);
  std::optional<Key> next;
  const auto changed_record =
      [&](const store::Object* object) -> Result<std::optional<std::string>> {
    if (object == nullptr) return key_not_found(id);
    CAIRN_TRY(const auto current, Key::decode(object->bytes, object->info.etag));
    CAIRN_TRY(next, change(current));
    if (!next) return std::optional<std::string>();
    CAIRN_CHECK(check_last_administrator(current, *next));
    return std::optional<std::string>(next->encode());
  };
  CAIRN_TRY(const auto info, store::update(store_, key_record_of(id), changed_record, deadline));
  if (!info) return std::shared_ptr<const Key>();
  next->etag = info->etag;
  return publish(*std::move(next));
}

Result<bool> Keys::update(std::string_view id, const KeyChange& wanted, const Key& changer,
                          const os::Deadline& deadline) {
  CAIRN_TRY(const auto changed,
            change(
                id,
                [&](const Key& current) {
                  return changed_key(current, wanted, changer, clock_.unix_ms());
                },
                deadline));
  return changed != nullptr;
}

Result<RotatedKey> Keys::rotate(std::string_view id, std::int64_t overlap_ms, const Key& changer,
                                const os::Deadline& deadline) {
  if (overlap_ms < 0 || overlap_ms > overlap_max_ms)
    return validation_failed({"the overlap of a rotation must be between 0 and 30d"});
  const std::string secret = draw_secret(random_);
  const auto rotated = [&](const Key& current) -> Result<std::optional<Key>> {
    // What somebody else gave a key since, or its maker lost, is not the maker's with the secret.
    const bool made = changer.id == current.created_by &&
                      current.limited_by == limits_for_children(changer);
    const bool own = made || changer.id == current.id;
    if (!own && !(changer.may_cluster("all") && changer.may_index("all", "*") &&
                 changer.reads_all_of("*")))
      return key_not_found(id);
    const std::int64_t now = clock_.unix_ms();
    CAIRN_CHECK(check_alive(current, now));
    Key next = current;
    next.previous_sha256 = overlap_ms > 0 ? current.secret_sha256 : std::string();
    next.previous_until_ms = overlap_ms > 0 ? now + overlap_ms : 0;
    next.secret_sha256 = sha256(secret);
    ++next.version;
    return std::optional<Key>(std::move(next));
  };
  CAIRN_TRY(auto key, change(id, rotated, deadline));
  const std::int64_t until = key->previous_until_ms;
  return RotatedKey{std::move(key), secret, until};
}

Result<bool> Keys::set_enabled(std::string_view id, bool enabled, const Key& changer,
                               const os::Deadline& deadline) {
  if (!enabled && id == changer.id)
    return illegal_argument("API key [" + changer.id +
                            "] asks for its own disabling, and could not take that back; ask with "
                            "another key that has the cluster privilege [manage_api_key]");
  const auto switched = [&](const Key& current) -> Result<std::optional<Key>> {
    CAIRN_CHECK(check_alive(current, clock_.unix_ms()));
    if (current.disabled == !enabled) return std::optional<Key>();
    Key next = current;
    next.disabled = !enabled;
    ++next.version;
    return std::optional<Key>(std::move(next));
  };
  CAIRN_TRY(const auto changed, change(id, switched, deadline));
  return changed != nullptr;
}

Result<Invalidated> Keys::invalidate(const KeyFilter& filter, const os::Deadline& deadline) {
  Invalidated out;
  const auto ended = [&](const Key& current) -> Result<std::optional<Key>> {
    if (current.invalidation_ms) return std::optional<Key>();
    Key next = current;
    next.invalidation_ms = clock_.unix_ms();
    ++next.version;
    return std::optional<Key>(std::move(next));
  };
  for (const auto& key : find(filter)) {
    const auto done = change(key->id, ended, deadline);
    if (!done.ok())
      out.errors.push_back(done.error());
    else
      (*done == nullptr ? out.previously : out.ids).push_back(key->id);
  }
  if (const auto purged = purge(deadline); !purged.ok())
    os::log(os::LogLevel::warn, "auth", "old keys were not deleted",
            {{"reason", purged.error().message}});
  return out;
}

Status Keys::check_last_administrator(const Key& before, const Key& after) {
  if (!before.lasting_administrator() || after.lasting_administrator()) return ok_status();
  const bool first_ended = first_has_ended();
  if (first_ended && before.id == first_id_) return ok_status();  // it opens nothing any more
  const std::lock_guard lock(publishing_);
  for (const auto& [creation_ms, id] : administrators_)
    if (id != before.id && !(first_ended && id == first_id_)) return ok_status();
  return last_administrator(before.id);
}

void Keys::set_first(std::string_view id) {
  const std::lock_guard lock(publishing_);
  first_id_ = id;
  if (const auto key = get(id)) note_administrator(*key);
}

/// Under publishing_, for each key that came or changed.
void Keys::note_administrator(const Key& key) {
  if (key.lasting_administrator())
    administrators_.emplace(key.creation_ms, key.id);
  else
    administrators_.erase({key.creation_ms, key.id});
  const auto oldest = std::find_if(administrators_.begin(), administrators_.end(),
                                   [&](const auto& one) { return one.second != first_id_; });
  first_ends_ms_ = oldest == administrators_.end()
                       ? INT64_MAX
                       : oldest->first + options_.first_key_overlap_ms;
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
    return std::tuple(a->creation_ms, a->serial, std::string_view(a->id)) <
           std::tuple(b->creation_ms, b->serial, std::string_view(b->id));
  });
  return out;
}

void Keys::put_shard(std::size_t shard, std::shared_ptr<const Shard> content) {
  auto table = std::make_shared<Table>(*table_.read());
  (*table)[shard] = std::move(content);
  table_.replace(std::move(table));
}

std::shared_ptr<const Key> Keys::publish(Key key) {
  const std::lock_guard lock(publishing_);
  const std::size_t at = TextHash{}(key.id) % shard_count;
  auto shard = std::make_shared<Shard>(*(*table_.read())[at]);
  auto& there = (*shard)[key.id];
  key.last_use = there ? there->last_use : std::make_shared<LastUse>();
  auto shared = std::make_shared<const Key>(std::move(key));
  if (there && there->version > shared->version) return shared;
  there = shared;
  note_administrator(*shared);
  put_shard(at, std::move(shard));
  return shared;
}

void Keys::forget(const std::string& id) {
  const std::lock_guard lock(publishing_);
  const std::size_t at = TextHash{}(id) % shard_count;
  auto shard = std::make_shared<Shard>(*(*table_.read())[at]);
  shard->erase(id);
  put_shard(at, std::move(shard));
}

}  // namespace cairn::auth
