// SPDX-License-Identifier: Apache-2.0
#include "search/rank_eval.h"

#include <map>
#include <set>
#include <utility>

#include "search/errors.h"
#include "search/rank_metrics.h"
#include "search/reader.h"
#include "search/search_template.h"

namespace cairn::search {
namespace {

constexpr std::size_t requests_max = 1'000;
constexpr std::size_t ratings_max = 100'000;  // of all requests
// What makes hits something else than a plain list by rank.
constexpr std::string_view unfit_members[] = {"size",    "aggregations", "aggs",    "suggest",
                                              "highlight", "explain",    "profile", "from"};

struct Rated {
  std::string id;
  Json request = {};            // members of a search; null: `template_id` makes them
  std::string template_id = {};
  Json values = {};             // that the template is filled in with
  std::map<std::pair<std::string, std::string>, int> ratings;  // by index and id
  std::vector<std::string> summary_fields;
};

Status read_rating(std::string_view text, const std::string& path, const Json& json, Rated& out) {
  if (!json.is_object()) return parsing_error(text, path, "a rating must be an object");
  Reader in(json, text, path, "rated_document", Reader::Style::strict);
  CAIRN_TRY(const auto index, in.required_string("_index"));
  CAIRN_TRY(const auto id, in.required_string("_id"));
  CAIRN_TRY(const auto rating, in.integer("rating"));
  CAIRN_CHECK(in.finish());
  if (!rating) return in.fault("rating", "Required [rating]");
  if (*rating < 0 || *rating > rating_max)
    return illegal_argument("a [rating] must be from 0 to " + std::to_string(rating_max));
  if (out.ratings.emplace(std::pair(index, id), static_cast<int>(*rating)).second)
    return ok_status();
  return illegal_argument("Found duplicate rated document key [{\"_index\":\"" + index +
                          "\",\"_id\":\"" + id + "\"}] in evaluation request [" + out.id + "]");
}

Status check_members(const Json& request) {
  for (const std::string_view member : unfit_members)
    if (request.find(member) != nullptr)
      return illegal_argument("Query in rated requests should not contain [" + std::string(member) +
                              "]: the metric says how many hits are looked at");
  return ok_status();
}

Result<Rated> read_one(std::string_view text, const std::string& path, const Json& json) {
  if (!json.is_object()) return parsing_error(text, path, "a request must be an object");
  Reader in(json, text, path, "request", Reader::Style::strict);
  Rated out;
  CAIRN_TRY(out.id, in.required_string("id"));
  CAIRN_TRY(auto template_id, in.string("template_id"));
  CAIRN_TRY(const Json* values, in.object("params"));
  CAIRN_TRY(const Json* request, in.object("request"));
  CAIRN_TRY(const Json* ratings, in.array("ratings"));
  CAIRN_TRY(auto summary, in.strings("summary_fields"));
  CAIRN_CHECK(in.finish());
  if (ratings == nullptr) return in.fault("ratings", "Required [ratings]");
  if ((request == nullptr) == !template_id)
    return in.fault("request", "a rated request has a [request] or a [template_id], and not both");
  if (values != nullptr && !template_id)
    return in.fault("params", "[params] are for a [template_id]");
  out.template_id = template_id.value_or("");
  out.values = values == nullptr ? Json() : *values;
  if (request != nullptr) {
    CAIRN_CHECK(check_members(*request));
    out.request = *request;
  }
  out.summary_fields = summary.value_or(std::vector<std::string>());
  for (const Json& rating : ratings->as_array())
    CAIRN_CHECK(read_rating(text, path + ".ratings", rating, out));
  return out;
}

using Templates = std::map<std::string, TemplateRequest>;

struct Evaluation {
  RankMetric metric;
  Templates templates;
  std::vector<Rated> requests;
};

Result<Templates> read_templates(std::string_view text, const Json& list) {
  Templates out;
  for (const Json& one : list.as_array()) {
    if (!one.is_object()) return parsing_error(text, "templates", "a template must be an object");
    Reader in(one, text, "templates", "template", Reader::Style::strict);
    CAIRN_TRY(std::string id, in.required_string("id"));
    CAIRN_TRY(const Json* body, in.required_object("template"));
    CAIRN_CHECK(in.finish());
    CAIRN_TRY(TemplateRequest read, read_template(text, "templates.template", *body));
    if (!out.emplace(id, std::move(read)).second)
      return illegal_argument("the id [" + id + "] of a template comes twice");
  }
  return out;
}

Result<Evaluation> read(std::string_view text, const Json& json) {
  if (!json.is_object()) return parsing_error(text, "", "a body is required");
  Reader in(json, text, "", "rank_eval", Reader::Style::strict);
  CAIRN_TRY(const Json* templates, in.array("templates"));
  CAIRN_CHECK(in.integer("max_concurrent_searches"));  // they follow one another
  CAIRN_TRY(const Json* requests, in.array("requests"));
  const Json* metric = in.any("metric");
  CAIRN_CHECK(in.finish());
  if (requests == nullptr || requests->as_array().empty())
    return in.fault("requests", "Required [requests]");
  if (metric == nullptr) return in.fault("metric", "Required [metric]");
  if (requests->as_array().size() > requests_max)
    return illegal_argument("[requests] has [" + std::to_string(requests->as_array().size()) +
                            "] searches, at most [" + std::to_string(requests_max) +
                            "] are taken");
  Evaluation out;
  CAIRN_TRY(out.metric, read_rank_metric(text, *metric));
  if (templates != nullptr) {
    CAIRN_TRY(out.templates, read_templates(text, *templates));
  }
  std::set<std::string> ids;
  std::size_t ratings = 0;
  for (const Json& one : requests->as_array()) {
    CAIRN_TRY(auto rated, read_one(text, "requests", one));
    if (!ids.insert(rated.id).second)
      return illegal_argument("the id [" + rated.id + "] of a rated request comes twice");
    if (!rated.template_id.empty() && !out.templates.contains(rated.template_id))
      return illegal_argument("the rated request [" + rated.id + "] names the template [" +
                              rated.template_id + "], which is not among [templates]");
    ratings += rated.ratings.size();
    if (ratings > ratings_max)
      return illegal_argument("there are more than [" + std::to_string(ratings_max) + "] ratings");
    out.requests.push_back(std::move(rated));
  }
  return out;
}

/// One search, and what its hits are worth.
class OneEvaluation {
 public:
  OneEvaluation(const RankMetric& metric, const Rated& rated) : metric_(metric), rated_(rated) {}

