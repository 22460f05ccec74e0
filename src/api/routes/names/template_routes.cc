// SPDX-License-Identifier: Apache-2.0
#include "api/routes/names/template_routes.h"

#include <algorithm>
#include <type_traits>

#include "api/change_params.h"
#include "api/dry_run.h"
#include "api/forms/error_json.h"
#include "api/routes/names/template_dry_runs.h"
#include "base/strings.h"
#include "index/settings/settings.h"
#include "index/templates/template_changes.h"

namespace cairn::api {
namespace {

using index::IndexTemplate;
using index::TemplateTable;

/// What handlers of this file call.
struct TemplateServices {
  index::Indices& indices;
  search::Service& search;
};

bool is_pattern(std::string_view name) { return name.find('*') != std::string_view::npos; }

/// The names of a map that a list of names and patterns means; empty: all.
struct Named {
  std::vector<std::string> found = {};
  std::vector<std::string> missing = {};
};
template <class Map>
Named named_in(const Map& map, const std::string& list) {
  Named out;
  const auto names = name_list(list);
  for (const auto& [name, value] : map) {
    const bool wanted = names.empty() || std::any_of(names.begin(), names.end(), [&](const auto& n) {
                          return n == "_all" || wildcard_match(n, name);
                        });
    if (wanted) out.found.push_back(name);
  }
  for (const std::string& name : names)
    if (name != "_all" && !is_pattern(name) && map.find(name) == map.end())
      out.missing.push_back(name);
  return out;
}

Error no_template(std::string_view kind, const std::vector<std::string>& names) {
  return {.kind = ErrorKind::not_found,
          .code = "resource_not_found_exception",
          .message = std::string(kind) + " template matching [" + join(names, ",") + "] not found"};
}

Error no_template_to_delete(const std::vector<std::string>& names) {
  return {.kind = ErrorKind::not_found,
          .code = "index_template_missing_exception",
          .message = "index_template [" + join(names, ",") + "] missing"};
}

/// Settings as `flat_settings` wants them.
/// Leaves out settings that `settings_filter` names, by patterns with *.
void leave_out(const std::vector<std::string>& patterns, Json& settings) {
  std::vector<std::string> kept;
  const Json flat = index::flat_settings(settings);
  for (const auto& [name, value] : flat.as_object())
    if (std::none_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
          return wildcard_match(pattern, name);
        }))
      kept.push_back(name);
  settings = kept.empty() ? Json::object() : index::settings_named(settings, kept);
}

Result<Json> shown_template(const Call& call, Json shown) {
  CAIRN_TRY(const bool flat, call.flag("flat_settings", false));
  if (const auto patterns = call.list("settings_filter"); !patterns.empty())
    if (Json* body = shown.find("template"))
      if (Json* settings = body->find("settings")) leave_out(patterns, *settings);
  Json* inside = shown.find("template");
  Json* settings = !flat || inside == nullptr ? nullptr : inside->find("settings");
  if (settings != nullptr) *settings = index::flat_settings(*settings);
  return shown;
}

// --- changes that are only tried

/// A template is kept; `Template`: of either kind.
template <class Template>
Result<Reply> try_put(const Call& call, const TemplateServices& services, Template wanted,
                      bool only_new, const os::Deadline& deadline) {
  const std::string& name = call.path("name");
  const auto now = services.indices.templates();
  const auto streams = services.indices.data_streams();
  const auto check = alias_check(services.search, deadline);
  constexpr bool is_component = std::is_same_v<Template, index::ComponentTemplate>;
  const bool is_new = is_component ? !now->components().contains(name)
                                   : !now->templates().contains(name);
  CAIRN_TRY(const auto after,
            index::with_template(
                *now, name, std::move(wanted), only_new,
                {*streams, index::Options{}.total_fields_limit, check, deadline}));
  CAIRN_TRY(Json change, template_change_of(call, services.indices, *now, after ? *after : *now));
  change.set("created", is_new);
  change.set("changed", after.has_value());
  return would(std::move(change));
}

