// SPDX-License-Identifier: Apache-2.0
// The setting models.sources: folders, buckets and addresses that models come from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/settings/s3_clients.h"
#include "base/result.h"
#include "inference/fetch/file_source.h"
#include "objectstore/engine.h"

namespace cairn::app {

struct ModelPlaces {
  /// "/srv/models", "https://host/path", "s3://bucket/prefix" of the own object storage, or
  /// "s3://CLIENT@bucket/prefix" of the cluster that s3.client.CLIENT names.
  std::vector<std::string> sources = {};
  S3Clients clients = {};
  std::string keys_folder = {};  // with s3-clients.json
};

/// Errors: invalid_argument, with the entry and what it can be.
Status check_model_sources(const std::vector<std::string>& sources, const S3Clients& clients);

/// The sources in their order; nothing is asked yet. `engine` outlives them. Errors: as above.
Result<std::vector<std::unique_ptr<inference::FileSource>>> model_sources(
    const ModelPlaces& places, objectstore::Engine& engine);

}  // namespace cairn::app
