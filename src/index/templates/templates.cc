// SPDX-License-Identifier: Apache-2.0
// The table of templates: which applies, and what it comes to.
#include "index/templates/templates.h"

#include <algorithm>

#include "base/strings.h"
#include "index/errors.h"
#include "index/templates/merged_definition.h"

namespace cairn::index {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool template_matches(const IndexTemplate& one, std::string_view name) {
  return std::any_of(one.patterns.begin(), one.patterns.end(),
                     [&](const std::string& pattern) { return wildcard_match(pattern, name); });
}

bool overlaps(const IndexTemplate& one, const std::vector<std::string>& patterns) {
  for (const std::string& own : one.patterns)
    for (const std::string& other : patterns)
      if (patterns_overlap(own, other)) return true;
  return false;
}

Error invalid_template(std::string_view name, const std::string& why) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "invalid_index_template_exception",
          .message = "index_template [" + std::string(name) + "] invalid, cause [" + why + "]"};
}

/// What each index of a data stream has, unless its template says something else.
IndexDefinition of_backing_indices() {
  Json fields = Json::object();
  fields.set(timestamp_field_name, Json::object({{"type", "date"}}));
  return {.mappings = Json::object({{"_data_stream_timestamp", Json::object({{"enabled", true}})},
                                    {"properties", std::move(fields)}}),
          .settings = Json::object({{"index", Json::object({{"hidden", "true"}})}})};
}

std::optional<std::string> name_fault(std::string_view name) {
  if (name.empty()) return "must not be empty";
  if (name.size() > 255) return "must not be longer than 255 bytes";
  if (name.front() == '_') return "must not start with '_'";
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') return "must be lower cased";
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F ||
        std::string_view(",#*?\"<>|\\/").find(c) != std::string_view::npos)
      return "must not contain a space or any of , # * ? \" < > | \\ /";
  }
  if (!is_utf8(name)) return "must be UTF-8";
  return std::nullopt;
}

}  // namespace

bool patterns_overlap(std::string_view a, std::string_view b) {
  const auto first_a = a.find('*');
  const auto first_b = b.find('*');
  if (first_a == std::string_view::npos) return wildcard_match(b, a);
  if (first_b == std::string_view::npos) return wildcard_match(a, b);
  // What is between the first and the last star of each can stand one behind the other.
  const auto agree = [](std::string_view x, std::string_view y) {
    return x.starts_with(y) || y.starts_with(x);
  };
  const auto agree_at_end = [](std::string_view x, std::string_view y) {
    return x.ends_with(y) || y.ends_with(x);
  };
  return agree(a.substr(0, first_a), b.substr(0, first_b)) &&
         agree_at_end(a.substr(a.rfind('*') + 1), b.substr(b.rfind('*') + 1));
}

Status check_template_name(std::string_view name) {
  if (const auto fault = name_fault(name)) return invalid_template(name, "name " + *fault);
  return ok_status();
}

Status check_component_name(std::string_view name) {
  if (const auto fault = name_fault(name))
    return illegal_argument("component template name [" + std::string(name) + "] " + *fault);
  return ok_status();
}

void TemplateTable::put(const std::string& name, ComponentTemplate component) {
  components_.insert_or_assign(name, std::move(component));
}

void TemplateTable::put(const std::string& name, IndexTemplate index_template) {
  templates_.insert_or_assign(name, std::move(index_template));
}

bool TemplateTable::remove_component(std::string_view name) {
  const auto found = components_.find(name);
  if (found == components_.end()) return false;
  components_.erase(found);
  return true;
}

bool TemplateTable::remove_template(std::string_view name) {
  const auto found = templates_.find(name);
  if (found == templates_.end()) return false;
  templates_.erase(found);
  return true;
}

const TemplateTable::Named* TemplateTable::match(std::string_view name, bool hidden) const {
  const Named* best = nullptr;
  for (const Named& one : templates_) {
    if (hidden && contains(one.second.patterns, "*")) continue;
    if (!template_matches(one.second, name)) continue;
    if (best == nullptr || one.second.priority > best->second.priority) best = &one;
  }
  return best;
}

bool TemplateTable::matches(std::string_view name_of_template, std::string_view name) const {
  const auto found = templates_.find(name_of_template);
  return found != templates_.end() && template_matches(found->second, name);
}

