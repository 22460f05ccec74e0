// SPDX-License-Identifier: Apache-2.0
// The tokens and OAuth apps that a policy for tests names (`serve --test-identities`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ratelimit/policy/policy.h"

namespace cairn::gate {

/// Immutable. Names and secrets are kept as SHA-256 only, and all of them are compared in constant
/// time: there are few.
class TestCredentials {
 public:
  TestCredentials() = default;
  explicit TestCredentials(const ratelimit::Policy& policy);

  bool empty() const { return tokens_.empty() && apps_.empty(); }
  /// Whose token it is; null for nobody's. Valid as long as this object.
  const ratelimit::Identity* token(std::string_view name) const;
  /// The app with this client id and secret; null for none.
  const ratelimit::Identity* app(std::string_view client_id, std::string_view secret) const;

 private:
  struct Row {
    std::string digest;
    ratelimit::Identity identity;
  };
  static const ratelimit::Identity* find(const std::vector<Row>& rows, std::string_view digest);
  std::vector<Row> tokens_ = {};
  std::vector<Row> apps_ = {};
};

}  // namespace cairn::gate
