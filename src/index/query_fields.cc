// SPDX-License-Identifier: Apache-2.0
#include "index/query_fields.h"

#include <algorithm>
#include <type_traits>

namespace cairn::index {
namespace {

// Calls `each` for the queries that stand in one as a part of it.
template <class Node, class Each>
void each_part(Node& node, Each each) {
  const auto all = [&](auto& list) {
    for (auto& query : list) each(query);
  };
  using Kind = std::remove_const_t<Node>;
  if constexpr (std::is_same_v<Kind, BoolQuery>) {
    all(node.must), all(node.should), all(node.filter), all(node.must_not);
  } else if constexpr (std::is_same_v<Kind, ConstantScoreQuery>) {
    all(node.filter);
  } else if constexpr (std::is_same_v<Kind, DisMaxQuery>) {
    all(node.queries);
  } else if constexpr (std::is_same_v<Kind, BoostingQuery>) {
    all(node.positive), all(node.negative);
  } else if constexpr (std::is_same_v<Kind, FunctionScoreQuery>) {
    all(node.query);
    for (auto& function : node.functions) all(function.filter);
  } else if constexpr (std::is_same_v<Kind, ScriptScoreQuery>) {
    all(node.query);
  }
}

// Its parts have the fields.
template <class IsOf>
bool any_field(const SpanQuery& query, IsOf is_of) {
  return is_of(query.field) ||
         std::any_of(query.parts.begin(), query.parts.end(),
                     [&](const SpanQuery& part) { return any_field(part, is_of); });
}

template <class IsOf>
bool any_field(const IntervalsRule& rule, IsOf is_of) {
  const auto in_part = [&](const IntervalsRule& part) { return any_field(part, is_of); };
  return is_of(rule.use_field) || std::any_of(rule.parts.begin(), rule.parts.end(), in_part) ||
         std::any_of(rule.by.begin(), rule.by.end(), in_part);
}

}  // namespace

bool asks_objects(const Query& query, const Mapping& mapping, std::string_view path) {
  const auto is_of = [&](std::string_view field) {
    const Field* nested = mapping.nested_above(field);
    return nested != nullptr && nested->name == path;
  };
  return std::visit(
      [&](const auto& node) {
        bool found = false;
        // Slices are of documents, whatever they go by.
        if constexpr (std::is_same_v<std::decay_t<decltype(node)>, SliceQuery>) return false;
        if constexpr (requires { std::string_view(node.field); }) found = is_of(node.field);
        if constexpr (std::is_same_v<std::decay_t<decltype(node)>, CombinedFieldsQuery> ||
                      std::is_same_v<std::decay_t<decltype(node)>, BlendedQuery>)
          for (const auto& [field, weight] : node.fields) found = found || is_of(field);
        if constexpr (std::is_same_v<std::decay_t<decltype(node)>, MoreLikeThisQuery>)
          for (const auto& text : node.like) found = found || is_of(text.field);
        if constexpr (std::is_same_v<std::decay_t<decltype(node)>, SpanQuery>)
          found = any_field(node, is_of);
        if constexpr (std::is_same_v<std::decay_t<decltype(node)>, IntervalsQuery>)
          found = found || any_field(node.rule.front(), is_of);
        each_part(node, [&](const Query& part) {
          found = found || asks_objects(part, mapping, path);
        });
        return found;
      },
      query.node);
}

const WithinQuery* within_of(const std::vector<Query>& filters) {
  for (const Query& filter : filters)
    if (const auto* within = std::get_if<WithinQuery>(&filter.node)) return within;
  return nullptr;
}

bool narrow_nearest(Query& query, const WithinQuery& within) {
  auto* knn = std::get_if<KnnQuery>(&query.node);
  if (knn != nullptr) knn->filter.push_back({.node = within});
  bool narrowed = knn != nullptr;
  std::visit(
      [&](auto& node) {
        each_part(node, [&](Query& part) { narrowed = narrow_nearest(part, within) || narrowed; });
      },
      query.node);
  return narrowed;
}

}  // namespace cairn::index
