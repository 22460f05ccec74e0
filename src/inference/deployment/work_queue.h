// SPDX-License-Identifier: Apache-2.0
// What waits for a deployment, and how it is cut into batches. Not synchronised.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "inference/model/model.h"
#include "os/threads/pool.h"

namespace cairn::inference {

/// One call's work for a model.
struct ModelRequest {
  TaskType task = TaskType::text_embedding;
  InputType input_type = InputType::unspecified;
  std::string query = {};  // rerank
  std::vector<std::string> inputs = {};
  std::vector<SaidText> said = {};  // completions and chats; the only input is left empty
  std::int64_t timeout_ms = -1;  // what the caller asked for, for the error's text
  bool only_at_once = false;     // not queued: runs now or fails with timeout
};

/// One element for each input, in the list of the task.
struct ModelResult {
  std::vector<std::vector<float>> dense = {};
  std::vector<SparseVector> sparse = {};
  std::vector<float> scores = {};
  std::vector<QuotedText> texts = {};
};

/// A request on its way through a deployment. `work` does not change; the rest belongs to the
/// deployment's lock.
struct Job {
  explicit Job(ModelRequest w);
  bool finished() const { return error.has_value() || done == work.inputs.size(); }

  const ModelRequest work;
  ModelResult result;
  std::size_t taken = 0;  // inputs that are in batches
  std::size_t done = 0;
  std::uint64_t order = 0;  // of arrival
  std::int64_t cpu_ns = 0;  // its share of what the pieces that are over took
  bool given_up = false;    // nobody waits for the result
  std::optional<Error> error = {};
  std::condition_variable_any changed = {};  // when finished() becomes true
};

/// Neighbouring inputs of one job: [begin, end).
struct Slice {
  std::shared_ptr<Job> job;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

/// What one task of the pool runs of a batch.
struct Piece {
  std::vector<Slice> slices = {};
  /// While it runs: the clock of its thread, and what that showed when it began.
  std::optional<os::ThreadCpuClock> cpu = {};
  std::int64_t cpu_begun_ns = 0;

  std::size_t inputs() const;
  /// What of `cpu_ns` the job has caused: in proportion to the lengths of the texts, of which a
  /// model looks at `most_bytes`.
  std::int64_t share_of(const Job& job, std::int64_t cpu_ns, std::size_t most_bytes) const;
};

/// What an allocation runs in one go: inputs that one call of a model could take.
struct Batch {
  std::vector<Slice> slices = {};
  std::string node = {};  // that runs it; empty: this one
  std::vector<Piece> pieces = {};
  std::size_t pieces_left = 0;
  std::int64_t begun_ns = -1;  // when the first piece began to run; -1: none has
  std::stop_source stop = {};  // asked when nobody waits for any of it

  std::size_t inputs() const;
  bool wanted() const;  // somebody waits for some of it
};

/// Cuts a batch into at most `count` pieces of nearly equal size.
std::vector<Piece> cut(const std::vector<Slice>& slices, std::size_t count);

/// Jobs in two lines: those of searches, and those that bring documents in. Searches go first, but
/// every fourth batch goes to whichever job is oldest.
class WorkQueue {
 public:
  void push(std::shared_ptr<Job> job);
  void remove(const Job& job);  // what is not yet taken of it
  /// Empty when nothing waits. Jobs share a batch where task and input type are equal; rerank jobs
  /// and prompts never do, since each has its own query.
  std::vector<Slice> take(std::size_t most_inputs);
  std::vector<std::shared_ptr<Job>> take_all();
  std::size_t inputs() const { return inputs_; }

 private:
  using Line = std::deque<std::shared_ptr<Job>>;
  Line& next_line();
  void take_from(Line& line, std::size_t at, std::size_t most, std::vector<Slice>& out);

  Line first_;
  Line second_;
  std::size_t inputs_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t batches_ = 0;
};

}  // namespace cairn::inference
