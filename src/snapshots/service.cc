// SPDX-License-Identifier: Apache-2.0
#include "snapshots/service.h"

#include <regex.h>

#include <algorithm>

#include "base/ids.h"
#include "base/strings.h"
#include "os/blocking.h"
#include "os/log.h"
#include "os/metrics.h"
#include "snapshots/errors.h"
#include "snapshots/layout.h"

namespace cairn::snapshots {
namespace {

constexpr std::int64_t bookkeeping_wait_ms = 60'000;  // for small reads and writes of an ending

Status check_snapshot_name(const std::string& repository, const std::string& name) {
  const auto bad = [&](const std::string& why) -> Status {
    return bad_snapshot_name(repository, name, why);
  };
  if (name.empty()) return bad("cannot be empty");
  if (name.front() == '_') return bad("must not start with '_'");
  if (name.find_first_of(" \t") != std::string::npos) return bad("must not contain whitespace");
  if (name.find_first_of("\\/*?\"<>|,#") != std::string::npos)
    return bad("must not contain the following characters \\ / * ? \" < > | , #");
  if (lower_ascii(name) != name) return bad("must be lowercase");
  if (name.size() > 255) return bad("must be at most 255 bytes");
  return ok_status();
}

bool has_wildcard(std::string_view text) { return text.find('*') != std::string_view::npos; }

/// Names of `known` that fit "a,b*,_all"; a plain name that is unknown is given to `missing`.
std::vector<std::string> select(const std::string& expression, const std::vector<std::string>& known,
                                const std::function<void(const std::string&)>& missing) {
  std::vector<std::string> out;
  const std::string wanted = expression.empty() ? "_all" : expression;  // the views lie in it
  for (const std::string_view part : split(wanted, ',')) {
    const std::string pattern = part == "_all" ? "*" : std::string(part);
    bool found = false;
    for (const auto& name : known) {
      if (!wildcard_match(pattern, name)) continue;
      found = true;
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
    if (!found && !has_wildcard(pattern)) missing(pattern);
  }
  return out;
}

/// One compiled expression of rename_pattern.
class Rename {
 public:
  static Result<std::unique_ptr<Rename>> compile(const std::string& pattern,
                                                 std::string replacement) {
    auto out = std::unique_ptr<Rename>(new Rename(std::move(replacement)));
    if (pattern.empty()) return out;
    if (const int fault = ::regcomp(&out->expression_, pattern.c_str(), REG_EXTENDED); fault != 0) {
      char text[256] = {};
      ::regerror(fault, &out->expression_, text, sizeof text);
      return bad_argument("[rename_pattern] [" + pattern + "] is no regular expression: " + text);
    }
    out->compiled_ = true;
    return out;
  }
  ~Rename() {
    if (compiled_) ::regfree(&expression_);
  }
  Rename(const Rename&) = delete;
  Rename& operator=(const Rename&) = delete;

  std::string apply(const std::string& name) const {
    if (!compiled_) return name;
    regmatch_t groups[10];
    std::string out;
    std::size_t at = 0;
    while (at <= name.size() &&
           ::regexec(&expression_, name.c_str() + at, 10, groups, at > 0 ? REG_NOTBOL : 0) == 0) {
      const auto start = static_cast<std::size_t>(groups[0].rm_so);
      const auto end = static_cast<std::size_t>(groups[0].rm_eo);
      out.append(name, at, start);
      append_replacement(out, name.substr(at), groups);
      if (end == start) {  // an empty match: take one character and go on
        if (at + end < name.size()) out += name[at + end];
        at += end + 1;
      } else {
        at += end;
      }
    }
    if (at < name.size()) out.append(name, at);
    return out;
  }

 private:
  explicit Rename(std::string replacement) : replacement_(std::move(replacement)) {}

  void append_replacement(std::string& out, const std::string& text,
                          const regmatch_t (&groups)[10]) const {
    for (std::size_t i = 0; i < replacement_.size(); ++i) {
      const char c = replacement_[i];
      if (c != '$' || i + 1 >= replacement_.size() || replacement_[i + 1] < '0' ||
          replacement_[i + 1] > '9') {
        out += c;
        continue;
      }
      const regmatch_t& group = groups[replacement_[++i] - '0'];
      if (group.rm_so < 0) continue;
      out.append(text, static_cast<std::size_t>(group.rm_so),
                 static_cast<std::size_t>(group.rm_eo - group.rm_so));
    }
  }

  regex_t expression_{};
  bool compiled_ = false;
  std::string replacement_;
};

Error restore_refused(const std::string& repository, const std::string& snapshot,
                      const std::string& why) {
  return {.kind = ErrorKind::internal,
          .code = "snapshot_restore_exception",
          .message = "[" + repository + ":" + snapshot + "] " + why};
}

}  // namespace

Service::Service(store::Store& records, index::Indices& indices, OpenRepository open,
                 Options options, const os::Clock& clock, os::Random& random)
    : indices_(indices),
      options_(std::move(options)),
      clock_(clock),
      random_(random),
      repositories_(records, std::move(open), random) {}

Service::~Service() {
  {
    const std::lock_guard lock(turn_);
    for (const auto& running : running_) running->cancel.request_stop();
  }
  threads_.clear();  // asks each to stop and joins
}

void Service::start_thread(std::function<void(std::stop_token)> work) {
  join_ended();
  auto ended = std::make_shared<std::atomic<bool>>(false);
  const std::lock_guard lock(turn_);
  threads_.push_back({std::jthread([work = std::move(work), ended](std::stop_token stop) {
                        work(std::move(stop));
                        ended->store(true);
                      }),
                      ended});
}

void Service::join_ended() {
  std::list<Thread> ended;
  const std::lock_guard lock(turn_);
  for (auto at = threads_.begin(); at != threads_.end();) {
    const auto next = std::next(at);
    if (at->ended->load()) ended.splice(ended.end(), threads_, at);
    at = next;
  }
}

// --- who may do what

Status Service::take_turn(const os::Deadline& deadline, const std::string& what) {
  const os::Blocking blocking;
  // Looked at in steps, so that a stop ends the wait too.
  while (!registry_.try_lock_for(std::chrono::milliseconds(
      std::min<std::int64_t>(50, deadline.remaining_ms())))) {
    if (!deadline.passed()) continue;
    return Error{.kind = ErrorKind::unavailable,
                 .code = "process_cluster_event_timeout_exception",
                 .message = "failed to process cluster event (" + what + ") in time: another change "
                            "of the repositories is going on. Nothing was done; try again or raise "
                            "[master_timeout]"};
  }
  return ok_status();
}

Status Service::begin(const std::string& repository, Doing doing) {
  const std::lock_guard lock(turn_);
  for (const auto& [name, works] : doing_) {
    for (const auto& [work, count] : works) {
      if (count == 0) continue;
      if (doing == Doing::cleaning) {
        const std::string start = "Cannot cleanup [" + repository + "] - ";
        if (work == Doing::cleaning)
          return illegal_state(start + "a repository cleanup is already in-progress in [" + name + "]");
        if (work == Doing::deleting)
          return illegal_state(start + "a snapshot is currently being deleted in [" + name + "]");
        if (work == Doing::creating)
          return illegal_state(start + "a snapshot is currently running in [" + name + "]");
      } else if (work == Doing::cleaning && name == repository && doing != Doing::restoring) {
        return busy(repository, "", doing == Doing::creating
                                        ? "cannot snapshot while a repository cleanup is in-progress"
                                        : "cannot delete snapshots while a repository cleanup is "
                                          "in-progress");
      }
    }
  }
  ++doing_[repository][doing];
  return ok_status();
}

void Service::end(const std::string& repository, Doing doing) {
  {
    const std::lock_guard lock(turn_);
    --doing_[repository][doing];
  }
  changed_.notify_all();
}

// --- repositories

Status Service::put_repository(const RepositorySettings& settings, bool verify,
                               const os::Deadline& deadline) {
  CAIRN_CHECK(take_turn(deadline, "put_repository [" + settings.name + "]"));
  const std::lock_guard held(registry_, std::adopt_lock);
  {
    const std::lock_guard lock(turn_);
    for (const auto& [work, count] : doing_[settings.name])
      if (count > 0)
        return illegal_state("trying to modify or unregister repository [" + settings.name +
                             "] that is currently used");
  }
  return repositories_.put(settings, verify, deadline);
}

Status Service::remove_repository(const std::string& expression, const os::Deadline& deadline) {
  CAIRN_CHECK(take_turn(deadline, "delete_repository [" + expression + "]"));
  const std::lock_guard held(registry_, std::adopt_lock);
  CAIRN_TRY(const auto names, repositories_.resolve(expression));
  {
    const std::lock_guard lock(turn_);
    for (const auto& name : names)
      for (const auto& [work, count] : doing_[name])
        if (count > 0)
          return illegal_state("trying to modify or unregister repository [" + name +
                               "] that is currently used");
  }
  for (const auto& name : names) CAIRN_CHECK(repositories_.remove(name, deadline));
  return ok_status();
}

// --- create

Result<std::optional<SnapshotRecord>> Service::create(const CreateSnapshot& params, bool wait,
                                                      const os::Deadline& deadline) {
  CAIRN_TRY(const auto repository, repositories_.find(params.repository));
  CAIRN_CHECK(check_snapshot_name(params.repository, params.snapshot));
  if (repository->readonly)
    return repository_fault(params.repository, "cannot create snapshot in a readonly repository");
  CAIRN_TRY(auto indices,
            indices_.resolve(params.indices.empty() ? "_all" : params.indices,
                             {.ignore_unavailable = params.ignore_unavailable,
                              .expand_hidden = true}));
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
    return refuse(repository_fault(params.repository,
                                   "cannot add another snapshot: the repository holds [" +
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
                 .message = "the snapshot [" + params.snapshot + "] goes on; its state is in "
                            "GET /_snapshot/" + params.repository + "/" + params.snapshot};
  if (running->error && running->record.state != "FAILED") return *running->error;
  return std::optional(running->record);
}

void Service::make_snapshot(Running& running, const Repository& repository,
                            std::vector<std::shared_ptr<index::Index>> indices) {
  const auto deadline = os::Deadline::never(running.cancel.get_token());
  const os::Deadline ending = os::Deadline::in_ms(bookkeeping_wait_ms);
  SnapshotRecord record = running.record;  // readers see it when it has ended
  const Status filled = fill_snapshot(record, repository, indices, deadline);
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
  os::metrics().counter("cairn_snapshots_created_total", "Snapshots by how they ended.",
                        {{"state", record.state}}).add();
  {
    const std::lock_guard lock(turn_);
    if (!filled.ok()) running.error = filled.error();
    running.record = record;
    running.ended = true;
    running_.remove_if([&](const auto& entry) { return entry.get() == &running; });
  }
  end(running.repository, Doing::creating);
}

Status Service::fill_snapshot(SnapshotRecord& record, const Repository& repository,
                              const std::vector<std::shared_ptr<index::Index>>& indices,
                              const os::Deadline& deadline) {
  store::Store& store = *repository.store;
  const std::string lease = layout::lease_key(record.uuid);
  CAIRN_CHECK(store.put(lease, options_.owner, deadline));
  std::int64_t renewed_ms = clock_.unix_ms();
  const std::function<Status()> beat = [&]() -> Status {
    if (clock_.unix_ms() - renewed_ms < options_.lease_renew_ms) return ok_status();
    renewed_ms = clock_.unix_ms();
    CAIRN_CHECK(store.put(lease, options_.owner, deadline));
    return ok_status();
  };
  Throttle throttle(repository.snapshot_bytes_per_second);
  const CopyParams params{repository, record.uuid, options_, throttle, beat};
  // Kept to the end: what was copied may not be swept from the index meanwhile, and what a faster
  // deletion took from the repository can be copied again.
  std::vector<index::Checkpoint> checkpoints;
  Json listed = Json::array();
  for (const auto& index : indices) {
    CAIRN_TRY(auto checkpoint, index->checkpoint(deadline));
    CAIRN_CHECK(copy_index(params, checkpoint, deadline));
    listed.push(Json::object({{"name", index->name()}, {"id", index->uuid()}}));
    checkpoints.push_back(std::move(checkpoint));
  }
  record.state = "SUCCESS";
  record.end_ms = clock_.unix_ms();
  Json manifest = record.to_json();
  manifest.set("index_list", std::move(listed));
  CAIRN_CHECK(store.put(layout::snapshot_key(record.uuid), layout::encode(manifest), deadline));
  constexpr int attempts_max = 8;
  for (int attempt = 0;; ++attempt) {
    const Status committed = commit_snapshot(record, repository, deadline);
    if (committed.ok()) return committed;
    if (committed.error().kind != ErrorKind::conflict || attempt + 1 == attempts_max)
      return committed;
    // Somebody changed the repository, and may have deleted data that this snapshot found there.
    for (const auto& checkpoint : checkpoints) CAIRN_CHECK(copy_index(params, checkpoint, deadline));
  }
}

Status Service::commit_snapshot(const SnapshotRecord& record, const Repository& repository,
                                const os::Deadline& deadline) {
  CAIRN_TRY(Generation generation, read_generation(*repository.store, deadline));
  const std::int64_t before = generation.number;
  if (generation.uuid.empty()) generation.uuid = repository.uuid;
  generation.snapshots.push_back(record);
  return write_generation(*repository.store, before, std::move(generation), deadline);
}

// --- list

Result<std::vector<ShownSnapshot>> Service::list(const std::string& repositories,
                                                 const std::string& snapshots,
                                                 bool ignore_unavailable,
                                                 const os::Deadline& deadline) {
  CAIRN_TRY(const auto names, repositories_.resolve(repositories));
  std::vector<ShownSnapshot> out;
  for (const auto& name : names) {
    CAIRN_TRY(const auto repository, repositories_.find(name));
    std::vector<SnapshotRecord> all;
    {
      const std::lock_guard lock(turn_);
      for (const auto& running : running_)
        if (!running->ended && running->repository == name) all.push_back(running->record);
    }
    for (auto& record : all) record.state = "IN_PROGRESS", record.end_ms = 0;
    if (snapshots == "_current") {
      for (auto& record : all) out.push_back({name, std::move(record)});
      continue;
    }
    CAIRN_TRY(Generation generation, read_generation(*repository->store, deadline));
    for (auto& record : generation.snapshots) {
      std::erase_if(all, [&](const auto& other) { return other.uuid == record.uuid; });
      all.push_back(std::move(record));
    }
    std::vector<std::string> known;
    for (const auto& record : all) known.push_back(record.name);
    std::optional<std::string> absent;
    const auto chosen = select(snapshots, known, [&](const std::string& n) { absent = n; });
    if (absent && !ignore_unavailable) return snapshot_missing(name, *absent);
    for (auto& record : all)
      if (std::find(chosen.begin(), chosen.end(), record.name) != chosen.end())
        out.push_back({name, std::move(record)});
  }
  return out;
}

// --- delete and clean up

Status Service::remove(const std::string& repository_name, const std::string& snapshots,
                       const os::Deadline& deadline) {
  CAIRN_TRY(const auto repository, repositories_.find(repository_name));
  if (repository->readonly)
    return repository_fault(repository_name, "cannot delete snapshots from a readonly repository");
  CAIRN_TRY(const auto shown, list(repository_name, snapshots, false, deadline));
  std::vector<std::string> names;
  for (const auto& snapshot : shown) names.push_back(snapshot.record.name);
  const auto wanted = [&](const Running& running) {
    return running.repository == repository_name &&
           std::find(names.begin(), names.end(), running.record.name) != names.end();
  };
  {
    // One being made is ended, and others are waited for, so that no data goes from under them.
    const os::Blocking blocking;
    std::unique_lock lock(turn_);
    for (const auto& running : running_)
      if (wanted(*running)) running->cancel.request_stop();
    if (!os::wait(changed_, lock, deadline,
                  [&] { return doing_[repository_name][Doing::creating] == 0; }))
      return busy(repository_name, snapshots, "a snapshot is still running");
  }
  CAIRN_CHECK(begin(repository_name, Doing::deleting));
  const Status removed = remove_from(*repository, names, deadline);
  end(repository_name, Doing::deleting);
  return removed;
}

Status Service::remove_from(const Repository& repository, const std::vector<std::string>& names,
                            const os::Deadline& deadline) {
  constexpr int attempts_max = 8;
  for (int attempt = 0;; ++attempt) {
    CAIRN_TRY(Generation generation, read_generation(*repository.store, deadline));
    const std::int64_t before = generation.number;
    std::erase_if(generation.snapshots, [&](const SnapshotRecord& record) {
      return std::find(names.begin(), names.end(), record.name) != names.end();
    });
    const Status written =
        write_generation(*repository.store, before, std::move(generation), deadline);
    if (written.ok()) break;
    if (written.error().kind != ErrorKind::conflict || attempt + 1 == attempts_max) return written;
  }
  SweepCounters counters;
  return sweep(repository, counters, false, deadline);
}

Result<bool> Service::lease_is_dead(const Repository& repository, const store::ObjectInfo& lease,
                                    const os::Deadline& deadline) {
  auto object = repository.store->get(lease.key, deadline);
  if (!object.ok()) {
    if (object.error().kind == ErrorKind::not_found) return true;
    return std::move(object).error();
  }
  if (object->bytes != options_.owner)
    return clock_.unix_ms() - lease.modified_ms > options_.lease_lost_ms;
  // Ours: alive only while this process makes that snapshot.
  const std::lock_guard lock(turn_);
  return std::none_of(running_.begin(), running_.end(), [&](const auto& running) {
    return layout::lease_key(running->record.uuid) == lease.key;
  });
}

Status Service::sweep(const Repository& repository, SweepCounters& counters, bool write_first,
                      const os::Deadline& deadline) {
  CAIRN_TRY(Generation generation, read_generation(*repository.store, deadline));
  const auto dead = [&](const store::ObjectInfo& lease) {
    return lease_is_dead(repository, lease, deadline);
  };
  CAIRN_TRY(auto stale, stale_blobs(*repository.store, generation, dead, deadline));
  if (stale.empty()) return ok_status();
  if (write_first) {
    const std::int64_t before = generation.number;
    if (generation.uuid.empty()) generation.uuid = repository.uuid;
    CAIRN_CHECK(write_generation(*repository.store, before, generation, deadline));
    // The previous generation is now `before`, so the one before that is needed no more.
    CAIRN_TRY(const auto old, repository.store->head(layout::generation_key(before - 1), deadline));
    if (old) stale.push_back({old->key, old->size_bytes});
  }
  return delete_blobs(*repository.store, stale, options_.delete_batch, counters, deadline);
}

Result<CleanupResult> Service::cleanup(const std::string& name, const CleanupWaits& waits,
                                       const std::stop_token& stop) {
  const auto master = os::Deadline::from_wait_ms(waits.master_timeout_ms, stop);
  CAIRN_TRY(const auto repository, repositories_.find(name));
  if (repository->readonly)
    return repository_fault(name, "cannot run cleanup on readonly repository");
  CAIRN_CHECK(take_turn(master, "cleanup repository [" + name + "]"));
  {
    const std::lock_guard held(registry_, std::adopt_lock);
    CAIRN_CHECK(begin(name, Doing::cleaning));
  }
  auto cleaning = std::make_shared<Cleanup>();
  start_thread([this, cleaning, repository](std::stop_token thread_stop) {
    const Status swept = sweep(*repository, cleaning->counters, true,
                               os::Deadline::never(std::move(thread_stop)));
    os::log(swept.ok() ? os::LogLevel::info : os::LogLevel::warn, "snapshots", "cleanup ended",
            {{"repository", repository->record.name},
             {"deleted_blobs", cleaning->counters.deleted_blobs.load()},
             {"deleted_bytes", cleaning->counters.deleted_bytes.load()},
             {"error", swept.ok() ? std::string() : swept.error().message}});
    {
      const std::lock_guard lock(turn_);
      if (!swept.ok()) cleaning->error = swept.error();
      cleaning->ended = true;
    }
    end(repository->record.name, Doing::cleaning);
  });
  const auto until = os::Deadline::from_wait_ms(waits.timeout_ms, stop);
  const os::Blocking blocking;
  std::unique_lock lock(turn_);
  const bool ended = os::wait(changed_, lock, until, [&] { return cleaning->ended; });
  if (cleaning->error) return *cleaning->error;
  return CleanupResult{.deleted_blobs = cleaning->counters.deleted_blobs.load(),
                       .deleted_bytes = cleaning->counters.deleted_bytes.load(),
                       .acknowledged = ended};
}

// --- restore

Result<Service::RestorePlan> Service::plan_restore(const RestoreSnapshot& params,
                                                   const os::Deadline& deadline) {
  CAIRN_TRY(const auto repository, repositories_.find(params.repository));
  CAIRN_TRY(const Generation generation, read_generation(*repository->store, deadline));
  const SnapshotRecord* snapshot = generation.find(params.snapshot);
  if (snapshot == nullptr) return snapshot_missing(params.repository, params.snapshot);
  if (snapshot->state == "FAILED")
    return restore_refused(params.repository, params.snapshot,
                           "unsupported snapshot state [FAILED]");
  std::vector<std::string> known;
  for (const auto& [index, id] : snapshot->indices) known.push_back(index);
  std::optional<std::string> absent;
  const auto chosen = select(params.indices, known, [&](const std::string& n) { absent = n; });
  if (absent && !params.ignore_unavailable)
    return Error{.kind = ErrorKind::not_found,
                 .code = "index_not_found_exception",
                 .message = "no such index [" + *absent + "]"};
  CAIRN_TRY(const auto rename, Rename::compile(params.rename_pattern, params.rename_replacement));
  RestorePlan plan{.repository = repository, .snapshot = *snapshot, .targets = {}};
  std::set<std::string> names;
  for (const auto& index : chosen) {
    const std::string target = rename->apply(index);
    CAIRN_CHECK(index::Indices::check_name(target));
    if (!names.insert(target).second)
      return restore_refused(params.repository, params.snapshot,
                             "indices [" + index + "] and another one are renamed into the same "
                             "index [" + target + "]");
    if (indices_.find(target).ok())
      return restore_refused(
          params.repository, params.snapshot,
          "cannot restore index [" + target + "] because an open index with same name already "
          "exists in the cluster. Either close or delete the existing index or restore the index "
          "under a different name by providing a rename pattern and replacement name");
    plan.targets.emplace_back(index, target);
  }
  return plan;
}

Result<RestoreResult> Service::run_restore(const RestoreSnapshot& params, const RestorePlan& plan,
                                           const os::Deadline& deadline) {
  Throttle throttle(plan.repository->restore_bytes_per_second);
  const std::function<Status()> beat = [] { return ok_status(); };
  const CopyParams copy{*plan.repository, plan.snapshot.uuid, options_, throttle, beat};
  RestoreResult result{.snapshot = params.snapshot, .indices = {}, .shards = 0};
  for (const auto& [index, target] : plan.targets) {
    CAIRN_TRY(const auto made, restore_index(copy, plan.snapshot.indices.at(index), target,
                                             indices_, deadline));
    if (params.index_settings.is_object() && !params.index_settings.as_object().empty())
      CAIRN_CHECK(made->put_settings(params.index_settings, deadline));
    result.indices.push_back(target);
    ++result.shards;
  }
  return result;
}

Result<RestoreResult> Service::restore(const RestoreSnapshot& params,
                                       const os::Deadline& deadline) {
  CAIRN_CHECK(repositories_.find(params.repository));
  CAIRN_CHECK(begin(params.repository, Doing::restoring));
  auto result = [&]() -> Result<RestoreResult> {
    CAIRN_TRY(const RestorePlan plan, plan_restore(params, deadline));
    return run_restore(params, plan, deadline);
  }();
  end(params.repository, Doing::restoring);
  return result;
}

Status Service::begin_restore(const RestoreSnapshot& params, const os::Deadline& deadline) {
  CAIRN_CHECK(repositories_.find(params.repository));
  CAIRN_CHECK(begin(params.repository, Doing::restoring));
  auto plan = plan_restore(params, deadline);
  if (!plan.ok()) {
    end(params.repository, Doing::restoring);
    return std::move(plan).error();
  }
  start_thread([this, params, plan = *std::move(plan)](std::stop_token stop) {
    const auto result = run_restore(params, plan, os::Deadline::never(std::move(stop)));
    if (!result.ok())
      os::log(os::LogLevel::error, "snapshots", "restore failed",
              {{"snapshot", params.snapshot}, {"error", result.error().message}});
    end(params.repository, Doing::restoring);
  });
  return ok_status();
}

}  // namespace cairn::snapshots
