// SPDX-License-Identifier: Apache-2.0
// Settings of the object service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cairn::s3api {

struct Options {
  /// The region that this service calls its own. us-east-1 stands for the global endpoint: buckets
  /// of every region may be made here.
  std::string region = "us-east-1";
  /// Signatures of any region are accepted. Without it only those of `region`.
  bool accept_any_region = true;
  /// Names under which buckets are sub-domains: with "objects.example.com", a request to
  /// photos.objects.example.com is one to the bucket photos. Path style works always.
  std::vector<std::string> domains = {};
  /// Host names (with port) that clients sign although a proxy sends another one.
  std::vector<std::string> host_aliases = {};
  std::size_t document_bytes_max = 8 << 20;  // of an XML body
  std::size_t metadata_bytes_max = 2048;     // names and values of x-amz-meta-*
  /// A copy that has to move bytes shows that it lives by white space, this often.
  std::int64_t keep_alive_ms = 5'000;

  /// Errors: invalid_argument, with the setting.
  Status validate() const;
};

}  // namespace cairn::s3api
