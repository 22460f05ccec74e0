// SPDX-License-Identifier: Apache-2.0
// Values to and from JSON, which the generic code of parameters speaks.
#include "objectclient/value.h"

#include "format/json.h"
#include "format/time.h"
#include "objectclient/call/value_json.h"

namespace cairn::objectclient {
namespace {

const Value nothing;

}  // namespace

Value Value::list(List elements) {
  Value out;
  out.value_ = std::move(elements);
  return out;
}

Value Value::map(Params members) {
  Value out;
  out.value_ = std::move(members);
  return out;
}

const Value& Value::operator[](std::string_view name) const {
  if (const Params* const all = members())
    for (const auto& [member, value] : *all)
      if (member == name) return value;
  return nothing;
}

const Value& Value::element(std::size_t index) const {
  const List* const all = elements();
  return all != nullptr && index < all->size() ? (*all)[index] : nothing;
}

std::string Value::to_json() const { return json_of(*this).dump(); }

Result<Value> Value::from_json(std::string_view json) {
  CAIRN_TRY(const Json parsed, parse_json(json));
  return value_of(parsed);
}

Json json_of(const Value& value) {
  if (const auto* boolean = value.boolean()) return Json(*boolean);
  if (const auto* integer = value.integer()) return Json(*integer);
  if (const auto* number = value.number()) return Json(*number);
  if (const auto* time = value.time()) return Json(format_iso8601(time->unix_ms));
  if (const auto* text = value.text()) return Json(*text);
  if (const auto* members = value.members()) return json_of(*members);
  if (const auto* elements = value.elements()) {
    Json out = Json::array();
    for (const Value& element : *elements) out.push(json_of(element));
    return out;
  }
  return {};
}

Json json_of(const Params& params) {
  Json out = Json::object();
  for (const auto& [name, value] : params) out.set(name, json_of(value));
  return out;
}

Value value_of(const Json& json) {
  switch (json.type()) {
    case Json::Type::null:
      return {};
    case Json::Type::boolean:
      return json.as_bool();
    case Json::Type::integer:
    case Json::Type::unsigned_integer:
      return json.as_int();
    case Json::Type::number:
      return json.as_double();
    case Json::Type::string:
      return json.as_string();
    case Json::Type::array: {
      Value::List elements;
      for (const Json& element : json.as_array()) elements.push_back(value_of(element));
      return Value::list(std::move(elements));
    }
    case Json::Type::object: {
      Params members;
      for (const auto& [name, value] : json.as_object())
        members.emplace_back(name, value_of(value));
      return Value::map(std::move(members));
    }
  }
  return {};
}

}  // namespace cairn::objectclient
