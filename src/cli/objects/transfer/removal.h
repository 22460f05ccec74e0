// SPDX-License-Identifier: Apache-2.0
// Deleting many objects.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/objects/report.h"
#include "cli/objects/service.h"

namespace cairn::cli {

/// Identifiers of delete_objects, at most 1,000; nothing after the last.
using NextBatch = std::function<Result<std::optional<Value::List>>()>;

/// Deletes batches, several at once, and reports each object. Errors: those of `next`; cancelled.
Status remove_batches(const Service& service, const std::string& bucket, const NextBatch& next,
                      Report& report);

Status remove_keys(const Service& service, const std::string& bucket,
                   const std::vector<std::string>& keys, Report& report);

}  // namespace cairn::cli
