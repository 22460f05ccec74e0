// SPDX-License-Identifier: Apache-2.0
#include "index/names/names_record.h"

#include "index/errors.h"

namespace cairn::index {

std::string name_key(std::string_view index) { return "index/names/" + std::string(index); }

std::string index_record(const NewName& index) {
  return Json::object({{"uuid", index.uuid}, {"created_ms", index.created_ms}}).dump();
}

std::string encode_names(const NamesRecord& record) {
  const auto listed = [](const std::map<std::string, std::string, std::less<>>& names) {
    Json::Object out;
    out.reserve(names.size());
    for (const auto& [name, uuid] : names) out.emplace_back(name, uuid);
    return Json(std::move(out));
  };
  Json::Object added;
  for (const auto& [name, index] : record.added)
    added.emplace_back(name,
                       Json::object({{"uuid", index.uuid}, {"created_ms", index.created_ms}}));
  return Json::object({{"aliases", record.tables.aliases.to_json()},
                       {"data_streams", record.tables.streams.to_json()},
                       {"closed", listed(record.tables.closed)},
                       {"removed", listed(record.removed)},
                       {"added", Json(std::move(added))}})
      .dump();
}

Result<NamesRecord> decode_names(std::string_view bytes) {
  const auto json = parse_json(bytes);
  if (!json.ok() || !json->is_object()) return corrupt_object(names_record_key, "it is no object");
  const auto member = [&](std::string_view name) {
    const Json* given = json->find(name);
    // Records of earlier versions lack some.
    return given == nullptr ? Json::object() : *given;
  };
  const Json* kept = json->find("aliases");
  auto aliases = AliasTable::from_json(kept == nullptr ? Json() : *kept);
  if (!aliases.ok()) return corrupt_object(names_record_key, aliases.error().message);
  auto streams = StreamTable::from_json(member("data_streams"));
  if (!streams.ok()) return corrupt_object(names_record_key, streams.error().message);
  NamesRecord out{.tables = {std::move(*aliases), std::move(*streams), {}},
                  .removed = {},
                  .added = {}};
  for (const auto& [list, into] :
       {std::pair{"removed", &out.removed}, std::pair{"closed", &out.tables.closed}}) {
    const Json given = member(list);
    if (!given.is_object()) continue;
    for (const auto& [name, uuid] : given.as_object())
      if (uuid.is_string()) (*into)[name] = uuid.as_string();
  }
  const Json added = member("added");
  if (added.is_object())
    for (const auto& [name, index] : added.as_object())
      out.added[name] = {.uuid = index.string_or("uuid"),
                         .created_ms = index.int_or("created_ms")};
  return out;
}

}  // namespace cairn::index
