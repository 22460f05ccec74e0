// SPDX-License-Identifier: Apache-2.0
// parse_json: simdjson makes a flat document, which is turned into a tree. What it refuses goes to
// the strict parser, for a worded error or for the rare text that only that one reads.
#include <simdjson.h>

#include <memory>

#include "format/json_strict.h"

namespace cairn {
namespace {

constexpr std::size_t kept_capacity = 1 << 20;  // a thread keeps no buffers beyond this

bool convert(simdjson::dom::element from, const JsonLimits& left, Json& to);

JsonLimits one_deeper(JsonLimits left) {
  --left.depth;
  return left;
}

bool convert_object(const simdjson::dom::object& from, const JsonLimits& left, Json& to) {
  Json::Object members;
  members.reserve(from.size());
  for (const auto member : from) {
    Json::Member& place = members.emplace_back(std::string(member.key), Json());
    if (!convert(member.value, left, place.second)) return false;
  }
  if (keep_last_members(members) && left.unique_names) return false;
  to = Json(std::move(members));
  return true;
}

bool convert_array(const simdjson::dom::array& from, const JsonLimits& left, Json& to) {
  Json::Array elements;
  elements.reserve(from.size());
  for (const auto element : from) {
    if (!convert(element, left, elements.emplace_back())) return false;
  }
  to = Json(std::move(elements));
  return true;
}

// False where the text is nested deeper than allowed, or has a name twice that it may not.
bool convert(simdjson::dom::element from, const JsonLimits& left, Json& to) {
  using Type = simdjson::dom::element_type;
  switch (from.type()) {
    case Type::OBJECT:
      return left.depth > 0 &&
             convert_object(from.get_object().value_unsafe(), one_deeper(left), to);
    case Type::ARRAY:
      return left.depth > 0 && convert_array(from.get_array().value_unsafe(), one_deeper(left), to);
    case Type::STRING:
      to = Json(from.get_string().value_unsafe());
      return true;
    case Type::INT64:
      to = Json(from.get_int64().value_unsafe());
      return true;
    case Type::UINT64:
      to = Json(from.get_uint64().value_unsafe());
      return true;
    case Type::DOUBLE:
      to = Json(from.get_double().value_unsafe());
      return true;
    case Type::BOOL:
      to = Json(from.get_bool().value_unsafe());
      return true;
    case Type::NULL_VALUE:
      to = Json(nullptr);
      return true;
  }
  return false;
}

}  // namespace

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
  thread_local std::unique_ptr<simdjson::dom::parser> parser;
  if (parser == nullptr) parser = std::make_unique<simdjson::dom::parser>();
  simdjson::dom::element root;
  Json value;
  const bool parsed = parser->parse(text.data(), text.size()).get(root) == simdjson::SUCCESS &&
                      convert(root, limits, value);
  if (parser->capacity() > kept_capacity) parser.reset();
  if (parsed) return value;
  return parse_json_strictly(text, limits);
}

}  // namespace cairn
