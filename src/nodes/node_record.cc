// SPDX-License-Identifier: Apache-2.0
#include "nodes/node_record.h"

#include <algorithm>

#include "format/json.h"

namespace cairn::nodes {
namespace {

Json figures_json(const NodeFigures& figures) {
  return Json::object({{"pid", figures.pid},
                       {"running_ms", figures.running_ms},
                       {"disk_total", figures.disk_total_bytes},
                       {"disk_free", figures.disk_free_bytes},
                       {"disk_available", figures.disk_available_bytes},
                       {"memory_total", figures.memory_total_bytes},
                       {"memory_used", figures.memory_used_bytes},
                       {"load", Json::array({figures.load[0], figures.load[1], figures.load[2]})}});
}

std::uint64_t count_of(const Json& json, std::string_view name) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(json.int_or(name), 0));
}

NodeFigures figures_of(const Json* json) {
  NodeFigures out;
  if (json == nullptr || !json->is_object()) return out;
  out.pid = json->int_or("pid");
  out.running_ms = std::max<std::int64_t>(json->int_or("running_ms"), 0);
  out.disk_total_bytes = count_of(*json, "disk_total");
  out.disk_free_bytes = count_of(*json, "disk_free");
  out.disk_available_bytes = count_of(*json, "disk_available");
  out.memory_total_bytes = count_of(*json, "memory_total");
  out.memory_used_bytes = count_of(*json, "memory_used");
  const Json* const load = json->find("load");
  if (load != nullptr && load->is_array())
    for (std::size_t i = 0; i < std::min(out.load.size(), load->as_array().size()); ++i)
      if (const Json& one = load->as_array()[i]; one.is_number()) out.load[i] = one.as_double();
  // Whoever shows shares of it counts on that.
  out.memory_used_bytes = std::min(out.memory_used_bytes, out.memory_total_bytes);
  out.disk_free_bytes = std::min(out.disk_free_bytes, out.disk_total_bytes);
  return out;
}

Json process_json(const os::ProcessIdentity& process) {
  return Json::object({{"host", process.host},
                       {"machine", process.machine},
                       {"pid", process.pid},
                       {"started", process.started}});
}

os::ProcessIdentity process_of(const Json* json) {
  if (json == nullptr || !json->is_object()) return {};
  return {.host = json->string_or("host"),
          .machine = json->string_or("machine"),
          .pid = json->int_or("pid"),
          .started = json->string_or("started")};
}

}  // namespace

std::string encode(const NodeRecord& record) {
  Json json = Json::object({{"id", record.id},
                            {"node_id", record.node_id},
                            {"name", record.name},
                            {"address", record.address},
                            {"api_address", record.api_address},
                            {"version", record.version},
                            {"weight", record.weight},
                            {"started_ms", record.started_ms},
                            {"beat", record.beat},
                            {"process", process_json(record.process)},
                            {"figures", figures_json(record.figures)}});
  if (record.leaving) json.set("leaving", true);
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
      .node_id = json->string_or("node_id"),
      .name = json->string_or("name"),
      .address = json->string_or("address"),
      .api_address = json->string_or("api_address"),
      .version = json->string_or("version"),
      .weight = static_cast<std::uint32_t>(
          std::clamp<std::int64_t>(json->int_or("weight", 1), 1, UINT32_MAX)),
      .started_ms = json->int_or("started_ms"),
      .leaving = json->bool_or("leaving"),
      .draining = json->bool_or("leaving"),
      .beat = static_cast<std::uint64_t>(std::max<std::int64_t>(json->int_or("beat"), 0)),
      .ended_by = json->string_or("ended_by"),
      .process = process_of(json->find("process")),
      .figures = figures_of(json->find("figures"))};
}

}  // namespace cairn::nodes
