// SPDX-License-Identifier: Apache-2.0
#include "cli/add/first_questions.h"

#include <algorithm>

#include "cli/add/wishes.h"
#include "cli/search/search_request.h"

namespace cairn::cli {
namespace {

constexpr std::size_t questions_wanted = 3;
constexpr int titles_looked_at = 30;
constexpr int searches_max = 8;  // of the thirty a minute that many keys have
constexpr int seed = 7;          // the same questions each time, of the same documents

Result<Json::Array> hits_of(Connection& connection, const std::string& index, const Json& request) {
  CAIRN_TRY(Answer answer, connection.ask("POST", index_path({index}, "/_search"), &request));
  if (answer.status != 200)
    return Error{.kind = ErrorKind::unavailable, .message = reason_of(answer)};
  Json* hits = answer.body.find("hits");
  Json* list = hits == nullptr ? nullptr : hits->find("hits");
  return list != nullptr && list->is_array() ? std::move(list->as_array()) : Json::Array();
}

Json some_documents() {
  const Json random =
      Json::object({{"random_score", Json::object({{"seed", seed}, {"field", "_seq_no"}})}});
  return Json::object({{"size", titles_looked_at},
                       {"_source", Json::array({"title"})},
                       {"query", Json::object({{"function_score", random}})}});
}

std::string title_of(const Json& hit) {
  const Json* title = hit.find_path("_source.title");
  return title != nullptr && title->is_string() ? title->as_string() : std::string();
}

}  // namespace

Result<std::vector<std::string>> first_questions(Connection& connection, const std::string& index) {
  CAIRN_TRY(const Answer mapping, connection.ask("GET", index_path({index}, "/_mapping")));
  if (mapping.status != 200)
    return Error{.kind = ErrorKind::unavailable, .message = reason_of(mapping)};
  CAIRN_TRY(const auto documents, hits_of(connection, index, some_documents()));
  std::vector<std::string> out;
  int searches = 0;
  for (const Json& document : documents) {
    if (out.size() == questions_wanted || searches == searches_max) break;
    const std::string question = question_of_title(title_of(document));
    if (question.empty() || std::find(out.begin(), out.end(), question) != out.end()) continue;
    ++searches;
    const auto found = hits_of(connection, index, hybrid_request(question, mapping.body, 3));
    if (!found.ok()) break;  // over a limit: those that were tried are enough
    const bool answers = std::any_of(found->begin(), found->end(), [&](const Json& hit) {
      return hit.string_or("_id") == document.string_or("_id");
    });
    if (answers) out.push_back(question);
  }
  return out;
}

}  // namespace cairn::cli
