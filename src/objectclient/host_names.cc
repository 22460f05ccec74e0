// SPDX-License-Identifier: Apache-2.0
// The set without a vendor.
#include "objectclient/host_names.h"

#include <utility>

namespace cairn::objectclient {

HostNames HostNames::neutral(std::string domain) {
  return {.regional = "objects{fips}{dualstack}.{region}.{dns_suffix}",
          .global = "objects.{dns_suffix}",
          .accelerate = "objects-accelerate{dualstack}.{dns_suffix}",
          .access_point = "objects-accesspoint{fips}{dualstack}.{region}.{dns_suffix}",
          .multi_region_access_point = "accesspoint.objects-global.{dns_suffix}",
          .object_lambda = "objects-lambda{fips}.{region}.{dns_suffix}",
          .outposts = "objects-outposts.{region}.{dns_suffix}",
          .zonal = "{zone}.{region}.objects-zonal{fips}{dualstack}.{dns_suffix}",
          .control = "objects-control{fips}{dualstack}.{region}.{dns_suffix}",
          .dns_suffix = std::move(domain)};
}

}  // namespace cairn::objectclient
