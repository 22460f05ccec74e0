// SPDX-License-Identifier: Apache-2.0
// All API keys: verified from memory, changed through the store.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "auth/keys/key.h"
#include "auth/options.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "os/snapshot.h"
#include "store/store.h"

namespace cairn::auth {

/// What the wire calls `encoded`: base64 of id:secret.
std::string encoded_key(std::string_view id, std::string_view secret);
struct KeyText {
  std::string id;
  std::string secret;
};
/// The parts of `encoded`; nothing for anything else.
std::optional<KeyText> decode_key(std::string_view encoded);

/// The access key whose holder an API key gets: see Principals.
struct KeyHolder {
  std::string access_key_id;
  std::string username;
  Json identity;  // as metadata._cairn.identity has it
};

struct NewKey {
  std::string name = {};                         // required
  std::optional<std::int64_t> lifetime_ms = {};  // none: it does not expire
  Json role_descriptors = Json::object();        // empty: the rights of who creates it
  Json metadata = Json::object();
  /// With one, empty role descriptors give no rights, and the metadata may name no identity.
  std::optional<KeyHolder> holder = {};
};

/// A token of an application: see ApplicationGrants, whose rules it has passed.
struct NewToken {
  std::string name = {};
  std::int64_t lifetime_ms = 0;
  Json role_descriptors = Json::object();  // empty: the rights of the granting key
  Json identity = Json::object();          // checked
};

struct CreatedKey {
  std::shared_ptr<const Key> key;
  std::string secret;  // shown once
};

/// All that are set must fit.
struct KeyFilter {
  std::vector<std::string> ids = {};
  std::string name = {};  // a pattern with *
  std::string realm = {};
  std::string username = {};
  std::string owner = {};  // a key's id: that key and those that it made
  bool active_only = false;
};

struct KeyChange {
  std::optional<Json> role_descriptors = {};
  std::optional<Json> metadata = {};
  std::optional<std::int64_t> lifetime_ms = {};  // from now
};

struct RotatedKey {
  std::shared_ptr<const Key> key;
  std::string secret;                // the new one, shown once
  std::int64_t previous_until_ms = 0;  // until then the old one verifies too
};

struct Invalidated {
  std::vector<std::string> ids;
  std::vector<std::string> previously;
  std::vector<Error> errors;
};

/// Safe from any thread. Verifying reads an immutable table and takes no lock; changes go to the
/// store first and are answered when durable. Keys are records "api-key/<id>" in the store.
class Keys {
 public:
  /// Reads all records. `store`, `clock` and `random` outlive it.
  static Result<std::unique_ptr<Keys>> open(store::Store& store, const os::Clock& clock,
                                            os::Random& random, Options options,
                                            const os::Deadline& deadline);
  /// The same for keys that another process changes, to verify them here: nothing is written.
  static Result<std::unique_ptr<Keys>> open_replica(store::Store& store, const os::Clock& clock,
                                                    os::Random& random, Options options,
                                                    const os::Deadline& deadline);
  /// Of open_replica(): reads what has changed, as of a moment during the call. One at a time.
  /// Errors: those of the store; corrupt.
  Status catch_up(const os::Deadline& deadline);

  /// The key, where the secret is right and the key may be used now.
  /// Errors: unauthenticated, with the reason as the platform words it. Constant time in the
  /// secret.
  Result<std::shared_ptr<const Key>> verify(std::string_view id, std::string_view secret) const {
    return verify(get(id), id, secret);
  }
  /// The same where get(id) was asked before, and gave `key`, which may be null.
  Result<std::shared_ptr<const Key>> verify(std::shared_ptr<const Key> key, std::string_view id,
                                            std::string_view secret) const;

  /// That the key, whose secret is known to be right, may be used now. Errors: unauthenticated, as
  /// verify() words them.
  Status check_usable(const Key& key) const;
  /// Whether a secret with this SHA-256 verifies now: the key's, or the one before its last rotation.
  bool takes_secret(const Key& key, std::string_view secret_sha256) const;