/// Templates that go.
Result<Reply> try_remove(const Call& call, const TemplateServices& services,
                         const std::vector<std::string>& names, const TemplateTable& now,
                         const TemplateTable& after) {
  CAIRN_TRY(Json change, template_change_of(call, services.indices, now, after));
  change.set("deleted", Json::array_of(names));
  return would(std::move(change));
}

// --- component templates

Result<Reply> put_component(Call& call, const TemplateServices& services) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_TRY(const bool only_new, call.flag("create", false));
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(auto component, index::read_component_template(body));
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) return try_put(call, services, std::move(component), only_new, deadline);
  CAIRN_CHECK(services.indices.put_template(call.path("name"), std::move(component), only_new,
                                            alias_check(services.search, deadline), deadline));
  return acknowledged();
}

Result<Reply> get_components(Call& call, const TemplateServices& services) {
  const auto table = services.indices.templates();
  const Named named = named_in(table->components(), call.path("name"));
  if (!named.missing.empty()) return no_template("component", named.missing);
  Json::Array list;
  for (const std::string& name : named.found) {
    CAIRN_TRY(Json shown, shown_template(call, table->components().find(name)->second.shown));
    list.push_back(Json::object({{"name", name}, {"component_template", std::move(shown)}}));
  }
  return Reply::json(Json::object({{"component_templates", Json(std::move(list))}}));
}

Result<Reply> has_component(Call& call, const TemplateServices& services) {
  const Named named = named_in(services.indices.templates()->components(), call.path("name"));
  return Reply::empty(named.missing.empty() && !named.found.empty() ? 200 : 404);
}

Result<Reply> delete_component(Call& call, const TemplateServices& services) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  const auto now = services.indices.templates();
  const Named named = named_in(now->components(), call.path("name"));
  if (!named.missing.empty()) return no_template("component", named.missing);
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) {
    CAIRN_TRY(const TemplateTable after, index::without_components(*now, named.found));
    return try_remove(call, services, named.found, *now, after);
  }
  CAIRN_CHECK(services.indices.remove_component_templates(named.found, deadline));
  return acknowledged();
}

// --- index templates

Result<Reply> put_template(Call& call, const TemplateServices& services) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_TRY(const bool only_new, call.flag("create", false));
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(auto read, index::read_index_template(body));
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) return try_put(call, services, std::move(read), only_new, deadline);
  CAIRN_CHECK(services.indices.put_template(call.path("name"), std::move(read), only_new,
                                            alias_check(services.search, deadline), deadline));
  return acknowledged();
}

Result<Reply> get_templates(Call& call, const TemplateServices& services) {
  const auto table = services.indices.templates();
  const Named named = named_in(table->templates(), call.path("name"));
  if (!named.missing.empty()) return no_template("index", named.missing);
  Json::Array list;
  for (const std::string& name : named.found) {
    CAIRN_TRY(Json shown, shown_template(call, table->templates().find(name)->second.shown));
    list.push_back(Json::object({{"name", name}, {"index_template", std::move(shown)}}));
  }
  return Reply::json(Json::object({{"index_templates", Json(std::move(list))}}));
}

Result<Reply> has_template(Call& call, const TemplateServices& services) {
  const Named named = named_in(services.indices.templates()->templates(), call.path("name"));
  return Reply::empty(named.missing.empty() && !named.found.empty() ? 200 : 404);
}

Result<Reply> delete_template(Call& call, const TemplateServices& services) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  const auto now = services.indices.templates();
  const Named named = named_in(now->templates(), call.path("name"));
  if (!named.missing.empty()) return no_template_to_delete(named.missing);
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) {
    CAIRN_TRY(const TemplateTable after,
              index::without_templates(*now, named.found, *services.indices.data_streams(),
                                       deadline));
    return try_remove(call, services, named.found, *now, after);
  }
  CAIRN_CHECK(services.indices.remove_index_templates(named.found, deadline));
  return acknowledged();
}

// --- trying them

