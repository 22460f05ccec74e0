// SPDX-License-Identifier: Apache-2.0
#include "nodes/node_record.h"

#include <algorithm>

#include "format/json.h"

namespace cairn::nodes {

std::string encode(const NodeRecord& record) {
  Json json = Json::object({{"id", record.id},
                            {"name", record.name},
                            {"address", record.address},
                            {"version", record.version},
                            {"weight", record.weight},
                            {"started_ms", record.started_ms},
                            {"beat", record.beat}});
  if (record.draining) json.set("draining", true);
  if (record.has_ended()) json.set("ended_by", record.ended_by);
  return json.dump();
}

Result<NodeRecord> decode_node_record(std::string_view bytes, std::string_view key) {
  const auto json = parse_json(bytes);
  const std::string id = json.ok() ? json->string_or("id") : std::string();
  if (id.empty())
    return Error{.kind = ErrorKind::corrupt,
                 .message = "[" + std::string(key) + "] is no record of a node"};
  return NodeRecord{
      .id = id,
      .name = json->string_or("name"),
      .address = json->string_or("address"),
      .version = json->string_or("version"),
      .weight = static_cast<std::uint32_t>(
          std::clamp<std::int64_t>(json->int_or("weight", 1), 1, UINT32_MAX)),
      .started_ms = json->int_or("started_ms"),
      .draining = json->bool_or("draining"),
      .beat = static_cast<std::uint64_t>(std::max<std::int64_t>(json->int_or("beat"), 0)),
      .ended_by = json->string_or("ended_by")};
}

}  // namespace cairn::nodes
