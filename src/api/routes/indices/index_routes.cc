// SPDX-License-Identifier: Apache-2.0
#include "api/routes/indices/index_routes.h"

#include <algorithm>

#include "api/alias_actions.h"
#include "api/change_params.h"
#include "api/dry_run.h"
#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/index_names.h"
#include "api/routes/indices/index_dry_runs.h"
#include "api/routes/indices/index_table.h"
#include "base/strings.h"
#include "index/live_settings.h"
#include "index/settings/settings.h"

namespace cairn::api {
namespace {

using index::Indices;

/// What handlers of this file call.
struct IndexServices {
  Indices& indices;
  search::Service& search;
};

// Mappings may come within the name of a type, as older clients sent them; that is refused.
Result<Json> member_or_null(Fields& fields, std::string_view name) {
  if (fields.is_null(name)) return Json();
  CAIRN_TRY(const Json* given, fields.object(name));
  return given == nullptr ? Json() : *given;
}

/// Each filter of a new index is read as a search would.
Status check_filters(const IndexServices& services, const index::NewAliases& aliases,
                     const index::Index& index, const os::Deadline& deadline) {
  for (const auto& [alias, properties] : aliases)
    if (!properties.filter.is_null())
      CAIRN_CHECK(services.search.check_filter(*index.mapping(),
                                               index.setting_texts("query.default_field"),
                                               properties.filter, deadline));
  return ok_status();
}

/// True where settings say who may read an index without any role.
bool names_public(const Json& settings) {
  return settings.dump().find("public") != std::string::npos;
}

Result<Reply> create_index(Call& call, const IndexServices& services) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "create_index");
  CAIRN_TRY(const Json mappings, member_or_null(fields, "mappings"));
  CAIRN_TRY(const Json settings, member_or_null(fields, "settings"));
  CAIRN_TRY(const Json given, member_or_null(fields, "aliases"));
  CAIRN_CHECK(fields.finish());
  index::IndexDefinition wanted{.mappings = mappings, .settings = settings};
  CAIRN_TRY(wanted.aliases, new_aliases(call, given));
  const std::string& name = call.path("index");
  if (!wanted.aliases.empty() || names_public(settings)) CAIRN_CHECK(call.require_whole(name));
  CAIRN_TRY(const auto templated, services.indices.templated(name, wanted));
  if (templated.data_stream)
    return illegal_argument("cannot create index with name [" + name +
                            "], because it matches with template [" + templated.template_name +
                            "] that creates data streams only, use create data stream api instead");
  const index::IndexDefinition& made = templated.definition;
  CAIRN_CHECK(services.indices.create(
      name, made.mappings, made.settings, deadline, made.aliases, [&](const index::Index& index) {
        return check_filters(services, made.aliases, index, deadline);
      }));
  return Reply::json(
      Json::object({{"acknowledged", true}, {"shards_acknowledged", true}, {"index", name}}));
}

Result<Reply> delete_index(Call& call, Indices& indices, connectors::Service& connectors) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  const std::string& expression = call.path("index");
  CAIRN_CHECK(check_named(indices, expression));
  CAIRN_TRY(IndexOptions options, index_options(call));
  options.aliases = false;
  options.closed = true;
  CAIRN_TRY(const auto found, indices_of(call, indices, expression, options));
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) {
    CAIRN_CHECK(check_removal(indices, found));
    CAIRN_TRY(Json gone, removal_of(call, indices, found, connectors));
    return would(std::move(gone));
  }
  for (const auto& index : found) CAIRN_CHECK(indices.remove(index->name(), deadline));
  return acknowledged();
}

/// Settings as `flat_settings` wants them.
Result<Json> shown_as(const Call& call, Json settings) {
  CAIRN_TRY(const bool flat, call.flag("flat_settings", false));
  return flat ? index::flat_settings(settings) : std::move(settings);
}

/// Adds the settings of an index, and what holds for the others where `include_defaults` asks.
Status add_settings(const Call& call, const index::Index& index, Json& out) {
  CAIRN_TRY(const bool defaults, call.flag("include_defaults", false));
  const auto names = name_list(call.path("name"));
  const Json settings = index.settings();
  CAIRN_TRY(Json shown, shown_as(call, index::settings_named(settings, names)));
  out.set("settings", std::move(shown));
  if (!defaults) return ok_status();
  Json others = index::settings_named(index::default_settings(settings), names);
  CAIRN_TRY(Json rest, shown_as(call, std::move(others)));
  out.set("defaults", std::move(rest));
  return ok_status();
}

