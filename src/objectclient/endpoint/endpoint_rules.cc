// SPDX-License-Identifier: Apache-2.0
// What the rules share, and the ordinary buckets.
#include "objectclient/endpoint/endpoint_rules.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "objectclient/endpoint/host_label.h"
#include "objectclient/endpoint/service_url.h"

namespace cairn::objectclient {
namespace {

Result<Endpoint> endpoint(Result<std::string> url, const RuleContext& context,
                          std::string_view service) {
  if (!url.ok()) return std::move(url).error();
  return Endpoint{.url = std::move(*url),
                  .auth_schemes = {sigv4(std::string(service), context.signing_region())}};
}

/// The host of the service in the context's region, in its oldest form where that is asked for.
std::string service_host(const RuleContext& context) {
  const EndpointParams& params = context.params;
  const bool plain = !params.use_fips && !params.use_dualstack;
  const bool global =
      context.is_global() || (params.use_global_endpoint && context.region == "us-east-1");
  if (plain && global) return host_of(params.hosts.global, context, context.region);
  return host_of(params.hosts.regional, context, context.signing_region());
}

Error bad_region() { return endpoint_error("Invalid region: region was not a valid DNS name."); }

}  // namespace

std::optional<CustomEndpoint> parse_custom_endpoint(std::string_view text) {
  const auto colon = text.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  CustomEndpoint out{.scheme = std::string(text.substr(0, colon)), .authority = {}, .path = {}};
  if (out.scheme != "http" && out.scheme != "https") return std::nullopt;
  text.remove_prefix(colon + 3);
  // What no URL holds as it is (RFC 3986, section 3.3) would end, or split, the head of a request.
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c <= '~' && std::string_view("?#\"<>\\^`{|}").find(c) == std::string::npos;
  });
  if (!is_plain) return std::nullopt;
  const auto slash = text.find('/');
  out.authority = text.substr(0, slash);
  if (slash != std::string_view::npos) out.path = text.substr(slash);
  while (out.path.ends_with('/')) out.path.pop_back();
  if (!is_authority(out.authority)) return std::nullopt;
  std::string_view host = out.authority;
  if (!host.ends_with(']')) host = host.substr(0, host.rfind(':'));
  out.is_ip = is_ip_address(host);
  return out;
}

Result<std::string> CustomEndpoint::url(std::string_view labels, std::string_view below) const {
  return url_at(scheme, std::string(labels) + (labels.empty() ? "" : ".") + authority,
                path + std::string(below));
}

Error endpoint_error(std::string message) {
  return {ErrorKind::invalid_argument, {}, std::move(message)};
}

std::string host_of(const std::string& form, const RuleContext& context, std::string_view region,
                    std::string_view zone) {
  const EndpointParams& params = context.params;
  std::string out;
  std::string_view rest = form;
  for (;;) {
    const auto open = rest.find('{');
    out += rest.substr(0, open);
    if (open == std::string_view::npos) return out;
    rest.remove_prefix(open + 1);
    const auto close = rest.find('}');
    const std::string_view name = rest.substr(0, close);
    if (name == "region") out += region;
    if (name == "zone") out += zone;
    if (name == "fips" && params.use_fips) out += "-fips";
    if (name == "dualstack" && params.use_dualstack) out += ".dualstack";
    if (name == "dns_suffix")
      out += params.hosts.dns_suffix.empty() ? partition_of(region).dns_suffix
                                             : std::string_view(params.hosts.dns_suffix);
    if (close == std::string_view::npos) return out;
    rest.remove_prefix(close + 1);
  }
}

AuthScheme sigv4(std::string signing_name, std::string region) {
  return {.name = "sigv4",
          .signing_name = std::move(signing_name),
          .signing_region = std::move(region)};
}

AuthScheme sigv4a(std::string signing_name) {
  return {.name = "sigv4a", .signing_name = std::move(signing_name), .signing_region_set = {"*"}};
}

Result<Endpoint> virtual_host(const RuleContext& context) {
  const EndpointParams& params = context.params;
  const std::string bucket(context.bucket);
  if (!is_host_label(context.region, false)) return bad_region();
  if (context.custom) {
    const CustomEndpoint& custom = *context.custom;
    if (custom.is_ip) return path_style(context);
    return endpoint(custom.url(bucket), context, "s3");
  }
  if (params.accelerate) {
    if (context.partition.name == "aws-cn")
      return endpoint_error("S3 Accelerate cannot be used in this region");
    return endpoint(
        url_at("https", bucket + "." + host_of(params.hosts.accelerate, context, context.region)),
        context, "s3");
  }
  return endpoint(url_at("https", bucket + "." + service_host(context)), context, "s3");
}

Result<Endpoint> path_style(const RuleContext& context) {
  if (context.params.accelerate)
    return endpoint_error("Path-style addressing cannot be used with S3 Accelerate");
  const std::string below = "/" + percent_encode(context.bucket);
  CAIRN_TRY(Endpoint out, endpoint(context.custom ? context.custom->url({}, below)
                                                  : url_at("https", service_host(context), below),
                                   context, "s3"));
  out.bucket_in_path = true;
  return out;
}

Result<Endpoint> no_bucket(const RuleContext& context) {
  const EndpointParams& params = context.params;
  if (!is_host_label(context.region, true)) return bad_region();
  const bool lambda = params.use_object_lambda_endpoint;
  if (lambda && params.use_dualstack)
    return endpoint_error("S3 Object Lambda does not support Dual-stack");
  if (lambda && params.accelerate)
    return endpoint_error("S3 Object Lambda does not support S3 Accelerate");
  const std::string_view service = lambda ? "s3-object-lambda" : "s3";
  if (params.endpoint && !context.custom)
    return endpoint_error("Custom endpoint `" + *params.endpoint + "` was not a valid URI");
  if (context.custom) return endpoint(context.custom->url(), context, service);
  const std::string host =
      lambda ? host_of(params.hosts.object_lambda, context, context.region) : service_host(context);
  return endpoint(url_at("https", host), context, service);
}

}  // namespace cairn::objectclient