std::vector<const TemplateTable::Named*> TemplateTable::all_that_match(
    std::string_view name) const {
  std::vector<const Named*> out;
  for (const Named& one : templates_)
    if (template_matches(one.second, name)) out.push_back(&one);
  std::stable_sort(out.begin(), out.end(), [](const Named* a, const Named* b) {
    return a->second.priority > b->second.priority;
  });
  return out;
}

std::vector<std::string> TemplateTable::users_of(std::string_view component) const {
  std::vector<std::string> out;
  for (const auto& [name, one] : templates_)
    if (contains(one.composed_of, component)) out.push_back(name);
  return out;
}

std::vector<const TemplateTable::Named*> TemplateTable::overlapping(
    std::string_view name, const std::vector<std::string>& patterns) const {
  std::vector<const Named*> out;
  for (const Named& one : templates_)
    if (one.first != name && overlaps(one.second, patterns)) out.push_back(&one);
  return out;
}

IndexDefinition TemplateTable::compose(const IndexTemplate& index_template) const {
  IndexDefinition out = index_template.data_stream ? of_backing_indices() : IndexDefinition();
  for (const std::string& name : index_template.composed_of)
    if (const auto found = components_.find(name); found != components_.end())
      out = merged_definition(std::move(out), found->second.definition);
  return merged_definition(std::move(out), index_template.definition);
}

Status TemplateTable::check_template(const std::string& name) const {
  const auto found = templates_.find(name);
  if (found == templates_.end()) return ok_status();
  const IndexTemplate& own = found->second;
  std::vector<std::string> missing;
  for (const std::string& component : own.composed_of)
    if (!components_.contains(component) && !contains(own.ignore_missing, component))
      missing.push_back(component);
  if (!missing.empty())
    return invalid_template(name, "index template [" + name + "] specifies component templates [" +
                                      join(missing, ", ") + "] that do not exist");
  for (const Named* other : overlapping(name, own.patterns)) {
    if (other->second.priority != own.priority) continue;
    return illegal_argument(
        "index template [" + name + "] has index patterns [" + join(own.patterns, ", ") +
        "] matching patterns from existing templates [" + other->first + "] with patterns (" +
        other->first + " => [" + join(other->second.patterns, ", ") +
        "]) that have the same priority [" + std::to_string(own.priority) +
        "], multiple index templates may not match during index creation, please use a different "
        "priority");
  }
  return ok_status();
}

Status TemplateTable::check_size(const TemplateLimits& limits) const {
  if (templates_.size() > limits.templates || components_.size() > limits.templates)
    return illegal_argument("[" + std::to_string(limits.templates) +
                            "] index templates and as many component templates are kept at most; "
                            "delete some");
  const std::size_t bytes = to_json().dump().size();
  if (bytes <= limits.total_bytes) return ok_status();
  return illegal_argument("all templates would take [" + std::to_string(bytes) +
                          "] bytes, at most [" + std::to_string(limits.total_bytes) +
                          "] are kept; delete some, or make them smaller");
}

Json TemplateTable::to_json() const {
  Json components = Json::object();
  components.as_object().reserve(components_.size());
  for (const auto& [name, one] : components_) components.as_object().emplace_back(name, one.shown);
  Json templates = Json::object();
  for (const auto& [name, one] : templates_) templates.as_object().emplace_back(name, one.shown);
  return Json::object(
      {{"component_templates", std::move(components)}, {"index_templates", std::move(templates)}});
}

Result<TemplateTable> TemplateTable::from_json(const Json& json) {
  TemplateTable out;
  const Json* components = json.find("component_templates");
  const Json* templates = json.find("index_templates");
  if (components == nullptr || !components->is_object() || templates == nullptr ||
      !templates->is_object())
    return illegal_argument("it has no component_templates and index_templates");
  for (const auto& [name, body] : components->as_object()) {
    CAIRN_TRY(auto read, read_component_template(body));
    out.put(name, std::move(read));
  }
  for (const auto& [name, body] : templates->as_object()) {
    CAIRN_TRY(auto read, read_index_template(body));
    out.put(name, std::move(read));
  }
  return out;
}

}  // namespace cairn::index
