// SPDX-License-Identifier: Apache-2.0
// Specification of October 2021, 3.5 to 3.12, "Input Coercion".
#include "graphql/schema/values.h"

#include <cmath>
#include <limits>

#include "base/strings.h"

namespace cairn::graphql {
namespace {

using RefKind = TypeRef::Kind;
using ValueKind = Value::Kind;

bool fits_int(std::int64_t number) {
  return number >= std::numeric_limits<std::int32_t>::min() &&
         number <= std::numeric_limits<std::int32_t>::max();
}

/// A whole number, whichever way it is written in JSON.
std::optional<std::int64_t> whole(const Json& value) {
  if (value.type() == Json::Type::integer) return value.as_int();
  if (value.type() != Json::Type::number) return std::nullopt;
  const double number = value.as_double();
  if (std::trunc(number) != number || std::abs(number) > 9007199254740992.0) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

bool is_built_in(const std::string& name) {
  return name == "Int" || name == "Float" || name == "String" || name == "Boolean" || name == "ID";
}

/// A block string as the reference implementation writes it: on lines of its own where it must be.
std::string print_block(std::string_view text) {
  constexpr std::size_t one_line_max = 70;
  const auto blank_begin = [](std::string_view line) {
    return line.empty() || line.front() == ' ' || line.front() == '\t';
  };
  const auto lines = split(text, '\n');
  bool indented = lines.size() > 1;
  for (std::size_t i = 1; i < lines.size(); ++i) indented = indented && blank_begin(lines[i]);
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\"\"\"")) {
      escaped += "\\\"\"\"";
      i += 2;
    } else {
      escaped += text[i];
    }
  }
  const bool quotes_last = escaped.ends_with("\\\"\"\"");
  const bool ends_badly = (text.ends_with('"') && !quotes_last) || text.ends_with('\\');
  const bool long_one = lines.size() > 1 || text.size() > one_line_max || ends_badly || quotes_last;
  const bool blank_first = lines.size() == 1 && !text.empty() && blank_begin(text);
  const char* const before = (long_one && !blank_first) || indented ? "\n" : "";
  return "\"\"\"" + (before + escaped) + (long_one ? "\n" : "") + "\"\"\"";
}

/// A literal of any shape as JSON: what own scalars take.
Json any_literal(const Value& value, const Json& variables) {
  switch (value.kind) {
    case ValueKind::variable: {
      const Json* const known = variables.find(value.text);
      return known == nullptr ? Json() : *known;
    }
    case ValueKind::integer:
      if (const auto number = parse_number<std::int64_t>(value.text)) return *number;
      return parse_number<double>(value.text).value_or(0);
    case ValueKind::floating:
      return parse_number<double>(value.text).value_or(0);
    case ValueKind::string:
    case ValueKind::enumeration:
      return value.text;
    case ValueKind::boolean:
      return value.truth;
    case ValueKind::null:
      return {};
    case ValueKind::list: {
      Json::Array out;
      for (const Value& one : value.items) out.push_back(any_literal(one, variables));
      return out;
    }
    case ValueKind::object: {
      Json out = Json::object();
      for (const ObjectField& one : value.fields)
        out.set(one.name, any_literal(one.value, variables));
      return out;
    }
  }
  return {};
}

/// What is wrong with a scalar or enum value that was sent; empty: nothing, and `out` has it.
std::string coerce_leaf(const SchemaType& type, const Json& value, Json& out) {
  const std::string& name = type.name();
  out = value;
  if (type.definition.kind == TypeDefinition::Kind::enumeration) {
    if (!value.is_string())
      return "Enum \"" + name + "\" cannot represent non-string value: " + print_json(value) + ".";
    for (const auto& one : type.definition.values)
      if (one.name == value.as_string()) return {};
    return "Value \"" + value.as_string() + "\" does not exist in \"" + name + "\" enum.";
  }
  const auto number = whole(value);
  if (name == "Int" || name == "Long") {
    if (!number) return name + " cannot represent non-integer value: " + print_json(value);
    if (name == "Int" && !fits_int(*number))
      return "Int cannot represent non 32-bit signed integer value: " + print_json(value);
    out = *number;
  } else if (name == "Float") {
    if (!value.is_number()) return "Float cannot represent non numeric value: " + print_json(value);
  } else if (name == "String" || name == "DateTime") {
    if (!value.is_string())
      return name + " cannot represent a non string value: " + print_json(value);
  } else if (name == "Boolean") {
    if (!value.is_bool())
      return "Boolean cannot represent a non boolean value: " + print_json(value);
  } else if (name == "ID") {
    if (number)
      out = std::to_string(*number);
    else if (!value.is_string())
      return "ID cannot represent value: " + print_json(value);
  }
  return {};
}

