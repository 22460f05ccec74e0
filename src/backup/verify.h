// SPDX-License-Identifier: Apache-2.0
// Whether a repository holds what its backups need, and what it holds besides.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backup/options.h"
#include "backup/repository.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"

namespace cairn::backup {

struct Fault {
  std::string backup;  // id
  std::string file;    // what cannot be restored: a path, or "extent 17"
  std::string reason;
};

struct VerifyCount {
  std::uint64_t backups = 0;
  std::uint64_t pieces = 0;  // each once, however often it is named
  std::uint64_t bytes = 0;   // of them, plain
  std::uint64_t faults = 0;
};

/// Reads every piece that the backups name and checks its bytes against its name; `on_fault` is
/// told of each file that could not be restored, as it is found, and of extents that could not be
/// read when the backup was made. Blocks; `options.workers` threads, `on_fault` by one at a time.
/// Errors: not_found, for an id; those of the store.
Result<VerifyCount> verify(Repository& repository, const std::vector<std::string>& ids,
                           const Options& options,
                           const std::function<void(const Fault&)>& on_fault,
                           const os::Deadline& deadline);

struct Swept {
  std::uint64_t pieces = 0;
  std::uint64_t bytes = 0;  // as they lie there
};

/// Removes backups, and all pieces that no other names, among them those of backups that were cut
/// short. Manifests go first: a crash leaves pieces, which the next sweep takes.
/// Errors: conflict (somebody is at work); corrupt, where a manifest that stays cannot be read, so
/// that nobody knows what it needs: nothing is removed then; those of the store.
Result<Swept> remove(Repository& repository, const std::vector<std::string>& ids,
                     const Options& options, const os::Clock& clock, os::Random& random,
                     const os::Deadline& deadline);

}  // namespace cairn::backup
