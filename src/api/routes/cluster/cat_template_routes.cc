// SPDX-License-Identifier: Apache-2.0
// Tables for people about templates.
#include "api/forms/cat_table.h"
#include "api/routes/cluster/cat_routes.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

/// Texts of a number that may be missing.
std::string version_of(const Json& shown) {
  const Json* version = shown.find("version");
  return version == nullptr ? std::string() : version->dump();
}

bool is_wanted(const Call& call, std::string_view name) {
  const std::string& pattern = call.path("name");
  return pattern.empty() || wildcard_match(pattern, name);
}

Result<Reply> cat_templates(Call& call, const index::Indices& indices) {
  const auto table = indices.templates();
  std::vector<CatRow> rows;
  for (const auto& [name, one] : table->templates())
    if (is_wanted(call, name))
      rows.push_back({name, "[" + join(one.patterns, ", ") + "]", std::to_string(one.priority),
                      version_of(one.shown), "[" + join(one.composed_of, ", ") + "]"});
  return cat_reply(call,
                   {{"name", "n"},
                    {"index_patterns", "t"},
                    {"order", "o"},
                    {"version", "v"},
                    {"composed_of", "c"}},
                   std::move(rows));
}

/// How many members an object has.
std::string count_of(const Json* object) {
  return std::to_string(object == nullptr || !object->is_object() ? 0
                                                                  : object->as_object().size());
}

Result<Reply> cat_component_templates(Call& call, const index::Indices& indices) {
  const auto table = indices.templates();
  std::vector<CatRow> rows;
  for (const auto& [name, one] : table->components()) {
    if (!is_wanted(call, name)) continue;
    const Json flat = one.definition.settings.is_null()
                          ? Json::object()
                          : index::flat_settings(one.definition.settings);
    rows.push_back({name, version_of(one.shown), std::to_string(one.definition.aliases.size()),
                    count_of(one.definition.mappings.find("properties")), count_of(&flat),
                    count_of(one.shown.find("_meta")),
                    "[" + join(table->users_of(name), ", ") + "]"});
  }
  return cat_reply(call,
                   {{"name", "n"},
                    {"version", "v"},
                    {"alias_count", "a"},
                    {"mapping_count", "m"},
                    {"settings_count", "s"},
                    {"metadata_count", "me"},
                    {"included_in", "i"}},
                   std::move(rows));
}

}  // namespace

void add_cat_template_routes(Router& router, ServiceRef<const index::Indices> indices) {
  using Face = Result<Reply> (*)(Call&, const index::Indices&);
  const auto add = [&](const std::string& path, const std::string& operation,
                       const std::string& summary, Face face) {
    for (const std::string& tail : {std::string(), std::string("/{name}")})
      router.add({.method = "GET",
                  .path = path + tail,
                  .operation = operation,
                  .cluster = {"monitor"},
                  .query = with_cat_options({{"local", "boolean", "Accepted; one node knows all."},
                                             {"master_timeout", "time", "The longest wait for the node that serves."}}),
                  .summary = summary},
                 [face, indices](Call& call) { return face(call, *indices); });
  };
  add("/_cat/templates", "cat.templates", "Index templates as a table.", cat_templates);
  add("/_cat/component_templates", "cat.component_templates", "Component templates as a table.",
      cat_component_templates);
}

}  // namespace cairn::api
