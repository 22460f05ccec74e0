// SPDX-License-Identifier: Apache-2.0
// One API key as it is stored and as it is asked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/keys/rights.h"
#include "auth/last_use.h"
#include "base/result.h"
#include "format/json.h"
#include "ratelimit/identity.h"

namespace cairn::auth {

/// Immutable once published, but for the note. Secrets are not here: only their SHA-256.
struct Key {
  std::string id;  // 20 url-safe characters
  std::string name;
  std::string secret_sha256;  // 32 raw bytes
  /// The secret before the last rotation, which verifies until then; empty: there is none.
  std::string previous_sha256 = {};
  std::int64_t previous_until_ms = 0;
  std::int64_t creation_ms = 0;
  std::int64_t serial = 0;  // grows with each key made: the order of those of one millisecond
  std::optional<std::int64_t> expiration_ms;
  std::optional<std::int64_t> invalidation_ms;  // set: the key is invalidated
  bool disabled = false;                        // is refused until it is enabled again
  std::string username;                         // who it belongs to
  std::string created_by;                  // id of the key that made it; empty: made offline
  /// The access key of the object storage that it has its holder from, and ends with (see
  /// Principals). Empty: it stands for itself.
  std::string access_key_id = {};
  Json role_descriptors = Json::object();  // as shown; empty: all that `limited_by` leaves
  Json limited_by = Json::array();         // sets of role descriptors, each of which must admit too
  Json metadata = Json::object();
  std::int64_t version = 1;  // grows with each change; tells the newer of two copies
  std::string etag;          // of the stored record
  bool signed_in = false;    // stands for a user of an issuer of tokens (see SignIn), and is not stored

  /// Role descriptors and limits made ready; filled by decode() and prepare().
  std::vector<Rights> bounds;
  ratelimit::Identity counted_as = {};  // whose requests are counted together; filled likewise
  mutable ratelimit::AccountNote note;  // the limiter's, about the account in `counted_as`
  /// One for all versions of a stored key; null: not kept.
  std::shared_ptr<LastUse> last_use = {};

  bool expired(std::int64_t now_ms) const { return expiration_ms && *expiration_ms <= now_ms; }
  bool may_cluster(std::string_view privilege) const;
  bool may_index(std::string_view privilege, std::string_view index) const;
  bool may_some_index(std::string_view privilege) const;
  /// True where no query of a role hides documents of `index`, a name or an expression. Says nothing
  /// about whether it may be read.
  bool reads_all_of(std::string_view index) const;
  /// What narrows reading of one index, by its name; null where reads_all_of.
  std::shared_ptr<const Json> document_filter(std::string_view index) const;
  /// It may read documents and descriptions of indices, and nothing else.
  bool searches_only() const;
  /// All rights on everything, usable, and without an end: what keeps an installation reachable.
  /// Never one that ends with an access key.
  bool lasting_administrator() const;
  /// metadata._cairn.identity, or null.
  const Json* identity() const { return metadata.find_path("_cairn.identity"); }

  /// Makes `bounds` from the descriptors and `counted_as` from the metadata.
  /// Errors: those of Rights::parse and ratelimit::parse_identity; invalid_argument where queries of
  /// roles are too large together.
  Status prepare();
  std::string encode() const;
  /// Errors: corrupt.
  static Result<Key> decode(std::string_view bytes, std::string_view etag);
  /// The key as the API shows it.
  Json shown(bool with_limited_by) const;
};

/// {"at": unix ms, "address"}; nothing where no use is known of.
std::optional<Json> shown_use(const Use& use);
/// [{"hour": unix ms, "requests"}], the oldest first; empty for null.
Json shown_requests(const LastUse* use);

/// Role descriptors that give nothing; none at all would give what the maker has.
Json no_rights();

/// What the limit of a key made by this one is: everything that bounds this one, with templates of
/// queries filled in for this one.
Json limits_for_children(const Key& key);

}  // namespace cairn::auth
