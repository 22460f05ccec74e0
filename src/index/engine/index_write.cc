// SPDX-License-Identifier: Apache-2.0
// Writing: documents are taken apart by the calling threads; one of them leads, gives versions to
// what has gathered, writes one log object for all, and applies it.
#include <algorithm>

#include "base/encode.h"
#include "base/ids.h"
#include "base/strings.h"
#include "index/definition.h"
#include "index/engine/index_impl.h"
#include "index/errors.h"
#include "index/settings/settings.h"
#include "os/threads/blocking.h"

namespace cairn::index {
namespace {

constexpr std::int64_t primary_term = 1;
constexpr int attempts_max = 8;

// Whether the call may have happened although it failed.
bool is_ambiguous(const Error& error) {
  return error.kind != ErrorKind::storage_full && error.kind != ErrorKind::precondition_failed &&
         error.kind != ErrorKind::invalid_argument && error.kind != ErrorKind::permission_denied;
}

std::optional<Error> check_conditions(const Prepared& operation, std::string_view id, bool exists,
                                      std::int64_t version, std::int64_t seq_no) {
  if (operation.if_seq_no || operation.if_primary_term) {
    const std::string required =
        "required seqNo [" + std::to_string(operation.if_seq_no.value_or(-2)) +
        "], primary term [" + std::to_string(operation.if_primary_term.value_or(0)) + "]";
    if (!exists) return version_conflict(id, required + ". but no document was found");
    if (operation.if_seq_no.value_or(seq_no) != seq_no ||
        operation.if_primary_term.value_or(primary_term) != primary_term)
      return version_conflict(id, required + ". current document has seqNo [" +
                                      std::to_string(seq_no) + "] and primary term [" +
                                      std::to_string(primary_term) + "]");
  }
  if (operation.kind == WriteOperation::Kind::create && exists)
    return version_conflict(
        id, "document already exists (current version [" + std::to_string(version) + "])");
  return std::nullopt;
}

Error check_id(std::string_view id) {
  return illegal_argument(
      "id [" + std::string(id.substr(0, 64)) +
      "...] is too long, must be no longer than 512 bytes but was: " + std::to_string(id.size()));
}

}  // namespace

Error Index::Impl::gone() const {
  return removed || !closed ? no_such_index(name) : index_closed(name, uuid);
}

MappingLimits Index::Impl::mapping_limits() {
  return mapping_limits_of(settings, shared.options.total_fields_limit);
}

Error Index::Impl::in_doubt_error() const {
  return {.kind = ErrorKind::unavailable,
          .message = "nobody knows yet whether index [" + name +
                     "] was removed: the store did not answer; try again"};
}

Prepared Index::Impl::prepare(const WriteOperation& operation,
                              std::shared_ptr<const Mapping> with) {
  Prepared out{.kind = operation.kind,
               .id_given = !operation.id.empty(),
               .id = operation.id,
               .routing = operation.routing,
               .if_seq_no = operation.if_seq_no,
               .if_primary_term = operation.if_primary_term,
               .document = {},
               .error = {}};
  const bool removes = operation.kind == WriteOperation::Kind::remove;
  if (with->routing_required() && out.routing.empty()) {
    out.error = routing_missing(name, out.id);
    return out;
  }
  if (out.id.empty() && !removes) out.id = url_safe_id(shared.random.bytes(15));
  if (out.id.empty()) {
    out.error = illegal_argument("an id is needed to delete a document");
  } else if (out.id.size() > 512) {
    out.error = check_id(out.id);
  } else if (!removes) {
    parse(out, operation.source, operation.semantic, std::move(with));
  }
  return out;
}

void Index::Impl::parse(Prepared& prepared, std::string source, std::vector<SemanticValue> semantic,
                        std::shared_ptr<const Mapping> with) {
  DocumentLimits limits{.bytes = shared.options.document_bytes_max};
  {
    const MutexLock lock(state_mutex);
    limits.mapping = mapping_limits();
  }
  auto document =
      parse_document(prepared.id, std::move(source), std::move(semantic), std::move(with), limits);
  Status routed = document ? keep_routing(*document, prepared.routing) : ok_status();
  if (document && routed.ok()) routed = check_timestamp(*document);
  if (!document)
    prepared.error = std::move(document).error();
  else if (!routed.ok())
    prepared.error = routed.error();
  else
    prepared.document = std::move(*document);
}

Result<std::vector<WriteResult>> Index::Impl::write(std::span<const WriteOperation> operations,
                                                    const os::Deadline& deadline) {
  if (operations.empty()) return std::vector<WriteResult>();
  auto batch = std::make_shared<Batch>();
  batch->deadline = deadline;
  std::shared_ptr<const Mapping> with;
  std::optional<Error> block;
  {
    const MutexLock lock(state_mutex);
    with = mapping;
    block = blocked(settings, name, Change::documents);
  }
  for (const WriteOperation& operation : operations) {
    batch->operations.push_back(prepare(operation, with));
    if (block) batch->operations.back().error = block;
    batch->bytes += operation.source.size() + operation.id.size() + 64;
    // Later operations of the batch see the fields that earlier ones bring.
    const Prepared& last = batch->operations.back();
    if (!last.error && last.document.mapping != nullptr) with = last.document.mapping;
  }
  CAIRN_CHECK(submit(batch));
  return std::move(batch->results);
}

Status Index::Impl::follow(std::vector<ParsedOperation>& operations, std::string new_note,
                           const os::Deadline& deadline) {
  const auto wrong = [&](const char* why) {
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "index [" + name + "] cannot follow: " + why};
  };
  if (shared.options.logged) return wrong("it has a log");
  auto batch = std::make_shared<Batch>();
  batch->deadline = deadline;
  batch->note = std::move(new_note);
  batch->operations.reserve(operations.size());
  std::shared_ptr<const Mapping> with;
  {
    const MutexLock lock(state_mutex);
    with = mapping;
  }
  for (ParsedOperation& operation : operations) {
    ParsedDocument& document = operation.document;
    if (operation.kind != WriteOperation::Kind::remove && document.mapping != with)
      return wrong("a document was read with another mapping");
    batch->operations.push_back({.kind = operation.kind,
                                 .id_given = !operation.is_new,
                                 .id = document.id,
                                 .routing = {},
                                 .if_seq_no = {},
                                 .if_primary_term = {},
                                 .document = std::move(document),
                                 .error = {}});
  }
  CAIRN_CHECK(submit(batch));
  for (std::size_t i = 0; i < operations.size(); ++i)
    operations[i].document = std::move(batch->operations[i].document);
  for (const WriteResult& result : batch->results)
    if (result.error) return *result.error;
  return ok_status();
}

