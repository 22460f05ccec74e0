// SPDX-License-Identifier: Apache-2.0
// Access grants: an account's book of who may read or write which parts of its buckets, by
// credentials for a while that the holder of a grant asks for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "os/snapshot.h"
#include "store/store.h"

namespace cairn::auth {

inline constexpr std::size_t grant_locations_max = 1000;  // of an account
inline constexpr std::size_t grants_max = 10'000;         // of an account

/// A part of the objects: "s3://", "s3://bucket", "s3://bucket/a/*", "s3://bucket/a/b.txt".
struct GrantScope {
  std::string bucket = {};  // empty: all
  std::string key = {};     // what keys begin with, or the key
  bool exact = false;       // one object
  bool covers(const GrantScope& other) const;
  bool covers(std::string_view bucket_name, std::string_view object_key) const;
  std::string text() const;
  /// Errors: invalid_argument, InvalidRequest.
  static Result<GrantScope> parse(std::string_view text, bool object);
};

enum class GrantPermission : std::uint8_t { read, write, read_write };
std::string_view name_of(GrantPermission permission);
std::optional<GrantPermission> find_grant_permission(std::string_view name);
/// Whether whoever has `held` may do what `wanted` says.
bool gives(GrantPermission held, GrantPermission wanted);

struct GrantsInstance {
  std::string id;  // "default"
  std::int64_t creation_ms = 0;
};

struct GrantLocation {
  std::string id;            // "default" for all, else drawn
  GrantScope scope = {};
  std::string role_arn = {};  // as it was given
  std::string user = {};      // of the account, whose rights bound the grants; empty: its root
  std::int64_t creation_ms = 0;
};

struct AccessGrant {
  std::string id;
  std::string location_id;
  std::string sub_prefix = {};  // as it was given
  GrantScope scope = {};
  GrantPermission permission = GrantPermission::read;
  std::string grantee = {};  // ARN of a user, or of the root, of the account
  std::int64_t creation_ms = 0;
};

/// What an account has. Immutable.
struct GrantsOfAccount {
  GrantsInstance instance;
  std::map<std::string, GrantLocation, std::less<>> locations = {};
  std::map<std::string, AccessGrant, std::less<>> grants = {};
  /// The narrowest grant of the grantee that covers the target with that permission; null: none.
  const AccessGrant* find(std::string_view grantee, const GrantScope& target,
                          GrantPermission permission) const;
  std::multimap<std::string, std::string, std::less<>> by_grantee = {};  // ids
};

/// Safe from any thread. Reading takes no lock; changes go to the store first and are answered when
/// durable. Records: "access-grants/<account>/instance", "…/location/<id>", "…/grant/<id>". Errors
/// carry the names of the protocol.
class AccessGrants {
 public:
  /// Reads all records. `store`, `clock` and `random` outlive it. Errors: corrupt; the store's.
  static Result<std::unique_ptr<AccessGrants>> open(store::Store& store, const os::Clock& clock,
                                                    os::Random& random,
                                                    const os::Deadline& deadline);

  /// Null where the account has no instance.
  std::shared_ptr<const GrantsOfAccount> find(std::string_view account) const;

  /// Errors of all: AccessGrantsInstanceAlreadyExists, AccessGrantsInstanceNotExistsError,
  /// AccessGrantsInstanceNotEmptyError, AccessGrantsLocationAlreadyExistsError,
  /// NoSuchAccessGrantsLocationError, AccessGrantsLocationNotEmptyError, AccessGrantAlreadyExists,
  /// NoSuchAccessGrantError, InvalidRequest (too many).
  Result<GrantsInstance> create_instance(const std::string& account, const os::Deadline& deadline);
  Status delete_instance(const std::string& account, const os::Deadline& deadline);
  /// The id and the moment are drawn.
  Result<GrantLocation> create_location(const std::string& account, GrantLocation location,
                                        const os::Deadline& deadline);
  Result<GrantLocation> update_location(const std::string& account, std::string_view id,
                                        const std::string& role_arn, const std::string& user,
                                        const os::Deadline& deadline);
  Status delete_location(const std::string& account, std::string_view id,
                         const os::Deadline& deadline);
  Result<AccessGrant> create_grant(const std::string& account, AccessGrant grant,
                                   const os::Deadline& deadline);
  Status delete_grant(const std::string& account, std::string_view id,
                      const os::Deadline& deadline);

 private:
  using Table = std::map<std::string, std::shared_ptr<const GrantsOfAccount>, std::less<>>;
  AccessGrants(store::Store& store, const os::Clock& clock, os::Random& random)
      : store_(store), clock_(clock), random_(random), table_(std::make_shared<const Table>()) {}
  Status load(const os::Deadline& deadline);
  void publish(const std::string& account, std::shared_ptr<const GrantsOfAccount> content);
  Result<std::shared_ptr<GrantsOfAccount>> copy_of(std::string_view account) const;

  store::Store& store_;
  const os::Clock& clock_;
  os::Random& random_;
  std::mutex changing_;  // around whole changes
  os::Snapshot<Table> table_;
};

}  // namespace cairn::auth
