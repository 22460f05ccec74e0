// SPDX-License-Identifier: Apache-2.0
// The life of tasks: begun, run, ended, gone on with.
#include "tasks/tasks.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include "os/log.h"
#include "os/spans.h"
#include "os/threads/blocking.h"
#include "os/threads/pool.h"
#include "tasks/remote/remote_batches.h"

namespace cairn::tasks {
namespace {

constexpr std::uint64_t numbers_per_ms = 1'000;
// Of a scroll elsewhere: what servers take at most where nobody says otherwise.
constexpr std::int64_t longest_keep_alive_ms = 24LL * 60 * 60 * 1000;

Error rejected(std::string message) {
  return {.kind = ErrorKind::rate_limited,
          .code = "es_rejected_execution_exception",
          .message = std::move(message)};
}

Error lost_index(const std::string& name) {
  return {.kind = ErrorKind::not_found,
          .code = "index_not_found_exception",
          .message = "no such index [" + name + "], or it is another one since the task began"};
}

Error stopping() {
  return {.kind = ErrorKind::unavailable,
          .code = "node_closed_exception",
          .message = "the server is stopping; a task in the background goes on in the next start"};
}

/// What credentials are sealed for, so that they are of no use in another task, or for another
/// server.
std::string seal_context(std::uint64_t number, const RemoteSource& remote) {
  return "task/" + std::to_string(number) + "/" + remote.scheme + "://" + remote.authority();
}

/// What a part of a task goes over, where the task itself is cut into parts.
std::optional<search::Slice> slice_of(const ByQuery& request, std::size_t which) {
  if (request.slices <= 1) return request.slice;
  return search::Slice{.field = "_id",
                       .id = static_cast<std::uint32_t>(which),
                       .max = static_cast<std::uint32_t>(request.slices)};
}

search::WalkRequest walk_request(const Task& task, std::size_t which) {
  const ByQuery& request = task.request();
  return {.query = request.query,
          .slice = slice_of(request, which),
          .sort = request.sort,
          .now_ms = task.facts().started_ms,
          .with_sources = request.kind != Kind::remove};
}

/// The request that begins a task, which may be over before the task is.
std::optional<os::TraceContext> cause_here() {
  const os::TraceContext* const here = os::current_trace();
  return here == nullptr ? std::nullopt : std::optional(*here);
}

}  // namespace

Tasks::Tasks(Ground ground, Options options, remotesearch::RemoteAccess access)
    : ground_(std::move(ground)),
      options_(std::move(options)),
      access_(std::move(access)),
      records_(ground_.store),
      save_([this](Task& task) { return save(task); }) {}

Result<std::unique_ptr<Tasks>> Tasks::open(Ground ground, Options options,
                                           const os::Deadline& deadline) {
  CAIRN_TRY(remotesearch::RemoteAccess access, remote_access_of(options));
  std::unique_ptr<Tasks> out(new Tasks(std::move(ground), std::move(options), std::move(access)));
  CAIRN_CHECK(out->load(deadline));
  CAIRN_TRY(out->searches_, AsyncSearches::open(
                                out->ground_, out->options_,
                                [tasks = out.get()] { return tasks->take_number(); }, deadline));
  out->merges_ = std::make_unique<Merges>(
      out->ground_, out->options_, [tasks = out.get()] { return tasks->take_number(); },
      [tasks = out.get()](const Merge& merge, const Ending& ending) {
        tasks->keep_answer(merge, ending);
      });
  return out;
}

Tasks::~Tasks() { stop(); }

Status Tasks::load(const os::Deadline& deadline) {
  std::vector<std::pair<std::uint64_t, Json>> unfinished;
  CAIRN_CHECK(records_.each(deadline, [&](std::uint64_t number, const Json& record) -> Status {
    next_number_ = std::max(next_number_, number + 1 + options_.slices_max);
    if (const Json* ended = record.find("ended"))
      results_[number] = {.key = record.string_or("key"), .ended_ms = ended->int_or("ms")};
    else
      unfinished.emplace_back(number, record);
    return ok_status();
  }));
  for (const auto& [number, record] : unfinished) go_on(number, record);
  forget_results();
  return ok_status();
}

void Tasks::go_on(std::uint64_t number, const Json& record) {
  auto request = record.find("request") == nullptr
                     ? Result<ByQuery>(Error{.message = "there is no request in it"})
                     : read_by_query(*record.find("request"));
  if (!request.ok())
    return os::log(os::LogLevel::error, "tasks", "a task cannot be gone on with",
                   {{"task", number}, {"reason", request.error().message}});
  TaskFacts facts{
      .number = number,
      .owner = {.key = record.string_or("key"), .opaque_id = record.string_or("opaque_id")},
      .background = true,
      .started_ms = record.int_or("started_ms")};
  if (const Json* sources = record.find("sources"); sources != nullptr && sources->is_array())
    for (const Json& source : sources->as_array()) {
      facts.sources.push_back({.name = source.string_or("name"),
                               .uuid = source.string_or("uuid"),
                               .until = source.int_or("until", INT64_MAX)});
      if (const Json* filter = source.find("filter"))
        facts.sources.back().filter = std::make_shared<const Json>(*filter);
    }
  if (const Json* destination = record.find("destination"))
    facts.destination = {.name = destination->string_or("name"),
                         .uuid = destination->string_or("uuid"),
                         .until = destination->int_or("until", -1)};
  auto work = std::make_shared<Work>();
  if (const Status opened = open_headers(number, *request); !opened.ok())
    work->error = opened.error();
  auto task = std::make_shared<Task>(std::move(facts), std::move(*request), ground_.clock);
  task->restore(record);
  const std::lock_guard lock(mutex_);
  running_[number].task = task;
  const Status begun = launch(task, std::move(work), true);
  if (begun.ok()) return;
  running_.erase(number);
  os::log(os::LogLevel::error, "tasks", "a task waits for the next start",
          {{"task", number}, {"reason", begun.error().message}});
}

Status Tasks::check_room(const Owner& owner) const {
  if (stopping_) return stopping();
  const auto own = static_cast<std::size_t>(std::count_if(
      running_.begin(), running_.end(),
      [&](const auto& entry) { return entry.second.task->facts().owner.key == owner.key; }));
  if (running_.size() >= options_.running_max)
    return rejected("there are [" + std::to_string(options_.running_max) +
                    "] tasks at work, which is the most; try again when one has ended");
  if (own >= options_.running_of_one_max)
    return rejected("this key has [" + std::to_string(options_.running_of_one_max) +
                    "] tasks at work, which is the most; try again when one has ended");
  return ok_status();
}

Result<std::unique_ptr<search::DocumentWalk>> Tasks::walk(std::vector<search::WalkTarget> targets,
                                                          const search::WalkRequest& request,
                                                          const os::Deadline& deadline) {
  Result<std::unique_ptr<search::DocumentWalk>> out = Error{};
  const auto body = [&] { out = ground_.search.walk(std::move(targets), request, deadline); };
  if (ground_.compute == nullptr)
    body();
  else if (const Status ran = ground_.compute->run(body, deadline); !ran.ok())
    return ran.error().kind == ErrorKind::unavailable
               ? rejected("rejected execution: " + ran.error().message + "; try again in a moment")
               : ran.error();
  return out;
}

Result<std::shared_ptr<Task>> Tasks::start(NewTask wanted, const os::Deadline& deadline) {
  auto work = std::make_shared<Work>();
  work->indices = std::move(wanted.sources);
  TaskFacts facts{.owner = wanted.owner,
                  .background = wanted.background,
                  .started_ms = ground_.clock.unix_ms()};
  std::vector<search::WalkTarget> targets;
  for (const auto& index : work->indices) {
    work->views.push_back(index->view());
    facts.sources.push_back({.name = index->name(),
                             .uuid = index->uuid(),
                             .until = index->statistics().max_seq_no,
                             .filter = index.filter()});
    targets.push_back(
        {.index = index.index(), .view = work->views.back(), .filter = index.filter()});
  }
  {
    const std::lock_guard lock(mutex_);
    CAIRN_CHECK(check_room(wanted.owner));
  }
  const ByQuery& request = wanted.request;
  if (request.remote) {
    CAIRN_CHECK(access_.check(*request.remote));
    facts.destination = state_of(request.destination.index);
  } else {
    const search::WalkRequest walked{.text = wanted.text,
                                     .path = wanted.query_path,
                                     .query = request.query,
                                     .slice = request.slice,
                                     .sort = request.sort,
                                     .now_ms = facts.started_ms,
                                     .with_sources = request.kind != Kind::remove};
    const auto until =
        request.search_timeout_ms < 0 ? deadline : deadline.sooner_ms(request.search_timeout_ms);
    const Status ends = find_ends(wanted, walked, targets, facts.sources, until);
    auto whole = ends.ok() ? walk(std::move(targets), walked, until)
                           : Result<std::unique_ptr<search::DocumentWalk>>(ends.error());
    work->is_late = !whole.ok() && request.is_late(whole.error()) && !deadline.passed();
    if (!whole.ok() && !work->is_late) return std::move(whole).error();
    if (whole.ok() && request.slices <= 1) work->first = std::move(*whole);
  }
  std::shared_ptr<Task> task;
  std::list<os::Thread> ended;  // joined without the lock
  {
    const std::lock_guard lock(mutex_);
    ended.splice(ended.end(), ended_threads_);
    CAIRN_CHECK(check_room(wanted.owner));
    const auto now = static_cast<std::uint64_t>(facts.started_ms) * numbers_per_ms;
    facts.number = std::max(next_number_, now);
    next_number_ = facts.number + 1 + request.slices;
    if (facts.background) CAIRN_CHECK(seal_headers(facts.number, wanted.request));
    task = std::make_shared<Task>(std::move(facts), std::move(wanted.request), ground_.clock);
    running_[task->number()].task = task;
  }
  const Status kept = save(*task);
  const std::lock_guard lock(mutex_);
  Status begun = kept;
  if (begun.ok()) begun = launch(task, std::move(work), false);
  if (begun.ok()) return task;
  running_.erase(task->number());
  return begun.error();
}

Status Tasks::launch(std::shared_ptr<Task> task, std::shared_ptr<Work> work, bool resumed) {
  if (stopping_) return stopping();
  CAIRN_TRY(running_[task->number()].thread,
            os::Thread::start({.name = "cairn-task", .nice = 5},
                              [this, task, work, resumed, cause = cause_here()] {
                                os::TracedJob job("task", cause ? &*cause : nullptr);
                                run(*task, *work, resumed);
                                if (task->failed()) job.fail("the task failed");
                              }));
  return ok_status();
}

void Tasks::run(Task& task, Work& work, bool resumed) {
  const Status ready = work.error ? Status(*work.error)
                       : resumed  ? reopen(task, work)
                                  : ok_status();
  if (work.is_late)
    task.time_out();
  else if (ready.ok())
    run_slices(task, work, resumed);
  else
    fail(task, work, ready.error());
  conclude(task, work);
}

void Tasks::fail(Task& task, Work& work, Error error) {
  if (!task.stopped().stop_requested()) {
    const std::lock_guard lock(work.mutex);
    if (!work.error) work.error = std::move(error);
  }
  task.give_up();
}

void Tasks::run_slices(Task& task, Work& work, bool resumed) {
  std::atomic<std::size_t> next{0};
  const auto some = [&, trace = os::current_trace()] {
    const os::TraceScope tracing(trace);
    for (std::size_t which = next++; which < task.slice_count(); which = next++)
      run_slice(task, which, work, resumed);
  };
  std::vector<os::Thread> others;
  const std::size_t at_once = std::min(task.slice_count(), options_.slice_threads);
  for (std::size_t i = 1; i < at_once; ++i) {
    auto one = os::Thread::start({.name = "cairn-slice", .nice = 5}, some);
    if (!one.ok()) break;  // the others do its work
    others.push_back(std::move(*one));
  }
  some();
}

void Tasks::run_slice(Task& task, std::size_t which, Work& work, bool resumed) {
  if (task.slice(which).ended || task.failed() || task.stopped().stop_requested()) return;
  if (resumed)
    if (const Status settled = settle(task, which, work); !settled.ok())
      return fail(task, work, settled.error());
  TaskCompute compute(task, ground_, options_);
  auto found = batches_of_slice(task, which, work, compute);
  if (!found.ok() && task.request().is_late(found.error())) return task.time_out();
  if (!found.ok()) return fail(task, work, std::move(found).error());
  task.change_slice(which, [&](SliceState& slice) {
    slice.began = true;
    slice.counts.total = slice.counts.done() + (*found)->total();
    if (const auto most = task.request().max_docs)
      slice.counts.total = std::min(slice.counts.total, *most);
  });
  const CopiedBefore copied(ground_.indices, task.facts().destination);
  SliceRun(task, which, **found, compute, work.indices, ground_, options_, save_,
           resumed && task.request().remote ? &copied : nullptr)
      .run();
  if (task.stopped().stop_requested() || task.failed()) return;
  task.change_slice(which, [](SliceState& slice) { slice.ended = true; });
}

Result<std::unique_ptr<Batches>> Tasks::batches_of_slice(Task& task, std::size_t which, Work& work,
                                                         TaskCompute& compute) {
  if (task.request().remote) return remote_batches(task, compute);
  const std::size_t first = task.slice(which).target;
  auto walk = std::move(work.first);
  if (walk == nullptr) {
    CAIRN_TRY(walk, walk_of_slice(task, which, work));
  }
  return std::unique_ptr<Batches>(std::make_unique<LocalBatches>(std::move(walk), first));
}

Result<std::unique_ptr<Batches>> Tasks::remote_batches(Task& task, TaskCompute& compute) {
  const ByQuery& request = task.request();
  const RemoteSource& remote = *request.remote;
  // Another process may have been allowed more.
  CAIRN_CHECK(access_.check(remote));
  const auto size = static_cast<std::size_t>(
      std::min<std::uint64_t>(request.scroll_size, request.max_docs.value_or(request.scroll_size)));
  // While documents wait for their turn, nobody asks for the next page.
  const auto keep_alive = [&task, &remote, size]() -> std::int64_t {
    const double rate = task.slice(0).requests_per_second;
    const double waits_ms = rate > 0 ? static_cast<double>(size) / rate * 1e3 : 0;
    const auto most = static_cast<double>(longest_keep_alive_ms);
    return std::max(
        remote.keep_alive_ms,
        std::min(longest_keep_alive_ms,
                 remote.keep_alive_ms + static_cast<std::int64_t>(std::min(waits_ms, most))));
  };
  auto scroll = std::make_unique<remotesearch::RemoteScroll>(
      remote,
      remotesearch::RemoteSearch{
          .indices = request.source_names, .size = size, .source_filter = request.source_filter},
      access_, ground_.clock,
      [&task] { task.change_slice(0, [](SliceState& slice) { ++slice.counts.read_retries; }); });
  CAIRN_TRY(auto out,
            RemoteBatches::open(
                std::move(scroll), size, keep_alive,
                [&compute](const std::function<void()>& body) { return compute.run(body); },
                os::Deadline::never(task.stopped())));
  return std::unique_ptr<Batches>(std::move(out));
}

SourceIndex Tasks::state_of(const std::string& name) const {
  const auto found = ground_.indices.find(name);
  if (!found.ok()) return {.name = name, .uuid = {}, .until = -1};
  return {.name = name, .uuid = (*found)->uuid(), .until = (*found)->statistics().max_seq_no};
}

Status Tasks::seal_headers(std::uint64_t number, ByQuery& request) const {
  if (!request.remote || request.remote->headers.empty()) return ok_status();
  if (!ground_.seal.close)
    return Error{.kind = ErrorKind::unavailable,
                 .message =
                     "there is no key to seal credentials with; ask without "
                     "[wait_for_completion=false]"};
  RemoteSource& remote = *request.remote;
  remote.sealed_headers = ground_.seal.close(text_of_headers(remote), seal_context(number, remote));
  return ok_status();
}

Status Tasks::open_headers(std::uint64_t number, ByQuery& request) const {
  if (!request.remote || request.remote->sealed_headers.empty()) return ok_status();
  RemoteSource& remote = *request.remote;
  const auto text = ground_.seal.open
                        ? ground_.seal.open(remote.sealed_headers, seal_context(number, remote))
                        : Result<std::string>(Error{});
  if (text.ok()) return read_headers(*text, remote);
  return Error{.kind = ErrorKind::unavailable,
               .code = "status_exception",
               .message = "the credentials for remote [" + remote.authority() +
                          "] were sealed with another master key; begin the copy again"};
}

Result<std::unique_ptr<search::DocumentWalk>> Tasks::walk_of_slice(const Task& task,
                                                                   std::size_t which,
                                                                   const Work& work) {
  const SliceState state = task.slice(which);
  std::vector<search::WalkTarget> targets;
  for (std::size_t i = state.target; i < work.indices.size(); ++i) {
    search::WalkTarget target{.index = work.indices[i].index(),
                              .view = work.views[i],
                              .filter = task.facts().sources[i].filter};
    if (i == state.target) target.range.after = state.after;
    // A copy of a document that changed meanwhile is a copy of what it is now.
    if (task.request().kind != Kind::reindex) target.range.until = task.facts().sources[i].until;
    targets.push_back(std::move(target));
  }
  return walk(std::move(targets), walk_request(task, which), task.search_deadline());
}

/// The first documents of each index that match, where a request wants no more of them: those up to
/// a sequence number, which the record of the task has.
Status Tasks::find_ends(const NewTask& wanted, const search::WalkRequest& request,
                        std::vector<search::WalkTarget>& targets, std::vector<SourceIndex>& sources,
                        const os::Deadline& deadline) {
  if (wanted.request.terminate_after == 0) return ok_status();
  Status found = ok_status();
  const auto body = [&]() {
    found = [&]() -> Status {
      for (std::size_t i = 0; i < targets.size(); ++i) {
        targets[i].range.until = sources[i].until;
        CAIRN_TRY(sources[i].until,
                  ground_.search.last_of_first(targets[i], request, wanted.request.terminate_after,
                                               deadline));
        targets[i].range.until = sources[i].until;
      }
      return ok_status();
    }();
  };
  if (ground_.compute == nullptr) {
    body();
  } else {
    CAIRN_CHECK(ground_.compute->run(body, deadline));
  }
  return found;
}

/// After a restart: the indices as they are now.
Status Tasks::reopen(const Task& task, Work& work) {
  const SliceState only = task.slice(0);
  if (task.request().remote && task.request().max_docs &&
      (only.in_flight || only.counts.done() > 0))
    return Error{.kind = ErrorKind::unavailable,
                 .code = "status_exception",
                 .message =
                     "the server stopped in the middle: a copy from another server begins "
                     "anew, and one with [max_docs] would take more than those; [" +
                     std::to_string(only.counts.done()) + "] documents were known to be written"};
  const auto deadline = os::Deadline::never(task.stopped());
  for (const SourceIndex& source : task.facts().sources) {
    auto found = ground_.indices.find(source.name);
    if (!found.ok() || (*found)->uuid() != source.uuid) return lost_index(source.name);
    CAIRN_CHECK((*found)->refresh(deadline));
    work.views.push_back((*found)->view());
    work.indices.push_back(std::move(*found));
  }
  return ok_status();
}

/// How many documents of the batch that was being written are as they were.
Result<std::uint64_t> Tasks::left_of_batch(const Task& task, std::size_t which, const Work& work) {
  const SliceState state = task.slice(which);
  const InFlight& batch = *state.in_flight;
  const auto deadline = os::Deadline::never(task.stopped());
  search::WalkRequest request = walk_request(task, which);
  request.with_sources = false;
  request.sort = {};
  std::set<std::int64_t> own(batch.seq_nos.begin(), batch.seq_nos.end());
  search::WalkRange range{.after = batch.target == state.target ? state.after : -1,
                          .until = batch.to};
  if (!own.empty()) range = {.after = *own.begin() - 1, .until = *own.rbegin()};
  CAIRN_TRY(const auto there, walk({{.index = work.indices[batch.target].index(),
                                     .view = work.views[batch.target],
                                     .range = range,
                                     .filter = task.facts().sources[batch.target].filter}},
                                   request, deadline));
  if (own.empty()) return there->total();
  std::uint64_t left = 0;
  while (true) {
    CAIRN_TRY(const auto page, there->next(task.request().scroll_size, SIZE_MAX, deadline));
    if (page.documents.empty()) return left;
    for (const auto& document : page.documents) left += own.count(document.seq_no);
  }
}

/// After a restart: what of the batch that was being written is done. A document that is deleted or
/// written again no longer has the number that it had.
Status Tasks::settle(Task& task, std::size_t which, const Work& work) {
  const SliceState state = task.slice(which);
  const Kind kind = task.request().kind;
  if (!state.in_flight || kind == Kind::reindex) return ok_status();
  const InFlight& batch = *state.in_flight;
  if (batch.target >= work.indices.size()) return ok_status();
  CAIRN_TRY(const std::uint64_t left, left_of_batch(task, which, work));
  const std::uint64_t done = batch.count - std::min(left, batch.count);
  static_cast<void>(task.take(static_cast<std::size_t>(done)));
  task.change_slice(which, [&](SliceState& slice) {
    (kind == Kind::remove ? slice.counts.deleted : slice.counts.updated) += done;
    slice.counts.batches += done > 0 ? 1 : 0;
    slice.in_flight.reset();
  });
  return ok_status();
}

void Tasks::refresh(const Task& task, const Work& work) {
  if (!task.request().refresh) return;
  const auto deadline = os::Deadline::in_ms(options_.write_wait_ms, task.suspended());
  const auto tell = [](const Status& done) {
    if (!done.ok())
      os::log(os::LogLevel::warn, "tasks", "not refreshed", {{"reason", done.error().message}});
  };
  if (task.request().kind != Kind::reindex) {
    for (const auto& index : work.indices) tell(index->refresh(deadline));
  } else if (const auto to = ground_.indices.find(task.request().destination.index); to.ok()) {
    tell((*to)->refresh(deadline));
  }
}

void Tasks::conclude(Task& task, Work& work) {
  Ending ending;
  const bool suspended = task.suspended().stop_requested();
  if (!suspended) refresh(task, work);
  if (suspended)
    ending.error = stopping();
  else if (work.error)
    ending.error = std::move(*work.error);
  else
    ending = task.answer();
  if (!suspended && task.facts().background) {
    keep_result(task, ending);
    forget_results();
  }
  {
    const std::lock_guard lock(mutex_);
    const auto at = running_.find(task.number());
    if (at->second.thread.joinable()) ended_threads_.push_back(std::move(at->second.thread));
    running_.erase(at);
  }
  task.end(std::move(ending));
}

Status Tasks::save(Task& task) {
  if (!task.facts().background) return ok_status();
  const std::lock_guard saving(task.saving());
  if (task.closed) return ok_status();
  return records_.put(task.number(), task.record(), os::Deadline::in_ms(options_.write_wait_ms));
}

Status Tasks::cancel(Task& task, const std::string& reason) {
  task.cancel(reason);
  return save(task);
}

Status Tasks::cancel(Listed& one, const std::string& reason) {
  if (auto* const task = dynamic_cast<Task*>(&one)) return cancel(*task, reason);
  one.cancel(reason);
  return ok_status();
}

Status Tasks::rethrottle(Task& task, double requests_per_second) {
  task.rethrottle(requests_per_second);
  return save(task);
}

Result<Ending> Tasks::finish(Task& task, const os::Deadline& deadline) {
  const os::Blocking blocking;
  bool late = false;
  if (!task.wait(deadline)) {
    late = !deadline.stopped();
    task.cancel(late ? "the time for the request is up" : "the client has left");
    static_cast<void>(task.wait(os::Deadline::never()));
  }
  os::charge_pool_cpu(task.cpu_ns());
  Ending ending = *task.ending();
  if (ending.error) return *ending.error;
  if (!late) return ending;
  ending.response.set("timed_out", true);
  ending.status = std::max(ending.status, 408);
  return ending;
}

std::uint64_t Tasks::take_number() {
  const std::lock_guard lock(mutex_);
  next_number_ =
      std::max(next_number_, static_cast<std::uint64_t>(ground_.clock.unix_ms()) * numbers_per_ms);
  return next_number_++;
}

std::vector<std::shared_ptr<Task>> Tasks::running() const {
  std::vector<std::shared_ptr<Task>> out;
  const std::lock_guard lock(mutex_);
  for (const auto& [number, running] : running_) out.push_back(running.task);
  return out;
}

std::vector<std::shared_ptr<Listed>> Tasks::listed() const {
  std::vector<std::shared_ptr<Listed>> out;
  for (auto& task : running()) out.push_back(std::move(task));
  for (auto& search : searches_->running()) out.push_back(std::move(search));
  for (auto& merge : merges_->running()) out.push_back(std::move(merge));
  return out;
}

std::shared_ptr<Listed> Tasks::find_listed(std::uint64_t number) const {
  if (auto task = find(number)) return task;
  for (auto& search : searches_->running())
    if (search->facts().number == number) return search;
  for (auto& merge : merges_->running())
    if (merge->number() == number) return merge;
  return nullptr;
}

std::shared_ptr<Task> Tasks::find(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  auto at = running_.upper_bound(number);
  if (at == running_.begin()) return nullptr;
  --at;
  const std::shared_ptr<Task>& task = at->second.task;
  const std::size_t parts = task->slice_count() > 1 ? task->slice_count() : 0;
  return number <= at->first + parts ? task : nullptr;
}

void Tasks::stop() {
  if (searches_ != nullptr) searches_->stop();
  if (merges_ != nullptr) merges_->stop();
  std::list<os::Thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& [number, running] : running_) {
      running.task->suspend();
      if (running.thread.joinable()) threads.push_back(std::move(running.thread));
    }
    threads.splice(threads.end(), ended_threads_);
  }
  for (os::Thread& thread : threads) thread.join();
}

}  // namespace cairn::tasks
