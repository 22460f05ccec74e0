// SPDX-License-Identifier: Apache-2.0
// The query parameter filter_path: which parts of a reply are sent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"

namespace cairn::api {

/// A list of dotted paths, with * for a name or a part of one, ** for any number of names, and a
/// leading - for what is left out. Arrays are passed through without a name of their own. First
/// what is included, then what is left out of that; containers that end up empty go too.
class FilterPath {
 public:
  explicit FilterPath(std::string_view list);
  bool empty() const { return include_.empty() && exclude_.empty(); }
  /// An object stays an object: what matches nothing gives {}.
  Json apply(const Json& value) const;

 private:
  using Path = std::vector<std::string>;
  std::vector<Path> include_;
  std::vector<Path> exclude_;
};

}  // namespace cairn::api
