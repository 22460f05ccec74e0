// SPDX-License-Identifier: Apache-2.0
// Guessing types, and dynamic templates.
#include "index/mapping/dynamic_fields.h"

#include <algorithm>

#include "base/strings.h"
#include "index/dates/dates.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

constexpr std::size_t vector_dims_min = 128;
constexpr std::size_t vector_dims_max = 4096;
// Every new field is held against all of these.
constexpr std::size_t patterns_max = 1000;
constexpr std::size_t template_bytes_max = 8192;
constexpr std::size_t date_formats_max = 64;

Json typed(const char* type) { return Json::object({{"type", type}}); }

// The first value in nested lists that is not null; null where there is none.
const Json* first_value(const Json& value) {
  if (value.is_null()) return nullptr;
  if (!value.is_array()) return &value;
  for (const Json& element : value.as_array())
    if (const Json* found = first_value(element)) return found;
  return nullptr;
}

bool is_vector(const Json& value) {
  if (!value.is_array()) return false;
  const auto& list = value.as_array();
  return list.size() >= vector_dims_min && list.size() <= vector_dims_max &&
         std::all_of(list.begin(), list.end(),
                     [](const Json& element) { return element.type() == Json::Type::number; });
}

bool is_date(const Mapping& mapping, const std::string& text) {
  if (!mapping.date_detection()) return false;
  if (mapping.dynamic_date_formats().empty()) {
    // Years alone are numbers to people: the strict format needs at least a month.
    static const DateFormat iso = *DateFormat::parse("strict_date_optional_time");
    static const DateFormat slashes = *DateFormat::parse("yyyy/MM/dd HH:mm:ss||yyyy/MM/dd");
    if (text.size() >= 7 && iso.read(std::string_view(text))) return true;
    return slashes.read(std::string_view(text)).has_value();
  }
  for (const std::string& format : mapping.dynamic_date_formats())
    if (const auto parsed = DateFormat::parse(format);
        parsed && parsed->read(std::string_view(text)))
      return true;
  return false;
}

std::string date_format(const Mapping& mapping, const std::string& text) {
  if (mapping.dynamic_date_formats().empty())
    return text.find('/') == std::string::npos ? ""
                                               : "yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis";
  for (const std::string& format : mapping.dynamic_date_formats())
    if (const auto parsed = DateFormat::parse(format);
        parsed && parsed->read(std::string_view(text)))
      return format;
  return "";
}

// The type as templates name it: string, long, double, boolean, date, object.
std::string_view kind_of(const Mapping& mapping, const Json& value) {
  switch (value.type()) {
    case Json::Type::boolean:
      return "boolean";
    case Json::Type::integer:
    case Json::Type::unsigned_integer:
      return "long";
    case Json::Type::number:
      return "double";
    case Json::Type::object:
      return "object";
    default:
      break;
  }
  const std::string& text = value.as_string();
  if (is_date(mapping, text)) return "date";
  if (mapping.numeric_detection()) {
    if (parse_number<std::int64_t>(text)) return "long";
    if (parse_number<double>(text)) return "double";
  }
  return "string";
}

Json default_field(const Mapping& mapping, std::string_view kind, const Json& value) {
  if (kind == "long" || kind == "boolean" || kind == "object")
    return typed(std::string(kind).c_str());
  if (kind == "double") return typed("float");
  if (kind == "date") {
    Json out = typed("date");
    const std::string format = date_format(mapping, value.as_string());
    if (!format.empty()) out.set("format", format);
    return out;
  }
  Json out = typed("text");
  out.set("fields",
          Json::object({{"keyword", Json::object({{"type", "keyword"}, {"ignore_above", 256}})}}));
  return out;
}

bool any_matches(const Json* patterns, std::string_view name) {
  if (patterns->is_string()) return wildcard_match(patterns->as_string(), name);
  if (!patterns->is_array()) return false;
  for (const Json& pattern : patterns->as_array())
    if (pattern.is_string() && wildcard_match(pattern.as_string(), name)) return true;
  return false;
}

bool fits(const Json& rule, const std::string& path, std::string_view kind) {
  const std::string leaf = path.substr(path.rfind('.') + 1);
  const Json* type = rule.find("match_mapping_type");
  if (type != nullptr && type->is_string() && type->as_string() != "*" && type->as_string() != kind)
    return false;
  const Json* match = rule.find("match");
  const Json* unmatch = rule.find("unmatch");
  const Json* path_match = rule.find("path_match");
  const Json* path_unmatch = rule.find("path_unmatch");
  if (match != nullptr && !any_matches(match, leaf)) return false;
  if (unmatch != nullptr && any_matches(unmatch, leaf)) return false;
  if (path_match != nullptr && !any_matches(path_match, path)) return false;
  if (path_unmatch != nullptr && any_matches(path_unmatch, path)) return false;
  return type != nullptr || match != nullptr || path_match != nullptr;
}

