// SPDX-License-Identifier: Apache-2.0
#include "graphql/execution/prepare.h"

#include "base/strings.h"
#include "graphql/language/parser.h"
#include "graphql/schema/values.h"

namespace cairn::graphql {
namespace {

Fault fault_of_syntax(const Error& error) {
  Location at;
  for (const auto& [name, text] : error.details) {
    if (name == "line") at.line = parse_number<std::uint32_t>(text).value_or(1);
    if (name == "column") at.column = parse_number<std::uint32_t>(text).value_or(1);
  }
  return {.message = error.message, .locations = {at}};
}

/// The operation that is meant; null, with a fault, where none is.
const Operation* choose(const Document& document, const std::string& name,
                        std::vector<Fault>& faults) {
  const auto& all = document.operations;
  if (name.empty()) {
    if (all.size() == 1) return &all.front();
    faults.push_back({.message = all.empty() ? "Must provide an operation."
                                             : "Must provide operation name if query contains "
                                               "multiple operations."});
    return nullptr;
  }
  for (const Operation& one : all)
    if (one.name == name) return &one;
  faults.push_back({.message = "Unknown operation named \"" + name + "\"."});
  return nullptr;
}

void coerce_one(const Schema& schema, const VariableDefinition& definition, const Json& sent,
                Prepared& out, const Options& options) {
  const std::string name = "Variable \"$" + definition.name + "\"";
  const std::string type = text_of(definition.type);
  const bool required = definition.type.kind == TypeRef::Kind::non_null;
  const Json* const value = sent.find(definition.name);
  const auto tell = [&](std::string message) {
    if (out.faults.size() < options.errors)
      out.faults.push_back({.message = std::move(message), .locations = {definition.at}});
  };
  if (value == nullptr) {
    bool given = definition.initial.has_value();
    if (given) {
      auto initial =
          literal_value(schema, definition.type, *definition.initial, Json::object(), given);
      if (initial.ok())
        out.variables.set(definition.name, std::move(*initial));
      else
        tell(name + " has a default that does not fit: " + initial.error().message);
    } else if (required) {
      tell(name + " of required type \"" + type + "\" was not provided.");
    }
    return;
  }
  if (value->is_null() && required)
    return tell(name + " of non-null type \"" + type + "\" must not be null.");
  const auto fault = [&](const std::string& path, const Json& wrong, const std::string& why) {
    const bool inside = path.starts_with('[');
    const std::string at =
        path.empty() ? "" : " at \"" + definition.name + (inside ? "" : ".") + path + "\"";
    std::string shown = print_json(wrong);
    if (shown.size() > 1'000)
      shown = shown.substr(0, valid_utf8_prefix(shown.substr(0, 1'000))) + "…";
    tell(name + " got invalid value " + shown + at + "; " + why);
  };
  out.variables.set(definition.name, coerce_input(schema, definition.type, *value, fault));
}

}  // namespace

std::shared_ptr<const Prepared> prepare(const Schema& schema, const Request& request,
                                        const Options& options) {
  auto out = std::make_shared<Prepared>();
  auto document = parse_document(request.query, options);
  if (!document.ok()) {
    out->faults.push_back(fault_of_syntax(document.error()));
    return out;
  }
  out->document = std::move(*document);
  if (out->document.aliases > options.aliases) {
    out->faults.push_back(
        {.message = "This document gives " + std::to_string(out->document.aliases) +
                    " fields another name, and may give " + std::to_string(options.aliases) + ".",
         .type = "MAX_ALIASES_EXCEEDED"});
    return out;
  }
  out->faults = validate(schema, out->document, options);
  if (!out->faults.empty()) return out;
  out->operation = choose(out->document, request.operation_name, out->faults);
  if (out->operation == nullptr) return out;
  if (schema.root(out->operation->kind) == nullptr) {
    out->faults.push_back({.message = std::string("Schema is not configured to execute ") +
                                      text_of(out->operation->kind) + " operation.",
                           .locations = {out->operation->at}});
    return out;
  }
  out->variables = Json::object();
  for (const VariableDefinition& one : out->operation->variables)
    coerce_one(schema, one, request.variables, *out, options);
  if (out->faults.empty())
    out->faults = plan_operation(schema, out->document, *out->operation, out->variables, options,
                                 out->plan, out->weight);
  return out;
}

Json error_of(const Fault& fault) {
  Json out = Json::object();
  if (!fault.type.empty()) out.set("type", fault.type);
  if (!fault.path.is_null()) out.set("path", fault.path);
  out.set("message", fault.message);
  if (!fault.locations.empty()) {
    Json at = Json::array();
    for (const Location& one : fault.locations)
      at.push(Json::object({{"line", static_cast<std::int64_t>(one.line)},
                            {"column", static_cast<std::int64_t>(one.column)}}));
    out.set("locations", std::move(at));
  }
  return out;
}

}  // namespace cairn::graphql
