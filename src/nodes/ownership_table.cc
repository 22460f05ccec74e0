// SPDX-License-Identifier: Apache-2.0
#include "nodes/ownership_table.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "format/json.h"

namespace cairn::nodes {
namespace {

constexpr std::int64_t nobody = -1;

/// Ids in the order in which they come up.
class Numbers {
 public:
  std::int64_t of(const std::string& id) {
    if (id.empty()) return nobody;
    const auto [at, is_new] = numbers_.emplace(id, static_cast<std::int64_t>(ids_.size()));
    if (is_new) ids_.push_back(id);
    return at->second;
  }
  const std::vector<std::string>& ids() const { return ids_; }

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<std::string> ids_;
};

}  // namespace

std::string encode(const OwnershipTable& table) {
  Numbers numbers;
  Json shards = Json::object();
  auto& members = shards.as_object();
  members.reserve(table.shards.size());
  for (const auto& [name, owner] : table.shards) {
    Json entry = Json::array({numbers.of(owner.node), owner.epoch});
    if (!owner.next.empty()) entry.push(numbers.of(owner.next));
    members.emplace_back(name, std::move(entry));
  }
  return Json::object({{"version", table.version},
                       {"nodes", Json::array_of(numbers.ids())},
                       {"shards", std::move(shards)}})
      .dump();
}

Result<OwnershipTable> decode_ownership_table(std::string_view bytes, std::string_view key) {
  const Error broken{.kind = ErrorKind::corrupt,
                     .message = "[" + std::string(key) + "] is no table of owners"};
  const auto json = parse_json(bytes);
  if (!json.ok()) return broken;
  const Json* const nodes = json->find("nodes");
  const Json* const shards = json->find("shards");
  if (nodes == nullptr || !nodes->is_array() || shards == nullptr || !shards->is_object())
    return broken;
  bool good = json->int_or("version") >= 0;
  const auto id_of = [&](const Json& number) {
    const std::int64_t at = number.is_integer() ? number.as_int() : nobody - 1;
    if (at == nobody) return std::string();
    const auto& ids = nodes->as_array();
    const bool known = at >= 0 && static_cast<std::size_t>(at) < ids.size() &&
                       ids[static_cast<std::size_t>(at)].is_string();
    good = good && known;
    return known ? ids[static_cast<std::size_t>(at)].as_string() : std::string();
  };
  OwnershipTable table{.version = static_cast<std::uint64_t>(json->int_or("version"))};
  for (const auto& [name, entry] : shards->as_object()) {
    if (!entry.is_array() || entry.as_array().size() < 2 || !entry.as_array()[1].is_count())
      return broken;
    const auto& parts = entry.as_array();
    table.shards[name] = {.node = id_of(parts[0]),
                          .epoch = parts[1].as_unsigned(),
                          .next = parts.size() > 2 ? id_of(parts[2]) : std::string()};
  }
  if (!good) return broken;
  return table;
}

}  // namespace cairn::nodes
