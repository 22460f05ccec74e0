// SPDX-License-Identifier: Apache-2.0
// Whether an audit log still says what was written to it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gate/audit_chain.h"
#include "os/deadline.h"
#include "os/files/files.h"

namespace cairn::gate {

struct AuditFault {
  std::string file;        // a name in the folder
  std::uint64_t line = 0;  // from 1
  std::string reason;
};

struct AuditCount {
  std::uint64_t lines = 0;
  std::uint64_t unchained = 0;  // from before the log had a chain
  std::uint64_t faults = 0;
  bool torn = false;  // the newest line has no end: it is being written, or a crash cut it
  ChainLink newest;   // of the lines that are there
  std::uint64_t sure_up_to = 0;  // no line up to this number can be missing unseen
  bool ended = false;            // by a clean stop, so none behind it can be
};

/// Reads all files of the log, oldest first, and tells every line that was edited, does not follow
/// the one before it, or follows one that is missing. `head`: the file that AuditOptions names, or
/// empty. `noted`: a newest link that was written down elsewhere; the line must be there still.
/// Changes nothing; a server may be writing meanwhile. Behind `sure_up_to` of a log that did not
/// end cleanly a line that was cut off the end cannot be told from one that a crash took, or that
/// was never written. Errors: those of the files; timeout, cancelled.
Result<AuditCount> verify_audit(os::Files& files, const std::string& folder, std::string_view key,
                                const std::string& head,
                                const std::function<void(const AuditFault&)>& on_fault,
                                const os::Deadline& deadline, const ChainLink& noted = {});

/// Why `line` does not follow `last`, the line before it, or nothing where it does. Without `last`
/// it is the first one that is kept.
std::optional<std::string> chain_fault(const std::optional<ChainLink>& last,
                                       const ChainedLine& line, std::string_view key);

/// "number 5 is missing", "numbers 5 to 7 are missing"
std::string missing_numbers(std::uint64_t from, std::uint64_t to);

/// The files of a log in their order, the current one last. Errors: those of the files.
Result<std::vector<std::string>> audit_files(os::Files& files, const std::string& folder);

}  // namespace cairn::gate