  Result<Json> request(const Templates& templates, const FindTemplate& find) const {
    Json out = rated_.request;
    if (!rated_.template_id.empty()) {
      TemplateRequest made = templates.at(rated_.template_id);
      made.values = rated_.values;
      CAIRN_TRY(out, render_search(made, find));
      CAIRN_CHECK(check_members(out));
    }
    out.set("size", static_cast<std::int64_t>(metric_.k));
    out.set("track_total_hits", false);
    if (rated_.summary_fields.empty())
      out.set("_source", false);
    else
      out.set("_source", Json::array_of(rated_.summary_fields));
    return out;
  }

  Result<Json> shown(const Json& answer, double& score) const {
    Json hits = Json::array(), unrated = Json::array();
    std::vector<std::optional<int>> ratings;
    for (const Json& hit : answer.find_path("hits.hits")->as_array()) {
      const Json name = Json::object({{"_index", *hit.find("_index")}, {"_id", *hit.find("_id")}});
      const auto known = rated_.ratings.find(
          {hit.find("_index")->as_string(), hit.find("_id")->as_string()});
      ratings.push_back(known == rated_.ratings.end() ? std::nullopt
                                                      : std::optional(known->second));
      if (!ratings.back()) unrated.push(name);
      Json shown_hit = name;
      shown_hit.set("_score", *hit.find("_score"));
      if (const Json* source = hit.find("_source")) shown_hit.set("_source", *source);
      hits.push(Json::object({{"hit", std::move(shown_hit)},
                              {"rating", ratings.back() ? Json(*ratings.back()) : Json()}}));
    }
    std::vector<int> all;
    for (const auto& [name, rating] : rated_.ratings) all.push_back(rating);
    RankScore found = rank_score(metric_, ratings, std::move(all));
    score = found.score;
    return Json::object({{"metric_score", found.score},
                         {"unrated_docs", std::move(unrated)},
                         {"hits", std::move(hits)},
                         {"metric_details", std::move(found.details)}});
  }

 private:
  const RankMetric& metric_;
  const Rated& rated_;
};

}  // namespace

Result<Json> rank_eval(Service& service, const IndexList& indices, std::string_view body,
                       const SearchParameters& parameters, const FindTemplate& find,
                       const os::Deadline& deadline) {
  CAIRN_TRY(const Json json, parse_json(body, {.unique_names = true}));
  CAIRN_TRY(const Evaluation asked, read(body, json));
  Json details = Json::object(), failures = Json::object();
  double sum = 0;
  std::size_t bytes = 0;
  for (const Rated& rated : asked.requests) {
    CAIRN_CHECK(deadline.check("evaluating searches"));
    const OneEvaluation one(asked.metric, rated);
    SearchParameters own = parameters;
    own.answer_bytes_before = bytes;
    const auto request = one.request(asked.templates, find);
    const auto answer = request.ok() ? service.search(indices, request->dump(), own, deadline)
                                     : Result<std::string>(request.error());
    if (!answer.ok()) {
      if (answer.error().kind != ErrorKind::invalid_argument &&
          answer.error().kind != ErrorKind::not_found)
        return answer.error();
      failures.as_object().emplace_back(
          rated.id, Json::object({{"error", Json::object({{"type", answer.error().code},
                                                          {"reason", answer.error().message}})}}));
      continue;
    }
    bytes += answer->size();
    CAIRN_TRY(const Json found, parse_json(*answer));
    double score = 0;
    CAIRN_TRY(Json shown, one.shown(found, score));
    sum += score;
    details.as_object().emplace_back(rated.id, std::move(shown));
  }
  const std::size_t count = details.as_object().size();
  return Json::object({{"metric_score", count == 0 ? 0.0 : sum / static_cast<double>(count)},
                       {"details", std::move(details)},
                       {"failures", std::move(failures)}});
}

}  // namespace cairn::search
