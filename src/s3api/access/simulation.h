// SPDX-License-Identifier: Apache-2.0
// Whether a request would be allowed, and why: the decision of every request (access.h), asked for
// requests that nobody made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/accounts/accounts.h"
#include "base/result.h"
#include "objectstore/engine.h"
#include "s3api/access/access.h"

namespace cairn::s3api {

struct SimulatedRequest {
  std::shared_ptr<const auth::ObjectCaller> caller = {};  // null: nobody signs it
  std::string action = {};  // "s3:GetObject", in any case of its letters
  std::string key = {};     // of actions on objects
  /// Condition keys of policies with the values that the request has. What is not said is as with a
  /// plain signed request over HTTP, at the moment of asking.
  std::vector<std::pair<std::string, std::vector<std::string>>> context = {};
};

struct SimulatedAnswer {
  bool allowed = false;
  bool explicitly_denied = false;  // by a statement of a policy; else nothing allows it
  /// Where it is allowed what allows it; else what denies it, or stands in its way.
  std::vector<AccessReason> reasons = {};
};

/// What simulated requests meet. All of it outlives the call.
struct SimulationScene {
  objectstore::Engine& engine;  // whose objects have owners, grants and tags
  const BucketRules& rules;     // with a policy that need not be the bucket's own
  std::string_view region = {};
  std::string_view peer_address = {};  // where a request comes from that does not say so
  std::int64_t now_ms = 0;
};

/// Reads the object of the key where the decision hangs on it, and changes nothing.
/// Errors: illegal_argument_exception (of kind invalid_argument) for an action that is none of a
/// bucket's, a key that is missing or in vain, and a condition key that cannot be said; those of
/// the engine.
Result<SimulatedAnswer> simulate(const SimulatedRequest& request, const SimulationScene& scene,
                                 const os::Deadline& deadline);

/// "bucket policy", "owner", …
std::string_view name_of(AccessReason::Where where);

}  // namespace cairn::s3api
