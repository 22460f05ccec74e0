// SPDX-License-Identifier: Apache-2.0
// The local key service: keys under which the data keys of encrypted objects are sealed. None of
// them ever leaves the process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/secrets/seal.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "os/snapshot.h"
#include "store/store.h"

namespace cairn::auth {

/// Immutable once published; its bytes are in clear in memory only.
struct EncryptionKey {
  std::string id;          // 36 characters: a UUID
  std::string account_id;  // 12 digits
  std::string description = {};
  bool enabled = true;
  std::int64_t creation_ms = 0;
  std::int64_t version = 0;   // counts changes
  std::string material = {};  // 32 bytes
};

struct NewEncryptionKey {
  std::string account_id;
  std::string description = {};
  std::vector<std::string> aliases = {};
};

/// Safe from any thread. Finding takes no lock. Records in the store: "encryption-key/<id>" with
/// the sealed bytes, "encryption-alias/<account>/<alias>" with an id, and "encryption-root": 32
/// bytes from which the keys follow that nobody has to make, the service's own and each account's
/// default one ("alias/aws/s3").
///
/// Keys are never deleted, since what they sealed could never be read again; they are disabled.
class EncryptionKeys {
 public:
  struct Params {
    store::Store& store;
    Seal seal;
    std::string region;  // in the names of keys
    const os::Clock& clock;
    os::Random& random;
  };
  /// Draws the root where there is none. Errors: corrupt, where a record does not open under the
  /// master key; those of the store.
  static Result<std::unique_ptr<EncryptionKeys>> open(Params params, const os::Deadline& deadline);

  /// Errors: invalid_argument (a bad alias, or one that is kept back), already_exists (an alias of
  /// that account).
  Result<std::shared_ptr<const EncryptionKey>> create(const NewEncryptionKey& wanted,
                                                      const os::Deadline& deadline);
  /// True where that was a change. Errors: not_found.
  Result<bool> set_enabled(std::string_view id, bool enabled, const os::Deadline& deadline);
  /// Seals root and keys again, under the key that seals now. Errors: those of the store.
  Status reseal(const os::Deadline& deadline);
  /// Errors: not_found (key), and those of create.
  Status add_alias(std::string_view id, std::string_view alias, const os::Deadline& deadline);
  /// True where the key had it.
  Result<bool> remove_alias(std::string_view id, std::string_view alias,
                            const os::Deadline& deadline);

  /// Null where there is none. Not those that nobody made.
  std::shared_ptr<const EncryptionKey> find(std::string_view id) const;
  std::vector<std::shared_ptr<const EncryptionKey>> all() const;  // by account, then by id
  std::vector<std::string> aliases_of(const EncryptionKey& key) const;
  /// The default key of an account, which is always there and always enabled.
  EncryptionKey default_key(std::string_view account_id) const;
  static constexpr std::string_view default_alias = "alias/aws/s3";

  /// "arn:aws:kms:us-east-1:123456789012:key/<id>".
  std::string arn_of(const EncryptionKey& key) const;
  /// The key that a request means: by id, alias, or the ARN of either, with `account_id` for names
  /// without one; empty: the default key. Errors with their codes on the wire:
  /// KMS.NotFoundException, KMS.DisabledException; AccessDenied, for a key of another account.
  Result<EncryptionKey> resolve(std::string_view name, std::string_view account_id) const;
  /// The key of an ARN that arn_of gave. Errors: as of resolve.
  Result<EncryptionKey> of_arn(std::string_view arn) const;

  /// 32 bytes for a purpose of the service's own; always the same.
  std::string service_key(std::string_view purpose) const;

 private:
  struct Table {
    std::map<std::string, std::shared_ptr<const EncryptionKey>, std::less<>> keys;
    std::map<std::string, std::string, std::less<>> aliases;  // "<account>/<alias>" to an id
  };
  explicit EncryptionKeys(Params params)
      : store_(params.store),
        seal_(std::move(params.seal)),
        region_(std::move(params.region)),
        clock_(params.clock),
        random_(params.random),
        table_(std::make_shared<const Table>()) {}
  Status load(const os::Deadline& deadline);
  Status load_root(const os::Deadline& deadline);
  Result<EncryptionKey> decode(std::string_view bytes) const;
  std::string encode(const EncryptionKey& key) const;
  Status put_alias(const EncryptionKey& key, const std::string& alias,
                   const os::Deadline& deadline);
  template <class Change>
  void publish(Change change);
  Result<EncryptionKey> by_id(std::string_view id, std::string_view account_id,
                              std::string_view given) const;

  store::Store& store_;
  const Seal seal_;
  const std::string region_;
  const os::Clock& clock_;
  os::Random& random_;
  std::string root_;
  std::mutex publishing_;
  os::Snapshot<Table> table_;
};

}  // namespace cairn::auth
