// SPDX-License-Identifier: Apache-2.0
// Buckets that a setting names: "s3://bucket/prefix" of the own object storage,
// "s3://CLIENT@bucket/prefix" of the cluster that s3.client.CLIENT names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "app/settings/s3_clients.h"
#include "base/result.h"
#include "objectstore/engine.h"
#include "store/store.h"

namespace cairn::app {

struct BucketPlace {
  std::string client = {};  // empty: the own object storage
  std::string bucket = {};
  std::string prefix = {};  // empty, or with a "/" at its end
};

inline constexpr std::string_view bucket_scheme = "s3://";

/// Errors: invalid_argument, with what is wrong, to stand behind the text.
Result<BucketPlace> parse_bucket_place(std::string_view text, const S3Clients& clients);

struct BucketAccess {
  S3Clients clients = {};
  std::string keys_folder = {};  // with s3-clients.json, which is read at each opening
  std::uint64_t object_bytes_max = UINT64_MAX;
  std::string setting = {};  // who asks, for errors of addresses
};

/// A store at that place; of another cluster nothing is asked yet. `engine` outlives it. Errors:
/// not_found: no such bucket of the own object storage; unavailable: the client has no keys; those
/// of reading s3-clients.json.
Result<std::unique_ptr<store::Store>> open_bucket_place(const BucketPlace& place,
                                                        const BucketAccess& access,
                                                        objectstore::Engine& engine);

}  // namespace cairn::app
