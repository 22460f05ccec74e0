// SPDX-License-Identifier: Apache-2.0
#include "snapshots/copy.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/checksum.h"
#include "os/steps.h"
#include "snapshots/layout.h"

namespace cairn::snapshots {
namespace {

constexpr std::uint64_t bytes_of_a_step = 64;

/// Sizes of the data blobs that a repository has of an index.
Result<std::map<std::string, std::uint64_t>> present_data(store::Store& store,
                                                          const std::string& index_id,
                                                          const os::Deadline& deadline) {
  std::map<std::string, std::uint64_t> out;
  CAIRN_CHECK(store::for_each_object(store, layout::data_key(index_id, ""), deadline,
                                     [&](const store::ObjectInfo& info) -> Status {
                                       out[info.key] = info.size_bytes;
                                       return ok_status();
                                     }));
  return out;
}

Status copy_object(const CopyParams& params, const index::Checkpoint& checkpoint,
                   const index::CheckpointObject& object, const std::string& key,
                   Progress& progress, const os::Deadline& deadline) {
  CAIRN_TRY(const auto upload, params.repository.store->begin_upload(key, deadline));
  std::uint32_t crc = 0;
  os::Steps steps(deadline, "copying");
  for (std::uint64_t offset = 0; offset < object.size_bytes;) {
    const std::uint64_t count = params.throttle.step(
        std::min<std::uint64_t>(params.options.copy_bytes, object.size_bytes - offset));
    CAIRN_TRY(const std::string bytes, checkpoint.read(object.name, offset, count, deadline));
    CAIRN_CHECK(steps.take(1 + bytes.size() / bytes_of_a_step));
    if (bytes.size() != count)
      return Error{.kind = ErrorKind::corrupt,
                   .message = "object " + object.name + " of an index ends early"};
    crc = crc32c(bytes, crc);
    CAIRN_CHECK(upload->write(bytes));
    offset += count;
    progress.moved(count);
    CAIRN_CHECK(params.throttle.spend(count, deadline));
    CAIRN_CHECK(params.beat());
  }
  if (crc != object.crc32c)
    return Error{.kind = ErrorKind::corrupt,
                 .message = "object " + object.name + " of an index does not match its checksum"};
  CAIRN_CHECK(upload->finish());
  return ok_status();
}

Result<index::NewAliases> kept_aliases(const Json& meta, const AliasNames& names) {
  index::NewAliases out;
  const Json* kept = meta.find("aliases");
  if (!names || kept == nullptr || !kept->is_object()) return out;
  for (const auto& [alias, properties] : kept->as_object()) {
    CAIRN_TRY(auto read, index::read_alias_properties(properties));
    out.emplace_back(names(alias), std::move(read));
  }
  return out;
}

Json object_list(const index::Checkpoint& checkpoint) {
  Json objects = Json::array();
  for (const auto& object : checkpoint.objects())
    objects.push(Json::object({{"name", object.name},
                               {"size_bytes", object.size_bytes},
                               {"crc32c", static_cast<std::int64_t>(object.crc32c)}}));
  return Json::object({{"objects", std::move(objects)}});
}

}  // namespace

BlobCount count_of(const index::Checkpoint& checkpoint) {
  BlobCount out;
  for (const auto& object : checkpoint.objects()) out.add({1, object.size_bytes});
  return out;
}

Status copy_index(const CopyParams& params, const index::Checkpoint& checkpoint,
                  const Json& aliases, Progress& progress, const os::Deadline& deadline) {
  store::Store& store = *params.repository.store;
  const std::string& id = checkpoint.index_uuid();
  CAIRN_TRY(const auto present, present_data(store, id, deadline));
  std::vector<const index::CheckpointObject*> lacking;
  BlobCount incremental, written;
  for (const auto& object : checkpoint.objects()) {
    const auto there = present.find(layout::data_key(id, object.name));
    const bool is_there = there != present.end() && there->second == object.size_bytes;
    if (!is_there) lacking.push_back(&object);
    const bool by_this = is_there && progress.wrote(checkpoint.index_name(), object.name);
    if (by_this) written.add({1, object.size_bytes});
    if (!is_there || by_this) incremental.add({1, object.size_bytes});
  }
  progress.need(incremental, written);
  for (const auto* object : lacking) {
    CAIRN_CHECK(copy_object(params, checkpoint, *object, layout::data_key(id, object->name),
                            progress, deadline));
    progress.finished(object->name);
  }
  CAIRN_CHECK(store.put(layout::shard_key(id, params.uuid),
                        layout::encode(object_list(checkpoint)), deadline));
  Json meta =
      Json::object({{"name", checkpoint.index_name()}, {"manifest", checkpoint.manifest()}});
  if (!aliases.as_object().empty()) meta.set("aliases", aliases);
  CAIRN_CHECK(store.put(layout::index_key(id, params.uuid), layout::encode(meta), deadline));
  return ok_status();
}

Result<std::shared_ptr<index::Index>> restore_index(
    const CopyParams& params, const std::string& index_id, const std::string& target,
    const AliasNames& alias_names, index::Indices& indices, const os::Deadline& deadline) {
  store::Store& store = *params.repository.store;
  const std::string meta_key = layout::index_key(index_id, params.uuid);
  CAIRN_TRY(const auto object, store.get(meta_key, deadline));
  CAIRN_TRY(const Json meta, layout::decode(meta_key, object.bytes));
  const Json* manifest = meta.find("manifest");
  if (manifest == nullptr)
    return Error{.kind = ErrorKind::corrupt,
                 .code = "repository_exception",
                 .message = "repository blob " + meta_key + " has no manifest"};
  const auto fetch = [&](const index::CheckpointObject& wanted,
                         const std::function<Status(std::string_view)>& sink) -> Status {
    const std::string key = layout::data_key(index_id, wanted.name);
    os::Steps steps(deadline, "restoring");
    for (std::uint64_t offset = 0; offset < wanted.size_bytes;) {
      const std::uint64_t count = params.throttle.step(
          std::min<std::uint64_t>(params.options.copy_bytes, wanted.size_bytes - offset));
      CAIRN_TRY(const auto piece, store.get(key, deadline, {.offset = offset, .count = count}));
      CAIRN_CHECK(steps.take(1 + piece.bytes.size() / bytes_of_a_step));
      if (piece.bytes.size() != count)
        return Error{.kind = ErrorKind::corrupt,
                     .code = "repository_exception",
                     .message = "repository blob " + key + " ends early"};
      CAIRN_CHECK(sink(piece.bytes));
      offset += count;
      CAIRN_CHECK(params.throttle.spend(count, deadline));
    }
    return ok_status();
  };
  CAIRN_TRY(const auto aliases, kept_aliases(meta, alias_names));
  return indices.restore(target, *manifest, fetch, deadline, aliases);
}

}  // namespace cairn::snapshots
