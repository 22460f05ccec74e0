// SPDX-License-Identifier: Apache-2.0
// One process that reads files, and the conversation with it.
#pragma once

#include <string_view>

#include "base/result.h"
#include "connectors/isolation/extractor.h"
#include "os/files/descriptor.h"
#include "os/processes/child_process.h"

namespace cairn::connectors {

/// Used by one thread at a time.
class ExtractChild {
 public:
  /// Errors: unavailable.
  static Result<ExtractChild> start(const ExtractorOptions& options);

  /// False where it has ended of itself, for want of work.
  bool is_there() const;
  /// As Extractor::extract. After a fault that has ended it, or made it worth ending, `is_spent`.
  Result<ExtractedFile> extract(std::string_view name, std::string_view bytes,
                                const ExtractWishes& wishes, const ExtractorOptions& options,
                                const os::Deadline& deadline);
  bool is_spent() const { return is_spent_; }
  /// True after an extract that found it gone before it began.
  bool had_gone() const { return had_gone_; }

 private:
  ExtractChild(os::ChildProcess process, os::Descriptor line)
      : process_(std::move(process)), line_(std::move(line)) {}
  Result<std::string> ask(std::string_view head, std::string_view name, std::string_view bytes,
                          const ExtractorOptions& options, const os::Deadline& until);
  Error ended(const ExtractorOptions& options, const os::Deadline& deadline);

  os::ChildProcess process_;
  os::Descriptor line_;
  std::size_t files_ = 0;
  bool is_spent_ = false;
  bool had_gone_ = false;
};

}  // namespace cairn::connectors
