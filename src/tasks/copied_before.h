// SPDX-License-Identifier: Apache-2.0
// Which copies a former process made, where a copy has to begin anew.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/indices.h"
#include "os/deadline.h"
#include "tasks/progress.h"
#include "tasks/task.h"

namespace cairn::tasks {

/// A document of the destination is such a copy where it was written since the task began and says
/// the same. It is not written again, and counts as what it was: a first version was created, a
/// later one updated. So a copy that begins anew counts each document once, and does not meet its
/// own copies as conflicts.
class CopiedBefore {
 public:
  /// `destination`: the index as it was when the task began; without uuid: it was made since.
  CopiedBefore(const index::Indices& indices, const SourceIndex& destination)
      : indices_(indices), destination_(destination) {}

  /// Takes the operations that are done out of `operations`, and says which they were: `left` has
  /// the places of those that stay. One look at the index for each.
  Counts take_out(std::vector<index::WriteOperation>& operations, std::vector<std::size_t>& left,
                  const os::Deadline& deadline) const;

 private:
  const index::Indices& indices_;
  const SourceIndex destination_;
};

}  // namespace cairn::tasks
