// SPDX-License-Identifier: Apache-2.0
// Which texts a decoder works on, step by step: new ones join between two steps of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "inference/decoder/step_model.h"
#include "inference/generation/prefix_cache.h"
#include "inference/generation/token_sink.h"
#include "os/deadline.h"

namespace cairn::inference {

/// A text to be made.
struct TextRequest {
  std::vector<std::uint32_t> prompt;  // at least one token
  std::shared_ptr<TokenSink> sink;
  std::string scope = {};  // whose it is: only texts of one scope share pages
};

struct SchedulerOptions {
  std::size_t most_active = 64;              // texts of one step
  std::size_t most_waiting = 256;            // texts behind them
  std::size_t prompt_tokens = chunk_tokens;  // of prompts, in a step, beside the running texts
  std::size_t cached_pages = SIZE_MAX;       // that ended texts leave behind, while there is room
  bool is_valid() const {
    return most_active > 0 && most_active <= most_step_logits && prompt_tokens > 0 &&
           most_active + prompt_tokens <= most_step_tokens;
  }
};

/// What one step did; for statistics and tests.
struct StepReport {
  std::size_t texts = 0;          // in the step
  std::size_t prompt_tokens = 0;  // that it computed
  std::size_t new_tokens = 0;     // that were chosen after it
  std::size_t reused_tokens = 0;  // of prompts that joined before it, found in the cache
  std::size_t set_back = 0;       // texts that gave up their pages, to go on later
};

/// Hears of a step before its texts hear that they are over: who has waited for an end may ask for
/// the counts next.
using StepCount = std::function<void(const StepReport&)>;

/// Texts are made in the order in which they came, but for those whose beginning a running one of
/// their scope is still computing: they wait for its pages. A step takes one token of each running
/// text and a part of the first prompts. Where pages end, the youngest text gives up its own and
/// begins again later, from what it has already; what it becomes is the same.
/// add() is safe from any thread; step() is for one thread at a time.
class Scheduler {
 public:
  /// `model` outlives this. The options must be valid.
  Scheduler(StepModel& model, SchedulerOptions options);
  ~Scheduler();  // ends what is left, as end_all()
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Takes a text in. Errors: rate_limited where too many wait; invalid_argument for a prompt that
  /// the model, or its pages, cannot hold.
  Status add(TextRequest request);

  /// One step. A null report: nothing is to be done now. Errors: those of the model; all texts
  /// of the step have ended with it then, unless it was the deadline.
  Result<std::optional<StepReport>> step(const os::Deadline& deadline, const StepCount& count = {});
  /// Ends all texts with this error. Not during a step.
  void end_all(const Error& why);

  bool is_idle() const;                                        // no text is here
  std::size_t waiting() const;                                 // texts that are not in steps yet
  std::size_t active() const;                                  // texts that are
  std::size_t cached_pages() const { return cache_.pages(); }  // for the thread of the steps
  std::size_t taken_pages() const;                             // by texts and by the cache

 private:
  /// A text on its way.
  struct Text {
    std::vector<std::uint32_t> ids;  // the prompt and what was chosen
    std::shared_ptr<TokenSink> sink;
    std::string scope;
    KvSequence sequence;       // of the first ids
    bool is_kept = false;      // the pages of its prompt are in the cache
    std::size_t in_step = 0;   // ids that the step adds
    bool has_left = false;     // it is over, or waits again
    Status how = ok_status();  // it ended, where it is over
    std::size_t left() const { return ids.size() - sequence.tokens(); }
  };
  using TextPointer = std::unique_ptr<Text>;

  std::size_t most_ids() const;
  void drop_unwanted();
  void admit(StepReport& report);
  bool awaits_prefix(const Text& text) const;
  std::vector<Text*> gather(StepReport& report);
  std::size_t promised_pages() const;
  bool has_room_for(const Text& text, std::size_t reused_pages);
  bool make_room(Text& text, StepReport& report);
  Text& youngest_with_pages(Text& but);
  void set_back(Text& text, StepReport& report);
  void finish(const std::vector<Text*>& texts, std::int64_t cpu_ns, StepReport& report);
  void choose(Text& text, const float* logits, StepReport& report);
  void leave(Text& text, const Status& how);
  void remove_left();

  StepModel& model_;
  const SchedulerOptions options_;
  PrefixCache cache_;                 // of the thread of the steps
  std::vector<TextPointer> running_;  // the same; the oldest first
  mutable Mutex mutex_;
  std::deque<TextPointer> waiting_ CAIRN_GUARDED_BY(mutex_);
  std::size_t active_ CAIRN_GUARDED_BY(mutex_) = 0;  // of running_
};

}  // namespace cairn::inference
