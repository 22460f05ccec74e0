// SPDX-License-Identifier: Apache-2.0
// Where snapshot repositories lie: folders beneath path.repo, buckets of the object storage or of
// other clusters.
#pragma once

#include <string>
#include <vector>

#include "app/settings/s3_clients.h"
#include "net/client/outbound.h"
#include "objectstore/engine.h"
#include "snapshots/repositories.h"

namespace cairn::app {

struct RepositoryPlaces {
  std::vector<std::string> path_repo = {};
  S3Clients clients = {};
  std::string keys_folder = {};  // with s3-clients.json
  /// Where a repository may lead a client beside the client's own endpoint.
  std::vector<std::string> allowed_endpoints = {};
};

/// The rules of the setting repositories.s3.allowed_endpoints. Errors: invalid_argument.
Result<net::OutboundRules> repository_endpoints(const std::vector<std::string>& allowed);

/// The bucket on the cluster that the repository's client reaches. Errors: repository_exception.
Result<std::unique_ptr<store::Store>> open_on_cluster(
    const snapshots::RepositorySettings& repository, const RepositoryPlaces& places);
/// The folder, which is there and lies below one of `roots`. Errors: repository_exception.
Result<std::unique_ptr<store::Store>> open_allowed_folder(
    const snapshots::RepositorySettings& repository, const std::vector<std::string>& roots);

/// Opens types fs and s3. A repository of type s3 lies in a bucket of the own object storage unless
/// its settings or the client `default` name another cluster; that is not asked before it is used.
/// The engine outlives it.
snapshots::OpenRepository repository_places(RepositoryPlaces places, objectstore::Engine& engine);

}  // namespace cairn::app