  /// Errors: invalid_argument (fields, and rights of a key made by one without manage_api_key);
  /// permission_denied for metadata._cairn without manage_api_key.
  Result<CreatedKey> create(const NewKey& wanted, const Key& creator, const os::Deadline& deadline);
  /// A key that counts as it says and may no more than `granting`; made by `application`. Deletes
  /// tokens that are long over now and then. Errors: those of the store.
  Result<CreatedKey> create_token(const NewToken& wanted, const Key& granting,
                                  std::string_view application, const os::Deadline& deadline);
  /// The key of the first start, made by nobody. `secret` was drawn and written down by the caller.
  Result<std::shared_ptr<const Key>> install(Key key, std::string_view secret,
                                             const os::Deadline& deadline);
  /// True where something changed. Errors: not_found; invalid_argument as for create, and for a key
  /// that is expired or invalidated; conflict for the last administrator's key.
  Result<bool> update(std::string_view id, const KeyChange& change, const Key& changer,
                      const os::Deadline& deadline);
  /// Draws a new secret; the old one verifies for `overlap_ms` more. For the key itself, the key
  /// that made it while it could make that key again, and administrators: whoever draws a secret
  /// may do all that the key may.
  /// Errors: not_found; invalid_argument as for update, and for an overlap below 0 or over 30 days.
  Result<RotatedKey> rotate(std::string_view id, std::int64_t overlap_ms, const Key& changer,
                            const os::Deadline& deadline);
  /// Makes a key be refused, or taken again; true where that was a change. `changer` has the right
  /// to do that to any key, but may not disable itself.
  /// Errors: not_found; invalid_argument for the changer itself, and for a key that is expired or
  /// invalidated; conflict for the last administrator's key.
  Result<bool> set_enabled(std::string_view id, bool enabled, const Key& changer,
                           const os::Deadline& deadline);
  /// Soft: the records stay for the retention time. A key without which no administrator's key
  /// would be left is among the errors, with the kind conflict.
  Result<Invalidated> invalidate(const KeyFilter& filter, const os::Deadline& deadline);

  /// What tells whether the access key of a key that has one stands; without it none does. Once,
  /// before the first request. Safe from any thread; must not block.
  void set_holders(std::function<bool(const Key&)> stands) { holder_stands_ = std::move(stands); }

  /// Which key the first start made. It is taken no more once another administrator's key has stood
  /// for Options::first_key_overlap_ms. Once, before the first request.
  void set_first(std::string_view id);
  bool first_has_ended() const { return clock_.unix_ms() >= first_ends_ms_; }

  /// In the order in which they were made.
  std::vector<std::shared_ptr<const Key>> find(const KeyFilter& filter) const;
  std::shared_ptr<const Key> get(std::string_view id) const;  // null where there is none

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const;
  };
  using Shard =
      std::unordered_map<std::string, std::shared_ptr<const Key>, TextHash, std::equal_to<>>;
  static constexpr std::size_t shard_count = 64;
  // A change copies the one shard that it touches.
  using Table = std::array<std::shared_ptr<const Shard>, shard_count>;

  Keys(store::Store& store, const os::Clock& clock, os::Random& random, Options options);
  Status load(const os::Deadline& deadline);
  Status purge(const os::Deadline& deadline);
  Result<std::shared_ptr<const Key>> write(Key key, const store::Condition& condition,
                                           const os::Deadline& deadline);
  using Change = std::function<Result<std::optional<Key>>(const Key&)>;
  /// The key after the change, or null where that leaves it as it is.
  Result<std::shared_ptr<const Key>> change(std::string_view id, const Change& change,
                                            const os::Deadline& deadline);
  Status check_last_administrator(const Key& before, const Key& after);
  void note_administrator(const Key& key);
  /// The key as it is shared then, or as it would be where a later change was faster.
  std::shared_ptr<const Key> publish(Key key);
  void forget(const std::string& id);
  void put_shard(std::size_t shard, std::shared_ptr<const Shard> content);

  store::Store& store_;
  const os::Clock& clock_;
  os::Random& random_;
  const Options options_;
  std::string first_id_;   // set once, before the first request
  std::function<bool(const Key&)> holder_stands_;  // likewise
  std::mutex changing_;    // around whole changes, so that two cannot end the last two administrators
  std::mutex publishing_;  // around read, copy and replace of the table, and what follows
  std::set<std::pair<std::int64_t, std::string>> administrators_;  // lasting: creation and id
  std::atomic<std::int64_t> first_ends_ms_ = INT64_MAX;
  std::atomic<std::int64_t> last_serial_ = 0;
  os::Snapshot<Table> table_;
};

}  // namespace cairn::auth
