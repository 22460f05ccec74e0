// SPDX-License-Identifier: Apache-2.0
// Credentials for a while that an access grant gave: for one part of the objects, and for reading,
// writing or both. The client keeps what they are, sealed; nothing of them is stored here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "auth/accounts/access_grants.h"
#include "auth/accounts/accounts.h"
#include "auth/secrets/seal.h"
#include "base/result.h"
#include "os/random.h"

namespace cairn::s3api {

struct GrantedAccess {
  std::string access_key_id = {};  // of the credentials
  std::string secret = {};
  std::string parent_key_id = {};  // the access key whose holder asked, and whose end is their own
  std::string account_id = {};     // whose grant it was
  std::string grant_id = {};
  auth::GrantScope scope = {};
  auth::GrantPermission permission = auth::GrantPermission::read;
  std::int64_t expires_ms = 0;
};

/// Whether an access key's id is one of those that grants give.
inline bool is_key_of_grant(std::string_view access_key_id) { return access_key_id.starts_with("CG"); }

/// Safe from any thread.
class GrantTokens {
 public:
  GrantTokens(auth::Seal seal, os::Random& random) : seal_(std::move(seal)), random_(random) {}
  /// Draws the key of new credentials; the rest is given.
  GrantedAccess draw(GrantedAccess access) const;
  /// What the client sends with each request: base64url.
  std::string token(const GrantedAccess& access) const;
  /// Errors: InvalidToken. Whether it has expired is the caller's to see.
  Result<GrantedAccess> open(std::string_view token) const;

 private:
  const auth::Seal seal_;
  os::Random& random_;
};

/// The grants, and who a location's rights are. Both outlive what they are given to.
struct GrantBook {
  auth::AccessGrants* grants = nullptr;  // null: there are none
  /// A user of an account, or its root where the name is empty; null: nobody.
  std::function<std::shared_ptr<const auth::ObjectCaller>(std::string_view account,
                                                          std::string_view user)>
      find_user = {};
};

/// Whose rights the credentials have besides their own limits, asked at each request: the user of
/// the grant's location. Null where the grant, its location or that user is no more, or where the
/// grant is another one's by now.
std::shared_ptr<const auth::ObjectCaller> rights_of(const GrantedAccess& access,
                                                    const auth::ObjectCaller& holder,
                                                    const GrantBook& book);

/// Whether the limits of the credentials let an action be done. `prefix`: of a listing.
bool covers(const GrantedAccess& access, std::string_view action, std::string_view bucket,
            std::string_view key, std::string_view prefix);

}  // namespace cairn::s3api
