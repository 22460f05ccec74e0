// SPDX-License-Identifier: Apache-2.0
#include "s3api/access/account_book.h"

#include <algorithm>

#include "base/strings.h"
#include "s3/errors.h"
#include "s3api/call.h"

namespace cairn::s3api {
namespace {

// The name of an account where it may be shown: those regions are the ones with e-mail grantees.
std::optional<std::string> display_name(const Call& call, std::string_view canonical_id) {
  const Options& options = call.context.options;
  const auto& find = call.context.accounts.by_canonical_id;
  if (!find || options.ends_email_grants_everywhere()) return std::nullopt;
  const std::string region =
      call.bucket == nullptr ? options.region : region_of(call.bucket->bucket, options);
  if (options.ends_email_grants(region)) return std::nullopt;
  const auto account = find(canonical_id);
  return account == nullptr ? std::nullopt : std::optional(account->name);
}

}  // namespace

AccountBook book_of(const auth::Accounts& accounts) {
  return {.by_canonical_id = [&](std::string_view id) { return accounts.find_canonical(id); },
          .by_email = [&](std::string_view email) { return accounts.find_email(email); }};
}

s3::EmailGrantees email_grantees_of(const Call& call, std::string_view region) {
  return call.context.options.ends_email_grants(region) ? s3::EmailGrantees::refused
                                                       : s3::EmailGrantees::taken;
}

Status check_grantees(const Call& call, const std::vector<s3::Grant>& grants,
                      const std::vector<s3::Grant>& kept) {
  const AccountBook& book = call.context.accounts;
  for (const s3::Grant& grant : grants) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const s3::Grant& one) {
      return one.kind == grant.kind && one.name == grant.name;
    });
    if (known || grant.kind == s3::GranteeKind::group) continue;
    if (grant.kind == s3::GranteeKind::email) {
      if (!book.by_email || book.by_email(grant.name) == nullptr)
        return s3::error("UnresolvableGrantByEmailAddress");
    } else if (grant.name != call.identity.account().id && book.by_canonical_id &&
               book.by_canonical_id(grant.name) == nullptr) {
      return bad_argument("CanonicalUser/ID", grant.name, "Invalid id");
    }
  }
  return ok_status();
}

s3::OwnerElement owner_element(const Call& call, const std::string& canonical_id) {
  return {.id = canonical_id, .display_name = display_name(call, canonical_id)};
}

std::vector<s3::GrantElement> shown_grants(const Call& call, const s3::GrantList& list) {
  std::vector<s3::GrantElement> elements = s3::grant_elements(list);
  for (s3::GrantElement& element : elements)
    if (element.grantee->id)
      element.grantee->display_name = display_name(call, *element.grantee->id);
  return elements;
}

}  // namespace cairn::s3api
