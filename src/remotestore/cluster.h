// SPDX-License-Identifier: Apache-2.0
// Stores on an S3-compatible cluster: opening them, and checking the cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "remotestore/place.h"
#include "store/store.h"

namespace cairn::remotestore {

/// What a cluster does with conditions.
struct Abilities {
  bool conditional_complete = false;  // of uploads in parts; without it such an upload goes aside
  bool conditional_delete = false;    // without it a removal is a look and a deletion
};

/// May a store change anything now?
class Guard {
 public:
  virtual ~Guard() = default;
  /// The deadline, or an earlier one until which this is sure. Errors: unavailable.
  virtual Result<os::Deadline> check(const os::Deadline& deadline) const = 0;
};

struct StoreOptions {
  /// Each put leaves 16 bytes of its own behind the object's, so that two puts of the same bytes
  /// have different etags. False: objects are what was put, as other programs expect, and the etag
  /// is the cluster's.
  bool marked = true;
  /// Keys are names that every cluster keeps (names.h); others are refused, so that a listing need
  /// not ask for the names that lie aside: one request for a page, not two. For stores whose keys
  /// no user makes up, and never did.
  bool plain_keys = false;
  /// One upload in parts begins when so much was written; also the size of the first 1,000 parts.
  std::size_t part_bytes = 8u << 20;
  /// Outlives the store. Null: whoever has credentials may change things.
  const Guard* guard = nullptr;
};

struct ClusterParams {
  Place place = {};
  Access access = {};
  ObjectSettings settings = {};
  const os::Clock* clock = &os::system_clock();
  os::Random* random = &os::system_random();
};

class Wire;

/// One place on a cluster. Safe from any thread; outlives its stores.
class Cluster {
 public:
  /// Asks nobody yet. Errors: invalid_argument: place or options that cannot be; no region.
  static Result<std::unique_ptr<Cluster>> open(const ClusterParams& params);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Writes, reads and removes a few objects below the prefix to see that the cluster keeps what
  /// conditional writes promise. Later calls answer from memory once that is known.
  /// Errors: unsupported, with the reason and what to do, where it does not; not_found: no bucket;
  /// those of a store.
  Result<Abilities> check(const os::Deadline& deadline);
  /// Ends uploads that somebody began below the prefix and did not complete. For who is alone here.
  Status abort_uploads(const os::Deadline& deadline);
  /// A store below `prefix` ("a/") within the place. Its first change checks the cluster.
  std::unique_ptr<store::Store> store(std::string prefix, StoreOptions options = {});

  const Place& place() const;

 private:
  struct Impl;
  explicit Cluster(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A store that knows its cluster alone, as snapshot repositories do: unmarked, without a guard.
Result<std::unique_ptr<store::Store>> open_store(const ClusterParams& params);

}  // namespace cairn::remotestore
