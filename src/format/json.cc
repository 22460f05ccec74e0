// SPDX-License-Identifier: Apache-2.0
// The Json tree.
#include "format/json.h"

#include "base/assert.h"

namespace cairn {
namespace {

void append_pretty(const Json& v, std::size_t indent, std::string& out) {
  const auto new_line = [&](std::size_t width) { out.append("\n").append(width, ' '); };
  if (v.is_object()) {
    const Json::Object& members = v.as_object();
    if (members.empty()) {
      out += "{ }";
      return;
    }
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out += ',';
      new_line(indent + 2);
      append_json_string(out, members[i].first);
      out += " : ";
      append_pretty(members[i].second, indent + 2, out);
    }
    new_line(indent);
    out += '}';
  } else if (v.is_array()) {
    const Json::Array& elements = v.as_array();
    if (elements.empty()) {
      out += "[ ]";
      return;
    }
    out += '[';
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) out += ',';
      new_line(indent + 2);
      append_pretty(elements[i], indent + 2, out);
    }
    new_line(indent);
    out += ']';
  } else {
    JsonWriter(out).value(v);
  }
}

}  // namespace

Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json::Json(std::uint64_t v) {
  if (v <= INT64_MAX) {
    value_ = static_cast<std::int64_t>(v);
  } else {
    value_ = v;
  }
}

Json::Json(float v) : value_(Float{v}) {}

Json Json::object(std::initializer_list<Member> members) { return Json(Object(members)); }
Json Json::array(std::initializer_list<Json> elements) { return Json(Array(elements)); }

Json::Type Json::type() const {
  constexpr Type types[] = {Type::null,   Type::boolean, Type::integer, Type::unsigned_integer,
                            Type::number, Type::string,  Type::array,   Type::object,
                            Type::number};
  return types[value_.index()];
}

bool Json::is_count() const {
  return type() == Type::unsigned_integer ||
         (type() == Type::integer && std::get<std::int64_t>(value_) >= 0);
}

bool Json::as_bool() const {
  CAIRN_ASSERT(is_bool());
  return std::get<bool>(value_);
}

std::int64_t Json::as_int() const {
  CAIRN_ASSERT(is_integer());
  return type() == Type::integer ? std::get<std::int64_t>(value_) : INT64_MAX;
}

std::uint64_t Json::as_unsigned() const {
  CAIRN_ASSERT(is_count());
  if (type() == Type::unsigned_integer) return std::get<std::uint64_t>(value_);
  return static_cast<std::uint64_t>(std::get<std::int64_t>(value_));
}

double Json::as_double() const {
  if (const auto* v = std::get_if<double>(&value_)) return *v;
  if (const auto* v = std::get_if<Float>(&value_)) return static_cast<double>(v->value);
  if (const auto* v = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*v);
  CAIRN_ASSERT(type() == Type::unsigned_integer);
  return static_cast<double>(std::get<std::uint64_t>(value_));
}

const std::string& Json::as_string() const {
  CAIRN_ASSERT(is_string());
  return std::get<std::string>(value_);
}

const Json::Array& Json::as_array() const {
  CAIRN_ASSERT(is_array());
  return std::get<Array>(value_);
}

Json::Array& Json::as_array() {
  CAIRN_ASSERT(is_array());
  return std::get<Array>(value_);
}

const Json::Object& Json::as_object() const {
  CAIRN_ASSERT(is_object());
  return std::get<Object>(value_);
}

Json::Object& Json::as_object() {
  CAIRN_ASSERT(is_object());
  return std::get<Object>(value_);
}

const Json* Json::find(std::string_view name) const {
  const auto* members = std::get_if<Object>(&value_);
  if (members == nullptr) return nullptr;
  for (const Member& member : *members) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

Json* Json::find(std::string_view name) {
  return const_cast<Json*>(static_cast<const Json*>(this)->find(name));
}

const Json* Json::find_path(std::string_view dotted) const {
  const Json* at = this;
  while (at != nullptr) {
    const std::size_t dot = dotted.find('.');
    at = at->find(dotted.substr(0, dot));
    if (dot == std::string_view::npos) break;
    dotted.remove_prefix(dot + 1);
  }
  return at;
}

Json& Json::set(std::string_view name, Json value) {
  if (is_null()) value_ = Object();
  if (Json* there = find(name)) return *there = std::move(value);
  return as_object().emplace_back(std::string(name), std::move(value)).second;
}

bool Json::erase(std::string_view name) {
  auto* members = std::get_if<Object>(&value_);
  if (members == nullptr) return false;
  return std::erase_if(*members, [&](const Member& m) { return m.first == name; }) > 0;
}

Json& Json::push(Json value) {
  if (is_null()) value_ = Array();
  return as_array().emplace_back(std::move(value));
}

std::string Json::string_or(std::string_view name, std::string_view fallback) const {
  const Json* v = find(name);
  return v != nullptr && v->is_string() ? v->as_string() : std::string(fallback);
}

std::int64_t Json::int_or(std::string_view name, std::int64_t fallback) const {
  const Json* v = find(name);
  return v != nullptr && v->is_integer() ? v->as_int() : fallback;
}

double Json::double_or(std::string_view name, double fallback) const {
  const Json* v = find(name);
  return v != nullptr && v->is_number() ? v->as_double() : fallback;
}

bool Json::bool_or(std::string_view name, bool fallback) const {
  const Json* v = find(name);
  return v != nullptr && v->is_bool() ? v->as_bool() : fallback;
}

std::string Json::dump(bool pretty) const {
  std::string out;
  if (pretty) {
    append_pretty(*this, 0, out);
  } else {
    JsonWriter(out).value(*this);
  }
  return out;
}

bool operator==(const Json& a, const Json& b) {
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Json::Type::null:
      return true;
    case Json::Type::boolean:
      return a.as_bool() == b.as_bool();
    case Json::Type::integer:
      return a.as_int() == b.as_int();
    case Json::Type::unsigned_integer:
      return a.as_unsigned() == b.as_unsigned();
    case Json::Type::number:
      return a.as_double() == b.as_double();
    case Json::Type::string:
      return a.as_string() == b.as_string();
    case Json::Type::array:
      return a.as_array() == b.as_array();
    case Json::Type::object:
      return a.as_object() == b.as_object();
  }
  return false;
}

}  // namespace cairn
