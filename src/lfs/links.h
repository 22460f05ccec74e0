// SPDX-License-Identifier: Apache-2.0
// The URLs of an answer: presigned ones of the object service, and the one of verify.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "auth/secrets/object_keys.h"
#include "base/result.h"
#include "lfs/options.h"
#include "net/http/message.h"
#include "os/clock.h"
#include "s3/signing/signing.h"

namespace cairn::lfs {

/// Makes presigned URLs for objects of the bucket. Safe from any thread.
class Links {
 public:
  /// `key` is a pair that the object service knows, of the bucket's owner; the clock outlives it.
  Links(auth::ObjectKey key, std::string region, const os::Clock& clock)
      : key_(std::move(key)), region_(std::move(region)), clock_(clock) {}

  /// Reads the object. `service` is the URL of the object service.
  std::string download(std::string_view service, std::string_view object_key,
                       std::int64_t lifetime_s) const;
  /// Writes the object, and only with the body whose SHA-256 is `sha256_hex`: the request must
  /// bring that as x-amz-content-sha256, and the service compares.
  std::string upload(std::string_view service, std::string_view object_key,
                     std::string_view sha256_hex, std::int64_t lifetime_s) const;

 private:
  std::string sign(std::string_view method, std::string_view service, std::string_view object_key,
                   net::Headers headers, std::string_view payload_hash,
                   std::int64_t lifetime_s) const;
  const auth::ObjectKey key_;
  const std::string region_;
  const os::Clock& clock_;
  mutable s3::SigningKeys signing_keys_;
};

/// Where the client that sent this request reaches the object service: what is set; else the
/// address of its listener, with the host of the request where that listens on all addresses.
std::string objects_url(const net::RequestHead& head, const Options& options,
                        const std::string& listener_url);

/// The URL of verify beside the batch URL that this request came to; empty where the request does
/// not say by which host (HTTP/1.0) and nothing is set.
std::string verify_url(const net::RequestHead& head, const Options& options);

}  // namespace cairn::lfs
