// SPDX-License-Identifier: Apache-2.0
// Connections: pages of lists, with cursors.
#include <algorithm>
#include <optional>

#include "api/forms/error_json.h"
#include "api/graphql/rest.h"
#include "base/encode.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

struct Cursor {
  std::int64_t position = 0;
  std::string key = {};
};

std::string cursor_text(std::int64_t position, std::string_view key) {
  return to_base64url("cursor:" + std::to_string(position) + ":" + std::string(key));
}

Result<std::optional<Cursor>> cursor_argument(const graphql::FieldCall& field,
                                              std::string_view name) {
  const Json* const sent = field.arguments.find(name);
  if (sent == nullptr || sent->is_null()) return std::optional<Cursor>();
  const auto plain = from_base64url(sent->as_string());
  if (plain && plain->starts_with("cursor:")) {
    const std::string_view rest = std::string_view(*plain).substr(7);
    const std::size_t colon = rest.find(':');
    const auto position = parse_number<std::int64_t>(rest.substr(0, colon));
    if (colon != std::string_view::npos && position && *position >= 0)
      return std::optional(Cursor{*position, std::string(rest.substr(colon + 1))});
  }
  return illegal_argument("`" + sent->as_string().substr(0, 200) +
                          "` does not appear to be a valid cursor.");
}

/// Which part of `total` elements is asked for: [from, to).
struct Part {
  std::int64_t from = 0, to = 0;
};

std::optional<std::int64_t> count_argument(const graphql::FieldCall& field, std::string_view name) {
  const Json* const sent = field.arguments.find(name);
  if (sent == nullptr || !sent->is_integer()) return std::nullopt;
  return sent->as_int();
}

Part part_of(const graphql::FieldCall& field, std::int64_t total, std::int64_t after,
             std::int64_t before) {
  Part out{std::clamp<std::int64_t>(after + 1, 0, total),
           std::clamp<std::int64_t>(before, 0, total)};
  out.to = std::max(out.from, out.to);
  if (const auto first = count_argument(field, "first"))
    out.to = std::min(out.to, out.from + *first);
  else if (const auto last = count_argument(field, "last"))
    out.from = std::max(out.from, out.to - *last);
  return out;
}

Json connection_of(const graphql::FieldCall& field, Json::Array nodes, Part part,
                   std::int64_t total, const KeyOf& key) {
  const bool with_edges = field.selects("edges"), with_nodes = field.selects("nodes");
  Json::Array edges;
  Json start, end;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::string cursor =
        cursor_text(part.from + static_cast<std::int64_t>(i), key ? key(nodes[i]) : std::string());
    if (i == 0) start = cursor;
    if (i + 1 == nodes.size()) end = cursor;
    if (with_edges)
      edges.push_back(Json::object(
          {{"cursor", std::move(cursor)}, {"node", with_nodes ? nodes[i] : std::move(nodes[i])}}));
  }
  Json out = Json::object({{"pageInfo", Json::object({{"hasNextPage", part.to < total},
                                                      {"hasPreviousPage", part.from > 0},
                                                      {"startCursor", std::move(start)},
                                                      {"endCursor", std::move(end)}})},
                           {"totalCount", total}});
  if (with_edges) out.set("edges", Json(std::move(edges)));
  if (with_nodes) out.set("nodes", Json(std::move(nodes)));
  return out;
}

}  // namespace

Result<Json> page_of_list(const graphql::FieldCall& field, Json::Array all, const KeyOf& key) {
  CAIRN_TRY(const auto after, cursor_argument(field, "after"));
  CAIRN_TRY(const auto before, cursor_argument(field, "before"));
  const auto total = static_cast<std::int64_t>(all.size());
  // Of an element that is gone, the one that took its place counts as not seen yet.
  const auto place = [&](const Cursor& cursor, std::int64_t gone) {
    for (std::int64_t i = 0; i < total; ++i)
      if (key(all[static_cast<std::size_t>(i)]) == cursor.key) return i;
    return cursor.position + gone;
  };
  const Part part =
      part_of(field, total, after ? place(*after, -1) : -1, before ? place(*before, 0) : total);
  Json::Array nodes(std::make_move_iterator(all.begin() + part.from),
                    std::make_move_iterator(all.begin() + part.to));
  return connection_of(field, std::move(nodes), part, total, key);
}

Result<Json> page_of_windows(const graphql::FieldCall& field, const FetchWindow& fetch) {
  CAIRN_TRY(const auto after, cursor_argument(field, "after"));
  CAIRN_TRY(const auto before, cursor_argument(field, "before"));
  std::int64_t total = INT64_MAX / 2;
  if (count_argument(field, "last") && !before) {
    CAIRN_TRY(const Window look, fetch(0, 1));
    total = look.total;
  }
  Part part =
      part_of(field, total, after ? after->position : -1, before ? before->position : total);
  const std::int64_t size = part.to - part.from;
  CAIRN_TRY(Window window, fetch(part.from, std::max<std::int64_t>(size, 1)));
  if (size == 0) window.items.clear();
  part.to = part.from + static_cast<std::int64_t>(window.items.size());
  return connection_of(field, std::move(window.items), part, window.total, {});
}

}  // namespace cairn::api
