// SPDX-License-Identifier: Apache-2.0
#include "search/run/collapse.h"

#include <set>

#include "search/errors.h"
#include "search/reader.h"

namespace cairn::search {
namespace {

constexpr std::size_t inner_max = 10;
constexpr std::size_t group_inner_hits_max = 100;  // of each

}  // namespace

Result<Collapse> read_collapse(std::string_view text, const Json& json) {
  if (!json.is_object()) return parsing_error(text, "collapse", "[collapse] must be an object");
  Reader in(json, text, "collapse", "collapse", Reader::Style::strict);
  Collapse out;
  CAIRN_TRY(const auto field, in.string("field"));
  if (!field || field->empty()) return in.fault("field", "Required [field]");
  out.field = *field;
  if (in.any("max_concurrent_group_searches") != nullptr)
    return not_offered("max_concurrent_group_searches",
                       "the searches of groups follow one another: leave it out");
  const Json* inner = in.any("inner_hits");
  CAIRN_CHECK(in.finish());
  if (inner == nullptr) return out;
  const Json list = inner->is_array() ? *inner : Json::array({*inner});
  if (list.as_array().size() > inner_max)
    return illegal_argument("[collapse] takes [" + std::to_string(inner_max) +
                            "] inner_hits at most");
  std::set<std::string> names;
  for (const Json& one : list.as_array()) {
    CAIRN_TRY(auto read, read_inner_hits(text, "collapse.inner_hits", one, out.field));
    CAIRN_CHECK(check_inner_window(read, group_inner_hits_max, ""));
    if (!names.insert(read.name).second)
      return illegal_argument("[inner_hits] already contains an entry for key [" + read.name + "]");
    out.inner.push_back(std::move(read));
  }
  return out;
}

Json group_json(const index::SortValue& group) {
  if (const auto* whole = std::get_if<std::int64_t>(&group)) return Json(*whole);
  if (const auto* real = std::get_if<double>(&group)) return Json(*real);
  if (const auto* text = std::get_if<std::string>(&group)) return Json(*text);
  return {};
}

Json inner_request(const Collapse& collapse, const InnerHits& inner, const index::SortValue& group,
                   const Json& query, const Json& post_filter) {
  Json all = Json::object();
  const Json value = group_json(group);
  if (value.is_null())
    all.set("must_not", Json::object({{"exists", Json::object({{"field", collapse.field}})}}));
  else
    all.set("filter", Json::object({{"term", Json::object({{collapse.field, value}})}}));
  // What has no query scores 1.
  all.set("must", query.is_null() ? Json::object({{"match_all", Json::object()}}) : query);
  Json out = inner.body;
  out.set("query", Json::object({{"bool", std::move(all)}}));
  if (!post_filter.is_null()) out.set("post_filter", post_filter);
  return out;
}

}  // namespace cairn::search
