// SPDX-License-Identifier: Apache-2.0
// What is checked before a bucket is changed, for the change and for who only tries it.
#pragma once

#include <memory>

#include "s3api/call.h"

namespace cairn::s3api {

/// The policy of a request. Errors: those of auth::Policy; AccessDenied, for a public one where
/// that is blocked; MalformedPolicy, where the caller could not change it any more.
Result<std::shared_ptr<const auth::Policy>> checked_policy(Call& call,
                                                           const s3::PutBucketPolicyInput& in);

/// The rules of a request, each with a name. Errors: those of s3::check_lifecycle.
Result<s3::LifecycleConfigurationElement> checked_lifecycle(
    const s3::PutBucketLifecycleConfigurationInput& in);

/// Why a bucket is not deleted, as the caller hears it.
Error worded_deletion_fault(const Call& call, Error fault);

}  // namespace cairn::s3api
