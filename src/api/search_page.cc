// SPDX-License-Identifier: Apache-2.0
#include "api/search_page.h"

#include <algorithm>
#include <array>
#include <optional>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

constexpr std::size_t page_facets_max = 8;
constexpr std::size_t page_fields_max = 20;  // where the mapping names none
constexpr std::int64_t page_size_max = 50;
constexpr std::size_t page_words_max = 1'000;
constexpr std::size_t page_filter_bytes_max = 1'000;
constexpr std::int64_t page_results_max = 1'000;
constexpr std::int64_t facet_values = 8;
// Around what was found; of the private use area, so that texts hardly have them.
constexpr std::string_view mark_opens = "\xee\x80\x80";
constexpr std::string_view mark_closes = "\xee\x80\x81";

struct FieldType {
  std::string name;
  std::string type;
};

bool is_text(const FieldType& field) {
  return field.type == "text" || field.type == "match_only_text";
}

bool is_shown(const FieldType& field) {
  return is_text(field) || field.type == "keyword" || field.type == "wildcard";
}

/// Those of objects too, in the order of the mapping.
void collect_fields(const Json& properties, const std::string& before,
                    std::vector<FieldType>& to) {
  for (const auto& [name, field] : properties.as_object()) {
    const Json* const inner = field.find("properties");
    if (inner == nullptr)
      to.push_back({before + name, field.string_or("type")});
    else if (field.string_or("type") != "nested")
      collect_fields(*inner, before + name + ".", to);
  }
}

/// The first of `names` that there is.
std::string first_of(const std::vector<FieldType>& fields,
                     std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    for (const FieldType& field : fields)
      if (field.name == name && is_shown(field)) return field.name;
  return {};
}

/// "meta.file_name" as "File name".
std::string label_of(std::string_view field) {
  std::string out(field.substr(field.rfind('.') + 1));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '_' || c == '-'; }, ' ');
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::optional<SearchPage::Facet> facet_of(const Json& given) {
  const std::string field = given.is_string() ? given.as_string() : given.string_or("field");
  if (field.empty()) return std::nullopt;
  const std::string title = given.is_object() ? given.string_or("title") : std::string();
  return SearchPage::Facet{field, title.empty() ? label_of(field) : title};
}

const Json& member_or_null(const Json& object, std::string_view name) {
  static const Json nothing;
  const Json* const found = object.is_object() ? object.find(name) : nullptr;
  return found == nullptr ? nothing : *found;
}

std::string or_else(std::string first, std::string second) {
  return first.empty() ? std::move(second) : std::move(first);
}

}  // namespace

SearchPage SearchPage::of(const Json& mapping, std::string_view index) {
  const Json* const meta = mapping.find_path("_meta.search_page");
  const Json given = meta != nullptr && meta->is_object() ? *meta : Json::object();
  std::vector<FieldType> all;
  if (const Json* const properties = mapping.find("properties"); properties != nullptr)
    collect_fields(*properties, "", all);
  SearchPage out;
  out.title = or_else(given.string_or("title"), std::string(index));
  out.lead = given.string_or("lead");
  out.placeholder = given.string_or("placeholder");
  out.title_field = or_else(given.string_or("title_field"),
                            first_of(all, {"title", "name", "subject", "file_name", "path"}));
  out.text_field = or_else(given.string_or("text_field"),
                           first_of(all, {"body", "content", "text", "description", "summary"}));
  out.url_field = or_else(given.string_or("url_field"), first_of(all, {"url", "link", "uri"}));
  out.semantic_field = given.string_or("semantic_field");
  for (const FieldType& field : all)
    if (out.text_field.empty() && is_text(field) && field.name != out.title_field)
      out.text_field = field.name;
  if (const Json& fields = member_or_null(given, "fields"); fields.is_array())
    for (const Json& field : fields.as_array())
      if (field.is_string()) out.fields.push_back(field.as_string());
  if (out.fields.empty())
    for (const FieldType& field : all)
      if (is_text(field) && out.fields.size() < page_fields_max)
        out.fields.push_back(field.name + (field.name == out.title_field ? "^2" : ""));
  if (const Json& facets = member_or_null(given, "facets"); facets.is_array())
    for (const Json& one : facets.as_array())
      if (auto facet = facet_of(one); facet && out.facets.size() < page_facets_max)
        out.facets.push_back(*std::move(facet));
  const std::int64_t size = given.int_or("size", out.size);
  if (size >= 1 && size <= page_size_max) out.size = size;
  return out;
}

