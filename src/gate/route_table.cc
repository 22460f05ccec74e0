// SPDX-License-Identifier: Apache-2.0
// A tree of path segments, walked with a step back where a literal leads nowhere.
#include "gate/route_table.h"

#include "base/assert.h"
#include "base/encode.h"
#include "base/strings.h"

namespace cairn::gate {

struct RouteTable::Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
  std::unique_ptr<Node> parameter;
  bool plain_names = false;    // the parameter takes none of the platform's own, as _search
  std::unique_ptr<Node> rest;  // whatever is left
  std::map<std::string, std::size_t, std::less<>> methods;
};

namespace {

bool is_parameter(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

bool is_rest(std::string_view segment) { return segment.ends_with("...}"); }

/// The segments of "/a/b" are "a" and "b"; "/" has none.
std::vector<std::string_view> segments_of(std::string_view path) {
  if (!path.empty() && path.front() == '/') path.remove_prefix(1);
  if (!path.empty() && path.back() == '/') path.remove_suffix(1);
  if (path.empty()) return {};
  return split(path, '/');
}

/// Each segment without its escapes, in place; `storage` keeps those that had some.
Status decode(std::vector<std::string_view>& segments, std::vector<std::string>& storage) {
  for (std::string_view& segment : segments) {
    if (segment.find('%') != std::string_view::npos) {
      auto text = percent_decode(segment);
      if (!text)
        return Error{ErrorKind::invalid_argument, "illegal_argument_exception",
                     "unterminated or invalid escape sequence in the path segment [" +
                         std::string(segment) + "]"};
      storage.reserve(segments.size());  // what stands in it stays where it is
      segment = storage.emplace_back(std::move(*text));
    }
    if (segment.find('\0') != std::string_view::npos || !is_utf8(segment))
      return Error{ErrorKind::invalid_argument, "illegal_argument_exception",
                   "the path must be valid UTF-8 without NUL"};
  }
  return ok_status();
}

/// Walks the tree; `values` holds the segments that parameters took.
template <class Node>
const Node* find(const Node& node, const std::vector<std::string_view>& segments, std::size_t at,
                 std::vector<std::string_view>& values) {
  if (at == segments.size()) return node.methods.empty() ? nullptr : &node;
  if (const auto literal = node.literals.find(segments[at]); literal != node.literals.end())
    if (const Node* found = find(*literal->second, segments, at + 1, values)) return found;
  const bool fits = !segments[at].empty() && !(node.plain_names && segments[at].front() == '_');
  if (node.parameter && fits) {
    values.push_back(segments[at]);
    if (const Node* found = find(*node.parameter, segments, at + 1, values)) return found;
    values.pop_back();
  }
  return node.rest.get();
}

}  // namespace

RouteTable::RouteTable(std::vector<Route> routes)
    : routes_(std::move(routes)), names_(routes_.size()), root_(std::make_unique<Node>()) {
  for (std::size_t i = 0; i < routes_.size(); ++i) add(i);
}
RouteTable::~RouteTable() = default;
RouteTable::RouteTable(RouteTable&&) noexcept = default;

void RouteTable::add(std::size_t route) {
  Node* node = root_.get();
  const auto segments = segments_of(routes_[route].path);
  // "/search/{index}" leaves an index of the name "search" its "/search/_doc" and the like.
  const bool is_below_word =
      segments.size() > 1 && !is_parameter(segments[0]) && segments[0].front() != '_';
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::string_view segment = segments[i];
    if (i == 1 && is_below_word && segment == "{index}") node->plain_names = true;
    auto& next = is_rest(segment)        ? node->rest
                 : is_parameter(segment) ? node->parameter
                                         : node->literals[std::string(segment)];
    if (!next) next = std::make_unique<Node>();
    if (is_parameter(segment) && !is_rest(segment))
      names_[route].emplace_back(segment.substr(1, segment.size() - 2));
    node = next.get();
  }
  const bool fresh = node->methods.emplace(routes_[route].method, route).second;
  CAIRN_ASSERT(fresh);
}

Result<Match> RouteTable::match(std::string_view method, std::string_view path) const {
  std::vector<std::string_view> segments = segments_of(path);
  std::vector<std::string> storage;
  CAIRN_CHECK(decode(segments, storage));
  Match out;
  std::vector<std::string_view> values;
  const Node* node = find(*root_, segments, 0, values);
  if (node == nullptr) return out;
  auto row = node->methods.find(method);
  if (row == node->methods.end() && method == "HEAD") {
    row = node->methods.find("GET");
    out.head_of_get = row != node->methods.end();
  }
  if (row == node->methods.end()) {
    for (const auto& [name, route] : node->methods) out.allowed.push_back(name);
    return out;
  }
  out.route = row->second;
  for (std::size_t i = 0; i < values.size(); ++i)
    out.parameters.emplace_back(names_[out.route][i], values[i]);
  return out;
}

}  // namespace cairn::gate
