// SPDX-License-Identifier: Apache-2.0
// Which bucket and which key a request means: path style and virtual-host style.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http/message.h"
#include "s3/access_points.h"
#include "s3/operations/operation.h"

namespace cairn::s3api {

struct Address {
  s3::Target target = s3::Target::service;
  std::string bucket = {};
  std::string key = {};  // bytes, decoded once; slashes and dots are significant
  bool virtual_host = false;
  std::string host_label = {};  // what stood before the domain: signatures of version 2 cover it
  std::optional<s3::AccessPointName> access_point = {};  // as HostName has it
  bool of_access_points = false;
};

/// Below `domains` a bucket or access point stands before the domain (host.h). A request to the
/// control API has Target::control, and no bucket.
/// Errors: NotImplemented (a host of what is not offered); InvalidURI (a broken percent escape, or no path).
Result<Address> read_address(const net::RequestHead& head, const std::vector<std::string>& domains);

/// bucket and key of x-amz-copy-source: `[/]bucket/key[?versionId=id]`, percent-encoded with "+"
/// for a space; or the object's URL, its bucket in the path or before one of `domains`; or the ARN of
/// an access point's object, and then `bucket` is the ARN of the access point.
struct CopySource {
  std::string bucket;
  std::string key;
  std::string version_id;  // empty: the latest
};
/// Errors: InvalidArgument (ArgumentName x-amz-copy-source).
Result<CopySource> read_copy_source(std::string_view text,
                                    const std::vector<std::string>& domains = {});

}  // namespace cairn::s3api
