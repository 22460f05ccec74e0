// SPDX-License-Identifier: Apache-2.0
#include "api/routes/indices/index_dry_runs.h"

#include <algorithm>
#include <map>
#include <set>

#include "api/forms/error_json.h"
#include "index/definition.h"
#include "index/names/write_index.h"
#include "index/settings/settings.h"

namespace cairn::api {
namespace {

constexpr std::size_t connectors_max = 1'000;  // that are named
constexpr std::string_view prefix_of_tables = ".objects-";
constexpr std::string_view index_of_connector_records = ".elastic-connectors-v1";

/// Aliases all of whose indices go.
Json aliases_without_indices(const index::AliasTable& table, const std::set<std::string>& gone) {
  std::set<std::string> out;
  for (const std::string& name : gone)
    for (const auto& [alias, member] : table.of_index(name)) {
      const auto* members = table.find(alias);
      const bool all = members != nullptr &&
                       std::all_of(members->begin(), members->end(),
                                   [&](const auto& one) { return gone.contains(one.first); });
      if (all) out.insert(alias);
    }
  return Json::array_of(out);
}

bool sees_connectors(const Call& call) {
  return call.caller().may_cluster("monitor_connector") ||
         call.caller().may_index("read", index_of_connector_records);
}

Result<Json> connectors_of(connectors::Service& service, const std::set<std::string>& gone,
                           const os::Deadline& deadline) {
  CAIRN_TRY(const auto page,
            service.records().list(
                {.size = connectors_max, .index_names = {gone.begin(), gone.end()}}, deadline));
  Json out = Json::array();
  for (const Json& one : page.results) out.push(one.string_or("id"));
  return out;
}

/// Errors: those of Index::put_mapping.
Result<std::shared_ptr<const index::Mapping>> mapping_after(const index::Index& index,
                                                            const Json& change) {
  if (!change.is_object()) return illegal_argument("a mapping must be an object");
  CAIRN_CHECK(index.check_open_to(index::Change::mapping));
  return index.mapping()->merged(
      change, index::mapping_limits_of(index.settings(), index::Options{}.total_fields_limit));
}

/// The settings after a change. Errors: those of Index::put_settings.
Result<Json> settings_after(const index::Index& index, const Json& change, bool reopens) {
  // Tables of buckets are changed by nobody; blocks of others forbid no change of settings.
  if (index.name().starts_with(prefix_of_tables))
    CAIRN_CHECK(index.check_open_to(index::Change::removal));
  CAIRN_TRY(const Json normal, index::normalise_settings(change));
  if (!reopens && !index.closed()) return index::change_settings(index.settings(), normal);
  CAIRN_TRY(Json next, index::change_any_setting(index.settings(), normal));
  CAIRN_CHECK(index::check_kept_definition(index.mapping()->to_json(), next));
  return next;
}

/// The parameters of each field, by its name.
std::map<std::string, Json> fields_of(const index::Mapping& mapping) {
  std::map<std::string, Json> out;
  for (const index::Field* field : mapping.fields()) out.emplace(field->name, field->given);
  return out;
}

}  // namespace

Json counted_indices(const IndexList& indices) {
  Json list = Json::array();
  std::uint64_t documents = 0, bytes = 0;
  for (const auto& index : indices) {
    Json one = Json::object({{"index", index->name()}});
    if (index->closed()) {
      one.set("closed", true);
    } else {
      const auto own = index->statistics();
      one.set("documents", own.documents);
      one.set("bytes", own.size_bytes);
      documents += static_cast<std::uint64_t>(own.documents);
      bytes += own.size_bytes;
    }
    list.push(std::move(one));
  }
  return Json::object({{"indices", std::move(list)}, {"documents", documents}, {"bytes", bytes}});
}

Status check_removal(const index::Indices& indices, const IndexList& gone) {
  const auto streams = indices.data_streams();
  for (const auto& index : gone) {
    CAIRN_CHECK(index->check_open_to(index::Change::removal));
    CAIRN_CHECK(index::check_no_write_index(*streams, index->name()));
  }
  return ok_status();
}

Result<Json> removal_of(const Call& call, const index::Indices& indices, const IndexList& gone,
                        connectors::Service& connectors) {
  std::set<std::string> names;
  for (const auto& index : gone) names.insert(index->name());
  Json out = counted_indices(gone);
  out.set("aliases", aliases_without_indices(*indices.aliases(), names));
  if (names.empty() || !sees_connectors(call)) return out;
  CAIRN_TRY(Json filled_by, connectors_of(connectors, names, call.deadline()));
  out.set("connectors", std::move(filled_by));
  return out;
}

Result<Json> mapping_change_of(const IndexList& found, const Json& change) {
  Json list = Json::array();
  std::int64_t stay = 0;
  for (const auto& index : found) {
    CAIRN_TRY(const auto next, mapping_after(*index, change));
    const auto before = fields_of(*index->mapping());
    Json added = Json::array(), changed = Json::array();
    for (const auto& [name, given] : fields_of(*next)) {
      const auto old = before.find(name);
      if (old == before.end())
        added.push(name);
      else if (!(old->second == given))
        changed.push(name);
    }
    const bool concerns = !added.as_array().empty() || !changed.as_array().empty();
    const std::int64_t documents =
        concerns && !index->closed() ? static_cast<std::int64_t>(index->statistics().documents) : 0;
    stay += documents;
    list.push(Json::object({{"index", index->name()},
                            {"added", std::move(added)},
                            {"changed", std::move(changed)},
                            {"documents_not_reindexed", documents}}));
  }
  return Json::object({{"indices", std::move(list)}, {"documents_not_reindexed", stay}});
}

Result<Json> settings_change_of(const IndexList& found,
                                const std::function<Result<Json>(const index::Index&)>& change_of,
                                bool reopens, const os::Deadline& deadline) {
  Json list = Json::array();
  for (const auto& index : found) {
    CAIRN_TRY(const Json change, change_of(*index));
    CAIRN_CHECK(deadline.check("trying settings"));
    CAIRN_TRY(const Json next, settings_after(*index, change, reopens));
    const Json before = index::flat_settings(index->settings());
    const Json after = index::flat_settings(next);
    Json changes = Json::object();
    const auto differs = [&](const std::string& name) {
      const Json* from = before.find(name);
      const Json* to = after.find(name);
      if (from != nullptr && to != nullptr && *from == *to) return;
      changes.set(name, Json::object({{"from", from == nullptr ? Json() : *from},
                                      {"to", to == nullptr ? Json() : *to}}));
    };
    for (const auto& [name, value] : before.as_object()) differs(name);
    for (const auto& [name, value] : after.as_object())
      if (before.find(name) == nullptr) differs(name);
    list.push(Json::object({{"index", index->name()},
                            {"changes", std::move(changes)},
                            {"closed_meanwhile", reopens && !index->closed()}}));
  }
  return Json::object({{"indices", std::move(list)}});
}

}  // namespace cairn::api
