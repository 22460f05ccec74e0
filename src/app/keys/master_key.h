// SPDX-License-Identifier: Apache-2.0
// A new master key, while the server works.
#pragma once

#include <functional>
#include <shared_mutex>

#include "auth/secrets/encryption_keys.h"
#include "auth/secrets/object_keys.h"
#include "auth/secrets/seal.h"
#include "base/result.h"
#include "connectors/service.h"
#include "inference/service.h"
#include "os/deadline.h"
#include "os/random.h"
#include "tasks/tasks.h"

namespace cairn::app {

/// Everything that the master key seals, and who keeps it. Safe from any thread; what it refers to
/// outlives it.
class MasterKey {
 public:
  struct Ground {
    auth::Seal seal;
    auth::ObjectKeys& object_keys;
    auth::EncryptionKeys& encryption_keys;
    connectors::Service& connectors;
    inference::Service& inference;
    tasks::Tasks& tasks;
    os::Random& random;
    std::shared_mutex& keys_stay;  // held shared by a backup that is being made
    // Of nodes that share a store: whether the key may change now, and what they sealed with it.
    std::function<Status(const os::Deadline&)> check_nodes = [](auto&) { return ok_status(); };
    std::function<Status(const os::Deadline&)> reseal_nodes = [](auto&) { return ok_status(); };
  };
  explicit MasterKey(Ground ground) : ground_(std::move(ground)) {}

  /// Draws a key, seals with it what was sealed with the one before, and forgets that one. Where it
  /// fails in between, both open, and finish() goes on. Sessions of directory buckets and access
  /// grants that are out end with it. Blocks.
  /// Errors: conflict, while a task in the background holds credentials that are sealed, a backup is
  /// being made, or other nodes have the key; those of the stores and of writing the file.
  Status rotate(const os::Deadline& deadline);
  /// Ends a change that was cut short; nothing where none was.
  Status finish(const os::Deadline& deadline);

 private:
  Status check_tasks() const;
  Status reseal(const os::Deadline& deadline);
  Ground ground_;
};

}  // namespace cairn::app
