// SPDX-License-Identifier: Apache-2.0
// The hosts of a vendor, as templates: "{region}" and "{dns_suffix}" are filled in.
#pragma once

#include <string>
#include <string_view>

namespace cairn::objectclient {

/// What stands behind the part of a host that names a bucket or an access point. {fips} is "-fips"
/// or nothing, {dualstack} is ".dualstack" or nothing, {zone} the zone of a directory bucket.
struct HostNames {
  std::string regional = "s3{fips}{dualstack}.{region}.{dns_suffix}";
  std::string global = "s3.{dns_suffix}";  // of us-east-1, where the legacy form is asked for
  std::string accelerate = "s3-accelerate{dualstack}.{dns_suffix}";
  std::string access_point = "s3-accesspoint{fips}{dualstack}.{region}.{dns_suffix}";
  std::string multi_region_access_point = "accesspoint.s3-global.{dns_suffix}";
  std::string object_lambda = "s3-object-lambda{fips}.{region}.{dns_suffix}";
  std::string outposts = "s3-outposts.{region}.{dns_suffix}";
  std::string zonal = "s3express{fips}-{zone}{dualstack}.{region}.{dns_suffix}";
  std::string control = "s3express-control{fips}{dualstack}.{region}.{dns_suffix}";
  std::string dns_suffix = {};  // empty: that of the region's partition

  /// The names of the service that the protocol comes from: the defaults.
  static HostNames aws() { return {}; }
  /// Names that carry no vendor, below one domain: objects.{region}.<domain> and so on.
  static HostNames neutral(std::string domain);
};

}  // namespace cairn::objectclient
