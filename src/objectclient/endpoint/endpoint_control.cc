// SPDX-License-Identifier: Apache-2.0
#include "objectclient/endpoint/endpoint.h"
#include "objectclient/endpoint/host_label.h"
#include "objectclient/endpoint/service_url.h"
#include "objectclient/faults.h"

namespace cairn::objectclient {

Result<Endpoint> resolve_control_endpoint(const ControlEndpointParams& params) {
  Endpoint out{.url = params.endpoint,
               .auth_schemes = {
                   {.name = "sigv4", .signing_name = "s3", .signing_region = params.region}}};
  while (out.url.ends_with('/')) out.url.pop_back();
  if (!out.url.empty()) return out;
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
