// SPDX-License-Identifier: Apache-2.0
#include "connectors/new_index.h"

#include "connectors/configuration.h"
#include "connectors/language.h"
#include "connectors/source_document.h"

namespace cairn::connectors {
namespace {

constexpr std::string_view semantic_entry = "semantic";
constexpr int behind_those_of_sources = 100;

Json typed(std::string_view type) { return Json::object({{"type", type}}); }

/// Queries are kept, not searched.
Json mappings_of_identities() {
  const Json username = Json::object({{"username", typed("keyword")}});
  const Json fields = Json::object(
      {{"identity", Json::object({{"properties", username}})},
       {"query", Json::object({{"type", "object"}, {"enabled", false}})}});
  return Json::object({{"dynamic", false}, {"properties", fields}});
}

Json copied_text() { return Json::object({{"type", "text"}, {"copy_to", meaning_field}}); }

}  // namespace

Json with_index_entries(Json schema) {
  schema.set(semantic_entry,
             configuration_entry({.label = "Search by meaning",
                                  .type = "bool",
                                  .tooltip = "The index that a sync makes has a field of the "
                                             "meaning of title and body",
                                  .value = false,
                                  .order = behind_those_of_sources}));
  return schema;
}

Status check_index_entries(const Json& configuration) {
  CAIRN_CHECK(configured_flag(configuration, semantic_entry, false));
  return ok_status();
}

NewIndex new_index_of(const Json& configuration, std::string language) {
  return {.language = std::move(language),
          .semantic = configured_flag(configuration, semantic_entry, false).value_or(false)};
}

Json mappings_of(const NewIndex& wanted) {
  if (wanted.of_identities) return mappings_of_identities();
  Json fields = Json::object();
  if (wanted.tells_readers) fields.set(readers_field, typed("keyword"));
  if (!wanted.semantic)
    return wanted.tells_readers ? Json::object({{"properties", std::move(fields)}}) : Json();
  fields.set("title", copied_text());
  fields.set("body", copied_text());
  fields.set(meaning_field, typed("semantic_text"));
  fields.set("path", typed("keyword"));
  fields.set("size", typed("long"));
  fields.set("modified", typed("date"));
  return Json::object({{"properties", std::move(fields)}});
}

Json settings_of(const NewIndex& wanted) {
  const std::string analyzer = analyzer_of_language(wanted.language);
  if (analyzer.empty()) return {};
  const Json one = Json::object({{"default", Json::object({{"type", analyzer}})}});
  return Json::object({{"analysis", Json::object({{"analyzer", one}})}});
}

}  // namespace cairn::connectors
