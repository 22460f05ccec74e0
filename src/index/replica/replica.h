// SPDX-License-Identifier: Apache-2.0
// The indices of a store that another process writes, to be searched and read here.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

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

  /// Puts the text of a question to whoever writes the indices, and gives its answer
  /// (Indices::tell_changes). An error where nobody answers who may say what was acknowledged.
  using AskWriter =
      std::function<Result<std::string>(const std::string& question, const os::Deadline& deadline)>;
  /// From now on the writer is asked first, and the store only of what has changed. Once, before
  /// other calls.
  void set_writer(AskWriter ask);

  /// Their names, views and documents as of the last catch-up. An `Index` that was found stays as
  /// it is or goes on: ask for it again after each.
  Indices& indices();

  /// Which indices, aliases and data streams there are, as of a moment during the call. One that is
  /// new comes with its documents. Without news: two requests to the store.
  Status catch_up_names(const os::Deadline& deadline);
  /// The same of stored scripts.
  Status catch_up_scripts(const os::Deadline& deadline);
  /// All that was acknowledged before the call is found by searches and gets of these indices, by
  /// their own names. Names of none are passed over. Errors: index_not_found_exception for one that
  /// is removed meanwhile; corrupt; those of the store.
  /// Without news two requests for each; calls at one time share them.
  Status catch_up(std::span<const std::string> names, const os::Deadline& deadline);

  /// Both for the indices that `which` names once the names are known. Where the writer answers
  /// that there is no news, the store is not asked.
  using WhichIndices = std::function<std::vector<std::string>(const Indices& indices)>;
  Status catch_up(const WhichIndices& which, const os::Deadline& deadline);

  /// The same for all indices, and what was flushed and merged of them is read anew: documents that
  /// a flush has stored leave the memory, and what a merge replaced is let go of. To be called more
  /// often than Options::keep_replaced_ms of the writer, which deletes what was replaced after
  /// that; searches that still read it would fail. Where the writer answers, the store is asked
  /// only of the indices that changed.
  Status follow(const os::Deadline& deadline);

 private:
  struct Impl;
  explicit Replica(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::index
