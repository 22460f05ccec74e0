// SPDX-License-Identifier: Apache-2.0
#include "snapshots/generation.h"

#include <algorithm>

#include "snapshots/layout.h"

namespace cairn::snapshots {
namespace {

Json to_json(const Generation& generation) {
  Json snapshots = Json::array();
  for (const auto& snapshot : generation.snapshots) snapshots.push(snapshot.to_json());
  return Json::object(
      {{"format", 1}, {"uuid", generation.uuid}, {"snapshots", std::move(snapshots)}});
}

std::string big_endian(std::int64_t number) {
  std::string out(8, '\0');
  for (int i = 0; i < 8; ++i)
    out[static_cast<std::size_t>(7 - i)] =
        static_cast<char>((static_cast<std::uint64_t>(number) >> (8 * i)) & 0xFF);
  return out;
}

Result<std::int64_t> newest_number(store::Store& repository, const os::Deadline& deadline) {
  std::int64_t newest = -1;
  CAIRN_CHECK(store::for_each_object(
      repository, "index-", deadline, [&](const store::ObjectInfo& info) -> Status {
        const auto blob = layout::parse_key(info.key);
        if (blob.kind == layout::Blob::Kind::generation) newest = std::max(newest, blob.generation);
        return ok_status();
      }));
  return newest;
}

Result<Generation> decode(std::int64_t number, const std::string& key, std::string_view bytes) {
  CAIRN_TRY(const Json json, layout::decode(key, bytes));
  const Json* snapshots = json.find("snapshots");
  if (json.int_or("format") != 1 || snapshots == nullptr || !snapshots->is_array())
    return Error{.kind = ErrorKind::corrupt,
                 .code = "repository_exception",
                 .message = "repository blob " + key + " is of a newer format, or damaged"};
  Generation out{.number = number, .uuid = json.string_or("uuid"), .snapshots = {}};
  for (const Json& snapshot : snapshots->as_array())
    out.snapshots.push_back(SnapshotRecord::from_json(snapshot));
  return out;
}

Error too_late(std::int64_t expected, std::int64_t there) {
  return {.kind = ErrorKind::conflict,
          .code = "concurrent_snapshot_execution_exception",
          .message = "concurrent modification of the repository, expected current generation [" +
                     std::to_string(expected) + "], actual current generation [" +
                     std::to_string(there) + "]"};
}

}  // namespace

Json SnapshotRecord::to_json() const {
  Json ids = Json::object();
  for (const auto& [index, id] : indices) ids.set(index, id);
  return Json::object({{"name", name},
                       {"uuid", uuid},
                       {"state", state},
                       {"version", version},
                       {"start_ms", start_ms},
                       {"end_ms", end_ms},
                       {"include_global_state", include_global_state},
                       {"metadata", metadata},
                       {"indices", std::move(ids)},
                       {"failures", failures},
                       {"data_streams", data_streams}});
}

SnapshotRecord SnapshotRecord::from_json(const Json& json) {
  SnapshotRecord out{.name = json.string_or("name"),
                     .uuid = json.string_or("uuid"),
                     .state = json.string_or("state", "SUCCESS"),
                     .version = json.string_or("version"),
                     .start_ms = json.int_or("start_ms"),
                     .end_ms = json.int_or("end_ms"),
                     .include_global_state = json.bool_or("include_global_state", true),
                     .metadata = {},
                     .indices = {}};
  if (const Json* metadata = json.find("metadata")) out.metadata = *metadata;
  // Whoever writes to the repository writes these too.
  if (const Json* failures = json.find("failures"); failures != nullptr && failures->is_array())
    out.failures = *failures;
  if (const Json* streams = json.find("data_streams"); streams != nullptr && streams->is_object())
    out.data_streams = *streams;
  if (const Json* indices = json.find("indices"); indices != nullptr && indices->is_object())
    for (const auto& [index, id] : indices->as_object())
      if (id.is_string()) out.indices[index] = id.as_string();
  return out;
}

const SnapshotRecord* Generation::find(const std::string& name) const {
  for (const auto& snapshot : snapshots)
    if (snapshot.name == name) return &snapshot;
  return nullptr;
}

Result<Generation> read_generation(store::Store& repository, const os::Deadline& deadline) {
  // A generation may be swept away between the listing and the read; then there is a newer one.
  constexpr int attempts_max = 10;
  for (int attempt = 0;; ++attempt) {
    CAIRN_TRY(const std::int64_t newest, newest_number(repository, deadline));
    if (newest < 0) return Generation{};
    const std::string key = layout::generation_key(newest);
    auto object = repository.get(key, deadline);
    if (object.ok()) return decode(newest, key, object->bytes);
    if (object.error().kind != ErrorKind::not_found || attempt + 1 == attempts_max)
      return std::move(object).error();
  }
}

Status write_generation(store::Store& repository, std::int64_t after, Generation next,
                        const os::Deadline& deadline) {
  next.number = after + 1;
  const std::string key = layout::generation_key(next.number);
  const std::string bytes = layout::encode(to_json(next));
  auto put = repository.put(key, bytes, deadline, {.if_none_match = true});
  if (!put.ok() && put.error().kind == ErrorKind::precondition_failed) {
    // An answer that got lost on the way makes the store repeat the question: is it ours?
    const auto there = repository.get(key, deadline);
    if (!there.ok() || there->bytes != bytes) return too_late(after, next.number);
  } else if (!put.ok()) {
    return std::move(put).error();
  }
  // Of a writer that stood still the number may have been made and swept meanwhile. Numbers only
  // grow, so a later one is there then.
  CAIRN_TRY(const std::int64_t newest, newest_number(repository, deadline));
  if (newest != next.number) {
    (void)repository.remove(key, deadline).ok();
    return too_late(after, newest);
  }
  // A hint only: readers list.
  (void)repository.put(layout::latest_key, big_endian(next.number), deadline).ok();
  // A reader may still be at the one before; the one before that nobody needs. Where this fails,
  // a cleanup finds it.
  if (after > 0) (void)repository.remove(layout::generation_key(after - 1), deadline).ok();
  return ok_status();
}

}  // namespace cairn::snapshots
