// SPDX-License-Identifier: Apache-2.0
// Service::create: a snapshot from its lease to its commit, step by step as the README has it.
#include <algorithm>

#include "base/ids.h"
#include "index/templates/stored_scripts.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/threads/blocking.h"
#include "snapshots/errors.h"
#include "snapshots/layout.h"
#include "snapshots/service.h"
#include "snapshots/snapshot_names.h"

namespace cairn::snapshots {
namespace {

constexpr std::int64_t bookkeeping_wait_ms = 60'000;  // for small reads and writes of an ending

/// The data streams that an expression means, of which all indices are in the snapshot.
Json streams_in(const index::Indices& indices, const std::string& expression,
                const SnapshotRecord& record) {
  index::StreamTable out;
  const auto table = indices.data_streams();
  for (const std::string& name :
       indices.resolve_data_streams(expression, {.expand_hidden = true})) {
    const index::DataStream* stream = table->find(name);
    if (stream == nullptr) continue;
    const bool whole =
        std::all_of(stream->indices.begin(), stream->indices.end(),
                    [&](const auto& one) { return record.indices.contains(one.name); });
    if (whole) out.put(name, *stream);
  }
  return out.to_json();
}

}  // namespace

Result<std::optional<SnapshotRecord>> Service::create(const CreateSnapshot& params, bool wait,
                                                      const os::Deadline& deadline) {
  CAIRN_TRY(const auto repository, repositories_.find(params.repository));
  CAIRN_CHECK(check_snapshot_name(params.repository, params.snapshot));
  if (repository->readonly)
    return repository_fault(params.repository, "cannot create snapshot in a readonly repository");
  CAIRN_TRY(auto indices, indices_.resolve(params.indices.empty() ? "_all" : params.indices,
                                           {.ignore_unavailable = params.ignore_unavailable,
                                            .expand_hidden = true,
                                            .own_only = true,
                                            .closed = true,
                                            .expand_closed = true}));
  CAIRN_CHECK(begin(params.repository, Doing::creating));
  auto running = std::make_shared<Running>();
  const auto refuse = [&](Error error) -> Result<std::optional<SnapshotRecord>> {
    end(params.repository, Doing::creating);
    return error;
  };
  auto generation = read_generation(*repository->store, deadline);
  if (!generation.ok()) return refuse(std::move(generation).error());
  if (generation->find(params.snapshot) != nullptr)
    return refuse(bad_snapshot_name(params.repository, params.snapshot,
                                    "snapshot with the same name already exists"));
  if (generation->snapshots.size() >= repository->snapshots_max)
    return refuse(
        repository_fault(params.repository, "cannot add another snapshot: the repository holds [" +
                                                std::to_string(generation->snapshots.size()) +
                                                "], as many as [max_number_of_snapshots] allows"));
  running->repository = params.repository;
  running->record = {.name = params.snapshot,
                     .uuid = url_safe_id(random_.bytes(15)),
                     .state = "IN_PROGRESS",
                     .version = options_.version,
                     .start_ms = clock_.unix_ms(),
                     .end_ms = 0,
                     .include_global_state = params.include_global_state,
                     .metadata = params.metadata,
                     .indices = {}};
  for (const auto& index : indices) running->record.indices[index->name()] = index->uuid();
  running->record.data_streams = streams_in(indices_, params.indices, running->record);
  running->begun = running->record;
  {
    std::unique_lock lock(turn_);
    for (const auto& other : running_)
      if (!other->ended && other->repository == params.repository &&
          other->record.name == params.snapshot) {
        lock.unlock();
        return refuse(bad_snapshot_name(params.repository, params.snapshot,
                                        "snapshot with the same name is already in-progress"));
      }
    running_.push_back(running);
  }
  start_thread([this, running, repository, indices = std::move(indices)](std::stop_token stop) {
    const std::stop_callback forward(stop, [&] { running->cancel.request_stop(); });
    make_snapshot(*running, *repository, indices);
  });
  if (!wait) return std::optional<SnapshotRecord>();
  const os::Blocking blocking;
  std::unique_lock lock(turn_);
  if (!os::wait(changed_, lock, deadline, [&] { return running->ended; }))
    return Error{.kind = ErrorKind::timeout,
                 .message = "the snapshot [" + params.snapshot +
                            "] goes on; its state is in GET /_snapshot/" + params.repository + "/" +
                            params.snapshot};
  if (running->error && running->record.state != "FAILED") return *running->error;
  return std::optional(running->record);
}

void Service::make_snapshot(Running& running, const Repository& repository,
                            std::vector<std::shared_ptr<index::Index>> indices) {
  const auto deadline = os::Deadline::never(running.cancel.get_token());
  const os::Deadline ending = os::Deadline::in_ms(bookkeeping_wait_ms);
  SnapshotRecord record = running.record;  // readers see it when it has ended
  const Status filled =
      fill_snapshot(record, running.progress, repository, indices, deadline);
  if (!filled.ok() && !running.cancel.stop_requested()) {
    // The snapshot is kept as failed, so that its name tells what happened.
    record.state = "FAILED";
    record.failures.push(Json::object({{"index", "_all"},
                                       {"shard_id", 0},
                                       {"reason", filled.error().message},
                                       {"status", "INTERNAL_SERVER_ERROR"}}));
    record.indices.clear();
    record.end_ms = clock_.unix_ms();
    if (!commit_snapshot(record, repository, ending).ok()) record.state = "ABORTED";
  }
  (void)repository.store->remove(layout::lease_key(record.uuid), ending).ok();
  os::log(filled.ok() ? os::LogLevel::info : os::LogLevel::warn, "snapshots", "snapshot ended",
          {{"repository", running.repository},
           {"snapshot", record.name},
           {"state", record.state},
           {"error", filled.ok() ? std::string() : filled.error().message}});
  os::metrics()
      .counter("cairn_snapshots_created_total", "Snapshots by how they ended.",
               {{"state", record.state}})
      .add();
  if (record.state == "SUCCESS")
    os::metrics()
        .gauge("cairn_snapshots_last_success_timestamp_seconds",
               "When a snapshot into the repository last succeeded, in Unix time",
               {{"repository", os::shown_name("repository", running.repository)}})
        .set(record.end_ms / 1000);
  {
    const std::lock_guard lock(turn_);
    if (!filled.ok()) running.error = filled.error();
    running.record = record;
    running.ended = true;
    running_.remove_if([&](const auto& entry) { return entry.get() == &running; });
  }
  end(running.repository, Doing::creating);
}

Status Service::fill_snapshot(SnapshotRecord& record, Progress& progress,
                              const Repository& repository,
                              const std::vector<std::shared_ptr<index::Index>>& indices,
                              const os::Deadline& deadline) {
  // Kept to the end: what was copied may not be swept from the index meanwhile, and what was deleted
  // from the repository can be copied again.
  std::vector<CopiedIndex> copied;
  Json listed = Json::array();
  for (const auto& index : indices) {
    CAIRN_TRY(auto checkpoint, index->checkpoint(deadline));
    listed.push(Json::object({{"name", index->name()}, {"id", index->uuid()}}));
    progress.plan(index->name(), count_of(checkpoint));
    Json aliases = Json::object();
    const auto table = indices_.aliases();
    for (const auto& [alias, member] : table->of_index(index->name()))
      aliases.set(alias, index::to_json(*member.properties));
    copied.push_back({std::move(checkpoint), std::move(aliases)});
  }
  Lease lease(*repository.store, layout::lease_key(record.uuid), options_, clock_);
  constexpr int attempts_max = 8;
  for (int attempt = 1;; ++attempt) {
    CAIRN_CHECK(lease.take(deadline));
    const Status made =
        copy_and_commit(record, progress, repository, copied, listed, lease, deadline);
    // A conflict: somebody changed the repository, and may have deleted data that this snapshot
    // found there, or took it for dead and deleted its own.
    if (made.ok() || made.error().kind != ErrorKind::conflict || attempt == attempts_max)
      return made;
  }
}

Status Service::copy_and_commit(SnapshotRecord& record, Progress& progress,
                                const Repository& repository,
                                const std::vector<CopiedIndex>& indices, const Json& listed,
                                Lease& lease, const os::Deadline& deadline) {
  const std::function<Status()> beat = [&] { return lease.beat(deadline); };
  CAIRN_CHECK(await_sweeps(repository, lease, deadline));
  Throttle throttle(repository.snapshot_bytes_per_second);
  const CopyParams params{repository, record.uuid, options_, throttle, beat};
  for (const auto& one : indices) {
    progress.begin(one.checkpoint.index_name(), clock_.unix_ms());
    CAIRN_CHECK(copy_index(params, one.checkpoint, one.aliases, progress, deadline));
    progress.end(clock_.unix_ms());
  }
  record.state = "SUCCESS";
  record.end_ms = clock_.unix_ms();
  Json manifest = record.to_json();
  manifest.set("index_list", listed);
  manifest.set(statuses_member, to_json(progress.at(record.end_ms)));
  if (record.include_global_state) {
    manifest.set("templates", indices_.templates()->to_json());
    manifest.set("scripts", indices_.scripts().to_json());
  }
  CAIRN_CHECK(repository.store->put(layout::snapshot_key(record.uuid), layout::encode(manifest),
                                    deadline));
  return commit_snapshot(record, repository, deadline);
}

Status Service::commit_snapshot(const SnapshotRecord& record, const Repository& repository,
                                const os::Deadline& deadline) {
  CAIRN_TRY(Generation generation, read_generation(*repository.store, deadline));
  for (const SnapshotRecord& there : generation.snapshots)
    if (there.uuid == record.uuid) return ok_status();
  if (record.state == "SUCCESS") {
    // Read after the generation: a sweep takes a dead lease first and writes a generation then.
    const std::string lease = layout::lease_key(record.uuid);
    CAIRN_TRY(const auto held, repository.store->head(lease, deadline));
    if (!held)
      return Error{.kind = ErrorKind::conflict,
                   .code = "concurrent_snapshot_execution_exception",
                   .message = "the lease [" + lease + "] was taken for dead and removed"};
  }
  const std::int64_t before = generation.number;
  if (generation.uuid.empty()) generation.uuid = repository.uuid;
  generation.snapshots.push_back(record);
  return write_generation(*repository.store, before, std::move(generation), deadline);
}

}  // namespace cairn::snapshots
