// SPDX-License-Identifier: Apache-2.0
#include "index/templates/template_changes.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

Error taken_template(std::string_view kind, std::string_view name) {
  return illegal_argument(std::string(kind) + " template [" + std::string(name) +
                          "] already exists");
}

/// What a definition of a template comes to, and whether searches can read its filters.
Status check_composition(const IndexDefinition& definition, const TemplateGround& ground) {
  CAIRN_TRY(const auto checked,
            check_definition(definition.mappings, definition.settings, ground.total_fields_limit));
  return ground.check ? ground.check(checked, definition.aliases) : ok_status();
}

/// Whether each data stream would still have a template that makes such, where `changed` are
/// templates that came, went or are others.
Status check_streams_keep_templates(const TemplateTable& before, const TemplateTable& after,
                                    const std::vector<std::string>& changed,
                                    const StreamTable& streams, const os::Deadline& deadline) {
  for (const auto& [name, stream] : streams.all()) {
    CAIRN_CHECK(deadline.check("looking at the data streams of templates"));
    const bool concerned = std::any_of(changed.begin(), changed.end(), [&](const auto& one) {
      return before.matches(one, name) || after.matches(one, name);
    });
    if (!concerned) continue;
    const auto* own = after.match(name);
    if (own != nullptr && own->second.data_stream) continue;
    const auto* old = before.match(name);
    if (old == nullptr || !old->second.data_stream) continue;
    if (!after.templates().contains(old->first))
      return illegal_argument("unable to remove composable templates [" + old->first +
                              "] as they are in use by a data streams [" + name + "]");
    return illegal_argument("this would leave data stream [" + name +
                            "] without a template that makes data streams; delete it first");
  }
  return ok_status();
}

}  // namespace

Result<std::optional<TemplateTable>> with_template(const TemplateTable& now,
                                                   const std::string& name,
                                                   ComponentTemplate component, bool only_new,
                                                   const TemplateGround& ground) {
  CAIRN_CHECK(check_component_name(name));
  const auto old = now.components().find(name);
  if (old != now.components().end()) {
    if (only_new) return taken_template("component", name);
    if (old->second.shown == component.shown) return std::optional<TemplateTable>();
  }
  CAIRN_CHECK(check_composition(component.definition, ground));
  TemplateTable table = now;
  table.put(name, std::move(component));
  for (const std::string& user : table.users_of(name)) {
    CAIRN_CHECK(ground.deadline.check("checking templates"));
    const Status fits =
        check_composition(table.compose(table.templates().find(user)->second), ground);
    if (fits.ok()) continue;
    return illegal_argument("updating component template [" + name +
                            "] results in invalid composable template [" + user +
                            "] after templates are merged: " + fits.error().message);
  }
  CAIRN_CHECK(table.check_size());
  return std::optional<TemplateTable>(std::move(table));
}

Result<std::optional<TemplateTable>> with_template(const TemplateTable& now,
                                                   const std::string& name,
                                                   IndexTemplate index_template, bool only_new,
                                                   const TemplateGround& ground) {
  CAIRN_CHECK(check_template_name(name));
  const auto old = now.templates().find(name);
  if (old != now.templates().end()) {
    if (only_new) return taken_template("index", name);
    if (old->second.shown == index_template.shown) return std::optional<TemplateTable>();
  }
  TemplateTable table = now;
  table.put(name, std::move(index_template));
  CAIRN_CHECK(table.check_template(name));
  CAIRN_CHECK(check_composition(table.compose(table.templates().find(name)->second), ground));
  CAIRN_CHECK(check_streams_keep_templates(now, table, {name}, ground.streams, ground.deadline));
  CAIRN_CHECK(table.check_size());
  return std::optional<TemplateTable>(std::move(table));
}

Result<TemplateTable> without_components(const TemplateTable& now,
                                         const std::vector<std::string>& names) {
  TemplateTable table = now;
  for (const std::string& name : names) table.remove_component(name);
  for (const std::string& name : names) {
    std::vector<std::string> users;
    for (const std::string& user : table.users_of(name)) {
      const auto& ignored = table.templates().find(user)->second.ignore_missing;
      if (std::find(ignored.begin(), ignored.end(), name) == ignored.end()) users.push_back(user);
    }
    if (!users.empty())
      return illegal_argument("component templates [" + name +
                              "] cannot be removed as they are still in use by index templates [" +
                              join(users, ", ") + "]");
  }
  return table;
}

Result<TemplateTable> without_templates(const TemplateTable& now,
                                        const std::vector<std::string>& names,
                                        const StreamTable& streams, const os::Deadline& deadline) {
  TemplateTable table = now;
  for (const std::string& name : names) table.remove_template(name);
  CAIRN_CHECK(check_streams_keep_templates(now, table, names, streams, deadline));
  return table;
}

}  // namespace cairn::index
