// SPDX-License-Identifier: Apache-2.0
// Accounts of the object storage and their users: to whom access keys, buckets and grants belong.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/policy/policy.h"
#include "auth/secrets/object_keys.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "os/snapshot.h"
#include "ratelimit/identity.h"
#include "store/store.h"

namespace cairn::auth {

inline constexpr std::size_t user_policies_max = 10;

struct Account {
  std::string id;            // 12 digits
  std::string canonical_id;  // 64 hexadecimal digits
  std::string name;
  std::string email = {};  // may be empty; grants of old may name it
  std::int64_t creation_ms = 0;
};

struct AccountUser {
  std::string account_id;
  std::string name;
  std::string user_id;                               // "AIDA" and 17 letters and digits
  std::map<std::string, std::string> policies = {};  // documents, as they were given, by name
  bool service = false;  // a back end of the operator's own, which the limiter knows as such
  std::int64_t creation_ms = 0;
  std::int64_t version = 0;
};

/// Who signed a request, with everything that a decision needs to know of it. Immutable.
struct ObjectCaller {
  std::string account_id;
  std::string canonical_id;
  std::string email;
  std::string arn;       // arn:aws:iam::<account>:root, or :user/<name>
  std::string user_id;   // of the root: the account's id
  std::string username;  // empty: the root of the account, which may do all that an account may
  std::vector<std::shared_ptr<const Policy>> policies = {};  // of the user; a root has none
  bool service = false;
  bool is_root() const { return username.empty(); }
  PolicyCaller named() const { return {account_id, canonical_id, arn}; }
};

struct NewAccount {
  std::string name = {};               // required, 1 to 128 bytes
  std::optional<std::string> id = {};  // 12 digits; drawn where it is not given
  std::string email = {};
};

/// Whose requests count together, on either port: "user:alice", "service:shop". Empty where the
/// key's name is, whose requests count as nobody's.
ratelimit::Identity counted_as(const ObjectKey& key, const ObjectCaller& caller);

/// "arn:aws:iam::123456789012:user/alice"; without a user: of the root.
std::string principal_arn(std::string_view account_id, std::string_view user = {});

/// Safe from any thread. Reading takes no lock; changes go to the store first and are answered when
/// durable. Records: "object-account/<id>", "object-user/<account>/<name>", and an account's id
/// at "object-account-name/<name>" and "object-account-email/<address>". Errors carry the names
/// that the platform's API has for them.
class Accounts {
 public:
  /// Reads all records, and makes one for each account that only a key names yet.
  /// `store`, `keys`, `clock` and `random` outlive it. Errors: corrupt; those of the store.
  static Result<std::unique_ptr<Accounts>> open(store::Store& store, ObjectKeys& keys,
                                                const os::Clock& clock, os::Random& random,
                                                const os::Deadline& deadline);

  /// Errors: invalid_argument; already_exists (id, name or e-mail address).
  Result<std::shared_ptr<const Account>> create_account(const NewAccount& wanted,
                                                        const os::Deadline& deadline);
  /// Letters, digits and +=,.@_- , up to 64. Errors: invalid_argument; not_found (account);
  /// already_exists.
  Result<std::shared_ptr<const AccountUser>> create_user(std::string_view account_id,
                                                         std::string_view name,
                                                         const os::Deadline& deadline,
                                                         bool service = false);
  /// Sets or replaces a policy of a user. Errors: not_found; invalid_argument and too_large, as
  /// Policy::of_identity has them.
  Status put_user_policy(std::string_view account_id, std::string_view user,
                         std::string_view policy_name, std::string_view document,
                         const os::Deadline& deadline);
  /// True where there was one. Errors: not_found (user).
  Result<bool> delete_user_policy(std::string_view account_id, std::string_view user,
                                  std::string_view policy_name, const os::Deadline& deadline);
  /// Errors: not_found; conflict while the user has keys.
  Status delete_user(std::string_view account_id, std::string_view name,
                     const os::Deadline& deadline);
  /// A pair that is not stored yet, for a user, or for the root where `user` is empty.
  /// Errors: not_found.
  Result<ObjectKey> draw_key(std::string_view account_id, std::string_view user) const;
  /// The same, stored.
  Result<std::shared_ptr<const ObjectKey>> create_key(std::string_view account_id,
                                                      std::string_view user,
                                                      const os::Deadline& deadline);

  /// The oldest account: that of the first start's pair. Null where there is none at all.
  std::shared_ptr<const Account> first() const;
  std::vector<std::shared_ptr<const Account>> all() const;  // by id
  std::shared_ptr<const Account> find(std::string_view id) const;
  std::shared_ptr<const Account> find_canonical(std::string_view canonical_id) const;
  std::shared_ptr<const Account> find_email(std::string_view email) const;
  std::shared_ptr<const AccountUser> find_user(std::string_view account_id,
                                               std::string_view name) const;
  std::vector<std::shared_ptr<const AccountUser>> users(std::string_view account_id) const;

  /// A user of an account, or its root where `user` is empty; null where there is none.
  std::shared_ptr<const ObjectCaller> caller_of(std::string_view account_id,
                                                std::string_view user) const;
  /// Who signs with that key; null where its user is no more.
  std::shared_ptr<const ObjectCaller> caller_of(const ObjectKey& key) const;

 private:
  struct Member {
    std::shared_ptr<const AccountUser> user;
    std::shared_ptr<const ObjectCaller> caller;
  };
  struct AccountEntry {
    std::shared_ptr<const Account> account;
    std::shared_ptr<const ObjectCaller> root;
    std::map<std::string, Member, std::less<>> members = {};
  };
  using Table = std::map<std::string, AccountEntry, std::less<>>;

  Accounts(store::Store& store, ObjectKeys& keys, const os::Clock& clock, os::Random& random);
  Status load(const os::Deadline& deadline);
  Status adopt_accounts_of_keys(Table& table, const os::Deadline& deadline);
  Result<bool> reserve(const std::string& record, const Account& account,
                       const os::Deadline& deadline);
  Result<std::shared_ptr<const Account>> write(Account account, const os::Deadline& deadline);
  /// `change` says whether it changed something; false where it did not.
  Result<bool> change_user(std::string_view account_id, std::string_view name,
                           const std::function<Result<bool>(AccountUser&)>& change,
                           const os::Deadline& deadline);
  static Result<Member> member_of(const Account& account, AccountUser user);
  static void put_entry(Table& table, const std::shared_ptr<const Account>& account);
  Result<Member> find_member(std::string_view account_id, std::string_view name) const;
  void publish(const std::shared_ptr<const Account>& account);
  void publish(const Member& member);
  void forget(const AccountUser& user);

  store::Store& store_;
  ObjectKeys& keys_;
  const os::Clock& clock_;
  os::Random& random_;
  std::mutex creating_;    // around the making of an account
  std::mutex publishing_;  // around read, copy and replace of the table
  os::Snapshot<Table> table_;
};

}  // namespace cairn::auth
