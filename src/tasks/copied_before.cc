// SPDX-License-Identifier: Apache-2.0
#include "tasks/copied_before.h"

#include <utility>

namespace cairn::tasks {

Counts CopiedBefore::take_out(std::vector<index::WriteOperation>& operations,
                              std::vector<std::size_t>& left, const os::Deadline& deadline) const {
  Counts done;
  const auto index = indices_.find(destination_.name);
  const bool same =
      index.ok() && (destination_.uuid.empty() || (*index)->uuid() == destination_.uuid);
  std::vector<index::WriteOperation> rest;
  left.clear();
  for (std::size_t at = 0; at < operations.size(); ++at) {
    index::WriteOperation& one = operations[at];
    const auto there = same && !one.id.empty()
                           ? (*index)->get(one.id, deadline)
                           : Result<std::optional<index::StoredDocument>>(std::nullopt);
    const bool copied = there.ok() && *there && (*there)->seq_no > destination_.until &&
                        (*there)->source == one.source && (*there)->routing == one.routing;
    if (copied) {
      ++((*there)->version == 1 ? done.created : done.updated);
      continue;
    }
    left.push_back(at);
    rest.push_back(std::move(one));
  }
  operations = std::move(rest);
  return done;
}

}  // namespace cairn::tasks
