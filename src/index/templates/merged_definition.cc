// SPDX-License-Identifier: Apache-2.0
#include "index/templates/merged_definition.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "index/mapping/mapping.h"

namespace cairn::index {
namespace {

// What lies deeper stays as it is; no mapping takes it (index.mapping.depth.limit).
constexpr std::size_t pieces_max = 48;

/// A field, or an object of fields. Found in log n steps, where an object of JSON takes n.
struct FieldNode {
  Json own = Json::object();  // its members but `properties`
  std::map<std::string, FieldNode, std::less<>> properties = {};

  bool is_object() const {
    if (!own.is_object()) return false;
    const Json* type = own.find("type");
    return type == nullptr || (type->is_string() && type->as_string() == "object");
  }

  /// Lays the members of an object over what is there. `room`: how many pieces deeper it may go.
  void add(const Json& json, std::size_t room) {
    if (!json.is_object()) {
      own = json;
      return;
    }
    for (const auto& [name, value] : json.as_object())
      if (name == "properties" && value.is_object() && room > 0)
        for (const auto& [path, field] : value.as_object()) lay(path, field, room);
      else
        own.set(name, value);
  }

  /// Lays a field over what is there.
  void lay(std::string_view path, const Json& json, std::size_t room) {
    const auto dot = room > 1 ? path.find('.') : std::string_view::npos;
    FieldNode& node = properties.try_emplace(std::string(path.substr(0, dot))).first->second;
    if (dot != std::string_view::npos) {
      if (!node.is_object()) node = {};
      node.lay(path.substr(dot + 1), json, room - 1);
      return;
    }
    FieldNode above;
    above.add(json, room - 1);
    node.merge(std::move(above));
  }

  /// As deep as trees are. Each node is moved once.
  void merge(FieldNode&& above) {
    if (!above.is_object() || !is_object()) {
      *this = std::move(above);
      return;
    }
    for (auto& [name, value] : above.own.as_object()) own.set(name, std::move(value));
    for (auto& [name, node] : above.properties) {
      const auto [place, fresh] = properties.try_emplace(name);
      if (fresh)
        place->second = std::move(node);
      else
        place->second.merge(std::move(node));
    }
  }

  Json to_json() const {
    Json out = own;
    if (properties.empty()) return out;
    Json::Object fields;
    fields.reserve(properties.size());
    for (const auto& [name, node] : properties) fields.emplace_back(name, node.to_json());
    out.set("properties", Json(std::move(fields)));
    return out;
  }
};

std::string_view name_of_rule(const Json& rule) {
  if (!rule.is_object() || rule.as_object().empty()) return {};
  return rule.as_object().front().first;
}

/// Rules are tried in order: one that is replaced stays where it is.
Json merged_rules(const Json& below, const Json& above) {
  if (!below.is_array() || !above.is_array()) return above;
  std::map<std::string, std::size_t, std::less<>> places;
  Json::Array out = below.as_array();
  for (std::size_t i = 0; i < out.size(); ++i) places.emplace(name_of_rule(out[i]), i);
  for (const Json& rule : above.as_array()) {
    const auto found = places.find(name_of_rule(rule));
    if (found != places.end())
      out[found->second] = rule;
    else
      out.push_back(rule);
  }
  return Json(std::move(out));
}

/// Those of the same name are replaced whole.
Json merged_members(const Json& below, const Json& above) {
  std::map<std::string_view, std::size_t> places;
  Json::Object out = below.as_object();
  out.reserve(out.size() + above.as_object().size());
  for (std::size_t i = 0; i < below.as_object().size(); ++i)
    places.emplace(below.as_object()[i].first, i);
  for (const auto& [name, value] : above.as_object()) {
    const auto [place, is_new] = places.emplace(name, out.size());
    if (is_new)
      out.emplace_back(name, value);
    else
      out[place->second].second = value;
  }
  return Json(std::move(out));
}

Json without_nulls(const Json& json) {
  if (!json.is_object()) return json;
  Json::Object out;
  for (const auto& [name, value] : json.as_object())
    if (!value.is_null()) out.emplace_back(name, without_nulls(value));
  return Json(std::move(out));
}

Json merged_settings(const Json& below, const Json& above) {
  if (above.is_null()) return below;
  // A setting that is null takes away what was said below.
  return without_nulls(below.is_null() ? above : merge_mapping_json(below, above));
}

}  // namespace

Json merged_mappings(const Json& below, const Json& above) {
  if (above.is_null()) return below;
  if (!above.is_object()) return above;  // refused where it is read
  FieldNode root;
  if (below.is_object()) root.add(below, pieces_max);
  for (const auto& [name, value] : above.as_object()) {
    const Json* old = root.own.find(name);
    if (name == "properties" && value.is_object())
      root.add(Json::object({{name, value}}), pieces_max);
    else if (name == "dynamic_templates" && old != nullptr)
      root.own.set(name, merged_rules(*old, value));
    else if (name == "runtime" && old != nullptr && old->is_object() && value.is_object())
      root.own.set(name, merged_members(*old, value));
    else if (name == "_meta" && old != nullptr)
      root.own.set(name, merge_mapping_json(*old, value));
    else
      root.own.set(name, value);
  }
  return root.to_json();
}

IndexDefinition merged_definition(IndexDefinition below, const IndexDefinition& above) {
  below.mappings = merged_mappings(below.mappings, above.mappings);
  below.settings = merged_settings(below.settings, above.settings);
  for (const auto& [alias, properties] : above.aliases) {
    const auto found = std::find_if(below.aliases.begin(), below.aliases.end(),
                                    [&](const auto& one) { return one.first == alias; });
    if (found != below.aliases.end())
      found->second = properties;
    else
      below.aliases.emplace_back(alias, properties);
  }
  return below;
}

}  // namespace cairn::index
