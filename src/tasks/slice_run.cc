// SPDX-License-Identifier: Apache-2.0
#include "tasks/slice_run.h"

#include <algorithm>
#include <utility>

namespace cairn::tasks {
namespace {

using index::WriteOperation;
using index::WriteResult;

search::SourceFilter filter_of(const ByQuery& request) {
  if (request.source_filter.is_null()) return {};
  auto read = search::parse_source_filter("", request.source_filter);
  return read.ok() ? *read : search::SourceFilter{};
}

bool is_conflict(const Error& error) { return error.code == "version_conflict_engine_exception"; }

/// Worth another attempt in a moment: there was no room.
bool is_busy(const Error& error) { return error.kind == ErrorKind::rate_limited; }

}  // namespace

SliceRun::SliceRun(Task& task, std::size_t which, Batches& batches, TaskCompute& compute,
                   const std::vector<index::NamedIndex>& indices, const Ground& ground,
                   const Options& options, const Save& save, const CopiedBefore* before)
    : task_(task),
      which_(which),
      batches_(batches),
      compute_(compute),
      indices_(indices),
      ground_(ground),
      options_(options),
      save_(save),
      before_(before),
      cut_(filter_of(task.request())),
      cuts_(!task.request().remote && !filter_of(task.request()).is_all()),
      redone_(task.slice(which).in_flight) {}

void SliceRun::run() {
  while (step() == Step::on) {
  }
}

SliceRun::Step SliceRun::step() {
  if (task_.failed() || task_.stopped().stop_requested()) return Step::over;
  const ByQuery& request = task_.request();
  const bool sorts = !request.sort.is_null();
  const std::size_t room = task_.take(request.scroll_size);
  if (room == 0) return Step::over;
  auto page = read(room);
  if (!page.ok()) {
    task_.give_back(room);
    if (task_.stopped().stop_requested()) return Step::over;
    if (request.is_late(page.error())) {
      task_.time_out();
      return Step::over;
    }
    task_.fail(Json::object({{"shard", -1},
                             {"reason", ground_.error_object(page.error())},
                             {"status", ground_.error_status(page.error())}}),
               ground_.error_status(page.error()), options_.failures_max);
    return Step::over;
  }
  const std::size_t count = page->documents.size();
  task_.give_back(room - count);
  if (count == 0) return Step::over;
  if (last_count_ > 0 && !task_.throttle(which_, last_began_ns_, last_count_)) {
    task_.give_back(count);
    return Step::over;
  }
  const std::int64_t to = page->documents.back().seq_no;
  task_.change_slice(which_, [&](SliceState& slice) {
    slice.in_flight = InFlight{.target = page->target, .to = to, .count = count};
    for (std::size_t i = 0; sorts && i < count; ++i)
      slice.in_flight->seq_nos.push_back(page->documents[i].seq_no);
  });
  const Status noted = save_(task_);
  last_began_ns_ = ground_.clock.steady_ns();
  last_count_ = count;
  auto to_write = operations(*page);
  const auto done = noted.ok() ? write(*page, to_write) : Result<Counts>(noted.error());
  if (!done.ok()) {
    // The record still says what was about to be written.
    if (!task_.suspended().stop_requested()) fail_item({}, *page, done.error());
    return Step::over;
  }
  // All at once: another part may keep the record at any moment.
  task_.change_slice(which_, [&](SliceState& slice) {
    slice.counts += *done;
    ++slice.counts.batches;
    if (!sorts) {
      slice.target = page->target;
      slice.after = to;
    }
    slice.in_flight.reset();
  });
  return pay() ? Step::on : Step::over;
}

Result<search::WalkedPage> SliceRun::read(std::size_t count) {
  const auto deadline = task_.search_deadline();
  for (std::size_t attempt = 1;; ++attempt) {
    auto page = batches_.next(
        count, options_.batch_bytes,
        [this](const std::function<void()>& body) { return compute_.run(body); }, deadline);
    // What asks another server asks again itself.
    if (page.ok() || !is_busy(page.error()) || task_.request().remote ||
        attempt >= options_.write_attempts)
      return page;
    task_.change_slice(which_, [](SliceState& slice) { ++slice.counts.read_retries; });
    if (!compute_.wait_for_turn(attempt)) return page;
  }
}

std::vector<WriteOperation> SliceRun::operations(search::WalkedPage& page) const {
  const ByQuery& request = task_.request();
  std::vector<WriteOperation> out;
  out.reserve(page.documents.size());
  for (search::WalkedDocument& document : page.documents) {
    WriteOperation one{
        .id = document.id, .source = std::move(document.source), .routing = document.routing};
    if (request.kind == Kind::reindex) {
      const Destination& to = request.destination;
      if (to.create_only) one.kind = WriteOperation::Kind::create;
      if (to.routing == Destination::Routing::discard) one.routing.clear();
      if (to.routing == Destination::Routing::set) one.routing = to.routing_value;
    } else {
      if (request.kind == Kind::remove) one.kind = WriteOperation::Kind::remove;
      one.if_seq_no = document.seq_no;
      one.if_primary_term = document.primary_term;
    }
    out.push_back(std::move(one));
  }
  return out;
}

const std::string& SliceRun::written_index(const search::WalkedPage& page) const {
  if (task_.request().kind == Kind::reindex) return task_.request().destination.index;
  return indices_[page.target]->name();
}

Result<std::vector<WriteResult>> SliceRun::write_once(const search::WalkedPage& page,
                                                      std::vector<WriteOperation>& some,
                                                      bool first) {
  const ByQuery& request = task_.request();
  const bool copies = request.kind == Kind::reindex;
  const auto deadline = os::Deadline::in_ms(request.write_timeout_ms, task_.suspended());
  Result<std::vector<WriteResult>> results = Error{};
  CAIRN_CHECK(compute_.run([&] {
    results = [&]() -> Result<std::vector<WriteResult>> {
      // An index of the same name that was made since is another one.
      if (!copies && indices_[page.target]->removed())
        return Error{.kind = ErrorKind::not_found,
                     .code = "index_not_found_exception",
                     .message = "no such index [" + written_index(page) + "]"};
      if (cuts_ && first)
        for (WriteOperation& one : some) {
          CAIRN_TRY(const Json source, parse_json(one.source));
          one.source = cut_.of(source).dump();
        }
      return ground_.ingest.write(written_index(page), some, {.auto_create = copies}, deadline);
    }();
  }));
  return results;
}

Result<Counts> SliceRun::take_out_copied(search::WalkedPage& page,
                                         std::vector<WriteOperation>& operations) {
  Counts done;
  if (before_ == nullptr) return done;
  const auto deadline = os::Deadline::in_ms(task_.request().write_timeout_ms, task_.suspended());
  std::vector<std::size_t> left;
  CAIRN_CHECK(compute_.run([&] { done = before_->take_out(operations, left, deadline); }));
  std::vector<search::WalkedDocument> documents;
  for (const std::size_t at : left) documents.push_back(std::move(page.documents[at]));
  page.documents = std::move(documents);
  return done;
}

Result<Counts> SliceRun::write(search::WalkedPage& page, std::vector<WriteOperation>& operations) {
  CAIRN_TRY(Counts done, take_out_copied(page, operations));
  if (operations.empty()) return done;
  std::vector<WriteResult> all(operations.size());
  std::vector<std::size_t> left(operations.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  for (std::size_t attempt = 1;; ++attempt) {
    CAIRN_TRY(auto results, write_once(page, operations, attempt == 1));
    std::vector<std::size_t> busy;
    std::vector<WriteOperation> again;
    for (std::size_t at = 0; at < left.size(); ++at) {
      if (results[at].error && is_busy(*results[at].error)) {
        busy.push_back(left[at]);
        again.push_back(std::move(operations[at]));
      }
      all[left[at]] = std::move(results[at]);
    }
    if (busy.empty() || attempt >= options_.write_attempts) break;
    left = std::move(busy);
    operations = std::move(again);
    task_.change_slice(which_, [](SliceState& slice) { ++slice.counts.write_retries; });
    if (!compute_.wait_for_turn(attempt)) break;
  }
  done += count(page, all);
  return done;
}

Counts SliceRun::count(const search::WalkedPage& page, const std::vector<WriteResult>& results) {
  Counts more;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const WriteResult& result = results[i];
    const std::string& id = page.documents[i].id;
    if (result.error && is_conflict(*result.error)) {
      if (done_before(page, i)) {
        ++more.created;
        continue;
      }
      ++more.version_conflicts;
      if (!task_.request().proceed) fail_item(id, page, *result.error);
    } else if (result.error) {
      fail_item(id, page, *result.error);
    } else if (result.outcome == WriteResult::Outcome::created) {
      ++more.created;
    } else if (result.outcome == WriteResult::Outcome::updated) {
      ++more.updated;
    } else if (result.outcome == WriteResult::Outcome::deleted) {
      ++more.deleted;
    } else {
      ++more.noops;
    }
  }
  return more;
}

/// A copy that a former process made: the document that is in its way is the copy itself.
bool SliceRun::done_before(const search::WalkedPage& page, std::size_t at) {
  const ByQuery& request = task_.request();
  const search::WalkedDocument& document = page.documents[at];
  if (!redone_ || !request.destination.create_only || redone_->target != page.target ||
      document.seq_no > redone_->to)
    return false;
  const auto deadline = os::Deadline::in_ms(request.write_timeout_ms, task_.suspended());
  const auto there = ground_.indices.find(request.destination.index);
  const auto here = indices_[page.target]->get(document.id, deadline);
  if (!there.ok() || !here.ok() || !*here) return false;
  const auto copy = (*there)->get(document.id, deadline);
  if (!copy.ok() || !*copy) return false;
  if (!cuts_) return (*copy)->source == (*here)->source;
  const auto source = parse_json((*here)->source);
  return source.ok() && cut_.of(*source).dump() == (*copy)->source;
}

void SliceRun::fail_item(const std::string& id, const search::WalkedPage& page,
                         const Error& error) {
  const int status = ground_.error_status(error);
  task_.fail(Json::object({{"index", written_index(page)},
                           {"id", id.empty() ? Json() : Json(id)},
                           {"cause", ground_.error_object(error)},
                           {"status", status}}),
             status, options_.failures_max);
}

bool SliceRun::pay() {
  if (!task_.facts().background || !ground_.charge) return true;
  while (const std::int64_t ms = ground_.charge(task_.facts().owner.key, compute_.unpaid_ns())) {
    const std::int64_t from = ground_.clock.steady_ns();
    const bool slept = os::sleep_ms(ms, os::Deadline::never(task_.stopped()));
    const std::int64_t waited = (ground_.clock.steady_ns() - from) / 1'000'000;
    task_.change_slice(which_, [&](SliceState& slice) { slice.counts.throttled_ms += waited; });
    if (!slept) return false;
  }
  compute_.unpaid_ns() = 0;
  return true;
}

}  // namespace cairn::tasks