Status Index::Impl::submit(const std::shared_ptr<Batch>& batch) {
  MutexLock lock(commit_mutex);
  queue.push_back(batch);
  while (!batch->done) {
    bool ready = false;
    {
      const os::Blocking blocking;
      ready = os::wait(commit_changed, lock, batch->deadline,
                       [&]() CAIRN_REQUIRES(commit_mutex) { return batch->done || !leading; });
    }
    if (batch->done) break;
    if (!ready) {
      // What another thread has taken goes on without this one.
      if (!batch->taken) std::erase(queue, batch);
      CAIRN_CHECK(batch->deadline.check("writing to index [" + name + "]"));
      return Error{.kind = ErrorKind::timeout,
                   .message = "a write to index [" + name + "] timed out"};
    }
    leading = true;
    std::vector<std::shared_ptr<Batch>> group;
    std::size_t bytes = 0;
    while (!queue.empty() && (group.empty() || bytes < shared.options.log_object_bytes)) {
      group.push_back(queue.front());
      group.back()->taken = true;
      bytes += group.back()->bytes;
      queue.pop_front();
    }
    lock.unlock();
    commit(std::move(group));
    lock.lock();
    leading = false;
    commit_changed.notify_all();
  }
  return batch->status;
}

void Index::Impl::commit(std::vector<std::shared_ptr<Batch>> group) {
  const auto shared_group = std::make_shared<std::vector<std::shared_ptr<Batch>>>(std::move(group));
  // The group waits as long as its most patient member.
  os::Deadline deadline = shared_group->front()->deadline;
  for (const auto& batch : *shared_group)
    if (batch->deadline.at() > deadline.at()) deadline = batch->deadline;
  auto results = commit_group(shared_group, deadline);
  const MutexLock lock(commit_mutex);
  for (std::size_t i = 0; i < shared_group->size(); ++i) {
    Batch& batch = *(*shared_group)[i];
    if (results)
      batch.results = std::move((*results)[i]);
    else if (batch.status.ok())
      batch.status = results.error();
    batch.done = true;
  }
}

