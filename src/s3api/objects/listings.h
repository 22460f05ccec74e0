// SPDX-License-Identifier: Apache-2.0
// What listings of objects and of versions share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "s3/model.h"
#include "s3/operations/list_operations.h"

namespace cairn::s3api {

/// True where x-amz-optional-object-attributes asks for RestoreStatus.
bool wants_restore_status(const std::vector<std::string>& attributes);
std::optional<s3::RestoreStatusElement> restore_status_of(const s3::Object& object,
                                                          std::int64_t now_ms);

}  // namespace cairn::s3api
