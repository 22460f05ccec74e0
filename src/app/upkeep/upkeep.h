// SPDX-License-Identifier: Apache-2.0
// What goes on behind the requests of the object storage: lifecycle rules, and the scrubber.
#pragma once

#include <cstdint>
#include <memory>

#include "app/settings/upkeep_options.h"
#include "base/result.h"
#include "objectstore/engine.h"
#include "objectstore/verify.h"
#include "os/deadline.h"
#include "os/mirror/mirror_sides.h"
#include "os/threads/thread.h"
#include "tables/tables.h"

namespace cairn::app {

/// Applies the rules of all buckets once, with rests between the steps, and tells in log and
/// metrics what it did. Blocks. Errors: cancelled and timeout; a bucket that fails is told in the
/// log and left to the next walk.
Status apply_lifecycle(objectstore::Engine& engine, const os::Deadline& deadline);

/// One round of the scrubber over everything, at that pace. Blocks. Errors: cancelled and timeout;
/// what else fails is told in the log.
Status scrub(objectstore::Scrubber& scrubber, std::uint64_t bytes_per_second,
             const os::Deadline& deadline);

/// One comparison of the folders of a mirror, at that pace. Blocks. Errors: as scrub.
Status compare_folders(objectstore::Engine& engine, os::MirrorSides& mirror,
                       std::uint64_t bytes_per_second, const os::Deadline& deadline);

/// A thread for each, one for the tables of buckets (table_upkeep.h), and one that merges their
/// searchable copies. What a stop cuts short is begun anew at the next start.
class Upkeep {
 public:
  /// The engine, and `copies` and `mirror` where they are not null, outlive it. After each round over
  /// the objects the folders of the mirror are compared. `options` must be valid. Errors: unavailable (no thread can be had).
  static Result<std::unique_ptr<Upkeep>> start(objectstore::Engine& engine, tables::Tables* copies,
                                               os::MirrorSides* mirror,
                                               const UpkeepOptions& options);
  ~Upkeep();
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

  /// Ends the work. Later calls do nothing.
  void stop();

 private:
  explicit Upkeep(objectstore::Engine& engine) : scrubber_(engine) {}
  objectstore::Scrubber scrubber_;
  os::Thread lifecycle_;
  os::Thread scrub_;
  os::Thread tables_;
  os::Thread merges_;
};

}  // namespace cairn::app