Result<std::vector<std::vector<WriteResult>>> Index::Impl::commit_group(
    const std::shared_ptr<std::vector<std::shared_ptr<Batch>>>& group,
    const os::Deadline& deadline) {
  for (int attempt = 0; attempt < attempts_max; ++attempt) {
    {
      const MutexLock lock(state_mutex);
      if (is_gone()) return gone();
      if (lost) return Error{.kind = ErrorKind::unavailable, .message = *lost};
      if (in_doubt) return in_doubt_error();
    }
    CAIRN_TRY(const auto plan, plan_group(group, deadline));
    if (plan->log.records.empty() && plan->changes.empty() && !plan->note)
      return std::move(plan->results);  // nothing to keep
    if (!shared.options.logged) {
      apply(*plan);
      shared.wake();
      return std::move(plan->results);
    }
    const std::string bytes = encode_log(plan->log);
    CAIRN_TRY(const PutOutcome outcome, put_log(*plan, bytes, deadline));
    if (outcome == PutOutcome::written) {
      {
        const MutexLock lock(state_mutex);
        log_bytes += bytes.size();
      }
      apply(*plan);
      unsettled.clear();
      shared.wake();
      return std::move(plan->results);
    }
    if (outcome == PutOutcome::unknown) {
      unsettled.push_back(plan);
      return Error{.kind = ErrorKind::unavailable,
                   .message = "the store did not answer whether a write to index [" + name +
                              "] was kept; look before writing it again"};
    }
    // An earlier attempt, whose answer was lost, has been kept after all: apply that, plan anew.
    CAIRN_CHECK(settle_other(deadline));
  }
  return Error{.kind = ErrorKind::unavailable,
               .message = "index [" + name + "] could not be written; try again"};
}

// Puts the log object of a plan, and finds out what became of it.
Result<Index::Impl::PutOutcome> Index::Impl::put_log(const CommitPlan& plan,
                                                     const std::string& bytes,
                                                     const os::Deadline& deadline) {
  const std::string object = key(log_key(plan.log.position));
  const os::Blocking blocking;
  auto put = shared.store.put(object, bytes, deadline, {.if_none_match = true});
  if (put) return PutOutcome::written;
  if (put.error().kind != ErrorKind::precondition_failed) {
    if (!is_ambiguous(put.error())) return std::move(put).error();
    auto head = shared.store.head(object, deadline);
    if (!head) return PutOutcome::unknown;
    if (!*head) {
      // Not there. It may still be on its way: unless the store says no, so this attempt counts as
      // unsettled, and whoever writes this number next finds out.
      if (deadline.passed()) return PutOutcome::unknown;
      put = shared.store.put(object, bytes, deadline, {.if_none_match = true});
      if (put) return PutOutcome::written;
      if (put.error().kind != ErrorKind::precondition_failed) return PutOutcome::unknown;
    }
  }
  auto found = shared.store.get(object, deadline);
  if (!found) return PutOutcome::unknown;
  CAIRN_TRY(const LogObject log, decode_log(found->bytes, object));
  return log.nonce == plan.log.nonce ? PutOutcome::written : PutOutcome::other;
}

// The next number of the log is taken: by an earlier attempt of ours, or by another owner.
Status Index::Impl::settle_other(const os::Deadline& deadline) {
  LogPosition next;
  {
    const MutexLock lock(state_mutex);
    next = {.epoch = applied.epoch, .number = applied.number + 1};
  }
  const std::string object = key(log_key(next));
  const os::Blocking blocking;
  CAIRN_TRY(const auto found, shared.store.get(object, deadline));
  CAIRN_TRY(const LogObject log, decode_log(found.bytes, object));
  for (const auto& plan : unsettled) {
    if (plan->log.nonce != log.nonce) continue;
    apply(*plan);
    unsettled.clear();
    return ok_status();
  }
  const MutexLock lock(state_mutex);
  lost = "index [" + name + "] has been taken over by another process; restart this one";
  return Error{.kind = ErrorKind::unavailable, .message = *lost};
}

