// SPDX-License-Identifier: Apache-2.0
// The nodes that share the store: which there are, and that one is to give all away.
#pragma once

#include <string_view>
#include <vector>

#include "api/router.h"
#include "api/routes/cluster/system_routes.h"
#include "nodes/node_record.h"

namespace cairn::api {

/// A node as clients are shown it.
struct ListedNode {
  nodes::NodeRecord record;
  std::string id = {};     // the same over restarts; of one alone, that of ServerFacts
  bool is_master = false;  // it serves; the others stand by
};

/// All of them, this one first; it alone, where it shares its store with nobody.
std::vector<ListedNode> listed_nodes(const ServerFacts& facts, const ServerSources& sources);
/// Those that a list of names, ids and wildcards means ("_local,cairn-*"); all for an empty one.
std::vector<ListedNode> nodes_meant(const ServerFacts& facts, const ServerSources& sources,
                                    std::string_view list);
/// The host of "host:port".
std::string host_part(std::string_view address);

/// `facts` and `sources` outlive the router.
void add_node_routes(Router& router, const ServerFacts& facts, const ServerSources& sources);

}  // namespace cairn::api
