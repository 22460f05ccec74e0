// SPDX-License-Identifier: Apache-2.0
// The kinds of sources that run in this process.
#pragma once

#include <memory>

#include "base/result.h"
#include "connectors/folder_roots.h"
#include "connectors/options.h"
#include "connectors/source.h"

namespace cairn::connectors {

/// Under their service types; folders are read beneath `roots`, as they are at that moment. Errors: invalid_argument, for an entry of `allowed_hosts` that is
/// none.
Result<SourceTypes> known_sources(const Options& options,
                                  std::shared_ptr<const FolderRoots> roots);

}  // namespace cairn::connectors
