// SPDX-License-Identifier: Apache-2.0
// Texts that join and leave between the steps of a decoder.
#include "inference/generation/scheduler.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "base/assert.h"
#include "os/threads/pool.h"

namespace cairn::inference {
namespace {

std::size_t pages_of(std::size_t tokens) {
  return (tokens + kernels::page_tokens - 1) / kernels::page_tokens;
}

Error nobody_waits() {
  return Error{.kind = ErrorKind::cancelled, .message = "nobody waits for the text any more"};
}

}  // namespace

Scheduler::Scheduler(StepModel& model, SchedulerOptions options)
    : model_(model), options_(options), cache_(options.cached_pages) {
  CAIRN_ASSERT(options_.is_valid());
}

Scheduler::~Scheduler() {
  end_all(Error{.kind = ErrorKind::unavailable, .message = "the model is no longer deployed"});
}

std::size_t Scheduler::most_ids() const {
  return std::min(model_.most_tokens(), model_.pool().most_pages() * kernels::page_tokens);
}

Status Scheduler::add(TextRequest request) {
  if (request.prompt.empty() || request.prompt.size() >= most_ids()) {
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "the prompt has [" + std::to_string(request.prompt.size()) +
                            "] tokens; the model takes 1 to [" + std::to_string(most_ids() - 1) +
                            "]"};
  }
  for (const std::uint32_t id : request.prompt) {
    if (id < model_.vocabulary()) continue;
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "the prompt has token [" + std::to_string(id) + "]; the model knows [" +
                            std::to_string(model_.vocabulary()) + "]"};
  }
  auto text = std::make_unique<Text>();
  text->ids = std::move(request.prompt);
  text->sink = std::move(request.sink);
  text->scope = std::move(request.scope);
  const MutexLock lock(mutex_);
  if (waiting_.size() >= options_.most_waiting) {
    return Error{.kind = ErrorKind::rate_limited,
                 .code = "es_rejected_execution_exception",
                 .message = "[" + std::to_string(waiting_.size()) +
                            "] texts wait for the model already; try again later"};
  }
  waiting_.push_back(std::move(text));
  return ok_status();
}

bool Scheduler::is_idle() const {
  const MutexLock lock(mutex_);
  return waiting_.empty() && active_ == 0;
}

std::size_t Scheduler::waiting() const {
  const MutexLock lock(mutex_);
  return waiting_.size();
}

std::size_t Scheduler::taken_pages() const { return model_.pool().taken_pages(); }

std::size_t Scheduler::active() const {
  const MutexLock lock(mutex_);
  return active_;
}

Result<std::optional<StepReport>> Scheduler::step(const os::Deadline& deadline,
                                                  const StepCount& count) {
  StepReport report;
  drop_unwanted();
  admit(report);
  const std::vector<Text*> texts = gather(report);
  if (texts.empty()) {
    remove_left();
    return std::optional<StepReport>();
  }
  std::vector<StepInput> batch;
  batch.reserve(texts.size());
  for (Text* text : texts) {
    const auto ids =
        std::span<const std::uint32_t>(text->ids).subspan(text->sequence.tokens(), text->in_step);
    batch.push_back(
        {.sequence = &text->sequence,
         .ids = ids,
         .output = text->in_step == text->left() ? StepOutput::logits : StepOutput::nothing});
  }
  const std::int64_t begun_ns = os::thread_cpu_ns();
  const Status done = model_.step(batch, deadline);
  if (!done.ok()) {
    if (!deadline.passed())
      for (Text* text : texts) leave(*text, done);
    remove_left();
    return done.error();
  }
  finish(texts, os::thread_cpu_ns() - begun_ns, report);
  if (count) count(report);
  remove_left();
  return std::optional<StepReport>(report);
}

