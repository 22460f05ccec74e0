// SPDX-License-Identifier: Apache-2.0
// Where a request goes and how it is signed, from the bucket, the region and the client's options.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "objectclient/host_names.h"

namespace cairn::objectclient {

struct EndpointParams {
  std::optional<std::string> bucket = {};  // a name, an alias or an ARN
  std::optional<std::string> region = {};  // required
  std::optional<std::string> endpoint =
      {};  // instead of the vendor's host: scheme://host[:port][/path]
  bool use_fips = false;
  bool use_dualstack = false;
  bool accelerate = false;
  bool force_path_style = false;
  bool use_global_endpoint = false;  // s3_us_east_1_regional_endpoint: legacy
  bool use_object_lambda_endpoint = false;
  bool use_arn_region = true;
  bool disable_access_points = false;
  bool disable_multiregion_access_points = false;
  bool use_s3_express_control_endpoint = false;  // operations on directory buckets themselves
  bool disable_s3_express_session_auth = false;
  HostNames hosts = {};
};

struct AuthScheme {
  std::string name;                 // "sigv4", "sigv4a", "sigv4-s3express"
  std::string signing_name;         // "s3", "s3-object-lambda", "s3-outposts", "s3express"
  std::string signing_region = {};  // of sigv4
  std::vector<std::string> signing_region_set = {};  // of sigv4a
  bool operator==(const AuthScheme&) const = default;
};

struct Endpoint {
  std::string url;                       // without a slash at its end
  std::vector<AuthScheme> auth_schemes;  // the first that the client can use
  std::string backend = {};              // "S3Express" for directory buckets
  bool bucket_in_path = false;           // the URL's path holds the bucket already
};

struct ControlEndpointParams {
  std::string region;
  std::string endpoint = {};  // instead of the vendor's host; the account is not put before it
  std::string account_id = {};
  bool use_fips = false;
  bool use_dualstack = false;
  bool of_directories = false;  // about access points of directory buckets
  bool of_outposts = false;     // about buckets and access points of an outpost
  HostNames hosts = {};
};
/// Where the control API is asked: https://<account>.s3-control.<region>.<suffix>, or the endpoint. About
/// directory buckets it is their control endpoint, about outposts theirs.
/// Errors: invalid_argument.
Result<Endpoint> resolve_control_endpoint(const ControlEndpointParams& params);

/// Pure. Errors: invalid_argument with the texts that the published cases of the vendor's SDKs
/// expect. Source: the endpoint rule set of the S3 service model (public, Apache-2.0).
Result<Endpoint> resolve_endpoint(const EndpointParams& params);

}  // namespace cairn::objectclient
