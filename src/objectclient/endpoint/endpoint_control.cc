// SPDX-License-Identifier: Apache-2.0
#include "objectclient/endpoint/endpoint.h"
#include "objectclient/endpoint/host_label.h"
#include "objectclient/endpoint/service_url.h"
#include "objectclient/faults.h"

namespace cairn::objectclient {

Result<Endpoint> resolve_control_endpoint(const ControlEndpointParams& params) {
  if (params.of_directories) {
    EndpointParams of_region{.region = params.region,
                             .use_fips = params.use_fips,
                             .use_dualstack = params.use_dualstack,
                             .use_s3_express_control_endpoint = true,
                             .hosts = params.hosts};
    if (!params.endpoint.empty()) of_region.endpoint = params.endpoint;
    return resolve_endpoint(of_region);
  }
  Endpoint out{.url = params.endpoint,
               .auth_schemes = {{.name = "sigv4",
                                 .signing_name = params.of_outposts ? "s3-outposts" : "s3",
                                 .signing_region = params.region}}};
  while (out.url.ends_with('/')) out.url.pop_back();
  if (!out.url.empty()) return out;
  if (params.of_outposts) {
    if (params.use_dualstack) return argument_error("S3 Outposts does not support Dual-stack");
    CAIRN_TRY(out.url, service_url(params.use_fips ? "s3-outposts-fips" : "s3-outposts",
                                   params.region));
    return out;
  }
  if (!is_host_label(params.account_id, false))
    return argument_error("the account is part of a host and may not be `" + params.account_id +
                          "`");
  std::string service = params.account_id + ".s3-control";
  if (params.use_fips) service += "-fips";
  if (params.use_dualstack) service += ".dualstack";
  CAIRN_TRY(out.url, service_url(service, params.region));
  return out;
}

}  // namespace cairn::objectclient
