// SPDX-License-Identifier: Apache-2.0
// Which bucket and which key a request means: path style and virtual-host style.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/message.h"
#include "s3/operation.h"

namespace cairn::s3api {

struct Address {
  s3::Target target = s3::Target::service;
  std::string bucket = {};
  std::string key = {};  // bytes, decoded once; slashes and dots are significant
  bool virtual_host = false;
};

/// Below `domains` a bucket stands before the domain, a directory bucket also before its zone and
/// region: "<bucket>.s3express-<zone>.<region>.<domain>" or "<bucket>.<zone>.<region>.<domain>".
/// Errors: InvalidURI (a broken percent escape, or no path).
Result<Address> read_address(const net::RequestHead& head, const std::vector<std::string>& domains);

/// bucket and key of x-amz-copy-source: `[/]bucket/key[?versionId=id]`, percent-encoded with "+"
/// for a space; or the object's URL, its bucket in the path or before one of `domains`.
struct CopySource {
  std::string bucket;
  std::string key;
  std::string version_id;  // empty: the latest
};
/// Errors: InvalidArgument (ArgumentName x-amz-copy-source).
Result<CopySource> read_copy_source(std::string_view text,
                                    const std::vector<std::string>& domains = {});

}  // namespace cairn::s3api
