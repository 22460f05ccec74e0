// SPDX-License-Identifier: Apache-2.0
// Templates of the catalogue: one record in the store, which a change replaces.
#include <algorithm>

#include "index/errors.h"
#include "index/indices_impl.h"
#include "index/settings/settings.h"
#include "index/templates/merged_definition.h"
#include "index/templates/stored_scripts.h"
#include "os/log.h"
#include "os/threads/blocking.h"

namespace cairn::index {
namespace {

Error taken_template(std::string_view kind, std::string_view name) {
  return illegal_argument(std::string(kind) + " template [" + std::string(name) +
                          "] already exists");
}

/// What a definition of a template comes to, and whether searches can read its filters.
Status check_composed(const IndexDefinition& definition, std::size_t total_fields_limit,
                      const CheckAliases& check) {
  CAIRN_TRY(const auto checked,
            check_definition(definition.mappings, definition.settings, total_fields_limit));
  return check ? check(checked, definition.aliases) : ok_status();
}

}  // namespace

Status Indices::Impl::load_templates(const os::Deadline& deadline) {
  auto found = template_record.load(deadline);
  if (!found.ok() && found.error().kind != ErrorKind::corrupt) return found.error();
  if (found.ok() && !*found) return ok_status();
  std::optional<Error> damage;
  if (found.ok()) {
    const auto json = parse_json(**found);
    auto read = json.ok() ? TemplateTable::from_json(*json) : Result<TemplateTable>(json.error());
    if (read.ok()) {
      auto next = std::make_shared<const TemplateTable>(std::move(*read));
      const MutexLock lock(mutex);
      templates.swap(next);
      return ok_status();
    }
    damage = corrupt_object("index/templates", read.error().message);
  } else {
    damage = found.error();
  }
  // Indices go on; new ones are made without templates rather than none at all.
  os::log(os::LogLevel::error, "index", "templates_damaged", {{"error", damage->message}});
  damaged_templates = std::move(damage);
  return ok_status();
}

Result<TemplateTable> Indices::Impl::templates_to_change(const os::Deadline& deadline) {
  if (template_record.must_load()) CAIRN_CHECK(load_templates(deadline));
  if (damaged_templates) return *damaged_templates;
  const MutexLock lock(mutex);
  return *templates;
}

Status Indices::Impl::put_templates(TemplateTable table, const os::Deadline& deadline) {
  CAIRN_CHECK(table.check_size());
  CAIRN_CHECK(template_record.put(table.to_json().dump(), deadline));
  auto next = std::make_shared<const TemplateTable>(std::move(table));
  const MutexLock lock(mutex);
  templates.swap(next);
  return ok_status();
}

std::shared_ptr<const TemplateTable> Indices::templates() const {
  const MutexLock lock(impl_->mutex);
  return impl_->templates;
}

StoredScripts& Indices::scripts() const { return impl_->scripts; }

Status Indices::put_template(const std::string& name, ComponentTemplate component, bool only_new,
                             const CheckAliases& check, const os::Deadline& deadline) {
  const os::Blocking blocking;
  CAIRN_CHECK(check_component_name(name));
  const MutexLock lock(impl_->naming);
  CAIRN_TRY(TemplateTable table, impl_->templates_to_change(deadline));
  const auto old = table.components().find(name);
  if (old != table.components().end()) {
    if (only_new) return taken_template("component", name);
    if (old->second.shown == component.shown) return ok_status();
  }
  const std::size_t most = impl_->shared.options.total_fields_limit;
  CAIRN_CHECK(check_composed(component.definition, most, check));
  table.put(name, std::move(component));
  for (const std::string& user : table.users_of(name)) {
    CAIRN_CHECK(deadline.check("checking templates"));
    const Status fits =
        check_composed(table.compose(table.templates().find(user)->second), most, check);
    if (fits.ok()) continue;
    return illegal_argument("updating component template [" + name +
                            "] results in invalid composable template [" + user +
                            "] after templates are merged: " + fits.error().message);
  }
  return impl_->put_templates(std::move(table), deadline);
}

Status Indices::put_template(const std::string& name, IndexTemplate index_template, bool only_new,
                             const CheckAliases& check, const os::Deadline& deadline) {
  const os::Blocking blocking;
  CAIRN_CHECK(check_template_name(name));
  const MutexLock lock(impl_->naming);
  CAIRN_TRY(TemplateTable table, impl_->templates_to_change(deadline));
  const auto old = table.templates().find(name);
  if (old != table.templates().end()) {
    if (only_new) return taken_template("index", name);
    if (old->second.shown == index_template.shown) return ok_status();
  }
  table.put(name, std::move(index_template));
  CAIRN_CHECK(check_template(table, name, check));
  CAIRN_CHECK(impl_->check_streams_keep_templates(table, {name}, deadline));
  return impl_->put_templates(std::move(table), deadline);
}

Status Indices::check_template(const TemplateTable& table, const std::string& name,
                               const CheckAliases& check) const {
  CAIRN_CHECK(table.check_template(name));
  return check_composed(table.compose(table.templates().find(name)->second),
                        impl_->shared.options.total_fields_limit, check);
}

Status Indices::Impl::check_streams_keep_templates(const TemplateTable& table,
                                                   const std::vector<std::string>& changed,
                                                   const os::Deadline& deadline) const {
  std::shared_ptr<const StreamTable> all;
  std::shared_ptr<const TemplateTable> before;
  {
    const MutexLock lock(mutex);
    all = streams;
    before = templates;
  }
  for (const auto& [name, stream] : all->all()) {
    CAIRN_CHECK(deadline.check("looking at the data streams of templates"));
    const bool concerned = std::any_of(changed.begin(), changed.end(), [&](const auto& one) {
      return before->matches(one, name) || table.matches(one, name);
    });
    if (!concerned) continue;
    const auto* own = table.match(name);
    if (own != nullptr && own->second.data_stream) continue;
    const auto* old = before->match(name);
    if (old == nullptr || !old->second.data_stream) continue;
    if (!table.templates().contains(old->first))
      return illegal_argument("unable to remove composable templates [" + old->first +
                              "] as they are in use by a data streams [" + name + "]");
    return illegal_argument("this would leave data stream [" + name +
                            "] without a template that makes data streams; delete it first");
  }
  return ok_status();
}

Status Indices::remove_component_templates(const std::vector<std::string>& names,
                                           const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(impl_->naming);
  CAIRN_TRY(TemplateTable table, impl_->templates_to_change(deadline));
  for (const std::string& name : names) table.remove_component(name);
  for (const std::string& name : names) {
    std::vector<std::string> users;
    for (const std::string& user : table.users_of(name)) {
      const auto& ignored = table.templates().find(user)->second.ignore_missing;
      if (std::find(ignored.begin(), ignored.end(), name) == ignored.end()) users.push_back(user);
    }
    if (users.empty()) continue;
    std::string list;
    for (const std::string& user : users) list += (list.empty() ? "" : ", ") + user;
    return illegal_argument("component templates [" + name +
                            "] cannot be removed as they are still in use by index templates [" +
                            list + "]");
  }
  return impl_->put_templates(std::move(table), deadline);
}

Status Indices::remove_index_templates(const std::vector<std::string>& names,
                                       const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(impl_->naming);
  CAIRN_TRY(TemplateTable table, impl_->templates_to_change(deadline));
  for (const std::string& name : names) table.remove_template(name);
  CAIRN_CHECK(impl_->check_streams_keep_templates(table, names, deadline));
  return impl_->put_templates(std::move(table), deadline);
}

Status Indices::restore_templates(const Json& kept, const os::Deadline& deadline) {
  const os::Blocking blocking;
  CAIRN_TRY(const TemplateTable from, TemplateTable::from_json(kept));
  const MutexLock lock(impl_->naming);
  CAIRN_TRY(TemplateTable table, impl_->templates_to_change(deadline));
  for (const auto& [name, one] : from.components()) table.put(name, one);
  for (const auto& [name, one] : from.templates()) table.put(name, one);
  return impl_->put_templates(std::move(table), deadline);
}

Result<TemplatedIndex> Indices::templated(std::string_view name,
                                          const IndexDefinition& given) const {
  TemplatedIndex out{.definition = given};
  CAIRN_TRY(out.definition.settings, normalise_settings(given.settings));
  const auto table = templates();
  const bool hidden = setting(out.definition.settings, "hidden") == "true";
  const auto* found = table->match(name, hidden);
  if (found == nullptr) return out;
  out.template_name = found->first;
  out.data_stream = found->second.data_stream;
  out.allow_auto_create = found->second.allow_auto_create;
  out.definition = merged_definition(table->compose(found->second), out.definition);
  return out;
}

}  // namespace cairn::index
