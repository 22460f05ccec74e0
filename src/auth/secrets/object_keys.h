// SPDX-License-Identifier: Apache-2.0
// Access keys of the object storage: an id to look up, and the secret that verifies signatures.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "auth/last_use.h"
#include "auth/secrets/seal.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "os/snapshot.h"
#include "store/store.h"

namespace cairn::auth {

/// Immutable once published; the secret is in clear in memory only.
struct ObjectKey {
  std::string access_key_id;      // 20 upper-case letters and digits
  std::string secret;             // 40 characters
  std::string account_id;         // 12 digits
  std::string canonical_id;       // 64 hexadecimal digits
  std::string user;               // display name, and what the limiter counts by
  std::string account_user = {};  // the user of the account; empty: its root
  std::string api_key_id = {};    // the API key that it ends with, see Principals; empty: none
  bool active = true;
  std::int64_t creation_ms = 0;
  std::int64_t version = 0;  // counts changes
  /// One for all versions of a stored key; null: not kept.
  std::shared_ptr<LastUse> last_use = {};
};

/// Safe from any thread. Finding takes no lock. Records are "object-key/<access_key_id>" in the
/// store, with the secret sealed.
class ObjectKeys {
 public:
  /// Errors: corrupt where a record does not open under the master key.
  static Result<std::unique_ptr<ObjectKeys>> open(store::Store& store, Seal seal,
                                                  const os::Clock& clock, os::Random& random,
                                                  const os::Deadline& deadline);
  /// The key, also where it is not active; null where there is none.
  std::shared_ptr<const ObjectKey> find(std::string_view access_key_id) const;
  std::vector<std::shared_ptr<const ObjectKey>> all() const;  // by id

  /// A new random pair for the user.
  Result<std::shared_ptr<const ObjectKey>> create(std::string_view user,
                                                  const os::Deadline& deadline);
  /// Stores a pair that was drawn by draw(). Errors: already_exists.
  Result<std::shared_ptr<const ObjectKey>> install(ObjectKey key, const os::Deadline& deadline);
  /// A pair that is not stored yet.
  ObjectKey draw(std::string_view user) const;
  /// Makes a key verify no more signatures, or verify them again; true where that was a change.
  /// Errors: not_found.
  Result<bool> set_active(std::string_view access_key_id, bool active,
                          const os::Deadline& deadline);
  /// Notes the API key that a key ends with; may be repeated where the answer was lost.
  /// Errors: not_found; conflict where it has another.
  Result<std::shared_ptr<const ObjectKey>> set_api_key(std::string_view access_key_id,
                                                       std::string_view api_key_id,
                                                       const os::Deadline& deadline);
  /// Seals every secret again, under the key that seals now. Errors: those of the store.
  Status reseal(const os::Deadline& deadline);
  /// True where there was one.
  Result<bool> remove(std::string_view access_key_id, const os::Deadline& deadline);

 private:
  using Table = std::unordered_map<std::string, std::shared_ptr<const ObjectKey>>;
  ObjectKeys(store::Store& store, Seal seal, const os::Clock& clock, os::Random& random)
      : store_(store),
        seal_(std::move(seal)),
        clock_(clock),
        random_(random),
        table_(std::make_shared<const Table>()) {}
  Status load(const os::Deadline& deadline);
  /// `change` says whether it changed something. The key after it; null where it did not.
  Result<std::shared_ptr<const ObjectKey>> change(
      std::string_view access_key_id, const std::function<Result<bool>(ObjectKey&)>& change,
      const os::Deadline& deadline);
  Result<ObjectKey> decode(std::string_view bytes) const;
  std::string encode(const ObjectKey& key) const;

  store::Store& store_;
  const Seal seal_;
  const os::Clock& clock_;
  os::Random& random_;
  std::mutex publishing_;
  os::Snapshot<Table> table_;
};

}  // namespace cairn::auth
