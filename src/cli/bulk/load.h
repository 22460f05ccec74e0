// SPDX-License-Identifier: Apache-2.0
// Documents of an input into an index, batch by batch, so that a load that is cut at any moment
// goes on without a line too few or twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bulk/batch.h"
#include "cli/bulk/checkpoint.h"
#include "cli/bulk/line_source.h"
#include "cli/connection.h"
#include "os/files/files.h"
#include "ratelimit/client/retry.h"

namespace cairn::cli {

struct LoadParams {
  std::string checkpoint_file = {};  // empty: none is kept
  std::string rejects_file = {};
  std::size_t batch_lines = 1000;
  std::size_t batch_bytes = 5u << 20;
  std::int64_t give_up_ms = 600'000;  // of a server that does not answer, or has no room
  /// After each batch, and before a long wait, which the text then tells of.
  std::function<void(const LoadCheckpoint& now, const std::string& waiting)> on_progress = {};
};

/// The order of things: the checkpoint is there before the first line is sent; the rejects of a
/// batch are durable before the checkpoint says that the batch is done; the ids of lines follow
/// from it. So a batch that is sent again puts the same documents, and its rejects are written
/// once.
class Load {
 public:
  /// `at`: where an earlier run was cut, or a fresh one. Errors: of the input, which may be another
  /// one; of the file of rejects.
  static Result<std::unique_ptr<Load>> open(Connection& connection, LineSource source,
                                            LoadCheckpoint at, LoadParams params,
                                            std::stop_token stop);
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  /// To the end of the input. Errors: those of the input and the files; unavailable and
  /// rate_limited where the server gave no answer, or had no room, for too long; permission_denied;
  /// cancelled. The checkpoint then stands behind the last batch that was done.
  Status run();
  const LoadCheckpoint& now() const { return at_; }

 private:
  Load(Connection& connection, LineSource source, LoadCheckpoint at, LoadParams params,
       std::stop_token stop);
  Result<bool> read_batch();
  Status send(std::vector<BatchItem> items);
  Status send_smaller(std::vector<BatchItem> items);
  Result<Answer> ask(const std::string& body);
  Status finish_batch(bool done);
  Status wait(std::int64_t ms, const std::string& why);

  Connection& connection_;
  LineSource source_;
  LoadCheckpoint at_;
  LoadParams params_;
  std::stop_token stop_;
  std::unique_ptr<ratelimit::Waits> waits_;
  std::unique_ptr<ratelimit::RetryRules> rules_;
  std::unique_ptr<os::File> rejects_;
  std::optional<InputLine> ahead_;  // read, and for the next batch

  std::vector<BatchItem> items_;  // of the batch that is under way
  std::vector<RejectedLine> rejected_;
  std::uint64_t loaded_ = 0;
  std::uint64_t lines_ = 0, bytes_ = 0;  // of the input up to its end
  std::string tail_;                     // the last bytes of these
};

}  // namespace cairn::cli
