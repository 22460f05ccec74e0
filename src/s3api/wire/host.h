// SPDX-License-Identifier: Apache-2.0
// What the name of a host says about a request: a bucket, an access point, the control API.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "s3/access_points.h"

namespace cairn::s3api {

struct HostName {
  std::string bucket = {};  // the bucket in front of the domain; empty: it stands in the path
  /// "<name>-<account>" in front of the domain. With `of_access_points` the host can be nothing
  /// else; without, a bucket may have that name.
  std::optional<s3::AccessPointName> access_point = {};
  bool of_access_points = false;
  bool control = false;  // "[<account>.]s3-control.<region>.<domain>", "s3-outposts.<region>.<domain>"
  /// What hosts of this name are for, where that is not offered: "Dual-stack host names". Empty:
  /// nothing of that kind.
  std::string_view refused = {};
};

/// Below one of `domains`:
/// - "<bucket>.<domain>", and of a directory bucket "<bucket>.s3express-<zone>.<region>.<domain>"
///   or "<bucket>.<zone>.<region>.<domain>", or the same with the name of its access point;
/// - "<name>-<account>.s3-accesspoint.<region>.<domain>", or "objects-accesspoint" there, or
///   "<name>-<account>.<domain>", as SDKs have it that are told an endpoint.
/// - "<name>-<account>.<outpost>.s3-outposts.<region>.<domain>", or "objects-outposts" there, or
///   "<name>-<account>.<outpost>.<domain>"; or the alias of the access point as the first label.
/// Any other host says nothing.
HostName read_host(std::string_view host, const std::vector<std::string>& domains);

}  // namespace cairn::s3api