void Scheduler::drop_unwanted() {
  for (const TextPointer& text : running_)
    if (!text->sink->is_wanted()) leave(*text, nobody_waits());
  remove_left();
  std::vector<TextPointer> dropped;
  {
    const MutexLock lock(mutex_);
    for (auto text = waiting_.begin(); text != waiting_.end();) {
      if ((*text)->sink->is_wanted()) {
        ++text;
        continue;
      }
      dropped.push_back(std::move(*text));
      text = waiting_.erase(text);
    }
  }
  for (const TextPointer& text : dropped) text->sink->ended(nobody_waits());
}

/// Pages that the running texts will take for what is known of them.
std::size_t Scheduler::promised_pages() const {
  std::size_t out = 0;
  for (const TextPointer& text : running_) {
    const std::size_t wanted = pages_of(text->ids.size() + 1);
    out += wanted - std::min(wanted, text->sequence.pages().size());
  }
  return out;
}

/// Whether the pool has pages for all that is known of a text, beside what the running ones will
/// take. What lacks is taken from the cache, if that is enough.
bool Scheduler::has_room_for(const Text& text, std::size_t reused_pages) {
  const std::size_t wanted = pages_of(text.ids.size() + 1) - reused_pages + promised_pages();
  const KvPool& pool = model_.pool();
  const std::size_t free = pool.most_pages() - std::min(pool.taken_pages(), pool.most_pages());
  if (wanted <= free) return true;
  return wanted - free <= cache_.spare_pages() && cache_.drop(wanted - free) == wanted - free;
}

/// Whether a running text is still computing a beginning that this one could share.
bool Scheduler::awaits_prefix(const Text& text) const {
  constexpr std::size_t page = kernels::page_tokens;
  if (options_.cached_pages == 0 || text.ids.size() <= page) return false;
  return std::any_of(running_.begin(), running_.end(), [&](const TextPointer& one) {
    return !one->has_left && !one->is_kept && one->scope == text.scope && one->ids.size() > page &&
           std::equal(one->ids.begin(), one->ids.begin() + page, text.ids.begin());
  });
}

void Scheduler::admit(StepReport& report) {
  while (running_.size() < options_.most_active) {
    TextPointer next;
    {
      const MutexLock lock(mutex_);
      const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                      [&](const TextPointer& one) { return !awaits_prefix(*one); });
      if (found == waiting_.end()) return;
      next = std::move(*found);
      waiting_.erase(found);
      ++active_;
    }
    // The last token is computed in any case: what it gives is not kept.
    const auto known = std::span<const std::uint32_t>(next->ids).first(next->ids.size() - 1);
    auto pages = cache_.find(next->scope, known);
    if (!has_room_for(*next, pages.size()) && !running_.empty()) {
      const MutexLock lock(mutex_);  // those that run come first
      waiting_.push_front(std::move(next));
      --active_;
      return;
    }
    next->sequence = KvSequence(std::move(pages));
    report.reused_tokens += next->sequence.tokens();
    running_.push_back(std::move(next));
  }
}

std::vector<Scheduler::Text*> Scheduler::gather(StepReport& report) {
  std::vector<Text*> out;
  std::size_t budget = options_.prompt_tokens;
  // The oldest first: room is taken from the youngest, which have none of the step yet.
  for (const TextPointer& text : running_) {
    if (text->has_left) continue;
    const bool is_prompt = text->left() > 1;
    text->in_step = is_prompt ? std::min(text->left(), budget) : 1;
    if (text->in_step == 0 || !make_room(*text, report)) continue;
    if (is_prompt) {
      budget -= text->in_step;
      report.prompt_tokens += text->in_step;
    }
    out.push_back(text.get());
  }
  report.texts = out.size();
  return out;
}

/// The last one that came and has something to give, or `but`.
Scheduler::Text& Scheduler::youngest_with_pages(Text& but) {
  for (auto text = running_.rbegin();; ++text) {
    const bool gives = !(*text)->has_left && !(*text)->sequence.pages().empty();
    if (gives || text->get() == &but) return **text;
  }
}

