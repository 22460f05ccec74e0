// SPDX-License-Identifier: Apache-2.0
// Templates of the catalogue: one record in the store, which a change replaces.
#include <algorithm>

#include "index/errors.h"
#include "index/indices_impl.h"
#include "index/settings/settings.h"
#include "index/templates/merged_definition.h"
#include "index/templates/stored_scripts.h"
#include "index/templates/template_changes.h"
#include "os/log.h"
#include "os/threads/blocking.h"

namespace cairn::index {
namespace {

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
  const MutexLock lock(impl_->naming);
  CAIRN_TRY(const TemplateTable now, impl_->templates_to_change(deadline));
  const auto streams = data_streams();
  CAIRN_TRY(auto next,
            with_template(now, name, std::move(component), only_new,
                          {*streams, impl_->shared.options.total_fields_limit, check, deadline}));
  return next ? impl_->put_templates(*std::move(next), deadline) : ok_status();
}

Status Indices::put_template(const std::string& name, IndexTemplate index_template, bool only_new,
                             const CheckAliases& check, const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(impl_->naming);
  CAIRN_TRY(const TemplateTable now, impl_->templates_to_change(deadline));
  const auto streams = data_streams();
  CAIRN_TRY(auto next,
            with_template(now, name, std::move(index_template), only_new,
                          {*streams, impl_->shared.options.total_fields_limit, check, deadline}));
  return next ? impl_->put_templates(*std::move(next), deadline) : ok_status();
}

Status Indices::check_template(const TemplateTable& table, const std::string& name,
                               const CheckAliases& check) const {
  CAIRN_CHECK(table.check_template(name));
  return check_composed(table.compose(table.templates().find(name)->second),
                        impl_->shared.options.total_fields_limit, check);
}

Status Indices::remove_component_templates(const std::vector<std::string>& names,
                                           const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(impl_->naming);
  CAIRN_TRY(const TemplateTable now, impl_->templates_to_change(deadline));
  CAIRN_TRY(TemplateTable next, without_components(now, names));
  return impl_->put_templates(std::move(next), deadline);
}

Status Indices::remove_index_templates(const std::vector<std::string>& names,
                                       const os::Deadline& deadline) {
  const os::Blocking blocking;
  const MutexLock lock(impl_->naming);
  CAIRN_TRY(const TemplateTable now, impl_->templates_to_change(deadline));
  CAIRN_TRY(TemplateTable next, without_templates(now, names, *data_streams(), deadline));
  return impl_->put_templates(std::move(next), deadline);
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
