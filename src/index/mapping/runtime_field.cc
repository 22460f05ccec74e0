// SPDX-License-Identifier: Apache-2.0
#include "index/mapping/runtime_field.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "index/dates/dates.h"
#include "index/errors.h"
#include "index/mapping/parameter_checks.h"
#include "script/script.h"

namespace cairn::index {
namespace {

using script::Use;

constexpr std::size_t request_fields_max = 256;      // of one request
constexpr std::size_t format_letters_max = 1024;     // every value of the field tries all of it
constexpr std::size_t params_bytes_max = 64u << 10;  // of one script, as JSON

constexpr std::array<std::pair<FieldType, Use>, 5> runtime_types = {
    {{FieldType::boolean, Use::emit_boolean},
     {FieldType::date, Use::emit_date},
     {FieldType::double_, Use::emit_double},
     {FieldType::keyword, Use::emit_keyword},
     {FieldType::long_, Use::emit_long}}};

Error wrong_type(const std::string& name, const Json& type) {
  const std::string shown = type.is_string() ? type.as_string() : type.dump();
  return mapper_parsing("The mapper type [" + shown + "] declared on runtime field [" + name +
                        "] is not offered: it is boolean, date, double, keyword or long");
}

Error unknown_parameter(const std::string& parameter, const Field& field) {
  return mapper_parsing("unknown parameter [" + parameter + "] on runtime field [" + field.name +
                        "] of type [" + std::string(name_of(field.type)) + "]");
}

Status read_script_object(const Json& json, const std::string& field, RuntimeScript& out) {
  bool has_source = false;
  for (const auto& [name, value] : json.as_object()) {
    if (name == "source" && value.is_string()) {
      out.source = value.as_string();
      has_source = true;
    } else if (name == "lang" && value.is_string()) {
      if (value.as_string() != "painless")
        return illegal_argument("script_lang not supported [" + value.as_string() +
                                "]: there is [painless]");
    } else if (name == "params" && value.is_object()) {
      out.params = value;
    } else if (name == "id") {
      return mapper_parsing("stored scripts are not supported for runtime field [" + field + "]");
    } else if (name != "options" || !value.is_object() || !value.as_object().empty()) {
      return mapper_parsing("[script] of runtime field [" + field + "] does not take [" + name +
                            "]: it has [source], [params] and [lang]");
    }
  }
  if (has_source) return ok_status();
  return mapper_parsing("[script] of runtime field [" + field + "] must have a [source]");
}

Status read_field_script(const Json& json, const std::string& field, const MappingLimits& limits,
                         RuntimeScript& out) {
  out.has_script = true;
  if (json.is_string()) {
    out.source = json.as_string();
  } else if (json.is_object()) {
    CAIRN_CHECK(read_script_object(json, field, out));
  } else {
    return mapper_parsing("[script] of runtime field [" + field + "] is a text or an object");
  }
  if (limits.is_kept) return ok_status();
  if (out.params.dump().size() > params_bytes_max)
    return mapper_parsing("[params] of runtime field [" + field + "] are longer than [" +
                          std::to_string(params_bytes_max) + "] bytes");
  const auto made = script::Program::compile(out.source, out.use, {}, nullptr);
  if (made.ok()) return ok_status();
  Error error = mapper_parsing("Failed to parse the script of runtime field [" + field + "]");
  error.cause = std::make_shared<const Error>(made.error());
  return error;
}

Status read_parameter(Field& field, RuntimeScript& script, const std::string& name,
                      const Json& value, const MappingLimits& limits) {
  if (name == "script") return read_field_script(value, field.name, limits, script);
  if (name == "on_script_error") {
    const std::string text = value.is_string() ? value.as_string() : value.dump();
    if (text != "fail" && text != "continue")
      return mapper_parsing("unknown value [" + text +
                            "] for [on_script_error] of runtime field [" + field.name +
                            "]: it is fail or continue");
    script.goes_on = text == "continue";
    return ok_status();
  }
  if (name == "meta" && value.is_object()) return ok_status();
  if (name == "format" && field.type == FieldType::date && value.is_string()) {
    field.format = value.as_string();
    if (!limits.is_kept && field.format.size() > format_letters_max)
      return mapper_parsing("[format] of [" + field.name + "] is longer than [" +
                            std::to_string(format_letters_max) + "] bytes");
    const auto format = DateFormat::parse(field.format);
    if (!format.ok()) return mapper_parsing("[" + field.name + "]: " + format.error().message);
    return ok_status();
  }
  if (name == "locale" && field.type == FieldType::date)
    return limits.is_kept ? ok_status() : check_locale(field, value);
  return unknown_parameter(name, field);
}

}  // namespace

Result<Field> read_runtime_field(const std::string& name, const Json& json,
                                 const MappingLimits& limits) {
  if (!json.is_object())
    return mapper_parsing("Expected map for runtime field [" + name + "] definition but got a " +
                          (json.is_string() ? "[String]" : json.dump()));
  const Json* type = json.find("type");
  if (type == nullptr) return mapper_parsing("No type specified for runtime field [" + name + "]");
  Field field{.name = name};
  auto script = std::make_shared<RuntimeScript>();
  const auto found = std::find_if(runtime_types.begin(), runtime_types.end(), [&](const auto& one) {
    return type->is_string() && name_of(one.first) == type->as_string();
  });
  if (found == runtime_types.end()) return wrong_type(name, *type);
  field.type = found->first;
  script->use = found->second;
  field.norms = false;
  field.index_options = IndexOptions::docs;
  for (const auto& [parameter, value] : json.as_object())
    if (parameter != "type") CAIRN_CHECK(read_parameter(field, *script, parameter, value, limits));
  field.given = json;
  field.runtime = std::move(script);
  return field;
}

Status check_runtime_name(const std::string& name) {
  if (trim(name).empty()) return mapper_parsing("the name of a runtime field cannot be empty");
  const bool is_own = metadata_field(name) != nullptr || name == "_id" || name == "_index" ||
                      name == "_seq_no" || name == "_source" || name == "_version" ||
                      name == "_score" || name == "_doc" || name == "_shard_doc" ||
                      name.starts_with("_script/");
  if (!is_own) return ok_status();
  return mapper_parsing("the runtime field [" + name + "] has the name of a metadata field");
}

Result<std::shared_ptr<const Mapping>> with_runtime_fields(const Mapping& mapping,
                                                           const Json& runtime_mappings) {
  if (!runtime_mappings.is_object())
    return mapper_parsing("[runtime_mappings] must be an object of runtime fields");
  if (runtime_mappings.as_object().size() > request_fields_max)
    return illegal_argument(
        "[runtime_mappings] has [" + std::to_string(runtime_mappings.as_object().size()) +
        "] fields, at most [" + std::to_string(request_fields_max) + "] are taken");
  std::vector<Field> fields;
  for (const auto& [name, json] : runtime_mappings.as_object()) {
    if (json.is_null())
      return mapper_parsing("Runtime field [" + name +
                            "] was set to null but its removal is not supported in this context");
    CAIRN_CHECK(check_runtime_name(name));
    CAIRN_CHECK(MappingLimits().check_path(name));
    CAIRN_TRY(Field field, read_runtime_field(name, json, {}));
    fields.push_back(std::move(field));
  }
  return mapping.with_runtime(std::move(fields));
}

}  // namespace cairn::index
