// SPDX-License-Identifier: Apache-2.0
// What has to be done so that one side has what the other has.
#pragma once

#include <string_view>
#include <vector>

#include "cli/objects/places/entry.h"

namespace cairn::cli {

enum class Direction { upload, download, copy };

struct SyncRules {
  Direction direction = Direction::upload;
  bool size_only = false;         // times do not count
  bool exact_timestamps = false;  // of downloads: the same size and the same time
  bool delete_extra = false;      // what only the target has goes
};

struct SyncStep {
  enum class Kind { transfer, remove };
  Kind kind = Kind::transfer;
  Entry entry = {};              // of the source, or of the target for what goes
  std::string_view reason = {};  // "new", "size", "time", "extra"
};

/// Why `source` must go to `target`, which has its name; empty where it need not. Times are
/// compared in seconds: listings have no more. Where the size is the same, an upload or copy goes
/// when the source is newer; a download when the file is newer than the object, which it is not as
/// long as nobody has touched it: downloads get the object's time.
std::string_view why_transfer(const Entry& source, const Entry& target, const SyncRules& rules);

/// The steps in order of names, those that remove at the end. The lists may come in any order.
std::vector<SyncStep> plan_sync(std::vector<Entry> source, std::vector<Entry> target,
                                const SyncRules& rules);

}  // namespace cairn::cli