Result<std::shared_ptr<CommitPlan>> Index::Impl::plan_group(
    const std::shared_ptr<std::vector<std::shared_ptr<Batch>>>& group,
    const os::Deadline& deadline) {
  auto plan = std::make_shared<CommitPlan>();
  plan->batches = group;
  {
    const MutexLock lock(state_mutex);
    plan->mapping = mapping;
    plan->settings = settings;
    plan->next_seq_no = next_seq_no;
    plan->log.position = {.epoch = applied.epoch, .number = applied.number + 1};
  }
  plan->log.nonce = shared.random.bytes(16);
  std::unordered_map<std::string, std::size_t> in_plan;  // id to its last change
  for (const auto& batch : *group) {
    plan->results.emplace_back();
    if (batch->note) plan->note = batch->note;
    if (!batch->mapping_change.is_null()) {
      MappingLimits limits;
      {
        const MutexLock lock(state_mutex);
        limits = mapping_limits();
      }
      auto merged = plan->mapping->merged(batch->mapping_change, limits);
      if (!merged) {
        batch->status = std::move(merged).error();
      } else if (*merged != plan->mapping) {
        plan->mapping = *merged;
        plan->log.records.push_back(
            {.kind = LogRecord::Kind::mapping, .source = batch->mapping_change.dump()});
      }
    }
    if (!batch->settings_change.is_null()) {
      auto changed = change_settings(plan->settings, batch->settings_change);
      if (!changed) {
        batch->status = std::move(changed).error();
      } else {
        plan->settings = std::move(*changed);
        plan->log.records.push_back(
            {.kind = LogRecord::Kind::settings, .source = batch->settings_change.dump()});
      }
    }
    for (Prepared& prepared : batch->operations) {
      WriteResult result{.id = prepared.id, .error = {}};
      CAIRN_CHECK(plan_operation(*plan, prepared, result, in_plan, deadline));
      plan->results.back().push_back(std::move(result));
    }
  }
  return plan;
}

// Gives one operation its version, or its error. Fails as a whole only where reading fails.
Status Index::Impl::plan_operation(CommitPlan& plan, Prepared& prepared, WriteResult& result,
                                   std::unordered_map<std::string, std::size_t>& in_plan,
                                   const os::Deadline& deadline) {
  if (prepared.error) {
    result.error = *prepared.error;
    return ok_status();
  }
  CommitPlan::Change change{
      .prepared = &prepared, .replaced = {}, .replaces_change = {}, .id = prepared.id};
  bool exists = false;
  std::int64_t version = 0, seq_no = -1;
  // An id that is new is in no other operation of the plan either.
  const auto earlier = prepared.id_given ? in_plan.find(prepared.id) : in_plan.end();
  if (earlier != in_plan.end()) {
    const CommitPlan::Change& last = plan.changes[earlier->second];
    exists = last.kind == LogRecord::Kind::index;
    version = last.version;
    seq_no = last.seq_no;
    if (exists) change.replaces_change = earlier->second;
  } else if (prepared.id_given) {
    CAIRN_TRY(change.replaced, locate(prepared.id, deadline));
    exists = change.replaced.has_value();
    if (exists) {
      version = change.replaced->version;
      seq_no = change.replaced->seq_no;
    } else {
      const MutexLock lock(state_mutex);
      const auto grave = tombstones.find(prepared.id);
      if (grave != tombstones.end()) version = grave->second.version;
    }
  }
  if (auto conflict = check_conditions(prepared, prepared.id, exists, version, seq_no)) {
    result.error = std::move(conflict);
    return ok_status();
  }
  const bool removes = prepared.kind == WriteOperation::Kind::remove;
  if (!removes && !prepared.document.mapping_change.is_null()) {
    MappingLimits limits;
    {
      const MutexLock lock(state_mutex);
      limits = mapping_limits();
    }
    auto merged = plan.mapping->merged(prepared.document.mapping_change, limits);
    if (!merged) {
      // Somebody else gave one of its fields another type meanwhile: read it with that.
      ParsedDocument old = std::move(prepared.document);
      parse(prepared, std::move(old.source), std::move(old.semantic), plan.mapping);
      if (prepared.error) {
        result.error = *prepared.error;
        return ok_status();
      }
      merged = plan.mapping->merged(prepared.document.mapping_change, limits);
      if (!merged) {
        result.error = merged.error();
        return ok_status();
      }
    }
    if (*merged != plan.mapping) {
      plan.mapping = *merged;
      plan.log.records.push_back(
          {.kind = LogRecord::Kind::mapping, .source = prepared.document.mapping_change.dump()});
    }
  }
  change.kind = removes ? LogRecord::Kind::remove : LogRecord::Kind::index;
  change.version = version + 1;
  change.seq_no = plan.next_seq_no++;
  result.version = change.version;
  result.seq_no = change.seq_no;
  result.primary_term = primary_term;
  using Outcome = WriteResult::Outcome;
  result.outcome = removes ? (exists ? Outcome::deleted : Outcome::not_found)
                           : (exists ? Outcome::updated : Outcome::created);
  if (shared.options.logged)
    plan.log.records.push_back(
        {.kind = change.kind,
         .id = prepared.id,
         .version = change.version,
         .seq_no = change.seq_no,
         .source = removes ? std::string() : prepared.document.source,
         .semantic = removes ? std::vector<SemanticValue>() : prepared.document.semantic,
         .routing = removes ? std::string() : prepared.routing});
  if (prepared.id_given) in_plan[prepared.id] = plan.changes.size();
  plan.changes.push_back(std::move(change));
  return ok_status();
}

