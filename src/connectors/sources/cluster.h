// SPDX-License-Identifier: Apache-2.0
// service_type "elasticsearch": the documents of another cluster, as they are.
#pragma once

#include <memory>
#include <string>

#include "connectors/outreach.h"
#include "connectors/source.h"

namespace cairn::connectors {

struct ClusterParams {
  Outreach outreach = {};
  std::string ca_file = {};  // PEM; empty: what the system trusts
};

/// Elasticsearch 7 and later, OpenSearch, Cairn, and what else speaks as they do. Values: `url` of
/// a host that `outreach` allows, `index` (names and patterns), `query`, `user` and `password` or
/// `api_key`, `page_size`. Documents keep their `_id` and their whole `_source`, whose hash tells
/// changes: sequence numbers begin anew with an index that was made anew.
std::unique_ptr<const SourceType> cluster_source(ClusterParams params);

}  // namespace cairn::connectors
