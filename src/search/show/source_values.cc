// SPDX-License-Identifier: Apache-2.0
#include "search/show/source_values.h"

#include <map>
#include <string>
#include <string_view>

#include "search/source_filter.h"

namespace cairn::search {
namespace {

using index::Field;

/// The fields of a document, or of one object of a nested field.
struct Scope {
  std::string path;  // of the nested field; empty: the document
  std::vector<const ShownField*> fields;
  std::map<std::string, Scope> nested;  // by the paths of nested fields in it

  std::string_view within(std::string_view name) const {
    return path.empty() ? name : name.substr(path.size() + 1);
  }
};

// The scope of a nested field below `top`, with those around it.
Scope& scope_at(Scope& top, const Field* nested, const index::Mapping& mapping) {
  if (nested == nullptr) return top;
  Scope& above = scope_at(top, mapping.nested_above(nested->name), mapping);
  Scope& own = above.nested[nested->name];
  own.path = nested->name;
  return own;
}

Json values_in(const Scope& scope, const Json& source, std::size_t most, std::size_t& bytes) {
  Json out = Json::object();
  for (const ShownField* one : scope.fields) {
    if (bytes > most) return out;
    Json::Array values;
    for (const Json& value : values_at(source, scope.within(one->path)))
      if (Json shown = shown_value(*one->field, value, one->format); !shown.is_null()) {
        bytes += shown.is_string() ? shown.as_string().size() : 0;
        values.push_back(std::move(shown));
      }
    if (!values.empty())
      out.as_object().emplace_back(scope.within(one->field->name), std::move(values));
  }
  for (const auto& [path, nested] : scope.nested) {
    Json::Array objects;
    for (const Json& object : values_at(source, scope.within(path)))
      if (Json shown = values_in(nested, object, most, bytes); !shown.as_object().empty())
        objects.push_back(std::move(shown));
    if (!objects.empty()) out.as_object().emplace_back(scope.within(path), std::move(objects));
  }
  return out;
}

}  // namespace

Json values_of_source(const std::vector<ShownField>& fields, const index::Mapping& mapping,
                      const Json& source, std::size_t most, std::size_t& bytes) {
  Scope top;
  for (const ShownField& one : fields)
    scope_at(top, mapping.nested_above(one.field->name), mapping).fields.push_back(&one);
  return values_in(top, source, most, bytes);
}

}  // namespace cairn::search
