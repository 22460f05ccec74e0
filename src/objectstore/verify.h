// SPDX-License-Identifier: Apache-2.0
// Looks for bytes that rotted: at a pace while requests are served, or all at once offline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "objectstore/extents/extents.h"
#include "objectstore/options.h"
#include "os/deadline.h"

namespace cairn::objectstore {

class Engine;

/// An object, version or part whose bytes do not verify; or, with `file`, a file of the folder that
/// is not what it must be.
struct Damage {
  std::string bucket;
  std::string key;
  std::string version_id = {};  // "null" where it has none of its own
  std::string upload_id = {};   // of a part
  int part_number = 0;
  std::string reason;     // which file, which block
  std::string file = {};  // where no object is meant
  std::uint64_t offset = 0;
};

struct VerifyCount {
  std::uint64_t objects = 0;  // versions and parts
  std::uint64_t bytes = 0;    // of bodies, as they lie on the disk
  std::uint64_t damaged = 0;  // objects, versions, parts, and files
};

/// Walks all bodies again and again. Nothing is repaired; what is damaged is told in the log, in
/// the metric cairn_objectstore_damaged_objects, and here. For one thread at a time; damage() for
/// any. The engine outlives it.
class Scrubber {
 public:
  explicit Scrubber(Engine& engine);
  ~Scrubber();
  /// Verifies about `bytes` more, where they were not verified within `fresh_ms`. True when this
  /// ended a round over everything. `pace` is told of all that was read, in pieces of at most
  /// 256 KiB, also in the middle of a body; it may wait, and its error ends the step.
  Result<bool> step(std::uint64_t bytes, std::int64_t fresh_ms, const os::Deadline& deadline,
                    const Pace& pace = {});
  /// What the round at hand and the one before have found, and not been removed since; at most
  /// 1,000.
  std::vector<Damage> damage() const;
  VerifyCount count() const;  // of the round at hand

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads everything in a data folder that no server uses: the files of the metadata, their tables,
/// bodies, references. Changes nothing. `on_damage` is told of each damaged file and object as it
/// is found; where the metadata cannot be opened for their damage, objects are not looked at.
/// Errors: not_found where there is no data folder; conflict while a process uses it; those of the
/// files.
Result<VerifyCount> verify_folder(const EngineOptions& options,
                                  const std::function<void(const Damage&)>& on_damage,
                                  const os::Deadline& deadline);

}  // namespace cairn::objectstore