std::string replaced_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (;;) {
    const auto at = text.find(from);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += to;
    text.remove_prefix(at + from.size());
  }
}

// {name} and {dynamic_type} in the template's mapping.
Json filled_in(const Json& mapping, const std::string& leaf, std::string_view type) {
  if (mapping.is_string()) {
    return replaced_all(replaced_all(mapping.as_string(), "{name}", leaf), "{dynamic_type}", type);
  }
  if (mapping.is_array()) {
    Json out = Json::array();
    for (const Json& element : mapping.as_array()) out.push(filled_in(element, leaf, type));
    return out;
  }
  if (!mapping.is_object()) return mapping;
  Json out = Json::object();
  for (const auto& [name, value] : mapping.as_object()) out.set(name, filled_in(value, leaf, type));
  return out;
}

// As a runtime field; null where none has such values.
Json runtime_field(const Mapping& mapping, std::string_view kind, const Json& value) {
  if (kind == "object") return {};
  if (kind == "string") return typed("keyword");
  if (kind == "double") return typed("double");
  return default_field(mapping, kind, value);
}

// The first template that fits; null for none.
DynamicField from_template(const Mapping& mapping, const std::string& path, std::string_view kind,
                           const Json& fallback, const Json& sample, const MappingLimits& limits) {
  const Json& templates = mapping.dynamic_templates();
  if (!templates.is_array()) return {};
  for (const Json& named : templates.as_array()) {
    limits.count_steps();
    if (!named.is_object() || named.as_object().empty()) continue;
    const Json& rule = named.as_object().front().second;
    const Json* made = rule.find("mapping");
    const Json* runtime = rule.find("runtime");
    const bool is_runtime = made == nullptr && runtime != nullptr;
    if (is_runtime) made = runtime;
    if (made == nullptr || !made->is_object() || !fits(rule, path, kind)) continue;
    const Json usual = is_runtime ? runtime_field(mapping, kind, sample) : fallback;
    if (usual.is_null()) continue;  // objects have no values of their own
    const std::string default_type = usual.string_or("type");
    Json out = filled_in(*made, path.substr(path.rfind('.') + 1), default_type);
    if (out.find("type") == nullptr) out.set("type", default_type);
    return {.made = std::move(out), .is_runtime = is_runtime, .is_of_template = true};
  }
  return {};
}

}  // namespace

Result<DynamicField> dynamic_field(const Mapping& mapping, const std::string& path,
                                   const Json& value, Dynamic dynamic,
                                   const MappingLimits& limits) {
  const Json* sample = first_value(value);
  if (sample == nullptr) return DynamicField();
  if (is_vector(value) && dynamic != Dynamic::runtime) {
    Json out = typed("dense_vector");
    out.set("dims", static_cast<std::int64_t>(value.as_array().size()));
    return DynamicField{.made = std::move(out)};
  }
  const std::string_view kind = kind_of(mapping, *sample);
  Json fallback = default_field(mapping, kind, *sample);
  DynamicField found = from_template(mapping, path, kind, fallback, *sample, limits);
  if (!found.made.is_null()) return found;
  if (dynamic == Dynamic::runtime)
    if (Json made = runtime_field(mapping, kind, *sample); !made.is_null())
      return DynamicField{.made = std::move(made), .is_runtime = true};
  return DynamicField{.made = std::move(fallback)};
}

Status check_dynamic_rules(const Json& templates, const std::vector<std::string>& date_formats) {
  const auto too_much = [](const char* what, std::size_t most) -> Status {
    return mapper_parsing(std::string(what) + " of the dynamic rules are limited to [" +
                          std::to_string(most) + "]");
  };
  if (date_formats.size() > date_formats_max) return too_much("date formats", date_formats_max);
  if (!templates.is_array()) return ok_status();
  std::size_t patterns = 0;
  for (const Json& named : templates.as_array()) {
    if (!named.is_object() || named.as_object().empty()) continue;
    const Json& rule = named.as_object().front().second;
    if (rule.dump().size() > template_bytes_max)
      return too_much("bytes of a template", template_bytes_max);
    for (const char* name : {"match", "unmatch", "path_match", "path_unmatch"})
      if (const Json* given = rule.find(name))
        patterns += given->is_array() ? given->as_array().size() : 1;
  }
  if (std::max(patterns, templates.as_array().size()) > patterns_max)
    return too_much("templates and their patterns", patterns_max);
  return ok_status();
}

}  // namespace cairn::index
