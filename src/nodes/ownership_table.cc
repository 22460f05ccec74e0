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

const Json::Array* array_of(const Json& object, std::string_view name) {
  const Json* const found = object.find(name);
  return found != nullptr && found->is_array() ? &found->as_array() : nullptr;
}

/// Null where there is none at that place.
const std::string* text_at(const Json::Array& texts, const Json& place) {
  if (!place.is_count() || place.as_unsigned() >= texts.size()) return nullptr;
  const Json& found = texts[place.as_unsigned()];
  return found.is_string() && !found.as_string().empty() ? &found.as_string() : nullptr;
}

}  // namespace

std::string encode(const OwnershipTable& table) {
  Numbers numbers;
  Json::Array shards, owners, epochs, moves;
  for (const auto& [name, owner] : table.shards) {
    if (!owner.next.empty()) moves.push_back(Json::array({shards.size(), numbers.of(owner.next)}));
    shards.emplace_back(name);
    owners.emplace_back(numbers.of(owner.node));
    epochs.emplace_back(owner.epoch);
  }
  Json::Array draining;
  for (const std::string& id : table.draining) draining.emplace_back(numbers.of(id));
  return Json::object({{"version", table.version},
                       {"nodes", Json::array_of(numbers.ids())},
                       {"shards", std::move(shards)},
                       {"owners", std::move(owners)},
                       {"epochs", std::move(epochs)},
                       {"moves", std::move(moves)},
                       {"draining", std::move(draining)}})
      .dump();
}

Result<OwnershipTable> decode_ownership_table(std::string_view bytes, std::string_view key) {
  const Error broken{.kind = ErrorKind::corrupt,
                     .message = "[" + std::string(key) + "] is no table of owners"};
  const auto json = parse_json(bytes);
  if (!json.ok() || !json->is_object()) return broken;
  const Json* const version = json->find("version");
  const auto nodes = array_of(*json, "nodes"), shards = array_of(*json, "shards"),
             owners = array_of(*json, "owners"), epochs = array_of(*json, "epochs"),
             moves = array_of(*json, "moves"), draining = array_of(*json, "draining");
  if (version == nullptr || !version->is_count() || nodes == nullptr || shards == nullptr ||
      owners == nullptr || epochs == nullptr || moves == nullptr || draining == nullptr ||
      owners->size() != shards->size() || epochs->size() != shards->size())
    return broken;
  Owners::sequence_type entries;
  entries.reserve(shards->size());
  for (std::size_t i = 0; i < shards->size(); ++i) {
    const Json &name = (*shards)[i], &owner = (*owners)[i], &epoch = (*epochs)[i];
    const bool nobodys = owner.is_integer() && owner.as_int() == nobody;
    const std::string* const node = nobodys ? nullptr : text_at(*nodes, owner);
    if (!name.is_string() || (!nobodys && node == nullptr) || !epoch.is_count()) return broken;
    if (!entries.empty() && entries.back().first >= name.as_string()) return broken;
    entries.emplace_back(name.as_string(), Owner{.node = node == nullptr ? std::string() : *node,
                                                 .epoch = epoch.as_unsigned()});
  }
  for (const Json& move : *moves) {
    if (!move.is_array() || move.as_array().size() != 2) return broken;
    const Json& shard = move.as_array()[0];
    const std::string* const next = text_at(*nodes, move.as_array()[1]);
    if (!shard.is_count() || shard.as_unsigned() >= entries.size() || next == nullptr)
      return broken;
    entries[shard.as_unsigned()].second.next = *next;
  }
  OwnershipTable table{.version = version->as_unsigned()};
  for (const Json& place : *draining) {
    const std::string* const node = text_at(*nodes, place);
    if (node == nullptr) return broken;
    table.draining.insert(*node);
  }
  table.shards.adopt_sequence(boost::container::ordered_unique_range, std::move(entries));
  return table;
}

}  // namespace cairn::nodes
