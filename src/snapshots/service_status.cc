// SPDX-License-Identifier: Apache-2.0
// Service::status: what snapshots wrote and refer to, and how far those are that are being made.
#include <algorithm>
#include <set>
#include <utility>

#include "snapshots/errors.h"
#include "snapshots/layout.h"
#include "snapshots/progress.h"
#include "snapshots/service.h"

namespace cairn::snapshots {
namespace {

using Stage = IndexStatus::Stage;

/// How many more blobs of a repository one request may read.
class ReadBudget {
 public:
  Status take(std::size_t blobs) {
    if (blobs > left_)
      return bad_argument("the status of these snapshots takes more than [" +
                          std::to_string(blobs_max) +
                          "] reads of repositories; name fewer snapshots");
    left_ -= blobs;
    return ok_status();
  }

 private:
  static constexpr std::size_t blobs_max = 10'000;
  std::size_t left_ = blobs_max;
};

using ObjectSizes = std::map<std::string, std::uint64_t>;

/// The data blobs of an index as of a snapshot. Errors: those of the store; corrupt.
Result<ObjectSizes> objects_of(const Repository& repository, const std::string& index_id,
                               const std::string& uuid, const os::Deadline& deadline) {
  const std::string key = layout::shard_key(index_id, uuid);
  CAIRN_TRY(const auto object, repository.store->get(key, deadline));
  CAIRN_TRY(const Json json, layout::decode(key, object.bytes));
  ObjectSizes out;
  const Json* const objects = json.find("objects");
  if (objects == nullptr || !objects->is_array())
    return Error{.kind = ErrorKind::corrupt,
                 .code = "repository_exception",
                 .message = "repository blob " + key + " has no objects"};
  for (const Json& one : objects->as_array())
    out[one.string_or("name")] =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, one.int_or("size_bytes")));
  return out;
}

/// The snapshot before `at` that has the index; null where none has.
const SnapshotRecord* before_with(const Generation& generation, std::size_t at,
                                  const std::string& index_id) {
  const auto has = [&](const SnapshotRecord& record) {
    return std::any_of(record.indices.begin(), record.indices.end(),
                       [&](const auto& index) { return index.second == index_id; });
  };
  while (at-- > 0)
    if (has(generation.snapshots[at])) return &generation.snapshots[at];
  return nullptr;
}

/// Whether what an old snapshot wrote follows from what the others refer to: nothing was ever
/// deleted or swept, so each generation added one snapshot; none failed, which leaves data behind;
/// and none was made at the same time.
bool writes_follow(const Generation& generation, const SnapshotRecord& of) {
  if (generation.number + 1 != static_cast<std::int64_t>(generation.snapshots.size())) return false;
  return std::all_of(
      generation.snapshots.begin(), generation.snapshots.end(), [&](const SnapshotRecord& other) {
        if (other.state == "FAILED") return false;
        return other.uuid == of.uuid || other.end_ms <= of.start_ms || other.start_ms >= of.end_ms;
      });
}

BlobCount count_of_objects(const ObjectSizes& objects, const ObjectSizes* without) {
  BlobCount out;
  for (const auto& [name, bytes] : objects)
    if (without == nullptr || !without->contains(name)) out.add({1, bytes});
  return out;
}

/// Of a snapshot of a version that wrote no counts down: counted from its lists of objects. An
/// object that an index no longer has never comes back, so the snapshot before tells what was
/// there.
Result<IndexStatuses> counted_statuses(const Repository& repository, const Generation& generation,
                                       std::size_t at, ReadBudget& budget,
                                       const os::Deadline& deadline) {
  const SnapshotRecord& record = generation.snapshots[at];
  const bool known = writes_follow(generation, record);
  IndexStatuses out;
  for (const auto& [name, id] : record.indices) {
    const SnapshotRecord* const before = known ? before_with(generation, at, id) : nullptr;
    CAIRN_CHECK(budget.take(before == nullptr ? 1 : 2));
    CAIRN_TRY(const ObjectSizes objects, objects_of(repository, id, record.uuid, deadline));
    IndexStatus status{.stage = Stage::done,
                       .total = count_of_objects(objects, nullptr),
                       .incremental = std::nullopt,
                       .start_ms = record.start_ms,
                       .took_ms = std::max<std::int64_t>(0, record.end_ms - record.start_ms)};
    if (before != nullptr) {
      CAIRN_TRY(const ObjectSizes there, objects_of(repository, id, before->uuid, deadline));
      status.incremental = count_of_objects(objects, &there);
    } else if (known) {
      status.incremental = status.total;
    }
    out.emplace(name, std::move(status));
  }
  return out;
}

