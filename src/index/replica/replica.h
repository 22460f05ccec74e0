// SPDX-License-Identifier: Apache-2.0
// The indices of a store that another process writes, to be searched and read here.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "index/indices.h"
#include "index/options.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "os/threads/pool.h"
#include "store/store.h"

namespace cairn::index {

/// Changes nothing in the store: what writes to its indices, or makes, removes or closes one, is an
/// error. Safe from any thread; calls block on the store up to their deadline. Source:
/// docs/decisions/0064-a-replica-reads-the-log.md.
class Replica {
 public:
  /// Reads what is there. The references must outlive the object. Errors: those of the store;
  /// corrupt for a record that does not verify. A damaged index keeps the others from nothing.
  static Result<std::unique_ptr<Replica>> open(store::Store& store, os::Pool& cpu,
                                               const os::Clock& clock, os::Random& random,
                                               Options options, const os::Deadline& deadline);
  ~Replica();
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  /// Their names, views and documents as of the last catch-up. An `Index` that was found stays as
  /// it is or goes on: ask for it again after each.
  Indices& indices();

  /// Which indices, aliases and data streams there are, as of a moment during the call. One that is
  /// new comes with its documents. Without news: two requests to the store.
  Status catch_up_names(const os::Deadline& deadline);
  /// The same of stored scripts.
  Status catch_up_scripts(const os::Deadline& deadline);
  /// Without news two requests for each; calls at one time share them.
  /// All that was acknowledged before the call is found by searches and gets of these indices, by
  /// their own names. Names of none are passed over. Errors: index_not_found_exception for one that
  /// is removed meanwhile; corrupt; those of the store.
  Status catch_up(std::span<const std::string> names, const os::Deadline& deadline);

 private:
  struct Impl;
  explicit Replica(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::index
