// SPDX-License-Identifier: Apache-2.0
#include "api/field_capabilities.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/strings.h"
#include "index/mapping/runtime_field.h"
#include "os/steps.h"

namespace cairn::api {
namespace {

using index::Field;
using index::FieldType;

/// What one field of one index can do.
struct Capability {
  std::string type;
  bool metadata = false;
  bool searchable = false;
  bool aggregatable = false;
  const Json* meta = nullptr;
};

bool has_column(const Field& field) {
  const bool kept = field.type == FieldType::keyword || field.type == FieldType::boolean ||
                    field.type == FieldType::date || index::is_number(field.type);
  return kept && field.doc_values;
}

Capability capability_of(const Field& field) {
  if (field.type == FieldType::object)
    return {.type = std::string(index::name_of(field.declared_type()))};
  // A client that looks for texts to search finds those with a meaning among them.
  const bool is_text = field.type == FieldType::semantic_text;
  return {.type = is_text ? "text" : std::string(index::name_of(field.declared_type())),
          .searchable = is_text || field.index || has_column(field),
          .aggregatable = has_column(field),
          .meta = field.given.find("meta")};
}

struct MetadataField {
  std::string_view name;
  bool searchable = false;
  bool aggregatable = false;
};
constexpr MetadataField metadata_fields[] = {{"_id", true, false},     {"_ignored", true, true},
                                             {"_index", true, false},  {"_routing", true, true},
                                             {"_seq_no", true, false}, {"_source", false, false}};

/// One type of a name: the indices that have it so.
struct TypeOfField {
  bool metadata = false;
  std::vector<std::string> indices;
  std::vector<std::string> not_searchable;
  std::vector<std::string> not_aggregatable;
  std::map<std::string, std::set<std::string>> meta;

  void add(const std::string& index, const Capability& one) {
    metadata = one.metadata;
    indices.push_back(index);
    if (!one.searchable) not_searchable.push_back(index);
    if (!one.aggregatable) not_aggregatable.push_back(index);
    if (one.meta == nullptr || !one.meta->is_object()) return;
    for (const auto& [key, value] : one.meta->as_object())
      if (value.is_string()) meta[key].insert(value.as_string());
  }

  Json shown(std::string_view type, bool has_others) const {
    const bool searchable = not_searchable.size() < indices.size();
    const bool aggregatable = not_aggregatable.size() < indices.size();
    Json out = Json::object({{"type", type},
                             {"metadata_field", metadata},
                             {"searchable", searchable && not_searchable.empty()},
                             {"aggregatable", aggregatable && not_aggregatable.empty()}});
    if (has_others) out.set("indices", Json::array_of(indices));
    if (searchable && !not_searchable.empty())
      out.set("non_searchable_indices", Json::array_of(not_searchable));
    if (aggregatable && !not_aggregatable.empty())
      out.set("non_aggregatable_indices", Json::array_of(not_aggregatable));
    if (meta.empty()) return out;
    Json::Object of_all;
    for (const auto& [key, values] : meta) of_all.emplace_back(key, Json::array_of(values));
    out.set("meta", Json(std::move(of_all)));
    return out;
  }
};

class Capabilities {
 public:
  Capabilities(const FieldRequest& request, const os::Deadline& deadline)
      : request_(request), steps_(deadline, "listing fields") {}

  Status add(const index::Index& index) {
    names_.push_back(index.name());
    auto mapping = index.mapping();
    if (!request_.runtime_mappings.is_null()) {
      CAIRN_TRY(mapping, index::with_runtime_fields(*mapping, request_.runtime_mappings));
    }
    std::set<std::string, std::less<>> seen;
    for (const std::string& pattern : request_.fields) {
      CAIRN_CHECK(steps_.take(mapping->size() + 1));
      add_metadata(pattern, seen);
      if (request_.only_metadata) continue;
      for (const Field* field : mapping->match(pattern)) {
        if (field->is_multi_field && !request_.multi_fields) continue;
        if (!request_.nested && mapping->nested_above(field->name) != nullptr) continue;
        if (request_.parents) add_parents(*mapping, field->name, seen);
        if (seen.insert(field->name).second) put(field->name, capability_of(*field));
      }
      const Field* whole = mapping->find(pattern);
      if (whole != nullptr && whole->type == FieldType::object && request_.parents &&
          (request_.nested || !whole->is_nested) &&
          seen.insert(whole->name).second)
        put(whole->name, capability_of(*whole));
    }
    return ok_status();
  }

  Json shown() const {
    Json::Object fields;  // of names that differ: none is looked for
    for (const auto& [name, types] : fields_) {
      Json all = Json::object();
      const std::vector<std::string> lacking = request_.unmapped ? without(types) : no_names();
      const bool has_others = types.size() + (lacking.empty() ? 0 : 1) > 1;
      for (const auto& [type, one] : types) all.set(type, one.shown(type, has_others));
      if (!lacking.empty()) all.set("unmapped", unmapped(lacking));
      fields.emplace_back(name, std::move(all));
    }
    return Json::object({{"indices", Json::array_of(names_)}, {"fields", Json(std::move(fields))}});
  }

 private:
  using Types = std::map<std::string, TypeOfField>;

  static std::vector<std::string> no_names() { return {}; }
  static Json unmapped(const std::vector<std::string>& indices) {
    return Json::object({{"type", "unmapped"},
                         {"metadata_field", false},
                         {"searchable", false},
                         {"aggregatable", false},
                         {"indices", Json::array_of(indices)}});
  }

  void put(const std::string& name, const Capability& one) {
    const auto& types = request_.types;
    if (!types.empty() && std::find(types.begin(), types.end(), one.type) == types.end()) return;
    fields_[name][one.type].add(names_.back(), one);
  }
  void add_metadata(std::string_view pattern, std::set<std::string, std::less<>>& seen) {
    if (!request_.metadata) return;
    for (const MetadataField& field : metadata_fields) {
      if (!wildcard_match(pattern, field.name) || !seen.insert(std::string(field.name)).second)
        continue;
      put(std::string(field.name), {.type = std::string(field.name),
                                    .metadata = true,
                                    .searchable = field.searchable,
                                    .aggregatable = field.aggregatable});
    }
  }
  void add_parents(const index::Mapping& mapping, std::string_view name,
                   std::set<std::string, std::less<>>& seen) {
    for (auto dot = name.rfind('.'); dot != std::string_view::npos; dot = name.rfind('.')) {
      name = name.substr(0, dot);
      const Field* parent = mapping.find(name);
      if (parent == nullptr || parent->type != FieldType::object) continue;
      if (!seen.insert(std::string(name)).second) return;
      put(std::string(name), capability_of(*parent));
    }
  }
  std::vector<std::string> without(const Types& types) const {
    std::set<std::string> have;
    for (const auto& [type, one] : types) have.insert(one.indices.begin(), one.indices.end());
    std::vector<std::string> out;
    for (const std::string& name : names_)
      if (!have.contains(name)) out.push_back(name);
    return out;
  }

  const FieldRequest& request_;
  os::Steps steps_;
  std::vector<std::string> names_;
  std::map<std::string, Types> fields_;
};

}  // namespace

Result<Json> field_capabilities(const IndexList& indices, const FieldRequest& request,
                                const os::Deadline& deadline) {
  Capabilities out(request, deadline);
  for (const auto& index : indices) CAIRN_CHECK(out.add(*index));
  return out.shown();
}

}  // namespace cairn::api
