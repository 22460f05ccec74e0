// SPDX-License-Identifier: Apache-2.0
// Which cluster, which bucket, below which prefix, and who signs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/options.h"

namespace cairn::remotestore {

/// Where a store lies.
struct Place {
  std::string bucket = {};
  std::string prefix = {};    // of all names; empty, or with a "/" at its end
  std::string endpoint = {};  // an http or https URL; empty: the vendor's hosts of the region
  std::string region = {};    // empty: AWS_REGION, the profile, else us-east-1 with an endpoint
  /// The bucket in the path instead of in the host. Nothing: in the path with an endpoint.
  std::optional<bool> path_style = {};

  /// "s3://bucket/prefix" for people.
  std::string shown() const;
  /// Errors: invalid_argument: no bucket, a prefix over 512 bytes or with bytes that no name should
  /// have.
  Status validate() const;
};

/// Reads "s3://bucket/prefix?endpoint=http://…&region=…&path_style=true"; values may be
/// percent-encoded. Errors: invalid_argument, with what is wrong; credentials in it are refused.
Result<Place> parse_place(std::string_view url);

/// Who signs, how long is waited, and where connections may be made to. Empty credentials: the chain of the client library, which
/// begins with the environment (AWS_ACCESS_KEY_ID, AWS_PROFILE, …).
struct Access {
  std::string access_key = {};
  std::string secret_key = {};
  std::string session_token = {};
  std::int64_t read_timeout_ms = 30'000;  // between bytes of a reply
  std::int64_t max_attempts = 4;          // of one call, with the first
  std::uint64_t object_bytes_max = UINT64_MAX;  // of what is read into memory at once
  net::AddressCheck check_address = {};   // empty: to everywhere; for places that a caller named
};

/// What every object is put with, in the words of the protocol. Empty: what the bucket says.
struct ObjectSettings {
  std::string storage_class = {};           // "STANDARD_IA"
  std::string acl = {};                     // "bucket-owner-full-control"
  std::string server_side_encryption = {};  // "AES256"
};

/// "/a//b/" as "a/b/", "" as "".
std::string normal_prefix(std::string_view prefix);

}  // namespace cairn::remotestore
