// SPDX-License-Identifier: Apache-2.0
// Where a sync run writes: documents of one index.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"

namespace cairn::connectors {

struct TargetDocument {
  std::string id;
  std::string source;  // JSON text
};

/// Safe from any thread. What a call acknowledges is durable.
class Target {
 public:
  virtual ~Target() = default;
  /// Makes the index if it is not there, for texts in `language` (analyzer_of_language; empty: any).
  /// An index that is there keeps its analyzer. The answer changes when the index is made anew, so that a
  /// run knows that what it wrote before is gone.
  virtual Result<std::string> identity(const std::string& index, const std::string& language,
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
