// SPDX-License-Identifier: Apache-2.0
// Directory buckets: their zonal hosts, and the control endpoint of the region.
#include <initializer_list>
#include <utility>

#include "base/encode.h"
#include "objectclient/endpoint/endpoint_rules.h"
#include "objectclient/endpoint/host_label.h"
#include "objectclient/endpoint/service_url.h"

namespace cairn::objectclient {
namespace {

Result<Endpoint> directory_endpoint(Result<std::string> url, const RuleContext& context,
                                    bool session) {
  if (!url.ok()) return std::move(url).error();
  AuthScheme scheme = sigv4("s3express", context.region);
  if (session) scheme.name = "sigv4-s3express";
  return Endpoint{
      .url = std::move(*url), .auth_schemes = {std::move(scheme)}, .backend = "S3Express"};
}

/// The zone stands between two double hyphens before the suffix. Its length is one of those that
/// zones have, so that a name with double hyphens of its own stays unambiguous.
std::optional<std::string_view> zone_of(std::string_view bucket, std::string_view suffix) {
  bucket.remove_suffix(suffix.size());
  for (const std::size_t length : {8u, 9u, 13u, 14u, 20u}) {
    if (bucket.size() < length + 2) return std::nullopt;
    const std::string_view zone = bucket.substr(bucket.size() - length);
    if (bucket.substr(0, bucket.size() - length).ends_with("--")) return zone;
  }
  return std::nullopt;
}

}  // namespace

Result<Endpoint> directory_bucket(const RuleContext& context, std::string_view suffix) {
  const EndpointParams& params = context.params;
  const std::string bucket(context.bucket);
  const bool session = !params.disable_s3_express_session_auth;
  if (params.accelerate) return endpoint_error("S3Express does not support S3 Accelerate.");
  if (params.endpoint) {
    if (!context.custom)
      return endpoint_error("Custom endpoint `" + *params.endpoint + "` was not a valid URI");
    const CustomEndpoint& custom = *context.custom;
    const bool control = params.use_s3_express_control_endpoint;
    if (custom.is_ip || control) {
      CAIRN_TRY(Endpoint out, directory_endpoint(custom.url({}, "/" + percent_encode(bucket)),
                                                 context, session && !control));
      out.bucket_in_path = true;
      return out;
    }
    if (is_virtual_hostable(bucket, false))
      return directory_endpoint(custom.url(bucket), context, session);
    return endpoint_error("S3Express bucket name is not a valid virtual hostable name.");
  }
  if (params.use_s3_express_control_endpoint) {
    CAIRN_TRY(
        Endpoint out,
        directory_endpoint(url_at("https", host_of(params.hosts.control, context, context.region),
                                  "/" + percent_encode(bucket)),
                           context, false));
    out.bucket_in_path = true;
    return out;
  }
  if (!is_virtual_hostable(bucket, false))
    return endpoint_error("S3Express bucket name is not a valid virtual hostable name.");
  const auto zone = zone_of(bucket, suffix);
  if (!zone) return endpoint_error("Unrecognized S3Express bucket name format.");
  return directory_endpoint(
      url_at("https", bucket + "." + host_of(params.hosts.zonal, context, context.region, *zone)),
      context, session);
}

Result<Endpoint> directory_control(const RuleContext& context) {
  if (context.custom) return directory_endpoint(context.custom->url(), context, false);
  return directory_endpoint(
      url_at("https", host_of(context.params.hosts.control, context, context.region)), context,
      false);
}

}  // namespace cairn::objectclient
