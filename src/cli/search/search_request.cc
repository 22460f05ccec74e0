// SPDX-License-Identifier: Apache-2.0
#include "cli/search/search_request.h"

#include <algorithm>
#include <set>

#include "base/encode.h"

namespace cairn::cli {
namespace {

constexpr int window = 100;
constexpr int snippet_characters = 220;
// Of a longer text the rest is not looked through for words to show; without this it is refused.
constexpr int analyzed_max = 500'000;

bool is_of_type(const Json& properties, std::string_view field, std::string_view type) {
  const Json* found = properties.find(field);
  return found != nullptr && found->string_or("type") == type;
}

/// Whether the index is as one that `cairn add` makes.
bool has_meaning_of_texts(const Json& index) {
  const Json* properties = index.find_path("mappings.properties");
  return properties != nullptr && is_of_type(*properties, "title", "text") &&
         is_of_type(*properties, "body", "text") &&
         is_of_type(*properties, "meaning", "semantic_text");
}

Error refused_list(const Answer& answer) {
  const bool rights = answer.status == 401 || answer.status == 403;
  return {.kind = rights ? ErrorKind::permission_denied : ErrorKind::unavailable,
          .message = reason_of(answer)};
}

Json standard(Json query) {
  return Json::object(
      {{"retriever", Json::object({{"standard", Json::object({{"query", std::move(query)}})}})}});
}

Json by_words_and_meaning(const std::string& words) {
  const Json match = Json::object(
      {{"multi_match",
        Json::object({{"query", words}, {"fields", Json::array({"title", "body"})}})}});
  const Json semantic =
      Json::object({{"semantic", Json::object({{"field", "meaning"}, {"query", words}})}});
  return Json::object({{"normalizer", "minmax"},
                       {"rank_window_size", window},
                       {"retrievers", Json::array({standard(match), standard(semantic)})}});
}

Json snippets() {
  const Json one = Json::object({{"number_of_fragments", 1}});
  return Json::object({{"fields", Json::object({{"body", one}, {"meaning", one}})},
                       {"fragment_size", snippet_characters},
                       {"max_analyzed_offset", analyzed_max},
                       {"pre_tags", Json::array({mark_begin})},
                       {"post_tags", Json::array({mark_end})}});
}

}  // namespace

Result<std::vector<std::string>> filled_indices(Connection& connection) {
  CAIRN_TRY(const Answer mappings, connection.ask("GET", "/_mapping"));
  if (mappings.status != 200) return refused_list(mappings);
  CAIRN_TRY(const Answer connectors, connection.ask("GET", "/_connector?size=1000"));
  if (connectors.status != 200) return refused_list(connectors);
  std::set<std::string> of_connectors;
  const Json* results = connectors.body.find("results");
  for (const Json& one : results == nullptr ? Json::Array() : results->as_array())
    of_connectors.insert(one.string_or("index_name"));
  std::vector<std::string> out;
  for (const auto& [name, index] : mappings.body.as_object()) {
    const Json* meta = index.find_path("mappings._meta");
    const bool was_sent = meta != nullptr && meta->find(folder_member) != nullptr;
    if (was_sent || of_connectors.count(name) > 0) out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Json hybrid_request(const std::string& words, const Json& mapping, std::size_t size,
                    std::size_t from) {
  const auto& indices = mapping.as_object();
  const bool usual = std::all_of(indices.begin(), indices.end(), [](const Json::Member& index) {
    return has_meaning_of_texts(index.second);
  });
  Json linear = usual ? by_words_and_meaning(words)
                      : Json::object({{"query", words}, {"rank_window_size", window}});
  return Json::object({{"size", size},
                       {"from", from},
                       {"_source", Json::array({"title", "path"})},
                       {"highlight", snippets()},
                       {"retriever", Json::object({{"linear", std::move(linear)}})}});
}

std::string index_path(const std::vector<std::string>& indices, std::string_view rest) {
  std::string out = "/";
  for (const auto& index : indices) {
    if (out.size() > 1) out += ',';
    out += percent_encode(index, "*");
  }
  return out + std::string(rest);
}

}  // namespace cairn::cli