Json SearchPage::to_json() const {
  Json shown = Json::array();
  for (const Facet& facet : facets)
    shown.push(Json::object({{"field", facet.field}, {"title", facet.title}}));
  return Json::object({{"title", title},
                       {"lead", lead},
                       {"placeholder", placeholder},
                       {"fields", Json::array_of(fields)},
                       {"title_field", title_field},
                       {"text_field", text_field},
                       {"url_field", url_field},
                       {"semantic_field", semantic_field},
                       {"facets", std::move(shown)},
                       {"size", size}});
}

Result<PageSearch> PageSearch::read(const Json& body, const SearchPage& page) {
  Fields fields(body, "search_page");
  PageSearch out;
  CAIRN_TRY(out.words, fields.required_string("words"));
  if (out.words.size() > page_words_max)
    return illegal_argument("[words] may have " + std::to_string(page_words_max) +
                            " bytes at most, and has " + std::to_string(out.words.size()));
  CAIRN_TRY(const auto from, fields.integer("from", 0, page_results_max - page.size));
  out.from = from.value_or(0);
  CAIRN_TRY(const Json* const filters, fields.object("filters"));
  CAIRN_CHECK(fields.finish());
  if (filters == nullptr) return out;
  for (const auto& [field, value] : filters->as_object()) {
    const auto is_it = [&](const SearchPage::Facet& facet) { return facet.field == field; };
    if (std::none_of(page.facets.begin(), page.facets.end(), is_it))
      return illegal_argument("[filters] has [" + field + "], which is no facet of this page");
    if (!value.is_string() || value.as_string().size() > page_filter_bytes_max)
      return illegal_argument("[filters." + field + "] must be a text of " +
                              std::to_string(page_filter_bytes_max) + " bytes at most");
    out.filters.emplace_back(field, value.as_string());
  }
  return out;
}

Json PageSearch::search_body(const SearchPage& page) const {
  Json filter = Json::array();
  for (const auto& [field, value] : filters)
    filter.push(Json::object({{"term", Json::object({{field, value}})}}));
  Json match = Json::object({{"query", words}, {"type", "best_fields"}, {"operator", "or"}});
  if (!page.fields.empty()) match.set("fields", Json::array_of(page.fields));
  Json query = Json::object({{"multi_match", std::move(match)}});
  Json out = Json::object();
  if (page.semantic_field.empty()) {
    if (!filter.as_array().empty())
      query = Json::object({{"bool", Json::object({{"must", Json::array({std::move(query)})},
                                                   {"filter", std::move(filter)}})}});
    out.set("query", std::move(query));
  } else {
    const auto standard = [](Json of) {
      return Json::object({{"standard", Json::object({{"query", std::move(of)}})}});
    };
    Json meaning = Json::object(
        {{"semantic", Json::object({{"field", page.semantic_field}, {"query", words}})}});
    Json rrf = Json::object(
        {{"retrievers", Json::array({standard(std::move(query)), standard(std::move(meaning))})},
         {"rank_window_size", 100}});
    if (!filter.as_array().empty()) rrf.set("filter", std::move(filter));
    out.set("retriever", Json::object({{"rrf", std::move(rrf)}}));
  }
  out.set("from", from);
  out.set("size", page.size);
  Json source = Json::array();
  for (const std::string& field : {page.title_field, page.text_field, page.url_field})
    if (!field.empty()) source.push(field);
  out.set("_source", std::move(source));
  Json highlighted = Json::object();
  if (!page.title_field.empty())
    highlighted.set(page.title_field, Json::object({{"number_of_fragments", 0}}));
  if (!page.text_field.empty() && page.text_field != page.title_field)
    highlighted.set(page.text_field,
                    Json::object({{"number_of_fragments", 2}, {"fragment_size", 180}}));
  out.set("highlight", Json::object({{"pre_tags", Json::array({mark_opens})},
                                     {"post_tags", Json::array({mark_closes})},
                                     {"fields", std::move(highlighted)}}));
  if (from > 0 || page.facets.empty()) return out;
  Json facets = Json::object();
  for (std::size_t i = 0; i < page.facets.size(); ++i)
    facets.set("f" + std::to_string(i),
               Json::object({{"terms", Json::object({{"field", page.facets[i].field},
                                                     {"size", facet_values}})}}));
  out.set("aggs", std::move(facets));
  return out;
}

}  // namespace cairn::api
