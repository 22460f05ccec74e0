// SPDX-License-Identifier: Apache-2.0
#include "search/run/collapse.h"

#include <algorithm>
#include <array>
#include <set>

#include "search/errors.h"
#include "search/reader.h"

namespace cairn::search {
namespace {

constexpr std::size_t inner_max = 10;
constexpr std::int64_t inner_window = 100;  // index.max_inner_result_window
constexpr std::array<std::string_view, 12> inner_members = {
    "from",         "size",          "sort",
    "_source",      "highlight",     "explain",
    "fields",       "version",       "seq_no_primary_term",
    "track_scores", "stored_fields", "docvalue_fields"};

Result<InnerHits> read_inner(std::string_view text, const std::string& field, const Json& json) {
  if (!json.is_object())
    return parsing_error(text, "collapse.inner_hits", "[inner_hits] must be an object");
  Reader in(json, text, "collapse.inner_hits", "inner_hits", Reader::Style::strict);
  InnerHits out{.name = {}, .body = Json::object({{"size", 3}})};
  CAIRN_TRY(out.name, in.string_or("name", field));
  for (const std::string_view other : {"collapse", "script_fields", "ignore_unmapped"})
    if (in.any(other) != nullptr) return not_offered(std::string(other) + " of inner_hits", "");
  CAIRN_TRY(const auto from, in.integer("from"));
  CAIRN_TRY(const auto size, in.integer("size"));
  for (const std::string_view member : inner_members)
    if (const Json* value = in.any(member)) out.body.set(std::string(member), *value);
  CAIRN_CHECK(in.finish());
  if (from.value_or(0) < 0 || size.value_or(3) < 0)
    return illegal_argument("illegal [from] or [size] of [inner_hits]: they cannot be negative");
  if (from.value_or(0) > inner_window || size.value_or(3) > inner_window ||
      from.value_or(0) + size.value_or(3) > inner_window)
    return illegal_argument("Inner result window is too large, the inner hit definition's [" +
                            out.name + "]'s from + size must be less than or equal to: [" +
                            std::to_string(inner_window) + "] but was [" +
                            std::to_string(from.value_or(0) + size.value_or(3)) + "].");
  return out;
}

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
    CAIRN_TRY(auto read, read_inner(text, out.field, one));
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