Result<IndexStatuses> ended_statuses(const Repository& repository, const Generation& generation,
                                     std::size_t at, ReadBudget& budget,
                                     const os::Deadline& deadline) {
  const SnapshotRecord& record = generation.snapshots[at];
  if (record.indices.empty()) return IndexStatuses{};  // a failed one refers to nothing
  const std::string key = layout::snapshot_key(record.uuid);
  CAIRN_CHECK(budget.take(1));
  CAIRN_TRY(const auto object, repository.store->get(key, deadline));
  CAIRN_TRY(const Json manifest, layout::decode(key, object.bytes));
  if (auto kept = statuses_of(manifest)) return *std::move(kept);
  return counted_statuses(repository, generation, at, budget, deadline);
}

}  // namespace

std::vector<SnapshotStatus> Service::running_statuses(const std::string& repository) const {
  std::vector<std::shared_ptr<Running>> running;
  {
    const std::lock_guard lock(turn_);
    for (const auto& one : running_)
      if (!one->ended && (repository.empty() || one->repository == repository))
        running.push_back(one);
  }
  std::vector<SnapshotStatus> out;
  for (const auto& one : running) {
    SnapshotStatus status{.repository = one->repository, .record = one->begun};
    status.indices = one->progress.at(clock_.unix_ms());
    status.running = true;
    out.push_back(std::move(status));
  }
  return out;
}

Result<std::vector<SnapshotStatus>> Service::status(const std::string& repositories,
                                                    const std::vector<std::string>& snapshots,
                                                    bool ignore_unavailable,
                                                    const os::Deadline& deadline) {
  if (repositories.empty()) return running_statuses("");
  CAIRN_TRY(const auto names, repositories_.resolve(repositories));
  std::vector<SnapshotStatus> out;
  ReadBudget budget;
  for (const std::string& name : names) {
    auto running = running_statuses(name);
    if (snapshots.empty()) {
      std::move(running.begin(), running.end(), std::back_inserter(out));
      continue;
    }
    CAIRN_TRY(const auto repository, repositories_.find(name));
    CAIRN_TRY(const Generation generation, read_generation(*repository->store, deadline));
    std::set<std::string> seen;
    for (const std::string& wanted : snapshots) {
      if (!seen.insert(wanted).second) continue;
      const auto ended = std::find_if(generation.snapshots.begin(), generation.snapshots.end(),
                                      [&](const auto& one) { return one.name == wanted; });
      if (ended != generation.snapshots.end()) {
        const auto at = static_cast<std::size_t>(ended - generation.snapshots.begin());
        auto indices = ended_statuses(*repository, generation, at, budget, deadline);
        // Deleted since the list was read.
        const bool gone = !indices.ok() && indices.error().kind == ErrorKind::not_found;
        if (gone && ignore_unavailable) continue;
        if (gone) return snapshot_missing(name, wanted);
        CAIRN_CHECK(indices);
        out.push_back({.repository = name, .record = *ended, .indices = *std::move(indices)});
        continue;
      }
      const auto made = std::find_if(running.begin(), running.end(),
                                     [&](const auto& one) { return one.record.name == wanted; });
      if (made != running.end())
        out.push_back(*made);
      else if (!ignore_unavailable)
        return snapshot_missing(name, wanted);
    }
  }
  return out;
}

}  // namespace cairn::snapshots
