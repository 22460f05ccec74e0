// SPDX-License-Identifier: Apache-2.0
// The work of an async search: asked, kept, paid for.
#include <exception>
#include <utility>

#include "os/log.h"
#include "tasks/async_searches.h"
#include "tasks/task_compute.h"

namespace cairn::tasks {
namespace {

constexpr int server_error = 500;

Error search_cancelled(const std::string& reason) {
  Error out{.kind = ErrorKind::cancelled,
            .code = "task_cancelled_exception",
            .message = "task cancelled [" + reason + "]"};
  out.details = {{"_status", "400"}};  // somebody asked for it
  return out;
}

Error stopped_with_server() {
  return {.kind = ErrorKind::unavailable,
          .code = "node_closed_exception",
          .message = "the server is stopping, and the search with it; begin it again"};
}

Error answer_too_large_to_keep(std::size_t most) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "illegal_argument_exception",
          .message = "Can't store an async search response larger than [" + std::to_string(most) +
                     "] bytes. This limit can be set by changing the "
                     "[search.max_async_search_response_size] setting."};
}

}  // namespace

void AsyncSearches::run(const Found& search, Work& work) {
  Outcome outcome = outcome_of(*search, ask(*search, work));
  work = {};  // lets go of what was searched
  conclude(*search, std::move(outcome));
  settle(*search);
  pay(*search);
  leave(*search);
}

Result<std::string> AsyncSearches::ask(AsyncSearch& search, const Work& work) const {
  const auto deadline = os::Deadline::never(search.stopped());
  Result<std::string> found = Error{};
  const auto body = [&] {
    try {
      found = ground_.search.search(work.indices, work.body, work.parameters, deadline);
    } catch (const std::exception& fault) {
      found = Error{.kind = ErrorKind::internal, .message = fault.what()};
    }
  };
  TaskCompute compute({.stopped = search.stopped(),
                       .suspended = search.stopped(),
                       .add_cpu = [&search](std::int64_t ns) { search.add_cpu(ns); }},
                      ground_, options_);
  const Status ran = compute.run(body);
  if (ran.ok()) return found;
  if (ran.error().kind != ErrorKind::unavailable) return ran.error();
  return Error{.kind = ErrorKind::rate_limited,
               .code = "es_rejected_execution_exception",
               .message = "rejected execution: " + ran.error().message + "; begin it again later"};
}

AsyncSearches::Outcome AsyncSearches::failure(const Error& error) const {
  return {.ending = {.completed_ms = ground_.clock.unix_ms(),
                     .status = ground_.error_status(error),
                     .failed = true},
          .answer = std::make_shared<const std::string>(ground_.error_object(error).dump())};
}

AsyncSearches::Outcome AsyncSearches::outcome_of(const AsyncSearch& search,
                                                 Result<std::string> found) const {
  if (found.ok())
    return {.ending = {.completed_ms = ground_.clock.unix_ms()},
            .answer = std::make_shared<const std::string>(std::move(*found))};
  if (const auto reason = search.cancelled()) return failure(search_cancelled(*reason));
  if (search.stopped().stop_requested()) return failure(stopped_with_server());
  Outcome out = failure(found.error());
  if (out.ending.status >= server_error)
    os::log(os::LogLevel::error, "tasks", "an async search failed",
            {{"async_search", search.facts().id}, {"reason", found.error().message}});
  return out;
}

void AsyncSearches::conclude(AsyncSearch& search, Outcome outcome) {
  if (search.hand_over(outcome.ending, outcome.answer)) return;
  const bool ends_with_server = outcome.ending.failed && process_.stop_requested();
  if (search.state().discarded || ends_with_server)
    return search.end(outcome.ending, std::move(outcome.answer), false);
  const std::size_t most = answer_bytes_;
  if (!outcome.ending.failed && outcome.answer->size() > most)
    outcome = failure(answer_too_large_to_keep(most));
  keep(search, std::move(outcome));
}

void AsyncSearches::keep(AsyncSearch& search, Outcome outcome) {
  const std::string& id = search.facts().id;
  const auto write_answer = [&](const os::Deadline& deadline) {
    return records_.put_answer(id, *outcome.answer, deadline);
  };
  const auto write_head = [&](const os::Deadline& deadline) {
    return records_.put_head(id, search.head(outcome.ending, search.state().expires_ms), deadline);
  };
  {
    const std::lock_guard saving(search.saving());
    search.in_store = true;
  }
  Status kept = insist(write_answer);
  const std::lock_guard saving(search.saving());
  if (kept.ok()) kept = insist(write_head);
  if (kept.ok()) return search.end(outcome.ending, std::move(outcome.answer), true);
  os::log(os::LogLevel::error, "tasks", "the answer of an async search is not kept",
          {{"async_search", id}, {"reason", kept.error().message}});
  // What failed may have happened. The head goes first, as always.
  const auto deadline = os::Deadline::in_ms(options_.write_wait_ms);
  if (records_.remove_head(id, deadline).ok())
    static_cast<void>(records_.remove_answer(id, deadline).ok());
  outcome = failure(with_context(kept.error(), "the answer could not be kept"));
  search.end(outcome.ending, std::move(outcome.answer), false);
}

/// Writes, again and again where the store is away.
Status AsyncSearches::insist(
    const std::function<Status(const os::Deadline& deadline)>& write) const {
  TaskCompute turns({.stopped = process_.get_token(), .suspended = process_.get_token()}, ground_,
                    options_);
  for (std::size_t attempt = 1;; ++attempt) {
    Status done = write(os::Deadline::in_ms(options_.write_wait_ms));
    if (done.ok()) return done;
    const ErrorKind kind = done.error().kind;
    const bool passes = kind == ErrorKind::unavailable || kind == ErrorKind::timeout;
    if (!passes || attempt >= options_.write_attempts || !turns.wait_for_turn(attempt)) return done;
  }
}

/// What is no longer needed goes before the search is paid for, which may take long.
void AsyncSearches::settle(AsyncSearch& search) {
  const AsyncSearch::State state = search.state();
  if (!search.client_pays()) search.forget_answer();
  if (state.handed_over) {
    const std::lock_guard lock(mutex_);
    searches_.erase(search.facts().id);
  } else if (state.discarded) {
    // Whoever deletes it, or looks for those whose time is up, tries again.
    static_cast<void>(erase(search, os::Deadline::in_ms(options_.write_wait_ms)).ok());
  }
}

void AsyncSearches::pay(const AsyncSearch& search) const {
  if (search.client_pays() || !ground_.charge) return;
  const auto until_stopped = os::Deadline::never(process_.get_token());
  while (const std::int64_t ms = ground_.charge(search.owner().key, search.cpu_ns()))
    if (!os::sleep_ms(ms, until_stopped)) return;
}

void AsyncSearches::leave(const AsyncSearch& search) {
  const std::lock_guard lock(mutex_);
  const auto at = running_.find(search.facts().number);
  if (at->second.thread.joinable()) ended_threads_.push_back(std::move(at->second.thread));
  running_.erase(at);
}

}  // namespace cairn::tasks
