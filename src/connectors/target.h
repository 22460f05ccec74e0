// SPDX-License-Identifier: Apache-2.0
// Where a sync run writes: documents of one index.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "connectors/new_index.h"
#include "os/deadline.h"

namespace cairn::connectors {

struct TargetDocument {
  std::string id;
  std::string source;        // JSON text
  std::string routing = {};  // empty: none
};

/// Safe from any thread. What a call acknowledges is durable.
class Target {
 public:
  virtual ~Target() = default;
  /// Makes the index as it is wanted if it is not there. The answer changes when the index is made
  /// anew, so that a run knows that what it wrote before is gone.
  virtual Result<std::string> identity(const std::string& index, const NewIndex& wanted,
                                       const os::Deadline& deadline) = 0;
  /// The same of an index that is there; empty where there is none, and none is made.
  virtual Result<std::string> identity_if_there(const std::string& index,
                                                const os::Deadline& deadline) = 0;
  /// One entry a document: nothing, or why it was refused.
  virtual Result<std::vector<std::optional<Error>>> write(const std::string& index,
                                                          std::span<const TargetDocument> documents,
                                                          const os::Deadline& deadline) = 0;
  virtual Status remove(const std::string& index, std::span<const std::string> ids,
                        const os::Deadline& deadline) = 0;
  /// Makes what was written visible to searches.
  virtual Status refresh(const std::string& index, const os::Deadline& deadline) = 0;
};

}  // namespace cairn::connectors
