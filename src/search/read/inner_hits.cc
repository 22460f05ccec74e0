// SPDX-License-Identifier: Apache-2.0
#include "search/read/inner_hits.h"

#include <array>

#include "search/errors.h"
#include "search/reader.h"

namespace cairn::search {
namespace {

constexpr std::array<std::string_view, 12> inner_members = {
    "from",         "size",          "sort",
    "_source",      "highlight",     "explain",
    "fields",       "version",       "seq_no_primary_term",
    "track_scores", "stored_fields", "docvalue_fields"};

}  // namespace

Result<InnerHits> read_inner_hits(std::string_view text, const std::string& path, const Json& json,
                                  const std::string& name) {
  if (!json.is_object()) return parsing_error(text, path, "[inner_hits] must be an object");
  Reader in(json, text, path, "inner_hits", Reader::Style::strict);
  InnerHits out{.name = {}, .body = Json::object({{"size", 3}})};
  CAIRN_TRY(out.name, in.string_or("name", name));
  for (const std::string_view other : {"collapse", "script_fields", "ignore_unmapped"})
    if (in.any(other) != nullptr) return not_offered(std::string(other) + " of inner_hits", "");
  CAIRN_TRY(const auto from, in.integer("from"));
  CAIRN_TRY(const auto size, in.integer("size"));
  for (const std::string_view member : inner_members)
    if (const Json* value = in.any(member)) out.body.set(std::string(member), *value);
  CAIRN_CHECK(in.finish());
  if (from.value_or(0) < 0 || size.value_or(3) < 0)
    return illegal_argument("illegal [from] or [size] of [inner_hits]: they cannot be negative");
  out.window =
      static_cast<std::size_t>(from.value_or(0)) + static_cast<std::size_t>(size.value_or(3));
  return out;
}

Status check_inner_window(const InnerHits& inner, std::size_t most, std::string_view setting) {
  if (inner.window <= most) return ok_status();
  const std::string raise =
      setting.empty() ? std::string()
                      : " This limit can be set by changing the [" + std::string(setting) +
                            "] index level setting.";
  return illegal_argument("Inner result window is too large, the inner hit definition's [" +
                          inner.name + "]'s from + size must be less than or equal to: [" +
                          std::to_string(most) + "] but was [" + std::to_string(inner.window) +
                          "]." + raise);
}

}  // namespace cairn::search
