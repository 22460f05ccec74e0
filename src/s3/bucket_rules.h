// SPDX-License-Identifier: Apache-2.0
// Which lifecycle rules, locks and default encryptions a bucket may have.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "s3/model.h"
#include "s3/operations/lifecycle_operations.h"
#include "s3/operations/lock_operations.h"
#include "s3/operations/setting_operations.h"

namespace cairn::s3 {

inline constexpr std::size_t lifecycle_rules_max = 1000;

/// Errors: MalformedXML, InvalidArgument, InvalidRequest, InvalidTag; NotImplemented for moves
/// between storage classes.
Status check_lifecycle(const LifecycleConfigurationElement& configuration);

/// Errors: MalformedXML, InvalidArgument.
Result<ObjectLock> object_lock_of(const ObjectLockConfigurationElement& configuration);

/// Errors: MalformedXML, InvalidArgument.
Status check_encryption(const EncryptionConfigurationElement& configuration);

}  // namespace cairn::s3
