// SPDX-License-Identifier: Apache-2.0
// One index into a repository, and back.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "base/result.h"
#include "index/indices.h"
#include "os/deadline.h"
#include "snapshots/options.h"
#include "snapshots/progress.h"
#include "snapshots/repositories.h"
#include "snapshots/throttle.h"

namespace cairn::snapshots {

struct CopyParams {
  const Repository& repository;
  const std::string& uuid;  // of the snapshot
  const Options& options;
  Throttle& throttle;
  const std::function<Status()>& beat;  // called between steps; an error ends the copy
};

/// The name that an alias comes back under.
using AliasNames = std::function<std::string(const std::string& alias)>;

/// All data blobs of a checkpoint.
BlobCount count_of(const index::Checkpoint& checkpoint);

/// Writes the data blobs of a checkpoint that the repository lacks, then its manifests.
/// Errors: of the stores; corrupt where bytes do not verify.
/// `aliases`: those of the index, by name, which are kept beside it. `progress` is told of its steps
/// from need() on.
Status copy_index(const CopyParams& params, const index::Checkpoint& checkpoint,
                  const Json& aliases, Progress& progress, const os::Deadline& deadline);

/// Makes `target` from the index `index_id` as of the snapshot, with the aliases that it had under
/// the names that `alias_names` gives them; empty: with none.
Result<std::shared_ptr<index::Index>> restore_index(
    const CopyParams& params, const std::string& index_id, const std::string& target,
    const AliasNames& alias_names, index::Indices& indices, const os::Deadline& deadline);

}  // namespace cairn::snapshots
