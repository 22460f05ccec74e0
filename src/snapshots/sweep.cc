// SPDX-License-Identifier: Apache-2.0
#include "snapshots/sweep.h"

#include <algorithm>

#include "snapshots/layout.h"

namespace cairn::snapshots {
namespace {

using layout::Blob;

struct Needed {
  std::set<std::string> uuids;
  std::set<std::string> index_ids;
  std::set<std::string> data_keys;
};

Status add_data_keys(store::Store& repository, const SnapshotRecord& snapshot, Needed& needed,
                     const os::Deadline& deadline) {
  for (const auto& [index, id] : snapshot.indices) {
    const std::string key = layout::shard_key(id, snapshot.uuid);
    CAIRN_TRY(const auto object, repository.get(key, deadline));
    CAIRN_TRY(const Json manifest, layout::decode(key, object.bytes));
    const Json* objects = manifest.find("objects");
    if (objects == nullptr || !objects->is_array())
      return Error{.kind = ErrorKind::corrupt,
                   .code = "repository_exception",
                   .message = "repository blob " + key + " names no objects"};
    for (const Json& entry : objects->as_array())
      needed.data_keys.insert(layout::data_key(id, entry.string_or("name")));
  }
  return ok_status();
}

Result<Needed> needed_by(store::Store& repository, const Generation& generation,
                         const os::Deadline& deadline) {
  Needed needed;
  for (const auto& snapshot : generation.snapshots) {
    needed.uuids.insert(snapshot.uuid);
    for (const auto& [index, id] : snapshot.indices) needed.index_ids.insert(id);
    CAIRN_CHECK(add_data_keys(repository, snapshot, needed, deadline));
  }
  return needed;
}

bool is_stale(const Blob& blob, const std::string& key, const Needed& needed,
              std::int64_t generation, bool is_written) {
  switch (blob.kind) {
    case Blob::Kind::generation:
      return blob.generation < generation - 1;
    case Blob::Kind::snapshot:
    case Blob::Kind::index_meta:
    case Blob::Kind::shard_snapshot:
      return !is_written && needed.uuids.count(blob.uuid) == 0;
    case Blob::Kind::data:
      return !is_written && needed.data_keys.count(key) == 0;
    case Blob::Kind::foreign:
      // A folder of an index that nothing refers to goes as a whole.
      return !is_written && !blob.index_id.empty() && needed.index_ids.count(blob.index_id) == 0;
    case Blob::Kind::latest:
    case Blob::Kind::lease:
    case Blob::Kind::sweep_lease:
      return false;
  }
  return false;
}

/// Puts the dead ones to what is stale. True: a snapshot is being made.
Result<bool> look_at_leases(
    store::Store& repository, std::string_view prefix,
    const std::function<Result<bool>(const store::ObjectInfo& lease)>& lease_is_dead,
    StaleBlobs& stale, const os::Deadline& deadline) {
  std::vector<store::ObjectInfo> leases;
  CAIRN_CHECK(store::for_each_object(repository, prefix, deadline,
                                     [&](const store::ObjectInfo& info) -> Status {
                                       leases.push_back(info);
                                       return ok_status();
                                     }));
  bool one_lives = false;
  for (const auto& info : leases) {
    if (layout::parse_key(info.key).kind == Blob::Kind::foreign) continue;
    CAIRN_TRY(const bool dead, lease_is_dead(info));
    if (dead) stale.leases.push_back({info.key, info.size_bytes});
    one_lives |= !dead;
  }
  return one_lives;
}

}  // namespace

Result<StaleBlobs> find_stale(
    store::Store& repository,
    const std::function<Result<bool>(const store::ObjectInfo& lease)>& lease_is_dead,
    const os::Deadline& deadline, const std::vector<std::string>& without) {
  // In this order: blobs, leases, generation. Who wrote one of these blobs had a lease before it,
  // and has it still, or is in the generation, or gave up.
  std::vector<store::ObjectInfo> all;
  CAIRN_CHECK(store::for_each_object(repository, "", deadline,
                                     [&](const store::ObjectInfo& info) -> Status {
                                       all.push_back(info);
                                       return ok_status();
                                     }));
  StaleBlobs stale;
  CAIRN_CHECK(look_at_leases(repository, layout::sweep_prefix, lease_is_dead, stale, deadline));
  CAIRN_TRY(const bool is_written,
            look_at_leases(repository, layout::lease_prefix, lease_is_dead, stale, deadline));
  stale.one_is_written = is_written;
  CAIRN_TRY(stale.generation, read_generation(repository, deadline));
  const std::size_t gone =
      std::erase_if(stale.generation.snapshots, [&](const SnapshotRecord& record) {
        return std::find(without.begin(), without.end(), record.name) != without.end();
      });
  if (gone > 0) ++stale.generation.number;
  CAIRN_TRY(const Needed needed, needed_by(repository, stale.generation, deadline));
  for (const auto& info : all)
    if (is_stale(layout::parse_key(info.key), info.key, needed, stale.generation.number,
                 is_written))
      stale.blobs.push_back({info.key, info.size_bytes});
  return stale;
}

Status delete_blobs(store::Store& repository, const std::vector<StaleBlob>& blobs,
                    std::size_t batch, SweepCounters& counters, const std::function<Status()>& beat,
                    const os::Deadline& deadline) {
  for (std::size_t i = 0; i < blobs.size(); i += batch) {
    CAIRN_CHECK(beat());
    std::vector<std::string> keys;
    std::uint64_t bytes = 0;
    for (std::size_t j = i; j < std::min(i + batch, blobs.size()); ++j) {
      keys.push_back(blobs[j].key);
      bytes += blobs[j].size_bytes;
    }
    CAIRN_CHECK(repository.remove_batch(keys, deadline));
    counters.deleted_blobs += keys.size();
    counters.deleted_bytes += bytes;
  }
  return ok_status();
}

}  // namespace cairn::snapshots
