// SPDX-License-Identifier: Apache-2.0
#include "tasks/async_answer.h"

#include <utility>

namespace cairn::tasks {
namespace {

// Documents may be as deep as JSON bodies are, and stand within hits.
constexpr std::size_t answer_depth = 256;

void show_totals(Json& hits, bool as_int);

/// In the groups that hits are shown with.
void show_inner_totals(Json& list, bool as_int) {
  if (!list.is_array()) return;
  for (Json& hit : list.as_array()) {
    Json* groups = hit.find("inner_hits");
    if (groups == nullptr || !groups->is_object()) continue;
    for (auto& [name, group] : groups->as_object())
      if (Json* hits = group.find("hits")) show_totals(*hits, as_int);
  }
}

/// Of a `hits` object. A total that was not counted is -1 as a number, and else not there.
void show_totals(Json& hits, bool as_int) {
  Json* total = hits.find("total");
  if (!as_int && total != nullptr && total->is_integer()) {
    const std::int64_t count = total->as_int();
    if (count < 0)
      hits.erase("total");
    else
      *total = Json::object({{"value", count}, {"relation", "eq"}});
  } else if (as_int && total == nullptr) {
    hits.as_object().insert(hits.as_object().begin(), {"total", Json(-1)});
  } else if (as_int && total->is_object()) {
    *total = Json(total->int_or("value"));
  }
  if (Json* list = hits.find("hits")) show_inner_totals(*list, as_int);
}

void drop_types(Json& named);

/// One aggregation, or one bucket of one: members with a type in their names are aggregations.
void drop_types_within(Json& body) {
  if (!body.is_object()) return;
  Json* buckets = body.find("buckets");
  if (buckets != nullptr && buckets->is_array())
    for (Json& bucket : buckets->as_array()) drop_types_within(bucket);
  if (buckets != nullptr && buckets->is_object())
    for (auto& [key, bucket] : buckets->as_object()) drop_types_within(bucket);
  drop_types(body);
}

void drop_types(Json& named) {
  for (auto& [name, body] : named.as_object()) {
    const auto mark = name.find('#');
    if (mark == std::string::npos) continue;
    drop_types_within(body);
    name.erase(0, mark + 1);
  }
}

}  // namespace

bool differs(const AnswerForm& from, const AnswerForm& to) {
  return (from.typed_keys && !to.typed_keys) || from.total_hits_as_int != to.total_hits_as_int;
}

Result<std::string> in_form(std::string answer, const AnswerForm& from, const AnswerForm& to) {
  if (!differs(from, to)) return answer;
  CAIRN_TRY(Json json, parse_json(answer, {.depth = answer_depth}));
  Json* hits = json.find("hits");
  if (hits == nullptr || !hits->is_object())
    return Error{.kind = ErrorKind::corrupt, .message = "the kept answer is that of no search"};
  if (from.total_hits_as_int != to.total_hits_as_int) show_totals(*hits, to.total_hits_as_int);
  const bool drops = from.typed_keys && !to.typed_keys;
  for (const auto* part : {"aggregations", "suggest"})
    if (Json* named = json.find(part); drops && named != nullptr && named->is_object())
      drop_types(*named);
  return json.dump();
}

std::string answer_so_far(std::size_t shards, std::int64_t took_ms, const AnswerForm& form) {
  const Json total =
      form.total_hits_as_int ? Json(0) : Json::object({{"value", 0}, {"relation", "gte"}});
  return Json::object(
             {{"took", took_ms},
              {"timed_out", false},
              {"terminated_early", false},
              {"num_reduce_phases", 0},
              {"_shards",
               Json::object({{"total", shards}, {"successful", 0}, {"skipped", 0}, {"failed", 0}})},
              {"hits",
               Json::object({{"total", total}, {"max_score", Json()}, {"hits", Json::array()}})}})
      .dump();
}

}  // namespace cairn::tasks