/// The table with the template of the body in it, where there is one; its name.
struct Tried {
  TemplateTable table;
  std::string name;  // empty: there was no body
};
Result<Tried> tried_table(Call& call, const TemplateServices& services, const std::string& name,
                          const os::Deadline& deadline) {
  Tried out{.table = *services.indices.templates(), .name = {}};
  CAIRN_TRY(const bool only_new, call.flag("create", false));
  CAIRN_TRY(const auto body, call.optional_body());
  if (!body || body->as_object().empty()) return out;
  if (only_new && out.table.templates().contains(name))
    return illegal_argument("index template [" + name + "] already exists");
  CAIRN_TRY(auto read, index::read_index_template(*body));
  // A name that no template can have, so that it is beside all others.
  out.name = name.empty() ? "_simulated" : name;
  out.table.put(out.name, std::move(read));
  CAIRN_CHECK(services.indices.check_template(out.table, out.name,
                                              alias_check(services.search, deadline)));
  return out;
}

/// What an index of this template would have.
Result<Json> composed(const Call& call, const TemplateTable& table, const IndexTemplate& one) {
  const index::IndexDefinition definition = table.compose(one);
  CAIRN_TRY(const auto checked, index::check_definition(definition.mappings, definition.settings,
                                                        index::Options{}.total_fields_limit));
  CAIRN_TRY(const bool flat, call.flag("flat_settings", false));
  Json aliases = Json::object();
  for (const auto& [name, properties] : definition.aliases)
    aliases.set(name, index::to_json(properties));
  Json settings = checked.settings.as_object().empty()
                      ? Json::object({{"index", Json::object()}})
                      : checked.settings;
  return Json::object({{"settings", flat ? index::flat_settings(settings) : std::move(settings)},
                       {"mappings", checked.mapping->to_json()},
                       {"aliases", std::move(aliases)}});
}

Json overlapping_list(const std::vector<const TemplateTable::Named*>& others,
                      std::string_view without) {
  Json out = Json::array();
  for (const auto* other : others)
    if (other->first != without)
      out.push(Json::object({{"name", other->first},
                             {"index_patterns", Json::array_of(other->second.patterns)}}));
  return out;
}

Result<Reply> simulate_index(Call& call, const TemplateServices& services) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  const std::string& name = call.path("name");
  CAIRN_CHECK(index::Indices::check_name(name));
  CAIRN_TRY(const Tried tried, tried_table(call, services, "", deadline));
  const auto* found = tried.table.match(name);
  if (found == nullptr) return Reply::json(Json::object());
  CAIRN_TRY(Json definition, composed(call, tried.table, found->second));
  return Reply::json(Json::object(
      {{"template", std::move(definition)},
       {"overlapping", overlapping_list(tried.table.all_that_match(name), found->first)}}));
}

Result<Reply> simulate_template(Call& call, const TemplateServices& services) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  const std::string& name = call.path("name");
  CAIRN_TRY(const Tried tried, tried_table(call, services, name, deadline));
  const std::string& own = tried.name.empty() ? name : tried.name;
  const auto found = tried.table.templates().find(own);
  if (found == tried.table.templates().end())
    return name.empty() ? illegal_argument(
                              "give the template in the body, or name one: "
                              "/_index_template/_simulate/{name}")
                        : illegal_argument("unable to simulate template [" + name +
                                           "] that does not exist");
  CAIRN_TRY(Json definition, composed(call, tried.table, found->second));
  const auto others = tried.table.overlapping(own, found->second.patterns);
  return Reply::json(Json::object({{"template", std::move(definition)},
                                   {"overlapping", overlapping_list(others, own)}}));
}

// --- rows

using TemplateFace = Result<Reply> (*)(Call&, const TemplateServices&);

class TemplateRows {
 public:
  TemplateRows(Router& router, ServiceRef<index::Indices> indices,
               ServiceRef<search::Service> search)
      : router_(router), indices_(indices), search_(search) {}

  void add(const std::string& method, const std::string& path, const std::string& operation,
           const std::string& summary, const std::vector<gate::Parameter>& query,
           TemplateFace face, bool body_required = false) {
    const bool looks = method == "GET" || method == "HEAD";
    router_.add({.method = method,
                 .path = path,
                 .operation = operation,
                 .cluster = {"manage_index_templates"},
                 .computes = true,
                 .query = looks ? query : with_timeouts(query),
                 .summary = summary,
                 .body_required = body_required},
                [face, indices = indices_, search = search_](Call& call) {
                  return face(call, {*indices, *search});
                });
  }