/// Pages for what the step adds to a text: free ones, those of the cache, those of younger texts.
/// False: it has left, or waits again.
bool Scheduler::make_room(Text& text, StepReport& report) {
  while (true) {
    const Status reserved = text.sequence.reserve(model_.pool(), text.in_step);
    if (reserved.ok()) return true;
    if (cache_.drop(1) > 0) continue;
    Text& last = youngest_with_pages(text);
    const bool is_alone =
        &last == &text && std::count_if(running_.begin(), running_.end(),
                                        [](const TextPointer& one) { return !one->has_left; }) == 1;
    if (is_alone) {
      leave(text, reserved);
      return false;
    }
    set_back(last, report);
    if (&last == &text) return false;
  }
}

/// It begins again in front of those that wait. Its pages are free at once.
void Scheduler::set_back(Text& text, StepReport& report) {
  auto again = std::make_unique<Text>();
  again->ids = std::move(text.ids);
  again->sink = std::move(text.sink);
  again->scope = std::move(text.scope);
  text.sequence = KvSequence();
  text.has_left = true;
  ++report.set_back;
  const MutexLock lock(mutex_);
  waiting_.push_front(std::move(again));
}

void Scheduler::finish(const std::vector<Text*>& texts, std::int64_t cpu_ns, StepReport& report) {
  std::size_t tokens = 0;
  for (const Text* text : texts) tokens += text->in_step;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Text& text = *texts[i];
    text.sink->charge(cpu_ns * static_cast<std::int64_t>(text.in_step) /
                      static_cast<std::int64_t>(tokens));
    text.in_step = 0;
    if (text.left() == 0) choose(text, model_.logits(i), report);
  }
}

void Scheduler::choose(Text& text, const float* logits, StepReport& report) {
  if (!text.is_kept) {
    cache_.keep(text.scope, text.ids, text.sequence.pages());
    text.is_kept = true;
  }
  const std::int64_t begun_ns = os::thread_cpu_ns();
  std::optional<std::uint32_t> id;
  try {
    id = text.sink->next({logits, model_.vocabulary()});
  } catch (const std::bad_alloc&) {
    return leave(text, Error{.kind = ErrorKind::rate_limited,
                             .message = "there is not enough memory for the text"});
  }
  text.sink->charge(os::thread_cpu_ns() - begun_ns);
  if (id) {
    ++report.new_tokens;
    text.ids.push_back(*id);
  }
  if (!id || text.ids.size() >= most_ids()) {
    // A chat that goes on begins with this answer.
    const auto computed = std::span<const std::uint32_t>(text.ids).first(text.sequence.tokens());
    cache_.keep(text.scope, computed, text.sequence.pages());
    leave(text, ok_status());
  }
}

void Scheduler::leave(Text& text, const Status& how) {
  text.sequence = KvSequence();
  text.has_left = true;
  text.how = how;
}

void Scheduler::remove_left() {
  const auto first = std::stable_partition(running_.begin(), running_.end(),
                                           [](const TextPointer& one) { return !one->has_left; });
  const std::vector<TextPointer> left(std::make_move_iterator(first),
                                      std::make_move_iterator(running_.end()));
  running_.erase(first, running_.end());
  {
    const MutexLock lock(mutex_);
    active_ -= left.size();
  }
  // After they are counted out: who waits for an end may look at the count next.
  for (const TextPointer& text : left)
    if (text->sink) text->sink->ended(text->how);  // not of one that waits again
}

void Scheduler::end_all(const Error& why) {
  for (const TextPointer& text : running_) leave(*text, why);
  remove_left();
  std::deque<TextPointer> dropped;
  {
    const MutexLock lock(mutex_);
    dropped.swap(waiting_);
  }
  for (const TextPointer& text : dropped) text->sink->ended(why);
}

}  // namespace cairn::inference
