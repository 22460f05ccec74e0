// SPDX-License-Identifier: Apache-2.0
#include "connectors/configuration.h"

#include <limits>
#include <utility>

#include "base/strings.h"
#include "connectors/errors.h"

namespace cairn::connectors {
namespace {

std::string_view display_of(const EntryParams& params) {
  if (!params.options.empty()) return "dropdown";
  if (params.type == "int") return "numeric";
  if (params.type == "bool") return "toggle";
  return params.type == "list" ? "textarea" : "textbox";
}

Error of_another_type(std::string_view field, std::string_view wanted) {
  return invalid("[" + std::string(field) + "] must be " + std::string(wanted));
}

}  // namespace

Json configuration_entry(EntryParams params) {
  Json options = Json::array();
  for (const auto& option : params.options)
    options.push(Json::object({{"label", option}, {"value", option}}));
  return Json::object({{"default_value", nullptr},
                       {"depends_on", Json::array()},
                       {"display", display_of(params)},
                       {"label", params.label},
                       {"options", std::move(options)},
                       {"order", params.order},
                       {"required", params.required},
                       {"sensitive", params.sensitive},
                       {"tooltip", params.tooltip},
                       {"type", params.type},
                       {"ui_restrictions", Json::array()},
                       {"validations", Json::array()},
                       {"value", std::move(params.value)}});
}

const Json& configured(const Json& configuration, std::string_view field) {
  static const Json none;
  const Json* found = configuration.find(field);
  if (found == nullptr) return none;
  const Json* value = found->find("value");
  if (value != nullptr && !value->is_null()) return *value;
  const Json* fallback = found->find("default_value");
  return fallback != nullptr ? *fallback : none;
}

Result<std::string> configured_text(const Json& configuration, std::string_view field,
                                    std::string_view fallback) {
  const Json& value = configured(configuration, field);
  if (value.is_null()) return std::string(fallback);
  if (!value.is_string()) return of_another_type(field, "a string");
  if (value.as_string().find('\0') != std::string::npos)
    return invalid("[" + std::string(field) + "] must not hold a NUL character");
  return value.as_string().empty() ? std::string(fallback) : value.as_string();
}

Result<std::string> required_text(const Json& configuration, std::string_view field,
                                  std::string_view what) {
  CAIRN_TRY(std::string text, configured_text(configuration, field));
  if (text.empty()) return invalid("[" + std::string(field) + "] must name " + std::string(what));
  return text;
}

Result<std::int64_t> configured_number(const Json& configuration, std::string_view field,
                                       std::int64_t fallback, std::int64_t least,
                                       std::int64_t most) {
  const Json& value = configured(configuration, field);
  if (value.is_null()) return fallback;
  if (!value.is_integer() || value.as_int() < least || value.as_int() > most)
    return of_another_type(
        field, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return value.as_int();
}

Result<bool> configured_flag(const Json& configuration, std::string_view field, bool fallback) {
  const Json& value = configured(configuration, field);
  if (value.is_null()) return fallback;
  if (!value.is_bool()) return of_another_type(field, "true or false");
  return value.as_bool();
}

Result<std::vector<std::string>> configured_list(const Json& configuration,
                                                 std::string_view field) {
  const Json& value = configured(configuration, field);
  std::vector<std::string> out;
  if (value.is_null()) return out;
  const auto take = [&](std::string_view text) {
    if (const auto piece = trim(text); !piece.empty()) out.emplace_back(piece);
  };
  if (value.is_string()) {
    for (const auto piece : split(value.as_string(), ',')) take(piece);
    return out;
  }
  if (!value.is_array()) return of_another_type(field, "a list of strings");
  for (const Json& element : value.as_array()) {
    if (!element.is_string()) return of_another_type(field, "a list of strings");
    take(element.as_string());
  }
  return out;
}

Json error_budget_entry(int order) {
  return configuration_entry({.label = "Error budget",
                              .type = "int",
                              .tooltip = "A sync ends with an error when more items than this fail",
                              .value = error_budget_default,
                              .order = order});
}

Result<std::int64_t> error_budget_of(const Json& configuration) {
  return configured_number(configuration, error_budget_field, error_budget_default, 0,
                           std::numeric_limits<std::int64_t>::max());
}

Json rows_entry(int order) {
  return configuration_entry(
      {.label = "Rows of tables",
       .tooltip =
           "document: each row of CSV and sheets, line of NDJSON and element of a JSON list is one",
       .value = "file",
       .order = order,
       .options = {"file", "document"}});
}

Result<bool> rows_are_documents(const Json& configuration) {
  CAIRN_TRY(const std::string value, configured_text(configuration, rows_field, "file"));
  if (value != "file" && value != "document")
    return of_another_type(rows_field, "[file] or [document]");
  return value == "document";
}

}  // namespace cairn::connectors
