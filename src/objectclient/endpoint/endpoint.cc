// SPDX-License-Identifier: Apache-2.0
// The order in which the kinds of names are recognised.
#include "objectclient/endpoint/endpoint.h"

#include "objectclient/endpoint/endpoint_rules.h"
#include "objectclient/endpoint/host_label.h"

namespace cairn::objectclient {
namespace {

Status check_combination(const RuleContext& context) {
  const EndpointParams& params = context.params;
  if (params.accelerate && params.use_fips)
    return endpoint_error("Accelerate cannot be used with FIPS");
  if (params.endpoint) {
    if (params.use_dualstack)
      return endpoint_error("Cannot set dual-stack in combination with a custom endpoint.");
    if (params.use_fips) return endpoint_error("A custom endpoint cannot be combined with FIPS");
    if (params.accelerate)
      return endpoint_error("A custom endpoint cannot be combined with S3 Accelerate");
  }
  if (params.use_fips && context.partition.name == "aws-cn")
    return endpoint_error("Partition does not support FIPS");
  return ok_status();
}

Result<Endpoint> named_bucket(const RuleContext& context) {
  const EndpointParams& params = context.params;
  if (params.endpoint && !context.custom)
    return endpoint_error("Custom endpoint `" + *params.endpoint + "` was not a valid URI");
  if (!params.force_path_style) {
    const bool plain_http = context.custom && context.custom->scheme == "http";
    if (is_virtual_hostable(context.bucket, plain_http && !params.accelerate))
      return virtual_host(context);
    if (const auto arn = parse_arn(context.bucket)) return arn_bucket(context, *arn);
  }
  if (context.bucket.starts_with("arn:")) {
    if (!parse_arn(context.bucket))
      return endpoint_error("Invalid ARN: `" + std::string(context.bucket) +
                            "` was not a valid ARN");
    return endpoint_error("Path-style addressing cannot be used with ARN buckets");
  }
  return path_style(context);
}

}  // namespace

Result<Endpoint> resolve_endpoint(const EndpointParams& params) {
  if (!params.region || params.region->empty())
    return endpoint_error("A region must be set when sending requests to S3.");
  RuleContext context{.params = params,
                      .bucket = params.bucket ? std::string_view(*params.bucket) : "",
                      .region = *params.region,
                      .partition = partition_of(*params.region)};
  if (params.endpoint) context.custom = parse_custom_endpoint(*params.endpoint);
  CAIRN_CHECK(check_combination(context));
  // A region may have been learnt from a reply, and most hosts of the vendor have it as a label.
  if (!params.endpoint && !is_host_label(context.region, true))
    return endpoint_error("Invalid region: region was not a valid DNS name.");
  for (const std::string_view suffix : {"--x-s3", "--xa-s3"})
    if (context.bucket.ends_with(suffix)) return directory_bucket(context, suffix);
  if (context.bucket.empty() && params.use_s3_express_control_endpoint)
    return directory_control(context);
  if (is_outpost_alias(context.bucket)) return outpost_alias(context);
  return context.bucket.empty() ? no_bucket(context) : named_bucket(context);
}

}  // namespace cairn::objectclient
