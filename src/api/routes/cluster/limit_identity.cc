// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/limit_identity.h"

#include <algorithm>
#include <iterator>

#include "api/forms/error_json.h"
#include "gate/address.h"

namespace cairn::api {
namespace {

using ratelimit::IdentityKind;

constexpr std::size_t account_bytes_max = 512;

struct Prefix {
  std::string_view name;
  IdentityKind kind;
};
constexpr Prefix prefixes[] = {
    {"ip:", IdentityKind::address},        {"user:", IdentityKind::user},
    {"inst:", IdentityKind::installation}, {"app:", IdentityKind::oauth_app},
    {"wf:", IdentityKind::workflow},       {"service:", IdentityKind::service},
    {"key:", IdentityKind::user}};

}  // namespace

Result<ratelimit::Identity> identity_of_account(const std::string& account,
                                                const ratelimit::Policy& policy) {
  if (account.size() > account_bytes_max)
    return illegal_argument("an identity has at most " + std::to_string(account_bytes_max) +
                            " bytes");
  const auto prefix =
      std::find_if(std::begin(prefixes), std::end(prefixes), [&](const Prefix& one) {
        return account.size() > one.name.size() && account.starts_with(one.name);
      });
  if (prefix == std::end(prefixes))
    return illegal_argument("there is no identity [" + account +
                            "]; it begins with one of [ip:, user:, inst:, app:, wf:, service:, "
                            "key:]");
  ratelimit::Identity out{.kind = prefix->kind, .account = account};
  if (out.kind == IdentityKind::address)
    if (const auto address =
            gate::parse_address(std::string_view(account).substr(prefix->name.size())))
      out.account = gate::AddressRules(policy.identity).account_of(*address);
  out.exempt = policy.exempts(out);
  return out;
}

Result<ratelimit::Identity> known_identity(const std::string& account, const auth::Keys& keys,
                                           const ratelimit::Policy& policy) {
  CAIRN_TRY(ratelimit::Identity out, identity_of_account(account, policy));
  for (const auto& key : keys.find({.active_only = true}))
    if (key->counted_as.account == out.account) out = key->counted_as;
  for (const auto& token : policy.tokens)
    if (token.identity.account == out.account) out = token.identity;
  out.exempt = policy.exempts(out);
  return out;
}

}  // namespace cairn::api
