// SPDX-License-Identifier: Apache-2.0
// Whose requests are counted together, and the facts that decide how many they may make.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"
#include "ratelimit/account_note.h"  // for whoever keeps an identity

namespace cairn::ratelimit {

/// What was presented. Tokens of the first three user kinds of one user share one bucket.
enum class IdentityKind : std::uint8_t {
  address,       // no credentials, or such as do not verify
  user,          // a personal token, or an API key of Cairn
  oauth_user,    // an OAuth access token, acting for a user
  app_user,      // an app's user access token
  installation,  // an installation access token of an app
  oauth_app,     // client id and client secret: public data only
  workflow,      // the token of a workflow run
  service,       // a back end of the operator's own: counted, not limited unless the policy says so
};
std::string_view name_of(IdentityKind kind);

/// What the plan depends on besides the kind. A kind reads only its own; see docs/reference.
struct Facts {
  bool enterprise_member = false;     // the user belongs to an enterprise-cloud organization
  bool app_owner_enterprise = false;  // such an organization owns the app
  bool app_approved = false;          // or has approved it (OAuth apps)
  bool organization = false;          // the installation is on an organization, so users count
  bool resource_enterprise = false;   // installation, workflow: on such an organization's resources
  std::uint64_t repositories = 0;     // that the installation reaches
  std::uint64_t users = 0;            // of the organization
  bool operator==(const Facts&) const = default;
};

struct Identity {
  IdentityKind kind = IdentityKind::address;
  /// The bucket: "ip:192.0.2.1", "ip:2001:db8::/64", "user:alice", "inst:17", "app:x", "wf:9",
  /// "service:shop", "key:5tVw…".
  std::string account = {};
  Facts facts = {};
  bool exempt = false;  // counted and shown, never refused
  bool authenticated() const { return kind != IdentityKind::address; }
  /// Client id and secret name an app and nobody who may see private data.
  bool public_data_only() const { return !authenticated() || kind == IdentityKind::oauth_app; }
};

/// Reads {"kind", "user" | "id" | "repo", facts}:
///   user, oauth_user, app_user: user (else `owner`), enterprise_member, app_owner_enterprise,
///                               app_approved
///   installation:               id (required), repositories, users, organization,
///                               resource_enterprise
///   oauth_app:                  id (required), app_owner_enterprise
///   workflow:                   repo (required), resource_enterprise
///   service:                    id (else `owner`)
///   key:                        id (required): counted with the API key of that id
/// Ids are texts of up to 256 bytes or integers that are not negative; repositories and users are
/// counts; organization is true, false, or a name, which stands for true; the others are booleans.
/// Errors: invalid_argument, illegal_argument_exception, that names the member and what it takes.
Result<Identity> parse_identity(const Json& identity, std::string_view owner);

/// The identity of an access key of the object storage: its user.
Identity user_identity(std::string_view owner);
/// The identity of an API key that says nothing: an account of its own, with a user's limits.
Identity key_identity(std::string_view key_id);

}  // namespace cairn::ratelimit