Result<Json> object_value(const Schema& schema, const SchemaType& type, const Value& value,
                          const Json& variables) {
  Json out = Json::object();
  for (const InputValueDefinition& input : type.definition.inputs) {
    const ObjectField* field = nullptr;
    for (const ObjectField& one : value.fields)
      if (one.name == input.name) field = &one;
    bool given = field != nullptr;
    Json one;
    if (given) {
      CAIRN_TRY(one, literal_value(schema, input.type, field->value, variables, given));
    }
    if (!given && input.initial) {
      CAIRN_TRY(one, literal_value(schema, input.type, *input.initial, variables, given));
    }
    if (given) {
      out.set(input.name, std::move(one));
    } else if (input.type.kind == RefKind::non_null) {
      return Error{ErrorKind::invalid_argument, "graphql_value",
                   "Field \"" + input.name + "\" of required type \"" + text_of(input.type) +
                       "\" was not provided."};
    }
  }
  return out;
}

Json coerce_object(const Schema& schema, const SchemaType& type, const Json& value,
                   const ValueFault& fault, const std::string& path) {
  if (!value.is_object()) {
    fault(path, value, "Expected type \"" + type.name() + "\" to be an object.");
    return {};
  }
  Json out = Json::object();
  for (const InputValueDefinition& input : type.definition.inputs) {
    const Json* const sent = value.find(input.name);
    const std::string inside = path.empty() ? input.name : path + "." + input.name;
    if (sent != nullptr) {
      out.set(input.name, coerce_input(schema, input.type, *sent, fault, inside));
    } else if (input.initial) {
      bool given = true;
      auto initial = literal_value(schema, input.type, *input.initial, Json::object(), given);
      if (initial.ok()) out.set(input.name, std::move(*initial));
    } else if (input.type.kind == RefKind::non_null) {
      fault(path, value,
            "Field \"" + input.name + "\" of required type \"" + text_of(input.type) +
                "\" was not provided.");
    }
  }
  for (const auto& [name, one] : value.as_object())
    if (type.input(name) == nullptr)
      fault(path, value, "Field \"" + name + "\" is not defined by type \"" + type.name() + "\".");
  return out;
}

}  // namespace

std::string print_value(const Value& value) {
  std::string out;
  switch (value.kind) {
    case ValueKind::variable:
      return "$" + value.text;
    case ValueKind::integer:
    case ValueKind::floating:
    case ValueKind::enumeration:
      return value.text;
    case ValueKind::string:
      if (value.block) return print_block(value.text);
      append_json_string(out, value.text);
      return out;
    case ValueKind::boolean:
      return value.truth ? "true" : "false";
    case ValueKind::null:
      return "null";
    case ValueKind::list:
      for (const Value& one : value.items) out += (out.empty() ? "" : ", ") + print_value(one);
      return "[" + out + "]";
    case ValueKind::object:
      for (const ObjectField& one : value.fields)
        out += (out.empty() ? "" : ", ") + one.name + ": " + print_value(one.value);
      return "{" + out + "}";
  }
  return out;
}

std::string print_json(const Json& value) {
  if (!value.is_array() && !value.is_object()) return value.dump();
  std::string out;
  if (value.is_array()) {
    for (const Json& one : value.as_array()) out += (out.empty() ? "" : ", ") + print_json(one);
    return "[" + out + "]";
  }
  for (const auto& [name, one] : value.as_object())
    out += (out.empty() ? "" : ", ") + name + ": " + print_json(one);
  return "{ " + out + " }";
}

