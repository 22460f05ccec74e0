// SPDX-License-Identifier: Apache-2.0
// Walks a map and a shape side by side.
#include "objectclient/call/params.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/strings.h"
#include "format/time.h"
#include "objectclient/faults.h"

namespace cairn::objectclient {
namespace {

using s3::Member;
using s3::Shape;
using s3::Type;

/// What a value is called in messages.
std::string_view class_of(const Json& value) {
  switch (value.type()) {
    case Json::Type::null:
      return "NilClass";
    case Json::Type::boolean:
      return value.as_bool() ? "TrueClass" : "FalseClass";
    case Json::Type::integer:
    case Json::Type::unsigned_integer:
      return "Integer";
    case Json::Type::number:
      return "Float";
    case Json::Type::string:
      return "String";
    case Json::Type::array:
      return "Array";
    case Json::Type::object:
      return "Hash";
  }
  return "Object";
}

std::string_view wanted(Type type) {
  switch (type) {
    case Type::text:
      return "a String";
    case Type::integer:
      return "an Integer";
    case Type::boolean:
      return "true or false";
    case Type::time:
      return "a Time object";
    case Type::text_list:
    case Type::structure_list:
      return "an Array";
    case Type::text_map:
    case Type::structure:
      return "a hash";
  }
  return "a value";
}

std::optional<std::int64_t> integer_of(const Json& value, bool convert) {
  if (value.is_integer()) return value.as_int();
  if (!convert) return std::nullopt;
  if (value.is_number()) {
    const double number = std::trunc(value.as_double());
    if (std::abs(number) < 9e18) return static_cast<std::int64_t>(number);
    return std::nullopt;
  }
  if (!value.is_string()) return std::nullopt;
  const std::string& text = value.as_string();
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault == std::errc{} && end == text.data() + text.size()) return number;
  return std::nullopt;
}

std::optional<bool> boolean_of(const Json& value, bool convert) {
  if (value.is_bool()) return value.as_bool();
  if (!convert || !value.is_string()) return std::nullopt;
  if (value.as_string() == "true") return true;
  if (value.as_string() == "false") return false;
  return std::nullopt;
}

/// A map has no type of its own for times, so a text in ISO 8601 is one; numbers are seconds.
std::optional<s3::Time> time_of(const Json& value, bool convert) {
  if (value.is_string()) {
    if (const auto ms = parse_iso8601(value.as_string())) return s3::Time{*ms};
    if (const auto ms = parse_http_date(value.as_string()); ms && convert) return s3::Time{*ms};
    return std::nullopt;
  }
  if (!convert || !value.is_number()) return std::nullopt;
  const double ms = value.as_double() * 1000;
  if (!(std::abs(ms) < 9e15)) return std::nullopt;
  return s3::Time{static_cast<std::int64_t>(std::llround(ms))};
}

std::optional<std::string> text_of(const Json& value, bool convert) {
  if (value.is_string()) return value.as_string();
  if (convert && (value.is_number() || value.is_bool())) return value.dump();
  return std::nullopt;
}

class Reading {
 public:
  explicit Reading(const ParamRules& rules) : rules_(rules) {}

  void structure(const Shape& shape, const Json& params, const std::string& path, void* into) {
    if (!params.is_object()) return mismatch(path, Type::structure, params);
    for (const auto& [name, value] : params.as_object()) {
      const Member* const member = shape.find(name);
      if (member == nullptr) {
        faults_.push_back("unexpected value at " + path + "[:" + name + "]");
      } else if (!value.is_null()) {
        field(*member, value, path + "[:" + name + "]", member->field(into));
      }
    }
    for (const Member& member : shape.members) {
      const Json* const given = params.find(member.name);
      if (member.required && (given == nullptr || given->is_null()))
        faults_.push_back("missing required parameter " + path + "[:" + std::string(member.name) +
                          "]");
    }
  }

  const std::vector<std::string>& faults() const { return faults_; }

 private:
  void mismatch(const std::string& path, Type type, const Json& value) {
    faults_.push_back("expected " + path + " to be " + std::string(wanted(type)) + ", got class " +
                      std::string(class_of(value)) + " instead.");
  }

  template <class T>
  void set(const Member& member, const std::optional<T>& value, const Json& given,
           const std::string& path, void* into) {
    if (!value) return mismatch(path, member.type, given);
    *static_cast<T*>(member.access->value(into)) = *value;
  }

  void field(const Member& member, const Json& value, const std::string& path, void* into) {
    const bool convert = rules_.convert_params;
    switch (member.type) {
      case Type::text:
        if (member.required &&
            (member.wire.place == s3::Place::bucket || member.wire.place == s3::Place::key) &&
            value.is_string() && value.as_string().empty())
          faults_.push_back("required uri param " + path + " must not be blank");
        return set(member, text_of(value, convert), value, path, into);
      case Type::integer:
        return set(member, integer_of(value, convert), value, path, into);
      case Type::boolean:
        return set(member, boolean_of(value, convert), value, path, into);
      case Type::time:
        return set(member, time_of(value, convert), value, path, into);
      case Type::text_map:
        return map(member, value, path, into);
      case Type::structure:
        if (!value.is_object()) return mismatch(path, member.type, value);
        return structure(member.shape(), value, path, member.access->value(into));
      case Type::text_list:
      case Type::structure_list:
        return list(member, value, path, into);
    }
  }

