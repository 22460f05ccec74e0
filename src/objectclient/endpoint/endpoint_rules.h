// SPDX-License-Identifier: Apache-2.0
// One function for each kind of bucket name. Each is called where its kind was recognised.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectclient/endpoint/arn.h"
#include "objectclient/endpoint/endpoint.h"
#include "objectclient/endpoint/partition.h"

namespace cairn::objectclient {

/// A custom endpoint taken apart.
struct CustomEndpoint {
  std::string scheme;
  std::string authority;  // host and port
  std::string path;       // without a slash at its end; empty for "/"
  bool is_ip = false;

  /// The URL of what lies below it: `labels` before the host, `below` behind the path.
  /// Errors: those of url_at.
  Result<std::string> url(std::string_view labels = {}, std::string_view below = {}) const;
};
/// Nothing for what is no http or https URL of a host, with or without a port.
std::optional<CustomEndpoint> parse_custom_endpoint(std::string_view text);

/// What all rules look at.
struct RuleContext {
  const EndpointParams& params;
  std::string_view bucket;  // empty where there is none
  std::string region;
  const Partition& partition;
  std::optional<CustomEndpoint> custom = {};

  bool is_global() const { return region == "aws-global"; }
  /// The region that a request to aws-global is signed for.
  std::string signing_region() const { return is_global() ? "us-east-1" : region; }
};

Error endpoint_error(std::string message);

/// A template of host_names.h filled in for a region.
std::string host_of(const std::string& form, const RuleContext& context, std::string_view region,
                    std::string_view zone = {});
AuthScheme sigv4(std::string signing_name, std::string region);
AuthScheme sigv4a(std::string signing_name);

/// Names that end with --x-s3 and --xa-s3, and the control endpoint.
Result<Endpoint> directory_bucket(const RuleContext& context, std::string_view suffix);
Result<Endpoint> directory_control(const RuleContext& context);
/// Names that end with --op-s3.
bool is_outpost_alias(std::string_view bucket);
Result<Endpoint> outpost_alias(const RuleContext& context);
/// Access points, multi-region access points, object lambda, outposts.
Result<Endpoint> arn_bucket(const RuleContext& context, const Arn& arn);
/// Names that can be part of the host, names in the path, and no name.
Result<Endpoint> virtual_host(const RuleContext& context);
Result<Endpoint> path_style(const RuleContext& context);
Result<Endpoint> no_bucket(const RuleContext& context);

}  // namespace cairn::objectclient
