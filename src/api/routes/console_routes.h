// SPDX-License-Identifier: Apache-2.0
// The files of the console.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/router.h"
#include "console/files.h"

namespace cairn::api {

/// Where a browser that asks for "/" is led: the dispatcher takes its request for one of this path.
inline constexpr std::string_view console_path = "/_console";

struct ConsoleOptions {
  std::string base_path = {};                            // the prefix of all paths
  std::vector<std::string> search_frame_ancestors = {};  // pages that may frame the search page
  /// Where a browser that sends this request reaches the object storage, which shows objects in
  /// frames. Null: nowhere.
  std::function<std::string(const net::RequestHead& head)> objects_url = {};
};

/// The console at /_console/. `files` outlive the router.
void add_console_routes(Router& router, ServiceRef<const console::Files> files,
                        ConsoleOptions options);

}  // namespace cairn::api
