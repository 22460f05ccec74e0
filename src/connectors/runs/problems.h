// SPDX-License-Identifier: Apache-2.0
// What a connector's last run could not read, item by item, each with its reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::connectors {

enum class ProblemKind {
  skipped,     // holds no text that can be read: by its name, or when it was looked at
  unreadable,  // damaged, too large, gone, forbidden, …
  refused,     // the index did not take a document of it
};

std::string_view name_of(ProblemKind kind);

struct Problem {
  std::string path;
  ProblemKind kind = ProblemKind::unreadable;
  std::string reason;
  // Fingerprint of the item's version, where another look at the same version finds the same; else
  // 0.
  std::uint64_t version = 0;
};

struct ProblemPage {
  std::uint64_t count = 0;  // of all
  std::vector<Problem> problems;
  std::string job_id;  // of the run that found them; empty where none has ended
};

/// Layout: state/<connector>/problems/run/<job>/<number> holds up to 1,000 problems;
/// state/<connector>/problems/current names the run that counts. One thread.
class ProblemLog {
 public:
  ProblemLog(store::Store& store, const std::string& connector_id, std::string job_id);

  /// Those of the last run that ended.
  Result<std::vector<Problem>> earlier(const os::Deadline& deadline) const;
  Status add(Problem problem, const os::Deadline& deadline);
  /// From here on those that were added count, and no others.
  Status finish(const os::Deadline& deadline);

  /// A page of those that count, in the order in which the run met them. Reads what the page shows.
  static Result<ProblemPage> page(store::Store& store, const std::string& connector_id,
                                  std::size_t from, std::size_t size, const os::Deadline& deadline);

 private:
  Status flush(const os::Deadline& deadline);

  store::Store& store_;
  std::string prefix_;  // state/<connector>/problems/
  std::string job_;
  std::vector<Problem> waiting_;
  std::size_t count_ = 0;
  std::size_t chunks_ = 0;
};

}  // namespace cairn::connectors
