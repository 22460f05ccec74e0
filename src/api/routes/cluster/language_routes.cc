// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/language_routes.h"

#include <array>

namespace cairn::api {
namespace {

/// What a script is for: what it gives back, and what it is given beside the document's values.
struct ScriptContext {
  std::string_view name;
  std::string_view language;
  std::string_view returns;
  bool sees_document = true;
};

// In the order of their names.
constexpr std::array script_contexts = {
    ScriptContext{"boolean_field", "painless", "void"},
    ScriptContext{"date_field", "painless", "void"},
    ScriptContext{"double_field", "painless", "void"},
    ScriptContext{"field", "painless", "java.lang.Object"},
    ScriptContext{"filter", "painless", "boolean"},
    ScriptContext{"keyword_field", "painless", "void"},
    ScriptContext{"long_field", "painless", "void"},
    ScriptContext{"number_sort", "painless", "double"},
    ScriptContext{"score", "painless", "double"},
    ScriptContext{"string_sort", "painless", "java.lang.String"},
    ScriptContext{"template", "mustache", "java.lang.String", false},
    ScriptContext{"terms_set", "painless", "java.lang.Number"},
};

Json method_of(std::string_view name, std::string_view type) {
  return Json::object({{"name", name}, {"return_type", type}, {"params", Json::array()}});
}

Result<Reply> script_context_list(Call&) {
  Json list = Json::array();
  for (const ScriptContext& one : script_contexts) {
    Json methods = Json::array({method_of("execute", one.returns)});
    if (one.name == "score") methods.push(method_of("get_score", "double"));
    if (one.sees_document) methods.push(method_of("getDoc", "java.util.Map"));
    methods.push(method_of("getParams", "java.util.Map"));
    list.push(Json::object({{"name", one.name}, {"methods", std::move(methods)}}));
  }
  return Reply::json(Json::object({{"contexts", std::move(list)}}));
}

Result<Reply> script_language_list(Call&) {
  Json languages = Json::array();
  for (const std::string_view language : {"mustache", "painless"}) {
    Json contexts = Json::array();
    for (const ScriptContext& one : script_contexts)
      if (one.language == language) contexts.push(one.name);
    languages.push(Json::object({{"language", language}, {"contexts", std::move(contexts)}}));
  }
  return Reply::json(Json::object({{"types_allowed", Json::array({"inline", "stored"})},
                                   {"language_contexts", std::move(languages)}}));
}

}  // namespace

void add_language_routes(Router& router) {
  const auto add = [&](std::string path, std::string operation, std::string summary,
                       Result<Reply> (*face)(Call&)) {
    router.add({.method = "GET",
                .path = std::move(path),
                .operation = std::move(operation),
                .cluster = {"manage"},
                .summary = std::move(summary)},
               face);
  };
  add("/_script_context", "get_script_context", "What scripts are for, and what they give back.",
      script_context_list);
  add("/_script_language", "get_script_languages",
      "The languages of scripts, and what each is for.", script_language_list);
}

}  // namespace cairn::api