Json aliases_of(const index::AliasTable& table, const index::Index& index) {
  Json::Object out;
  for (const auto& [alias, member] : table.of_index(index.name()))
    out.emplace_back(alias, index::to_json(*member.properties));
  return Json(std::move(out));
}

Result<Reply> get_index(Call& call, Indices& indices) {
  std::vector<std::string> features = call.list("features");
  for (const std::string& feature : features)
    if (feature != "aliases" && feature != "mappings" && feature != "settings")
      return illegal_argument("[features] can be aliases, mappings and settings, not [" + feature +
                              "]");
  const auto wants = [&](std::string_view feature) {
    return features.empty() ||
           std::find(features.begin(), features.end(), feature) != features.end();
  };
  CAIRN_TRY(const auto found, described_indices_of(call, indices, call.path("index")));
  const auto table = indices.aliases();
  const auto streams = indices.data_streams();
  Json out = Json::object();
  for (const auto& index : found) {
    Json one = Json::object();
    if (wants("aliases")) one.set("aliases", aliases_of(*table, *index));
    if (wants("mappings")) one.set("mappings", index->mapping()->to_json());
    if (wants("settings")) CAIRN_CHECK(add_settings(call, *index, one));
    if (const std::string* stream = streams->stream_of(index->name()))
      one.set("data_stream", *stream);
    out.set(index->name(), std::move(one));
  }
  return Reply::json(std::move(out));
}

Result<Reply> get_mapping(Call& call, Indices& indices) {
  CAIRN_TRY(const auto found, described_indices_of(call, indices, call.path("index")));
  Json out = Json::object();
  for (const auto& index : found)
    out.set(index->name(), Json::object({{"mappings", index->mapping()->to_json()}}));
  return Reply::json(std::move(out));
}

/// Of each alias that is named only the index that is written to.
Result<IndexList> write_indices_of(const Call& call, const Indices& indices) {
  IndexList out;
  std::vector<std::string> others;
  for (const auto name : split(call.path("index"), ',')) {
    if (indices.find(name).ok() || !indices.knows(name)) {
      others.emplace_back(name);
      continue;
    }
    CAIRN_TRY(const auto place, indices.find_write(name));
    out.emplace_back(place.index);
  }
  if (others.empty()) return out;
  CAIRN_TRY(const auto more, indices_of(call, indices, join(others, ",")));
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

Result<Reply> put_mapping(Call& call, Indices& indices) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(const bool only_written, call.flag("write_index_only", false));
  CAIRN_TRY(const auto found, only_written ? write_indices_of(call, indices)
                                           : described_indices_of(call, indices, call.path("index")));
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) {
    CAIRN_TRY(Json change, mapping_change_of(found, body));
    return would(std::move(change));
  }
  for (const auto& index : found) CAIRN_CHECK(index->put_mapping(body, deadline));
  return acknowledged();
}

Result<Reply> get_settings(Call& call, Indices& indices) {
  CAIRN_TRY(const auto found, described_indices_of(call, indices, call.path("index")));
  Json out = Json::object();
  for (const auto& index : found) {
    Json one = Json::object();
    CAIRN_CHECK(add_settings(call, *index, one));
    out.set(index->name(), std::move(one));
  }
  return Reply::json(std::move(out));
}

/// Settings without those that an index has already.
Result<Json> without_existing(const Json& given, const index::Index& index) {
  CAIRN_TRY(const Json normal, index::normalise_settings(given));
  const Json own = index.settings();
  const Json flat = index::flat_settings(normal);
  Json out = Json::object();
  for (const auto& [name, value] : flat.as_object()) {
    const std::string_view inner = std::string_view(name).substr(std::string_view("index.").size());
    if (!index::setting(own, inner) && index::setting_list(own, inner).empty())
      out.set(name, value);
  }
  return out;
}