  void map(const Member& member, const Json& value, const std::string& path, void* into) {
    if (!value.is_object()) return mismatch(path, member.type, value);
    auto& map = *static_cast<s3::Metadata*>(member.access->value(into));
    for (const auto& [name, element] : value.as_object()) {
      const auto text = text_of(element, rules_.convert_params);
      if (text)
        map[name] = *text;
      else
        mismatch(path + "[\"" + name + "\"]", Type::text, element);
    }
  }

  void list(const Member& member, const Json& value, const std::string& path, void* into) {
    if (!value.is_array()) return mismatch(path, member.type, value);
    std::size_t index = 0;
    for (const Json& element : value.as_array()) {
      const std::string here = path + "[" + std::to_string(index++) + "]";
      if (member.type == Type::structure_list) {
        if (!element.is_object()) {
          mismatch(here, Type::structure, element);
          continue;
        }
        structure(member.shape(), element, here, member.access->append(into));
        continue;
      }
      const auto text = text_of(element, rules_.convert_params);
      if (text)
        *static_cast<std::string*>(member.access->append(into)) = *text;
      else
        mismatch(here, Type::text, element);
    }
  }

  const ParamRules& rules_;
  std::vector<std::string> faults_;
};

Json value_json(const Member& member, void* field) {
  const s3::Access& access = *member.access;
  switch (member.type) {
    case Type::text:
      return Json(*static_cast<const std::string*>(access.value(field)));
    case Type::integer:
      return Json(*static_cast<const std::int64_t*>(access.value(field)));
    case Type::boolean:
      return Json(*static_cast<const bool*>(access.value(field)));
    case Type::time:
      return Json(format_iso8601(static_cast<const s3::Time*>(access.value(field))->unix_ms));
    case Type::text_map: {
      Json out = Json::object();
      for (const auto& [name, text] : *static_cast<const s3::Metadata*>(access.value(field)))
        out.set(name, text);
      return out;
    }
    case Type::structure:
      return params_json(member.shape(), access.value(field));
    case Type::text_list:
    case Type::structure_list: {
      Json out = Json::array();
      for (std::size_t i = 0; i < access.size(field); ++i)
        out.push(member.type == Type::text_list
                     ? Json(*static_cast<const std::string*>(access.at(field, i)))
                     : params_json(member.shape(), access.at(field, i)));
      return out;
    }
  }
  return {};
}

}  // namespace

Error parameter_error(const std::vector<std::string>& faults) {
  std::string text = faults.front();
  if (faults.size() > 1) {
    text = "parameter validator found " + std::to_string(faults.size()) + " errors:";
    for (const auto& fault : faults) text += "\n  - " + fault;
  }
  return argument_error(std::move(text));
}

std::optional<std::string> http_date_of(std::string_view text) {
  constexpr std::int64_t first_ms = -62'135'596'800'000;  // the year 1
  constexpr std::int64_t end_ms = 253'402'300'800'000;    // the year 10000
  auto ms = parse_iso8601(text);
  if (!ms) ms = parse_http_date(text);
  const auto seconds = parse_number<double>(text);
  if (!ms && seconds && std::abs(*seconds) < 1e12)
    ms = static_cast<std::int64_t>(std::llround(*seconds * 1000));
  if (!ms || *ms < first_ms || *ms >= end_ms) return std::nullopt;
  return format_http_date(*ms);
}

void find_param_faults(const s3::Shape& shape, const void* input,
                       std::vector<std::string>& faults) {
  s3::find_faults(shape, input, faults);
  // A text in the description, as services give back whatever they were given; a time to send.
  const Member* const expires = shape.find("expires");
  if (expires == nullptr) return;
  void* const field = s3::field_of(*expires, input);
  if (expires->access->has(field) &&
      !http_date_of(*static_cast<const std::string*>(expires->access->value(field))))
    faults.emplace_back("expected params[:expires] to be a Time object, got class String instead.");
}

Status read_params(const s3::Shape& shape, const Json& params, const ParamRules& rules,
                   void* structure) {
  Reading reading(rules);
  reading.structure(shape, params.is_null() ? Json::object() : params, "params", structure);
  if (!rules.validate_params || reading.faults().empty()) return ok_status();
  return parameter_error(reading.faults());
}

Json params_json(const s3::Shape& shape, const void* structure) {
  Json out = Json::object();
  for (const Member& member : shape.members) {
    void* const field = member.field(const_cast<void*>(structure));  // NOLINT: only read
    if (!member.access->has(field)) continue;
    out.set(member.name, value_json(member, field));
  }
  return out;
}

}  // namespace cairn::objectclient
