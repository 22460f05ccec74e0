// SPDX-License-Identifier: Apache-2.0
// The lines of an audit log, forwards and backwards from any place in it, over all of its files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "gate/audit.h"
#include "os/deadline.h"
#include "os/files/files.h"

namespace cairn::gate {

/// Where a line begins; of the end of a file, where the next one would.
struct AuditPlace {
  std::size_t file = 0;
  std::uint64_t offset = 0;
};

/// Reads one snapshot. One thread. Holds a file and a piece of it at a time, however long the log
/// is; a line of more than a megabyte, which no log writes, is given in pieces. A file that was
/// dropped meanwhile has no lines. Errors of all calls: those of the files; timeout, cancelled.
class AuditLines {
 public:
  /// `files` outlive it.
  AuditLines(os::Files& files, AuditSnapshot snapshot, const os::Deadline& deadline);

  AuditPlace begin() const { return {}; }
  AuditPlace end() const;
  /// The first line of which `is_before` says no; it must say yes of all lines up to some place,
  /// and no of all behind it. Looks at few lines.
  Result<AuditPlace> first_not(const std::function<bool(std::string_view line)>& is_before);
  /// The line at a place, without its end, and the place behind it; nothing at the end of the log.
  /// Valid until the next call.
  Result<std::optional<std::string_view>> next(AuditPlace& at);
  /// The line that ends at a place, and the place where it begins; nothing at the beginning.
  Result<std::optional<std::string_view>> previous(AuditPlace& at);
  /// As people call the file: "audit.jsonl".
  std::string name_of(std::size_t file) const;

 private:
  std::size_t count() const { return snapshot_.old_files.size() + 1; }
  Result<std::uint64_t> open(std::size_t file);
  Status load(std::uint64_t from, std::size_t count);
  Result<std::string_view> forward(std::uint64_t from, std::uint64_t size);
  Result<std::string_view> backward(std::uint64_t until);
  Result<std::uint64_t> line_begin(std::uint64_t offset, std::uint64_t size);

  os::Files& files_;
  const AuditSnapshot snapshot_;
  const os::Deadline deadline_;
  std::size_t opened_ = SIZE_MAX;
  std::shared_ptr<os::File> file_;  // null: it was dropped, or is not there yet
  std::uint64_t size_ = 0;
  std::string piece_;
  std::uint64_t piece_at_ = 0;
};

/// The number of a line of the chain; nothing for any other.
std::optional<std::uint64_t> number_of(std::string_view line);
/// When it was written, in milliseconds since 1970; nothing where it does not begin with that.
std::optional<std::int64_t> time_of(std::string_view line);

}  // namespace cairn::gate
