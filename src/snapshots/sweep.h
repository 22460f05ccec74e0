// SPDX-License-Identifier: Apache-2.0
// What a repository holds that no snapshot needs, and its removal.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"
#include "snapshots/generation.h"
#include "store/store.h"

namespace cairn::snapshots {

/// Figures that grow while a sweep goes on; read from any thread.
struct SweepCounters {
  std::atomic<std::uint64_t> deleted_blobs{0};
  std::atomic<std::uint64_t> deleted_bytes{0};
};

struct StaleBlob {
  std::string key;
  std::uint64_t size_bytes = 0;
};

/// What nobody needs, by the newest generation at that time.
struct StaleBlobs {
  Generation generation;
  std::vector<StaleBlob> leases;
  std::vector<StaleBlob> blobs;
  bool one_is_written = false;  // a snapshot is being made
  bool empty() const { return leases.empty() && blobs.empty(); }
};

/// Dead leases; and every blob that the newest generation does not need: manifests of snapshots that
/// are not listed, generations before the previous one, folders of unreferenced indices, and, in
/// folders still referenced, data that no listed snapshot names. `lease_is_dead` decides on a lease;
/// while one of a snapshot lives, no data blob is stale. Names that this room does not make are left
/// alone. For whoever holds the lease of a sweep; or, to see and not to delete, for anybody.
/// `without`: names of snapshots that are taken for deleted, with the generation that follows.
Result<StaleBlobs> find_stale(
    store::Store& repository,
    const std::function<Result<bool>(const store::ObjectInfo& lease)>& lease_is_dead,
    const os::Deadline& deadline, const std::vector<std::string>& without = {});

/// Deletes in batches and counts; `beat` is asked before each.
Status delete_blobs(store::Store& repository, const std::vector<StaleBlob>& blobs,
                    std::size_t batch, SweepCounters& counters,
                    const std::function<Status()>& beat, const os::Deadline& deadline);

}  // namespace cairn::snapshots
