// SPDX-License-Identifier: Apache-2.0
#include "gate/test_credentials.h"

#include "base/hash.h"
#include "base/strings.h"

namespace cairn::gate {
namespace {

/// Of both digests, so that no id and secret run into each other.
std::string digest_of_app(std::string_view client_id, std::string_view secret) {
  return sha256(sha256(client_id) + sha256(secret));
}

}  // namespace

TestCredentials::TestCredentials(const ratelimit::Policy& policy) {
  for (const auto& token : policy.tokens) tokens_.push_back({sha256(token.name), token.identity});
  for (const auto& app : policy.oauth_apps) {
    ratelimit::Identity identity{.kind = ratelimit::IdentityKind::oauth_app,
                                 .account = "app:" + app.client_id};
    identity.facts.app_owner_enterprise = app.enterprise;
    apps_.push_back({digest_of_app(app.client_id, app.secret), std::move(identity)});
  }
}

const ratelimit::Identity* TestCredentials::find(const std::vector<Row>& rows,
                                                 std::string_view digest) {
  const ratelimit::Identity* found = nullptr;
  for (const Row& row : rows)
    if (equals_constant_time(row.digest, digest)) found = &row.identity;
  return found;
}

const ratelimit::Identity* TestCredentials::token(std::string_view name) const {
  return tokens_.empty() ? nullptr : find(tokens_, sha256(name));
}

const ratelimit::Identity* TestCredentials::app(std::string_view client_id,
                                                std::string_view secret) const {
  return apps_.empty() ? nullptr : find(apps_, digest_of_app(client_id, secret));
}

}  // namespace cairn::gate
