// SPDX-License-Identifier: Apache-2.0
// The life of async searches: begun, looked at, kept, removed. Their work is in async_work.cc.
#include "tasks/async_searches.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/ids.h"
#include "base/strings.h"
#include "format/time.h"
#include "os/log.h"
#include "os/random.h"
#include "os/threads/blocking.h"
#include "os/threads/pool.h"

namespace cairn::tasks {
namespace {

constexpr std::size_t random_bytes_of_id = 15;
constexpr std::size_t shown_body_bytes = 1'000;
// From here on reading takes longer than a worker should.
constexpr std::size_t large_bytes = 64 << 10;
// Its sum with today's time stays far from the end of the numbers.
constexpr std::int64_t longest_keep_ms = 100LL * 365 * 24 * 60 * 60 * 1000;

Error refused_search(std::string message) {
  return {.kind = ErrorKind::rate_limited,
          .code = "es_rejected_execution_exception",
          .message = std::move(message)};
}

Error server_stops() {
  return {.kind = ErrorKind::unavailable,
          .code = "node_closed_exception",
          .message = "the server is stopping; begin the search again"};
}

Error search_missing(const std::string& id) {
  return {.kind = ErrorKind::not_found, .code = "resource_not_found_exception", .message = id};
}

std::string description_of(const std::string& target, std::string_view body) {
  std::string_view shown = body.substr(0, shown_body_bytes);
  shown = shown.substr(0, valid_utf8_prefix(shown));
  return "async_search{indices[" + target + "], source[" + std::string(shown) +
         (shown.size() < body.size() ? "…" : "") + "]}";
}

os::Deadline waiting(std::int64_t ms, const os::Deadline& deadline) {
  return ms < 0 ? deadline : deadline.sooner_ms(ms);
}

}  // namespace

AsyncSearches::AsyncSearches(const Ground& ground, const Options& options, TakeNumber take_number)
    : ground_(ground),
      options_(options),
      answer_bytes_(options.search_answer_bytes),
      take_number_(std::move(take_number)),
      records_(ground.store) {}

AsyncSearches::~AsyncSearches() { stop(); }

Result<std::unique_ptr<AsyncSearches>> AsyncSearches::open(const Ground& ground,
                                                           const Options& options,
                                                           TakeNumber take_number,
                                                           const os::Deadline& deadline) {
  std::unique_ptr<AsyncSearches> out(new AsyncSearches(ground, options, std::move(take_number)));
  CAIRN_CHECK(out->load(deadline));
  return out;
}

Status AsyncSearches::load(const os::Deadline& deadline) {
  CAIRN_CHECK(records_.each_head(deadline, [&](const std::string& id, const Json& head) {
    searches_[id] = AsyncSearch::of_head(id, head, ground_.clock);
    return ok_status();
  }));
  end_expired(deadline);
  if (const Status removed = records_.remove_leftovers(deadline); !removed.ok())
    os::log(os::LogLevel::warn, "tasks", "answers without a head are not removed",
            {{"reason", removed.error().message}});
  return ok_status();
}

// --- begun

Status AsyncSearches::check_keep_alive(std::int64_t ms) const {
  if (ms >= options_.least_keep_alive_ms) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .code = "action_request_validation_exception",
               .message = "Validation Failed: 1: [keep_alive] must be greater or equals than " +
                          std::to_string(options_.least_keep_alive_ms / 1'000) +
                          " second, got:" + format_time_value(ms) + ";"};
}

std::int64_t AsyncSearches::expiry(std::int64_t keep_alive_ms) const {
  return ground_.clock.unix_ms() + std::min(keep_alive_ms, longest_keep_ms);
}

Status AsyncSearches::check_room(const Owner& owner) const {
  if (stopping_) return server_stops();
  const auto is_own = [&](const AsyncSearch& one) { return one.owner().key == owner.key; };
  const auto at_work = std::count_if(running_.begin(), running_.end(), [&](const auto& entry) {
    return is_own(*entry.second.search);
  });
  const auto kept = std::count_if(searches_.begin(), searches_.end(),
                                  [&](const auto& entry) { return is_own(*entry.second); });
  const auto says = [](std::string who, std::size_t most, std::string what) {
    return refused_search(std::move(who) + " [" + std::to_string(most) + "] async searches " +
                          std::move(what));
  };
  constexpr const char* work = "at work, which is the most; try again when one has ended";
  constexpr const char* keep =
      "with answers, which is the most; delete those that nobody needs any more";
  if (running_.size() >= options_.searches_max)
    return says("there are", options_.searches_max, work);
  if (static_cast<std::size_t>(at_work) >= options_.searches_of_one_max)
    return says("this key has", options_.searches_of_one_max, work);
  if (searches_.size() >= options_.kept_searches_max)
    return says("there are", options_.kept_searches_max, keep);
  if (static_cast<std::size_t>(kept) >= options_.kept_searches_of_one_max)
    return says("this key has", options_.kept_searches_of_one_max, keep);
  return ok_status();
}

/// For a request that waits for it. What reads few bytes does not wait for long searches to leave
/// the pool.
Status AsyncSearches::compute(std::size_t bytes, const std::function<void()>& body,
                              const os::Deadline& deadline) const {
  if (ground_.compute == nullptr || bytes < large_bytes) {
    body();
    return ok_status();
  }
  const Status ran = ground_.compute->run(body, deadline);
  if (ran.ok() || ran.error().kind != ErrorKind::unavailable) return ran;
  return refused_search("rejected execution: " + ran.error().message + "; try again in a moment");
}

Result<search::Service::Outline> AsyncSearches::outline(const NewAsyncSearch& wanted,
                                                        const os::Deadline& deadline) const {
  Result<search::Service::Outline> out = Error{};
  CAIRN_CHECK(compute(
      wanted.body.size(),
      [&] { out = ground_.search.outline(wanted.indices, wanted.body, wanted.parameters); },
      deadline));
  return out;
}

Result<AsyncAnswer> AsyncSearches::submit(NewAsyncSearch wanted, const os::Deadline& deadline) {
  CAIRN_CHECK(check_keep_alive(wanted.keep_alive_ms));
  {
    const std::lock_guard lock(mutex_);
    CAIRN_CHECK(check_room(wanted.owner));  // before the work of reading
  }
  CAIRN_TRY(const auto outline, this->outline(wanted, deadline));
  const AnswerForm form{.typed_keys = wanted.parameters.typed_keys,
                        .total_hits_as_int = wanted.parameters.total_hits_as_int};
  const os::Deadline until = waiting(wanted.wait_ms, deadline);
  CAIRN_TRY(const Found search, begin(std::move(wanted), outline));
  {
    const os::Blocking blocking;
    if (search->wait_as_client(until)) {
      os::charge_pool_cpu(search->cpu_ns());
    } else if (deadline.stopped()) {
      search->discard("the client has left");
      return deadline.check("searching").error();
    }
  }
  auto out = answer_of(*search, search->state(), form, deadline);
  search->forget_answer();
  return out;
}

Result<AsyncSearches::Found> AsyncSearches::begin(NewAsyncSearch wanted,
                                                  const search::Service::Outline& outline) {
  AsyncFacts facts{.id = url_safe_id(ground_.random.bytes(random_bytes_of_id)),
                   .number = take_number_(),
                   .owner = wanted.owner,
                   .started_ms = ground_.clock.unix_ms(),
                   .shards = outline.shards,
                   .keep_on_completion = wanted.keep_on_completion,
                   .form = {.typed_keys = outline.names_parts,
                            .total_hits_as_int = wanted.parameters.total_hits_as_int},
                   .description = description_of(wanted.target, wanted.body)};
  // Looks may ask for either form.
  wanted.parameters.typed_keys = outline.names_parts;
  const auto search = std::make_shared<AsyncSearch>(std::move(facts), expiry(wanted.keep_alive_ms),
                                                    std::move(wanted.stop), ground_.clock);
  auto work = std::make_shared<Work>(
      Work{std::move(wanted.indices), std::move(wanted.body), std::move(wanted.parameters)});
  std::list<os::Thread> ended;  // joined without the lock
  const std::lock_guard lock(mutex_);
  ended.splice(ended.end(), ended_threads_);
  CAIRN_CHECK(check_room(search->owner()));
  CAIRN_TRY(auto thread, os::Thread::start({.name = "cairn-search", .nice = 5},
                                           [this, search, work] { run(search, *work); }));
  running_[search->facts().number] = {search, std::move(thread)};
  searches_[search->facts().id] = search;
  return search;
}

// --- looked at

Result<AsyncSearches::Found> AsyncSearches::find(const std::string& id,
                                                 const AsyncViewer& viewer) const {
  const auto bytes = from_base64url(id);
  if (!bytes || bytes->size() != random_bytes_of_id)
    return Error{
        .kind = ErrorKind::invalid_argument,
        .code = "illegal_argument_exception",
        .message = "invalid id: [" + id.substr(0, valid_utf8_prefix(id.substr(0, 64))) + "]"};
  const std::lock_guard lock(mutex_);
  const auto at = searches_.find(id);
  if (at == searches_.end()) return search_missing(id);
  const AsyncSearch& search = *at->second;
  const AsyncSearch::State state = search.state();
  if ((!viewer.any && search.owner().key != viewer.key) || state.handed_over ||
      state.expires_ms <= ground_.clock.unix_ms())
    return search_missing(id);
  return at->second;
}

Status AsyncSearches::keep_alive(AsyncSearch& search, std::int64_t ms,
                                 const os::Deadline& deadline) {
  CAIRN_CHECK(check_keep_alive(ms));
  const std::string& id = search.facts().id;
  const os::Blocking blocking;
  const std::lock_guard saving(search.saving());
  const AsyncSearch::State state = search.state();
  if (search.removed || state.discarded) return search_missing(id);
  const std::int64_t expires_ms = expiry(ms);
  if (state.kept)
    CAIRN_CHECK(records_.put_head(id, search.head(*state.ending, expires_ms), deadline));
  search.expire_at(expires_ms);
  return ok_status();
}

AsyncAnswer AsyncSearches::outside_of(const AsyncSearch& search, const AsyncSearch::State& state) {
  const AsyncFacts& facts = search.facts();
  return {.id = state.handed_over || state.discarded ? "" : facts.id,
          .started_ms = facts.started_ms,
          .expires_ms = state.expires_ms,
          .shards = facts.shards,
          .ending = state.ending};
}

Result<AsyncAnswer> AsyncSearches::answer_of(const AsyncSearch& search,
                                             const AsyncSearch::State& state,
                                             const AnswerForm& form,
                                             const os::Deadline& deadline) const {
  const AsyncFacts& facts = search.facts();
  AsyncAnswer out = outside_of(search, state);
  if (!state.ending) {
    out.text = answer_so_far(facts.shards, ground_.clock.unix_ms() - facts.started_ms, form);
    return out;
  }
  if (state.answer != nullptr) {
    out.text = *state.answer;
  } else {
    CAIRN_TRY(auto kept, records_.answer(facts.id, deadline));
    if (!kept) return search_missing(facts.id);
    out.text = std::move(*kept);
  }
  if (state.ending->failed || !differs(facts.form, form)) return out;
  Result<std::string> changed = Error{};
  CAIRN_CHECK(compute(
      out.text.size(), [&] { changed = in_form(std::move(out.text), facts.form, form); },
      deadline));
  CAIRN_TRY(out.text, std::move(changed));
  return out;
}

Result<AsyncAnswer> AsyncSearches::get(const std::string& id, const AsyncViewer& viewer,
                                       const AsyncLook& look, const os::Deadline& deadline) {
  CAIRN_TRY(const Found search, find(id, viewer));
  if (look.keep_alive_ms) CAIRN_CHECK(keep_alive(*search, *look.keep_alive_ms, deadline));
  if (look.wait_ms != 0) {
    const os::Blocking blocking;
    static_cast<void>(search->wait(waiting(look.wait_ms, deadline)));
  }
  const AsyncSearch::State state = search->state();
  if (state.discarded) return search_missing(id);
  return answer_of(*search, state, look.form, deadline);
}

Result<AsyncAnswer> AsyncSearches::status(const std::string& id, const AsyncViewer& viewer,
                                          std::optional<std::int64_t> keep_alive_ms,
                                          const os::Deadline& deadline) {
  CAIRN_TRY(const Found search, find(id, viewer));
  if (keep_alive_ms) CAIRN_CHECK(keep_alive(*search, *keep_alive_ms, deadline));
  const AsyncSearch::State state = search->state();
  if (state.discarded) return search_missing(id);
  return outside_of(*search, state);
}

std::vector<std::shared_ptr<AsyncSearch>> AsyncSearches::running() const {
  std::vector<Found> out;
  const std::lock_guard lock(mutex_);
  for (const auto& [number, running] : running_)
    if (!running.search->state().ending) out.push_back(running.search);
  return out;
}

// --- removed

Status AsyncSearches::remove(const std::string& id, const AsyncViewer& viewer,
                             const os::Deadline& deadline) {
  CAIRN_TRY(const Found search, find(id, viewer));
  if (!search->state().ending) {
    search->discard("it is deleted");
    const os::Blocking blocking;
    if (!search->wait(deadline)) return deadline.check("waiting for the end of the search");
  }
  return erase(*search, deadline);
}

/// The head first: what has none is not there. Nothing happens where it is removed already.
Status AsyncSearches::erase(AsyncSearch& search, const os::Deadline& deadline) {
  const std::string& id = search.facts().id;
  const std::lock_guard saving(search.saving());
  if (search.removed) return ok_status();
  if (search.in_store) CAIRN_CHECK(records_.remove_head(id, deadline));
  search.removed = true;
  {
    const std::lock_guard lock(mutex_);
    searches_.erase(id);
  }
  if (!search.in_store) return ok_status();
  if (const Status removed = records_.remove_answer(id, deadline); !removed.ok())
    os::log(os::LogLevel::warn, "tasks",
            "an answer is not removed; the next start of the server does it",
            {{"async_search", id}, {"reason", removed.error().message}});
  return ok_status();
}

std::size_t AsyncSearches::end_expired(const os::Deadline& deadline) {
  std::vector<Found> gone;
  {
    const std::int64_t now_ms = ground_.clock.unix_ms();
    const std::lock_guard lock(mutex_);
    for (const auto& [id, search] : searches_) {
      const AsyncSearch::State state = search->state();
      const bool is_left = state.discarded && state.ending;  // the store was away when it ended
      if (state.expires_ms <= now_ms || is_left) gone.push_back(search);
    }
  }
  for (const Found& search : gone) {
    if (!search->state().ending) {
      search->discard("the time that it is kept is over");
    } else if (const Status erased = erase(*search, deadline); !erased.ok()) {
      os::log(os::LogLevel::warn, "tasks", "an async search whose time is up is not removed",
              {{"async_search", search->facts().id}, {"reason", erased.error().message}});
    }
  }
  const std::lock_guard lock(mutex_);
  return searches_.size();
}

void AsyncSearches::stop() {
  std::list<os::Thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    process_.request_stop();
    for (auto& [number, running] : running_) {
      running.search->suspend();
      threads.push_back(std::move(running.thread));
    }
    threads.splice(threads.end(), ended_threads_);
  }
  for (os::Thread& thread : threads) thread.join();
}

}  // namespace cairn::tasks
