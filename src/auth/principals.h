// SPDX-License-Identifier: Apache-2.0
// One book over both ports: a user, a service or the root of an account, and the credentials of
// either kind that it has.
#pragma once

#include <memory>
#include <string_view>

#include "auth/accounts/accounts.h"
#include "auth/keys/keys.h"
#include "auth/secrets/object_keys.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"

namespace cairn::auth {

/// An API key and the access key whose holder it has. Their secrets are shown once.
struct CreatedBoth {
  CreatedKey api_key;
  std::shared_ptr<const ObjectKey> access_key;
};

/// Safe from any thread; asking takes no lock. An API key and an access key may name each other;
/// then both have one holder, that of the access key, and each is good only while the other is. A
/// change of one record thus ends both at once, and a crash between two records leaves neither
/// better than before: what does not name each other opens nothing.
class Principals {
 public:
  /// Takes away what a crash left of a making or an ending, and answers for `keys` whether an
  /// access key stands. All of `keys`, `object_keys`, `accounts` and `clock` outlive it and it
  /// outlives their last question. Errors: those of the store.
  static Result<std::unique_ptr<Principals>> open(Keys& keys, ObjectKeys& object_keys,
                                                  const Accounts& accounts, const os::Clock& clock,
                                                  const os::Deadline& deadline);

  /// An API key with a new access key of a user, or of the root where `user` is empty.
  /// Errors: those of Keys::create; not_found (account, user).
  Result<CreatedBoth> create(NewKey wanted, std::string_view account_id, std::string_view user,
                             const Key& creator, const os::Deadline& deadline);
  /// An API key for the holder of an access key that is there.
  /// Errors: the same; not_found; conflict where it has one already, or is idle.
  Result<CreatedBoth> create_for(NewKey wanted, std::string_view access_key_id, const Key& creator,
                                 const os::Deadline& deadline);
  /// As Keys::invalidate; their access keys are deleted.
  Result<Invalidated> invalidate(const KeyFilter& filter, const os::Deadline& deadline);
  /// Deletes an access key; its API key is invalidated. True where there was one.
  Result<bool> remove(std::string_view access_key_id, const os::Deadline& deadline);

  /// The access key of that id; null where there is none, and where its API key has ended or is
  /// disabled.
  std::shared_ptr<const ObjectKey> find(std::string_view access_key_id) const;
  /// Who holds an API key; null where nobody of an account does, or may any more.
  std::shared_ptr<const ObjectCaller> holder_of(const Key& key) const;

 private:
  Principals(Keys& keys, ObjectKeys& object_keys, const Accounts& accounts, const os::Clock& clock)
      : keys_(keys), object_keys_(object_keys), accounts_(accounts), clock_(clock) {}
  Status settle(const os::Deadline& deadline);
  Status give_up(std::string_view api_key_id, const os::Deadline& deadline);
  Result<KeyHolder> holder_of(const ObjectKey& key) const;

  Keys& keys_;
  ObjectKeys& object_keys_;
  const Accounts& accounts_;
  const os::Clock& clock_;
};

}  // namespace cairn::auth
