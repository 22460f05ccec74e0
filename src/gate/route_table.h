// SPDX-License-Identifier: Apache-2.0
// From a method and a path to a row of the table.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "gate/route.h"

namespace cairn::gate {

/// Decoded path parameters in the order of the template.
using PathParameters = std::vector<std::pair<std::string, std::string>>;

struct Match {
  /// The row; nothing where the path is unknown or has no such method.
  std::size_t route = npos;
  PathParameters parameters = {};
  /// The methods of the path, sorted, where `route` is nothing; empty where the path is unknown.
  std::vector<std::string> allowed = {};
  bool head_of_get = false;  // HEAD, answered by the row of GET without its body
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  bool found() const { return route != npos; }
};

/// Immutable once built. A literal segment wins over a parameter, and where that leads nowhere the
/// parameter is tried. Time is in the length of the path, not in the number of rows.
class RouteTable {
 public:
  /// Two rows with the same method and shape of path are a bug and abort.
  explicit RouteTable(std::vector<Route> routes);
  ~RouteTable();
  RouteTable(RouteTable&&) noexcept;

  /// `path` is raw, without the query. One slash at the end is passed over.
  /// Errors: invalid_argument for a broken escape, NUL or text that is not UTF-8.
  Result<Match> match(std::string_view method, std::string_view path) const;
  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Node;
  void add(std::size_t route);
  std::vector<Route> routes_;
  std::vector<std::vector<std::string>> names_;  // of the parameters, by row
  std::unique_ptr<Node> root_;
};

}  // namespace cairn::gate
