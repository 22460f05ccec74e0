// SPDX-License-Identifier: Apache-2.0
// Access points, multi-region access points, object lambda and outposts.
#include <string>
#include <utility>

#include "objectclient/endpoint/endpoint_rules.h"
#include "objectclient/endpoint/host_label.h"
#include "objectclient/endpoint/service_url.h"

namespace cairn::objectclient {
namespace {

std::string found(std::string_view what, std::string_view value) {
  return "Invalid ARN: The " + std::string(what) +
         " may only contain a-z, A-Z, 0-9 and `-`. Found: `" + std::string(value) + "`";
}

/// A client that keeps to its region refuses resources elsewhere.
Status check_region(const RuleContext& context, const Arn& arn) {
  if (context.params.use_arn_region || arn.region == context.region) return ok_status();
  return endpoint_error("Invalid configuration: region from ARN `" + arn.region +
                        "` does not match client region `" + context.region +
                        "` and UseArnRegion is `false`");
}

Status check_partition(const RuleContext& context, const Arn& arn) {
  const Partition& of_arn = partition_of(arn.region);
  if (of_arn.name != context.partition.name)
    return endpoint_error(
        "Client was configured for partition `" + std::string(context.partition.name) +
        "` but ARN (`" + std::string(context.bucket) + "`) has `" + std::string(of_arn.name) + "`");
  if (!is_host_label(arn.region, true))
    return endpoint_error("Invalid region in ARN: `" + arn.region + "` (invalid DNS name)");
  return ok_status();
}

Status check_account(const Arn& arn) {
  if (is_host_label(arn.account_id, false)) return ok_status();
  return endpoint_error(found("account id", arn.account_id));
}

Result<Endpoint> hosted(const RuleContext& context, const std::string& name,
                        const std::string& host, std::vector<AuthScheme> schemes) {
  CAIRN_TRY(std::string url,
            context.custom ? context.custom->url(name) : url_at("https", name + "." + host));
  return Endpoint{.url = std::move(url), .auth_schemes = std::move(schemes)};
}

Result<Endpoint> object_lambda(const RuleContext& context, const Arn& arn,
                               const std::string& name) {
  const EndpointParams& params = context.params;
  if (params.use_dualstack) return endpoint_error("S3 Object Lambda does not support Dual-stack");
  if (params.accelerate) return endpoint_error("S3 Object Lambda does not support S3 Accelerate");
  if (arn.region.empty()) return endpoint_error("Invalid ARN: bucket ARN is missing a region");
  if (params.disable_access_points)
    return endpoint_error("Access points are not supported for this operation");
  if (arn.part(2))
    return endpoint_error(
        "Invalid ARN: The ARN may only contain a single resource component after `accesspoint`.");
  CAIRN_CHECK(check_region(context, arn));
  CAIRN_CHECK(check_partition(context, arn));
  if (arn.account_id.empty()) return endpoint_error("Invalid ARN: Missing account id");
  CAIRN_CHECK(check_account(arn));
  if (!is_host_label(name, false)) return endpoint_error(found("access point name", name));
  return hosted(context, name + "-" + arn.account_id,
                host_of(params.hosts.object_lambda, context, arn.region),
                {sigv4("s3-object-lambda", arn.region)});
}

Result<Endpoint> multi_region(const RuleContext& context, const Arn& arn, const std::string& name) {
  const EndpointParams& params = context.params;
  if (!is_host_label(name, true)) return endpoint_error("Invalid Access Point Name");
  if (params.use_dualstack) return endpoint_error("S3 MRAP does not support dual-stack");
  if (params.use_fips) return endpoint_error("S3 MRAP does not support FIPS");
  if (params.accelerate) return endpoint_error("S3 MRAP does not support S3 Accelerate");
  if (params.disable_multiregion_access_points)
    return endpoint_error("Invalid configuration: Multi-Region Access Point ARNs are disabled.");
  if (context.partition.name != arn.partition)
    return endpoint_error("Client was configured for partition `" +
                          std::string(context.partition.name) +
                          "` but bucket referred to partition `" + arn.partition + "`");
  CAIRN_TRY(std::string url, url_at("https", name + "." +
                                                 host_of(params.hosts.multi_region_access_point,
                                                         context, context.region)));
  return Endpoint{.url = std::move(url), .auth_schemes = {sigv4a("s3")}};
}

Result<Endpoint> access_point(const RuleContext& context, const Arn& arn, const std::string& name) {
  const EndpointParams& params = context.params;
  if (arn.region.empty()) return multi_region(context, arn, name);
  if (params.disable_access_points)
    return endpoint_error("Access points are not supported for this operation");
  if (arn.part(2))
    return endpoint_error(
        "Invalid ARN: The ARN may only contain a single resource component after `accesspoint`.");
  CAIRN_CHECK(check_region(context, arn));
  CAIRN_CHECK(check_partition(context, arn));
  if (arn.service != "s3")
    return endpoint_error("Invalid ARN: The ARN was not for the S3 service, found: " + arn.service);
  CAIRN_CHECK(check_account(arn));
  if (!is_host_label(name, false)) return endpoint_error(found("access point name", name));
  if (params.accelerate) return endpoint_error("Access Points do not support S3 Accelerate");
  return hosted(context, name + "-" + arn.account_id,
                host_of(params.hosts.access_point, context, arn.region), {sigv4("s3", arn.region)});
}

Result<Endpoint> outpost(const RuleContext& context, const Arn& arn) {
  const EndpointParams& params = context.params;
  if (params.use_dualstack) return endpoint_error("S3 Outposts does not support Dual-stack");
  if (params.use_fips) return endpoint_error("S3 Outposts does not support FIPS");
  if (params.accelerate) return endpoint_error("S3 Outposts does not support S3 Accelerate");
  if (arn.part(4))
    return endpoint_error("Invalid Arn: Outpost Access Point ARN contains sub resources");
  const auto id = arn.part(1);
  if (!id) return endpoint_error("Invalid ARN: The Outpost Id was not set");
  if (!is_host_label(*id, false)) return endpoint_error(found("outpost Id", *id));
  CAIRN_CHECK(check_region(context, arn));
  CAIRN_CHECK(check_partition(context, arn));
  CAIRN_CHECK(check_account(arn));
  const auto type = arn.part(2);
  if (!type) return endpoint_error("Invalid ARN: Expected a 4-component resource");
  const auto name = arn.part(3);
  if (!name) return endpoint_error("Invalid ARN: expected an access point name");
  if (*type != "accesspoint")
    return endpoint_error("Expected an outpost type `accesspoint`, found " + std::string(*type));
  if (!is_host_label(*name, false)) return endpoint_error(found("access point name", *name));
  return hosted(context, std::string(*name) + "-" + arn.account_id + "." + std::string(*id),
                host_of(params.hosts.outposts, context, arn.region),
                {sigv4a("s3-outposts"), sigv4("s3-outposts", arn.region)});
}

}  // namespace

Result<Endpoint> arn_bucket(const RuleContext& context, const Arn& arn) {
  const std::string type(arn.resource.front());
  if (type.empty()) return endpoint_error("Invalid ARN: No ARN type specified");
  const bool lambda = arn.service == "s3-object-lambda";
  if (lambda && type != "accesspoint")
    return endpoint_error(
        "Invalid ARN: Object Lambda ARNs only support `accesspoint` arn types, but found: `" +
        type + "`");
  if (type == "accesspoint") {
    const std::string name(arn.part(1).value_or(""));
    if (name.empty())
      return endpoint_error(
          "Invalid ARN: Expected a resource of the format `accesspoint:<accesspoint name>` but no "
          "name was provided");
    return lambda ? object_lambda(context, arn, name) : access_point(context, arn, name);
  }
  if (arn.service == "s3-outposts") return outpost(context, arn);
  return endpoint_error("Invalid ARN: Unrecognized format: " + std::string(context.bucket) +
                        " (type: " + type + ")");
}

// An alias carries, counted from its end: "--op-s3" in 7 characters, the place of the region in 4
// (at 8), the outpost in 17 (at 32) and the kind of hardware in one (at 49).
bool is_outpost_alias(std::string_view bucket) {
  return bucket.size() >= 50 && bucket.ends_with("--op-s3");
}

Result<Endpoint> outpost_alias(const RuleContext& context) {
  const std::string bucket(context.bucket);
  const auto from_end = [&](std::size_t first, std::size_t last) {
    return bucket.substr(bucket.size() - last, last - first);
  };
  const std::string outpost_id = from_end(32, 49);
  if (!is_host_label(outpost_id, false))
    return endpoint_error("Invalid ARN: The outpost Id must only contain a-z, A-Z, 0-9 and `-`.");
  if (!is_virtual_hostable(bucket, false))
    return endpoint_error("Invalid Outposts Bucket alias - it must be a valid bucket name.");
  const std::string hardware = from_end(49, 50);
  std::string prefix;
  if (hardware == "e")
    prefix = "ec2.";
  else if (hardware == "o")
    prefix = "op-" + outpost_id + ".";
  else
    return endpoint_error("Unrecognized hardware type: \"Expected hardware type o or e but got " +
                          hardware + "\"");
  std::vector<AuthScheme> schemes{sigv4a("s3-outposts"), sigv4("s3-outposts", context.region)};
  if (from_end(8, 12) == "beta") {
    if (!context.custom)
      return endpoint_error("Expected a endpoint to be specified but no endpoint was found");
    CAIRN_TRY(std::string url, url_at("https", bucket + "." + prefix + context.custom->authority));
    return Endpoint{.url = std::move(url), .auth_schemes = std::move(schemes)};
  }
  CAIRN_TRY(std::string url,
            url_at("https", bucket + "." + prefix +
                                host_of(context.params.hosts.outposts, context, context.region)));
  return Endpoint{.url = std::move(url), .auth_schemes = std::move(schemes)};
}

}  // namespace cairn::objectclient
