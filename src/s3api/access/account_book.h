// SPDX-License-Identifier: Apache-2.0
// Accounts as grants and results speak of them: whether there is one, and what it is called.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/accounts/accounts.h"
#include "base/result.h"
#include "s3/grants.h"
#include "s3/operations/bucket_operations.h"

namespace cairn::s3api {

struct Call;

/// Where accounts are looked up. Safe from any thread; must not block.
struct AccountBook {
  using Find = std::function<std::shared_ptr<const auth::Account>(std::string_view)>;
  Find by_canonical_id = {};  // none: every id counts as an account's
  Find by_email = {};         // none: no address is known
};
/// Asks the stored accounts, which outlive it.
AccountBook book_of(const auth::Accounts& accounts);

/// Whether requests about buckets of that region may still grant to e-mail addresses.
s3::EmailGrantees email_grantees_of(const Call& call, std::string_view region);

/// Whether there is everybody whom `grants` name; those of `kept` are not asked about again.
/// Errors: InvalidArgument (no such account); UnresolvableGrantByEmailAddress.
Status check_grantees(const Call& call, const std::vector<s3::Grant>& grants,
                      const std::vector<s3::Grant>& kept = {});

/// An owner as results show it; with a name where the region of the call's bucket, or of the
/// service, still has names.
s3::OwnerElement owner_element(const Call& call, const std::string& canonical_id);
/// Grants as results show them, in the same way.
std::vector<s3::GrantElement> shown_grants(const Call& call, const s3::GrantList& list);

}  // namespace cairn::s3api
