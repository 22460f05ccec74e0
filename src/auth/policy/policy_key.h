// SPDX-License-Identifier: Apache-2.0
// Condition keys of policies: what of a request each of them names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::auth {

/// What a condition or a policy variable asks about.
enum class Fact : std::uint8_t {
  // Of the caller.
  principal_account,
  principal_arn,
  principal_type,
  user_id,
  username,
  // Of the connection and the moment.
  epoch_seconds,
  referer,
  region,
  secure_transport,
  source_ip,
  time,
  tls_version,
  user_agent,
  // Of the signature.
  auth_type,
  signature_age_ms,
  signature_version,
  // Of the operation.
  access_point_account,  // of the access point that the request came through
  access_point_arn,
  access_point_origin,
  existing_tag,  // `name`: the tag
  header,        // `name`: the field in dialect aws
  location_constraint,
  location_name,  // the zone of a directory bucket
  lock_legal_hold,
  lock_mode,
  lock_remaining_days,
  lock_retain_until,
  query,        // `name`: the parameter
  request_tag,  // `name`: the tag
  request_tag_names,
  resource_account,
  session_mode,  // of sessions with directory buckets
  version_id,
  never,  // known, and no request here ever has it
};

struct PolicyKey {
  Fact fact = Fact::never;
  std::string name = {};
  friend bool operator==(const PolicyKey&, const PolicyKey&) = default;
};

/// Names compare without case; the name of a tag keeps its own. Nothing for a key that no service
/// documents.
std::optional<PolicyKey> find_policy_key(std::string_view name);

/// True where a statement that names this action by its full name may have this key.
bool key_applies(const PolicyKey& key, std::string_view action);

/// True for keys whose fixed values make a statement for everybody one for a known few.
bool key_narrows(std::string_view name);

/// The values of the request in hand. Asked only when a statement wants to know.
class PolicyFacts {
 public:
  virtual ~PolicyFacts() = default;
  /// Appends the values; false where the request has no such key.
  virtual bool find(const PolicyKey& key, std::vector<std::string>& values) const = 0;
};

}  // namespace cairn::auth