/// Open indices of a list, by name.
std::vector<std::string> open_ones(const IndexList& found) {
  std::vector<std::string> out;
  for (const auto& index : found)
    if (!index->closed()) out.push_back(index->name());
  return out;
}

/// What of the given settings a call changes in an index.
Result<Json> settings_for(const Call& call, const Json& given, const index::Index& index) {
  CAIRN_TRY(const bool keeps, call.flag("preserve_existing", false));
  return keeps ? without_existing(given, index) : Result<Json>(given);
}

Status change_settings_of(Call& call, const IndexList& found, const Json& given,
                          const os::Deadline& deadline) {
  for (const auto& index : found) {
    CAIRN_TRY(const Json change, settings_for(call, given, *index));
    CAIRN_CHECK(index->put_settings(change, deadline));
  }
  return ok_status();
}

Result<Reply> put_settings(Call& call, Indices& indices) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(const bool reopens, call.flag("reopen", false));
  const Json* inner = body.find("settings");
  const Json& given = inner != nullptr ? *inner : body;
  CAIRN_TRY(const auto found, described_indices_of(call, indices, call.path("index")));
  if (names_public(given))
    for (const auto& index : found) CAIRN_CHECK(call.require_whole(index->name()));
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) {
    const auto change_of = [&](const index::Index& index) {
      return settings_for(call, given, index);
    };
    CAIRN_TRY(Json changes, settings_change_of(found, change_of, reopens, deadline));
    return would(std::move(changes));
  }
  const auto open = reopens ? open_ones(found) : std::vector<std::string>();
  if (open.empty()) {
    CAIRN_CHECK(change_settings_of(call, found, given, deadline));
    return acknowledged();
  }
  CAIRN_CHECK(indices.close(open, deadline));
  const Status changed = change_settings_of(call, found, given, deadline);
  // What was open is open again, also where a setting was refused.
  CAIRN_CHECK(indices.reopen(open, deadline));
  CAIRN_CHECK(changed);
  return acknowledged();
}

/// What the names of the path are: indices that they name themselves, and aliases.
Result<Reply> resolve_names(Call& call, Indices& indices) {
  CAIRN_TRY(const auto found, described_indices_of(call, indices, call.path("index")));
  const auto table = indices.aliases();
  const auto streams = indices.data_streams();
  // Indices of other modes there are none.
  const auto modes = call.list("mode");
  const bool shown_mode =
      modes.empty() || std::find(modes.begin(), modes.end(), "standard") != modes.end();
  Json list = Json::array();
  for (const auto& index : found) {
    if (!shown_mode || index.names().front() != index->name())
      continue;  // reached by aliases alone
    Json one = Json::object({{"name", index->name()}});
    Json own = Json::array();
    for (const auto& [alias, member] : table->of_index(index->name())) own.push(alias);
    if (!own.as_array().empty()) one.set("aliases", std::move(own));
    Json attributes = Json::array();
    const bool hidden = index->name().starts_with('.') || index->setting_text("hidden") == "true";
    if (hidden) attributes.push("hidden");
    attributes.push(index->closed() ? "closed" : "open");
    one.set("attributes", std::move(attributes));
    if (const std::string* stream = streams->stream_of(index->name()))
      one.set("data_stream", *stream);
    list.push(std::move(one));
  }
  CAIRN_TRY(const auto options, resolve_options(call));
  Json aliases = Json::array();
  for (const std::string& alias : indices.resolve_aliases(call.path("index"), options)) {
    const auto* members = table->find(alias);
    if (members == nullptr) continue;  // removed meanwhile
    Json names = Json::array();
    for (const auto& [index, member] : *members) names.push(index);
    aliases.push(Json::object({{"name", alias}, {"indices", std::move(names)}}));
  }
  Json shown_streams = Json::array();
  for (const std::string& name : indices.resolve_data_streams(call.path("index"), options)) {
    const index::DataStream* stream = streams->find(name);
    if (stream == nullptr) continue;  // removed meanwhile
    Json names = Json::array();
    for (const index::BackingIndex& one : stream->indices) names.push(one.name);
    shown_streams.push(Json::object({{"name", name},
                                     {"backing_indices", std::move(names)},
                                     {"timestamp_field", index::timestamp_field_name}}));
  }
  return Reply::json(Json::object({{"indices", std::move(list)},
                                   {"aliases", std::move(aliases)},
                                   {"data_streams", std::move(shown_streams)}}));
}