std::string fault_of_leaf(const SchemaType& type, const Value& value) {
  const std::string& name = type.name();
  if (type.definition.kind == TypeDefinition::Kind::enumeration) {
    if (value.kind != ValueKind::enumeration)
      return "Enum \"" + name + "\" cannot represent non-enum value: " + print_value(value) + ".";
    for (const auto& one : type.definition.values)
      if (one.name == value.text) return {};
    return "Value \"" + value.text + "\" does not exist in \"" + name + "\" enum.";
  }
  if (!is_built_in(name)) return {};
  const bool integer = value.kind == ValueKind::integer;
  if (name == "Int") {
    if (!integer) return "Int cannot represent non-integer value: " + print_value(value);
    const auto number = parse_number<std::int64_t>(value.text);
    if (!number || !fits_int(*number))
      return "Int cannot represent non 32-bit signed integer value: " + value.text;
  } else if (name == "Float") {
    if (!integer && value.kind != ValueKind::floating)
      return "Float cannot represent non numeric value: " + print_value(value);
  } else if (name == "String") {
    if (value.kind != ValueKind::string)
      return "String cannot represent a non string value: " + print_value(value);
  } else if (name == "Boolean") {
    if (value.kind != ValueKind::boolean)
      return "Boolean cannot represent a non boolean value: " + print_value(value);
  } else if (!integer && value.kind != ValueKind::string) {
    return "ID cannot represent a non-string and non-integer value: " + print_value(value);
  }
  return {};
}

Result<Json> literal_value(const Schema& schema, const TypeRef& type, const Value& value,
                           const Json& variables, bool& given) {
  given = true;
  if (value.kind == ValueKind::variable) {
    const Json* const known = variables.find(value.text);
    given = known != nullptr;
    if (known != nullptr && known->is_null() && type.kind == RefKind::non_null)
      return Error{ErrorKind::invalid_argument, "graphql_value",
                   "of non-null type \"" + text_of(type) + "\" must not be null."};
    return given ? *known : Json();
  }
  if (type.kind == RefKind::non_null)
    return literal_value(schema, type.inner(), value, variables, given);
  if (value.kind == ValueKind::null) return Json();
  if (type.kind == RefKind::list) {
    Json::Array out;
    bool there = true;
    if (value.kind != ValueKind::list) {
      CAIRN_TRY(Json one, literal_value(schema, type.inner(), value, variables, there));
      out.push_back(std::move(one));
      return Json(std::move(out));
    }
    for (const Value& item : value.items) {
      CAIRN_TRY(Json one, literal_value(schema, type.inner(), item, variables, there));
      out.push_back(std::move(one));
    }
    return Json(std::move(out));
  }
  const SchemaType& named = *schema.find(type.name);
  if (named.definition.kind == TypeDefinition::Kind::input)
    return object_value(schema, named, value, variables);
  Json out;
  const std::string fault = coerce_leaf(named, any_literal(value, variables), out);
  if (!fault.empty()) return Error{ErrorKind::invalid_argument, "graphql_value", fault};
  return out;
}

Json coerce_input(const Schema& schema, const TypeRef& type, const Json& value,
                  const ValueFault& fault, const std::string& path) {
  if (type.kind == RefKind::non_null) {
    if (!value.is_null()) return coerce_input(schema, type.inner(), value, fault, path);
    fault(path, value, "Expected non-nullable type \"" + text_of(type) + "\" not to be null.");
    return {};
  }
  if (value.is_null()) return {};
  if (type.kind == RefKind::list) {
    Json::Array out;
    if (!value.is_array())
      out.push_back(coerce_input(schema, type.inner(), value, fault, path));
    else
      for (std::size_t i = 0; i < value.as_array().size(); ++i)
        out.push_back(coerce_input(schema, type.inner(), value.as_array()[i], fault,
                                   path + "[" + std::to_string(i) + "]"));
    return out;
  }
  const SchemaType& named = *schema.find(type.name);
  if (named.definition.kind == TypeDefinition::Kind::input)
    return coerce_object(schema, named, value, fault, path);
  Json out;
  const std::string why = coerce_leaf(named, value, out);
  if (!why.empty()) fault(path, value, why);
  return out;
}

}  // namespace cairn::graphql
