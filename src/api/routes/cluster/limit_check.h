// SPDX-License-Identifier: Apache-2.0
// A request of another program that asks whether it may pass: who it is of, and what it costs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "net/http/message.h"
#include "ratelimit/limiter.h"
#include "ratelimit/rule_counts.h"

namespace cairn::api {

struct LimitCheck {
  ratelimit::Identity identity = {};
  std::string resource = "core";
  std::string endpoint = "CHECK";  // "POST /orders": a method and a path, or any other name
  std::int64_t cost = 1;           // units of the primary limit
  std::int64_t points = 1;         // of the secondary one, by endpoint
  std::int64_t cpu_ms = 0;         // that the request took, where it is told afterwards
  bool content = false;
  // What the operator's rules look at besides.
  std::vector<std::string> indices = {};  // whatever the program keeps apart
  net::Headers headers = {};
  std::int64_t bytes = 0;  // of the body

  std::string_view method() const;
  std::string_view path() const;
  /// Refers to this object.
  ratelimit::RuleRequest for_rules() const;
};

/// A body. Errors: invalid_argument, with the platform's words.
Result<LimitCheck> read_limit_check(const Json& body, const ratelimit::Policy& policy);

/// The same by the header fields X-Limit-*, which a proxy sets; rules look at all fields.
Result<LimitCheck> limit_check_of(const net::Headers& fields, const ratelimit::Policy& policy);

/// What it takes under this policy. Errors: invalid_argument for a resource that it does not have.
Result<ratelimit::Charge> charge_for(const LimitCheck& check, const ratelimit::Policy& policy);

/// The rules of the policy, which outlives them, that the endpoint fits.
std::vector<const ratelimit::LimitRule*> rules_for(const LimitCheck& check,
                                                   const ratelimit::Policy& policy);

}  // namespace cairn::api
