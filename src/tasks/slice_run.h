// SPDX-License-Identifier: Apache-2.0
// The work of one part of a task: read a batch, note what is about to be written, write it, count.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "index/indices.h"
#include "index/names/named_index.h"
#include "search/source_filter.h"
#include "tasks/batches.h"
#include "tasks/copied_before.h"
#include "tasks/ground.h"
#include "tasks/options.h"
#include "tasks/task.h"
#include "tasks/task_compute.h"

namespace cairn::tasks {

/// Keeps the record of a task as it is now; does nothing for one without.
using Save = std::function<Status(Task& task)>;

/// For one thread. What `ground`, `options` and `save` refer to outlives it.
class SliceRun {
 public:
  /// `indices` are those of the task, in which the documents of `batches` are; none, where they are
  /// another server's. `before`: the copies that need not be made again, where some may be there.
  SliceRun(Task& task, std::size_t which, Batches& batches, TaskCompute& compute,
           const std::vector<index::NamedIndex>& indices, const Ground& ground,
           const Options& options, const Save& save, const CopiedBefore* before = nullptr);

  /// Works until there are no more documents, the task is stopped, or something failed, which the
  /// task is told. Crash points: (1) the record says what is about to be written; (2) the batch is
  /// durable; (3) the next record says so. A crash between (1) and (2) or (2) and (3) leaves a
  /// record whose batch is looked at again: see Tasks.
  void run();

 private:
  enum class Step { on, over };
  Step step();
  Result<search::WalkedPage> read(std::size_t count);
  std::vector<index::WriteOperation> operations(search::WalkedPage& page) const;
  Result<Counts> write(search::WalkedPage& page, std::vector<index::WriteOperation>& operations);
  Result<Counts> take_out_copied(search::WalkedPage& page,
                                 std::vector<index::WriteOperation>& operations);
  Result<std::vector<index::WriteResult>> write_once(const search::WalkedPage& page,
                                                     std::vector<index::WriteOperation>& some,
                                                     bool first);
  Counts count(const search::WalkedPage& page, const std::vector<index::WriteResult>& results);
  bool done_before(const search::WalkedPage& page, std::size_t at);
  void fail_item(const std::string& id, const search::WalkedPage& page, const Error& error);
  const std::string& written_index(const search::WalkedPage& page) const;
  bool pay();

  Task& task_;
  const std::size_t which_;
  Batches& batches_;
  TaskCompute& compute_;
  const std::vector<index::NamedIndex>& indices_;
  const Ground& ground_;
  const Options& options_;
  const Save& save_;
  const CopiedBefore* const before_;
  const search::SourceCut cut_;
  const bool cuts_;
  const std::optional<InFlight> redone_;  // what a former process may have written
  std::int64_t last_began_ns_ = 0;
  std::size_t last_count_ = 0;  // of the batch before; 0: there was none
};

}  // namespace cairn::tasks