void Index::Impl::apply_index(
    CommitPlan& plan, CommitPlan::Change& change,
    std::vector<std::pair<std::shared_ptr<MemTable>, std::uint32_t>>& placed) {
  (void)plan;
  const std::uint32_t doc =
      table->builder.add(std::move(change.prepared->document), change.version, change.seq_no);
  table->versions.push_back({.version = change.version, .seq_no = change.seq_no});
  table->deleted.push_back(false);
  table->ids[change.id] = doc;
  tombstones.erase(change.id);
  placed.back() = {table, doc};
}

void Index::Impl::apply(CommitPlan& plan) {
  const std::int64_t now = shared.clock.unix_ms();
  const MutexLock lock(state_mutex);
  mapping = plan.mapping;
  // A view knows some of the settings.
  bool limits_changed = false;
  for (const char* name : {"max_terms_count", "max_regex_length"})
    limits_changed |= setting(settings, name) != setting(plan.settings, name);
  settings = plan.settings;
  if (limits_changed && current_view != nullptr) current_view = make_view();
  // Where each change put its document, for later changes of the same id.
  std::vector<std::pair<std::shared_ptr<MemTable>, std::uint32_t>> placed;
  for (CommitPlan::Change& change : plan.changes) {
    placed.emplace_back();
    if (change.replaced) {
      if (change.replaced->table != nullptr) {
        change.replaced->table->mark_deleted(change.replaced->doc);
        change.replaced->table->ids.erase(change.id);
      } else {
        change.replaced->segment->mark_deleted(change.replaced->doc);
      }
    }
    if (change.replaces_change) {
      const auto& [in, doc] = placed[*change.replaces_change];
      in->mark_deleted(doc);
      in->ids.erase(change.id);
    }
    if (change.kind == LogRecord::Kind::index)
      apply_index(plan, change, placed);
    else
      tombstones[change.id] = {
          .version = change.version, .seq_no = change.seq_no, .deleted_ms = now};
  }
  for (const CommitPlan::Change& change : plan.changes)
    (change.kind == LogRecord::Kind::index ? work_counts().indexed : work_counts().deleted).add();
  next_seq_no = plan.next_seq_no;
  applied = plan.log.position;
  changed_at = ++shared.changes;
  if (plan.note) note = *std::move(plan.note);
  ++writes;
  if (shared.options.logged) ++log_objects;
  if (oldest_unflushed_ms == 0) oldest_unflushed_ms = now;
}

}  // namespace cairn::index