void add_index_records(Router& router, IndexTable& table, ServiceRef<Indices> indices,
                       ServiceRef<search::Service> search,
                       ServiceRef<connectors::Service> connectors) {
  auto create = table.row("PUT", "/{index}", "indices.create", "create_index", "Makes an index.");
  create.query = with_timeouts({{"wait_for_active_shards", "string", "There is one shard."}});
  router.add(std::move(create), [indices, search](Call& call) {
    return create_index(call, {*indices, *search});
  });
  auto remove =
      table.row("DELETE", "/{index}", "indices.delete", "delete_index", "Deletes indices.");
  remove.query = with_timeouts(with_index_options({dry_run_parameter}));
  router.add(std::move(remove), [indices, connectors](Call& call) {
    return delete_index(call, *indices, *connectors);
  });
  auto get = table.row("GET", "/{index}", "indices.get", "view_index_metadata",
                       "Gives the settings and mappings of indices.");
  get.filters_indices = true;
  get.query = with_timeouts(with_index_options(
      {{"features", "list", "aliases, mappings, settings: only those."},
       {"flat_settings", "boolean", "Settings as one level of dotted names."},
       {"include_defaults", "boolean", "With the defaults of settings that are not set."},
       {"local", "boolean", "Accepted; one node knows all."}}));
  table.add(std::move(get), get_index);
}

void add_definitions(IndexTable& table) {
  table.add_both("GET", "/_mapping", "indices.get_mapping", "view_index_metadata",
                 "Gives mappings.", with_timeouts({{"local", "boolean", "Accepted; one node knows all."}}),
                 get_mapping);
  for (const std::string name : {"", "/{name}"})
    table.add_both(
      "GET", "/_settings" + name, "indices.get_settings", "view_index_metadata", "Gives settings.",
      with_timeouts(
          {{"flat_settings", "boolean", "Settings as one level of dotted names."},
           {"include_defaults", "boolean", "With the defaults of settings that are not set."},
           {"local", "boolean", "Accepted; one node knows all."}}),
      get_settings);
  for (const auto* method : {"PUT", "POST"}) {
    auto route = table.row(method, "/{index}/_mapping", "indices.put_mapping", "manage",
                           "Adds fields to the mapping.");
    route.query = with_timeouts(with_index_options(
        {{"write_index_only", "boolean", "Of aliases only the index that is written to."},
         dry_run_parameter}));
    route.body_required = true;
    table.add(std::move(route), put_mapping);
  }
  auto settings = table.row("PUT", "/{index}/_settings", "indices.put_settings", "manage",
                            "Changes settings that may change.");
  settings.query = with_timeouts(with_index_options(
      {{"flat_settings", "boolean", "Dotted names are taken as they are."},
       {"preserve_existing", "boolean", "Leave settings that are there as they are."},
       {"reopen", "boolean", "Close the indices for it, so that any setting may change."},
       dry_run_parameter}));
  settings.body_required = true;
  table.add(std::move(settings), put_settings);
}

void add_names(IndexTable& table) {
  auto resolve =
      table.row("GET", "/_resolve/index/{index}", "indices.resolve_index", "view_index_metadata",
                "Says which indices, aliases and data streams names and patterns mean.");
  resolve.filters_indices = true;
  resolve.query = with_index_options(
      {{"mode", "list", "Only indices of these modes: all are of the mode standard."}});
  table.add(std::move(resolve), resolve_names);
}

}  // namespace

Status check_named(const Indices& indices, std::string_view expression) {
  const bool pattern = expression == "_all" || expression.find('*') != std::string_view::npos;
  if (!pattern || indices.live().patterns_name_indices) return ok_status();
  return illegal_argument("Wildcard expressions or all indices are not allowed");
}

void add_index_routes(Router& router, ServiceRef<Indices> indices,
                      ServiceRef<search::Service> search,
                      ServiceRef<connectors::Service> connectors) {
  IndexTable table(router, indices);
  add_index_records(router, table, indices, search, connectors);
  add_definitions(table);
  add_names(table);
  add_index_states(table);
  add_index_upkeep(table);
}

}  // namespace cairn::api
