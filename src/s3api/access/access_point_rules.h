// SPDX-License-Identifier: Apache-2.0
// What an access point says about who may do what through it, beside its bucket.
#pragma once

#include <memory>
#include <string>

#include "auth/policy/policy.h"
#include "base/result.h"
#include "objectstore/core/access_points.h"
#include "s3api/access/access.h"

namespace cairn::s3api {

/// The policy of an access point. Errors: those of auth::Policy.
Result<std::shared_ptr<const auth::Policy>> policy_of_text(std::string_view text,
                                                           const s3::AccessPoint& point);
/// Null where it has none.
std::shared_ptr<const auth::Policy> policy_of(const objectstore::AccessPointState& point);

/// Makes `rules` those of requests that come through `point`: what either blocks is blocked.
void go_through(const objectstore::AccessPointState& point, BucketRules& rules);

}  // namespace cairn::s3api
