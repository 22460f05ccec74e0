// SPDX-License-Identifier: Apache-2.0
// Queries of the objects of a nested field.
#include "search/errors.h"
#include "search/read/query_reader.h"

namespace cairn::search {
namespace {

using Mode = index::NestedQuery::ScoreMode;

constexpr std::size_t inner_hits_max = 32;  // each is a search for each hit

std::optional<Mode> mode_of(std::string_view name) {
  if (name == "avg") return Mode::avg;
  if (name == "max") return Mode::max;
  if (name == "min") return Mode::min;
  if (name == "sum") return Mode::sum;
  if (name == "none") return Mode::none;
  return std::nullopt;
}

}  // namespace

Result<index::Query> QueryReader::read_nested(const Json& body, const std::string& path) {
  Reader in = reader(body, path, "nested", Reader::Style::query);
  CAIRN_TRY(const auto nested_path, in.string("path"));
  CAIRN_TRY(const Json* query, in.object("query"));
  CAIRN_TRY(const auto mode, in.string_or("score_mode", "avg"));
  CAIRN_TRY(const bool ignore_unmapped, in.boolean_or("ignore_unmapped", false));
  if (!nested_path) return parsing_error(text_, path, "[nested] requires 'path' field");
  if (query == nullptr) return parsing_error(text_, path, "[nested] requires 'query' field");
  const auto known = mode_of(mode);
  if (!known)
    return illegal_argument("No score mode for child query [" + mode +
                            "] found: use avg, max, min, sum or none");
  index::NestedQuery out{.path = *nested_path,
                         .query = {},
                         .score_mode = *known,
                         .ignore_unmapped = ignore_unmapped};
  // Names within it are of objects, which are no hits.
  const std::size_t names = named_.size();
  const std::size_t hits = inner_hits_.size();
  CAIRN_TRY(auto inner, read(*query, in.path_of("query")));
  named_.resize(names);
  out.query.push_back(std::move(inner));
  if (const Json* asked = in.any("inner_hits")) {
    CAIRN_TRY(auto read_hits,
              read_inner_hits(text_, in.path_of("inner_hits"), *asked, *nested_path));
    if (read_hits.window > widest_inner_.window) widest_inner_ = read_hits;
    inner_hits_.resize(hits);
    CAIRN_CHECK(add_inner_hits({std::move(read_hits), *nested_path, *query}));
  }
  return made(std::move(out), in);
}

Status QueryReader::add_inner_hits(NestedInnerHits found) {
  if (!collects_inner_hits_)
    return not_offered("inner_hits here",
                       "they are of the [query] and the [post_filter] of a search");
  if (inner_hits_.size() == inner_hits_max)
    return illegal_argument("a search takes [" + std::to_string(inner_hits_max) +
                            "] inner_hits at most");
  for (const NestedInnerHits& known : inner_hits_)
    if (known.inner.name == found.inner.name)
      return illegal_argument("[inner_hits] already contains an entry for key [" +
                              found.inner.name + "]");
  inner_hits_.push_back(std::move(found));
  return ok_status();
}

}  // namespace cairn::search