 private:
  Router& router_;
  ServiceRef<index::Indices> indices_;
  ServiceRef<search::Service> search_;
};

std::vector<gate::Parameter> looking() {
  return {{"flat_settings", "boolean", "Settings as one level of dotted names."},
          {"include_defaults", "boolean", "Of lifecycles: there are none."},
          {"local", "boolean", "Accepted; one node knows all."},
          {"master_timeout", "time", "The longest wait for the node that serves."}};
}
std::vector<gate::Parameter> putting() {
  return {{"create", "boolean", "Refuse to replace one of this name."},
          {"cause", "string", "Why it is made; for people."}};
}

std::vector<gate::Parameter> tried(std::vector<gate::Parameter> query) {
  query.push_back(dry_run_parameter);
  return query;
}

void add_component_rows(TemplateRows& rows) {
  auto filtering = looking();
  filtering.push_back({"settings_filter", "list", "Settings that are left out, with *."});
  const std::string path = "/_component_template";
  for (const auto* method : {"PUT", "POST"})
    rows.add(method, path + "/{name}", "cluster.put_component_template",
             "Keeps a part that index templates are composed of.", tried(putting()), put_component,
             true);
  for (const std::string& tail : {std::string(), std::string("/{name}")})
    rows.add("GET", path + tail, "cluster.get_component_template", "Shows component templates.",
             filtering, get_components);
  rows.add("HEAD", path + "/{name}", "cluster.exists_component_template",
           "Says whether there is such a component template.", looking(), has_component);
  rows.add("DELETE", path + "/{name}", "cluster.delete_component_template",
           "Deletes component templates that no index template uses.", tried({}),
           delete_component);
}

void add_index_template_rows(TemplateRows& rows) {
  const std::string path = "/_index_template";
  for (const auto* method : {"PUT", "POST"})
    rows.add(method, path + "/{name}", "indices.put_index_template",
             "Keeps what new indices and data streams begin with, by their names.",
             tried(putting()), put_template, true);
  for (const std::string& tail : {std::string(), std::string("/{name}")})
    rows.add("GET", path + tail, "indices.get_index_template", "Shows index templates.", looking(),
             get_templates);
  rows.add("HEAD", path + "/{name}", "indices.exists_index_template",
           "Says whether there is such an index template.", looking(), has_template);
  rows.add("DELETE", path + "/{name}", "indices.delete_index_template", "Deletes index templates.",
           tried({}), delete_template);
  std::vector<gate::Parameter> trying = putting();
  trying.push_back({"flat_settings", "boolean", "Settings as one level of dotted names."});
  trying.push_back({"include_defaults", "boolean", "Of lifecycles: there are none."});
  rows.add("POST", path + "/_simulate_index/{name}", "indices.simulate_index_template",
           "Shows what an index of this name would begin with.", trying, simulate_index);
  for (const std::string& tail : {std::string(), std::string("/{name}")})
    rows.add("POST", path + "/_simulate" + tail, "indices.simulate_template",
             "Shows what a template comes to with its components.", trying, simulate_template);
}

}  // namespace

index::CheckAliases alias_check(search::Service& search, const os::Deadline& deadline) {
  return [&search, &deadline](const index::CheckedDefinition& index,
                              const index::NewAliases& aliases) -> Status {
    for (const auto& [alias, properties] : aliases)
      if (!properties.filter.is_null())
        CAIRN_CHECK(search.check_filter(
            *index.mapping, index::setting_list(index.settings, "query.default_field"),
            properties.filter, deadline));
    return ok_status();
  };
}

void add_template_routes(Router& router, ServiceRef<index::Indices> indices,
                         ServiceRef<search::Service> search) {
  TemplateRows rows(router, indices, search);
  add_component_rows(rows);
  add_index_template_rows(rows);
}

}  // namespace cairn::api
