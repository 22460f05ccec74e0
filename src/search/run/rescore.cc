// SPDX-License-Identifier: Apache-2.0
#include "search/run/rescore.h"

#include <algorithm>
#include <array>
#include <string>

#include "search/errors.h"
#include "search/reader.h"

namespace cairn::search {
namespace {

constexpr std::size_t rescorers_max = 10;
constexpr std::array<std::string_view, 5> mode_names = {"total", "multiply", "avg", "max", "min"};

Result<RescoreRules::Mode> read_score_mode(Reader& in) {
  CAIRN_TRY(const std::string name, in.string_or("score_mode", "total"));
  for (std::size_t i = 0; i < mode_names.size(); ++i)
    if (name == mode_names[i]) return static_cast<RescoreRules::Mode>(i);
  return illegal_argument("illegal score_mode [" + name + "]");
}

Result<Rescorer> read_rescorer(std::string_view text, const Json& json) {
  if (!json.is_object()) return parsing_error(text, "rescore", "[rescore] must be an object");
  Reader in(json, text, "rescore", "rescore", Reader::Style::query);
  Rescorer out;
  CAIRN_TRY(const auto window, in.integer("window_size"));
  for (const std::string_view other : {"learning_to_rank", "script"})
    if (in.any(other) != nullptr)
      return not_offered("rescore by " + std::string(other), "rescore by a [query]");
  CAIRN_TRY(const Json* query, in.object("query"));
  CAIRN_CHECK(in.finish());
  if (query == nullptr) return parsing_error(text, "rescore", "missing rescore type");
  if (window.value_or(10) < 1)
    return illegal_argument("[window_size] of [rescore] must be positive, but was [" +
                            std::to_string(*window) + "]");
  out.rules.window = static_cast<std::size_t>(window.value_or(10));
  Reader inside(*query, text, "rescore.query", "rescore_query", Reader::Style::strict);
  CAIRN_TRY(const Json* second, inside.object("rescore_query"));
  CAIRN_TRY(out.rules.query_weight, inside.number_or("query_weight", 1));
  CAIRN_TRY(out.rules.rescore_weight, inside.number_or("rescore_query_weight", 1));
  CAIRN_TRY(out.rules.mode, read_score_mode(inside));
  CAIRN_CHECK(inside.finish());
  if (second == nullptr) return inside.fault("rescore_query", "Required [rescore_query]");
  out.query = *second;
  return out;
}

float combined(const RescoreRules& rules, float first, float second) {
  switch (rules.mode) {
    case RescoreRules::Mode::total:
      return first + second;
    case RescoreRules::Mode::multiply:
      return first * second;
    case RescoreRules::Mode::avg:
      return (first + second) / 2;
    case RescoreRules::Mode::max:
      return std::max(first, second);
    case RescoreRules::Mode::min:
      return std::min(first, second);
  }
  return first;
}

Status rescore_once(const PreparedRescorer& by, std::uint32_t bit, Execution& execution,
                    std::vector<Candidate>& hits) {
  const std::size_t window = std::min(by.rules.window, hits.size());
  const std::span<const Candidate> best(hits.data(), window);
  CAIRN_TRY(const auto second, execution.scores(by.queries, best));
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const float first = hits[i].score * by.rules.query_weight;
    hits[i].score = first;
    if (i >= window) continue;
    hits[i].asked |= bit;
    if (second[i]) hits[i].score = combined(by.rules, first, *second[i] * by.rules.rescore_weight);
  }
  std::stable_sort(hits.begin(), hits.end(), [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : a.place < b.place;
  });
  return ok_status();
}

index::Explanation weighted(index::Explanation of, float weight, const char* name) {
  const float value = of.value * weight;
  std::vector<index::Explanation> parts;
  parts.push_back(std::move(of));
  parts.push_back(index::Explanation::match(weight, name));
  return index::Explanation::match(value, "product of:", std::move(parts));
}

}  // namespace

Result<std::vector<Rescorer>> read_rescore(std::string_view text, const Json& json) {
  std::vector<Rescorer> out;
  const Json list = json.is_array() ? json : Json::array({json});
  if (list.as_array().size() > rescorers_max)
    return illegal_argument("[rescore] takes [" + std::to_string(rescorers_max) +
                            "] rescorers at most");
  for (const Json& one : list.as_array()) {
    CAIRN_TRY(auto rescorer, read_rescorer(text, one));
    out.push_back(std::move(rescorer));
  }
  return out;
}

std::size_t widest_window(const std::vector<Rescorer>& rescorers) {
  std::size_t out = 0;
  for (const Rescorer& one : rescorers) out = std::max(out, one.rules.window);
  return out;
}

Result<std::vector<PreparedRescorer>> prepare_rescorers(const std::vector<Rescorer>& rescorers,
                                                        Execution& execution, bool described) {
  std::vector<PreparedRescorer> out;
  for (const Rescorer& one : rescorers) {
    CAIRN_TRY(auto read, execution.read(one.query, "rescore.query.rescore_query"));
    CAIRN_TRY(auto prepared, execution.prepare(std::move(read), described));
    out.push_back({one.rules, std::move(prepared)});
  }
  return out;
}

Status rescore(const std::vector<PreparedRescorer>& rescorers, Execution& execution,
               std::vector<Candidate>& hits) {
  for (std::size_t i = 0; i < rescorers.size(); ++i)
    CAIRN_CHECK(rescore_once(rescorers[i], std::uint32_t{1} << i, execution, hits));
  return ok_status();
}

Result<index::Explanation> explain_rescored(const std::vector<PreparedRescorer>& rescorers,
                                            const Candidate& hit, index::Explanation own,
                                            const os::Deadline& deadline) {
  static constexpr std::array<const char*, 5> names = {
      "sum of:", "product of:", "avg of:", "max of:", "min of:"};
  for (std::size_t i = 0; i < rescorers.size(); ++i) {
    const PreparedRescorer& by = rescorers[i];
    own = weighted(std::move(own), by.rules.query_weight, "primaryWeight");
    if ((hit.asked >> i & 1) == 0) continue;
    CAIRN_TRY(auto second, by.queries[hit.place.target].plan->explain(hit.place.doc, deadline));
    if (!second.matches) continue;
    second = weighted(std::move(second), by.rules.rescore_weight, "secondaryWeight");
    const float value = combined(by.rules, own.value, second.value);
    std::vector<index::Explanation> parts;
    parts.push_back(std::move(own));
    parts.push_back(std::move(second));
    own = index::Explanation::match(value, names[static_cast<std::size_t>(by.rules.mode)],
                                    std::move(parts));
  }
  return own;
}

}  // namespace cairn::search
