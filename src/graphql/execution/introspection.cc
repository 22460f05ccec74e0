// SPDX-License-Identifier: Apache-2.0
// A type is passed on as the text of a reference to it, "[Name!]", from which each field is read.
#include "graphql/execution/introspection.h"

#include <string>

#include "graphql/schema/values.h"

namespace cairn::graphql {
namespace {

using Definition = TypeDefinition::Kind;

const char* kind_name(const SchemaType& type) {
  switch (type.definition.kind) {
    case Definition::scalar:
      return "SCALAR";
    case Definition::object:
      return "OBJECT";
    case Definition::interface:
      return "INTERFACE";
    case Definition::union_type:
      return "UNION";
    case Definition::enumeration:
      return "ENUM";
    default:
      return "INPUT_OBJECT";
  }
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// Sets isDeprecated and deprecationReason.
void put_deprecation(const std::vector<Directive>& directives, Json& out) {
  Json reason;
  for (const Directive& one : directives) {
    if (one.name != "deprecated") continue;
    reason = one.arguments.empty() ? "No longer supported" : one.arguments.front().value.text;
  }
  out.set("isDeprecated", !reason.is_null());
  out.set("deprecationReason", std::move(reason));
}

Json inputs_of(const std::vector<InputValueDefinition>& inputs) {
  Json out = Json::array();
  for (const InputValueDefinition& one : inputs) {
    Json input =
        Json::object({{"name", one.name},
                      {"description", text_or_null(one.description)},
                      {"type", text_of(one.type)},
                      {"defaultValue", one.initial ? Json(print_value(*one.initial)) : Json()}});
    put_deprecation(one.directives, input);
    out.push(std::move(input));
  }
  return out;
}

Json fields_of(const SchemaType& type) {
  Json out = Json::array();
  for (const SchemaField& one : type.fields) {
    Json field = Json::object({{"name", one.definition.name},
                               {"description", text_or_null(one.definition.description)},
                               {"args", inputs_of(one.definition.arguments)},
                               {"type", text_of(one.definition.type)}});
    put_deprecation(one.definition.directives, field);
    out.push(std::move(field));
  }
  return out;
}

Json values_of(const SchemaType& type) {
  Json out = Json::array();
  for (const EnumValueDefinition& one : type.definition.values) {
    Json value = Json::object({{"name", one.name}, {"description", text_or_null(one.description)}});
    put_deprecation(one.directives, value);
    out.push(std::move(value));
  }
  return out;
}

Json names_of(const std::vector<const SchemaType*>& types) {
  Json out = Json::array();
  for (const SchemaType* const one : types) out.push(one->name());
  return out;
}

/// Without those that are deprecated, unless they are asked for too.
Json kept(const FieldCall& call, Json all) {
  if (call.arguments.bool_or("includeDeprecated")) return all;
  std::erase_if(all.as_array(), [](const Json& one) { return one.bool_or("isDeprecated"); });
  return all;
}

/// The type that a reference names; null where it wraps one.
const SchemaType* named(const FieldCall& call) {
  return call.source.is_string() ? call.schema.find(call.source.as_string()) : nullptr;
}

Resolver of_named(Json (*get)(const SchemaType&), bool (*has)(const SchemaType&)) {
  return [get, has](const FieldCall& call) -> Result<Json> {
    const SchemaType* const type = named(call);
    if (type == nullptr || !has(*type)) return Json();
    return kept(call, get(*type));
  };
}

Result<Json> kind_of_type(const FieldCall& call) {
  const std::string& text = call.source.as_string();
  if (text.ends_with('!')) return Json("NON_NULL");
  if (text.starts_with('[')) return Json("LIST");
  const SchemaType* const type = named(call);
  return type == nullptr ? Json() : Json(kind_name(*type));
}

Result<Json> inner_type(const FieldCall& call) {
  const std::string& text = call.source.as_string();
  if (text.ends_with('!')) return Json(text.substr(0, text.size() - 1));
  if (text.starts_with('[')) return Json(text.substr(1, text.size() - 2));
  return Json();
}

Result<Json> schema_source(const FieldCall& call) {
  Json types = Json::array();
  for (const auto& one : call.schema.types()) types.push(one->name());
  Json directives = Json::array();
  for (const TypeDefinition& one : call.schema.directives())
    directives.push(Json::object({{"name", one.name},
                                  {"description", text_or_null(one.description)},
                                  {"isRepeatable", one.repeatable},
                                  {"locations", Json::array_of(one.locations)},
                                  {"args", inputs_of(one.inputs)}}));
  return Json::object(
      {{"types", std::move(types)},
       {"queryType", call.schema.query().name()},
       {"mutationType",
        call.schema.mutation() == nullptr ? Json() : Json(call.schema.mutation()->name())},
       {"directives", std::move(directives)}});
}

Result<Json> specified_by(const FieldCall& call) {
  const SchemaType* const type = named(call);
  if (type == nullptr) return Json();
  for (const Directive& one : type->definition.directives)
    if (one.name == "specifiedBy" && !one.arguments.empty())
      return Json(one.arguments.front().value.text);
  return Json();
}

Result<Json> arguments_of_source(const FieldCall& call) {
  const Json* const all = call.source.find("args");
  return all == nullptr ? Json::array() : kept(call, *all);
}

}  // namespace

Status bind_introspection(Schema& schema) {
  const auto has_fields = [](const SchemaType& type) {
    return type.definition.kind == Definition::object ||
           type.definition.kind == Definition::interface;
  };
  const auto is_abstract = [](const SchemaType& type) { return type.is_abstract(); };
  const auto is_enum = [](const SchemaType& type) {
    return type.definition.kind == Definition::enumeration;
  };
  const auto is_input = [](const SchemaType& type) {
    return type.definition.kind == Definition::input;
  };
  const std::pair<const char*, Resolver> of_type[] = {
      {"kind", kind_of_type},
      {"ofType", inner_type},
      {"specifiedByURL", specified_by},
      {"name",
       [](const FieldCall& call) -> Result<Json> {
         const SchemaType* const type = named(call);
         return type == nullptr ? Json() : Json(type->name());
       }},
      {"description",
       [](const FieldCall& call) -> Result<Json> {
         const SchemaType* const type = named(call);
         return type == nullptr ? Json() : text_or_null(type->definition.description);
       }},
      {"fields", of_named(fields_of, has_fields)},
      {"enumValues", of_named(values_of, is_enum)},
      {"inputFields",
       of_named([](const SchemaType& type) { return inputs_of(type.definition.inputs); },
                is_input)},
      {"interfaces",
       of_named([](const SchemaType& type) { return Json::array_of(type.definition.interfaces); },
                has_fields)},
      {"possibleTypes",
       of_named([](const SchemaType& type) { return names_of(type.possible); }, is_abstract)},
  };
  for (const auto& [field, resolver] : of_type) CAIRN_CHECK(schema.bind("__Type", field, resolver));
  CAIRN_CHECK(schema.bind("__Field", "args", arguments_of_source));
  CAIRN_CHECK(schema.bind("__Directive", "args", arguments_of_source));
  CAIRN_CHECK(schema.bind("__Meta", "__schema", schema_source));
  return schema.bind("__Meta", "__type", [](const FieldCall& call) -> Result<Json> {
    const std::string name = call.arguments.string_or("name");
    return call.schema.find(name) == nullptr ? Json() : Json(name);
  });
}

}  // namespace cairn::graphql
