// SPDX-License-Identifier: Apache-2.0
// What the rows about indices share: how they are added to the table of routes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/index_names.h"
#include "api/router.h"
#include "index/indices.h"

namespace cairn::api {

using IndexFace = Result<Reply> (*)(Call&, index::Indices&);

class IndexTable {
 public:
  IndexTable(Router& router, ServiceRef<index::Indices> indices)
      : router_(router), indices_(indices) {}

  static gate::Route row(std::string method, std::string path, std::string operation,
                         std::string privilege, std::string summary) {
    return {.method = std::move(method),
            .path = std::move(path),
            .operation = std::move(operation),
            .index_privilege = std::move(privilege),
            .summary = std::move(summary)};
  }
  void add(gate::Route route, IndexFace face) {
    router_.add(std::move(route),
                [face, indices = indices_](Call& call) { return face(call, *indices); });
  }
  /// The same under /{index}/tail and under /tail for all indices.
  /// `computes`: see gate::Route.
  void add_both(const std::string& method, const std::string& tail, const std::string& operation,
                const std::string& privilege, const std::string& summary,
                const std::vector<gate::Parameter>& query, IndexFace face, bool computes = false) {
    for (const std::string& path : {"/{index}" + tail, tail}) {
      auto route = row(method, path, operation, privilege, summary);
      route.filters_indices = true;
      route.computes = computes;
      route.query = with_index_options(query);
      add(std::move(route), face);
    }
  }

 private:
  Router& router_;
  ServiceRef<index::Indices> indices_;
};

/// Patterns where a call takes names only, as action.destructive_requires_name says:
/// illegal_argument_exception.
Status check_named(const index::Indices& indices, std::string_view expression);

/// Rows that close and open indices and block changes of them (index_state_routes.cc).
void add_index_states(IndexTable& table);
/// Rows that refresh, flush and merge indices, and count what they have (index_upkeep_routes.cc).
void add_index_upkeep(IndexTable& table);

}  // namespace cairn::api
