// SPDX-License-Identifier: Apache-2.0
// Folders, of which one may cover a path.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace cairn::connectors {

/// What lies in one of these folders, or is one, is covered; "" covers everything.
class PathCover {
 public:
  void add(std::string folder) { folders_.insert(std::move(folder)); }
  bool is_empty() const { return folders_.empty(); }
  bool covers(std::string_view path) const {
    if (folders_.empty()) return false;
    if (folders_.count("") > 0) return true;
    for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
      if (folders_.count(path.substr(0, end)) > 0) return true;
      if (end == std::string_view::npos) return false;
    }
  }

 private:
  std::set<std::string, std::less<>> folders_;
};

}  // namespace cairn::connectors
