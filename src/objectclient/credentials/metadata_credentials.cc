// SPDX-License-Identifier: Apache-2.0
// Two small protocols over HTTP.
#include "objectclient/credentials/metadata_credentials.h"

#include <algorithm>

#include "base/strings.h"
#include "objectclient/credentials/credential_json.h"
#include "objectclient/faults.h"

namespace cairn::objectclient {
namespace {

constexpr std::string_view container_host = "http://169.254.170.2";
constexpr std::string_view token_path = "/latest/api/token";
constexpr std::string_view region_path = "/latest/meta-data/placement/region";
constexpr std::string_view role_path = "/latest/meta-data/iam/security-credentials/";
constexpr std::int64_t container_timeout_ms = 5'000;
constexpr int container_attempts = 5;

bool is_platform_host(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1" || host == "169.254.170.2" ||
         host == "169.254.170.23" || host == "fd00:ec2::23";
}

/// What the container's token file or variable says; empty where there is none.
Result<std::string> container_token(const Environment& environment) {
  std::string token;
  const std::string file = environment.variable_or("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "");
  if (!file.empty()) {
    CAIRN_TRY(const auto text, environment.read_file(file));
    if (!text) return unavailable("the token file " + file + " does not exist");
    token = trim(*text);
  } else {
    token = environment.variable_or("AWS_CONTAINER_AUTHORIZATION_TOKEN", "");
  }
  if (token.find_first_of("\r\n") != std::string::npos)
    return Error{ErrorKind::invalid_argument, {}, "the container's token has a line break"};
  return token;
}

std::string instance_endpoint(const Environment& environment) {
  std::string endpoint = environment.variable_or("AWS_EC2_METADATA_SERVICE_ENDPOINT", "");
  if (endpoint.empty()) {
    const bool ipv6 = lower_ascii(environment.variable_or("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
                                                           "")) == "ipv6";
    endpoint = ipv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
  }
  while (endpoint.ends_with('/')) endpoint.pop_back();
  return endpoint;
}

/// One request to the metadata service of the machine.
Result<net::ClientReply> ask(const std::string& method, const std::string& url,
                             const net::Headers& headers, std::int64_t timeout_ms,
                             const Environment& environment, const os::Deadline& deadline) {
  net::ClientRequest request{.method = method, .headers = headers};
  CAIRN_TRY(request.url, net::parse_url(url));
  return environment.send(request, deadline.sooner_ms(timeout_ms));
}

bool is_true(const std::string& text) { return lower_ascii(text) == "true"; }

/// The header field that version 2 of the protocol asks for; none where the service has no tokens.
Result<net::Headers> instance_session(const std::string& endpoint, const MetadataOptions& options,
                                      const Environment& environment,
                                      const os::Deadline& deadline) {
  net::Headers wanted;
  wanted.add("x-aws-ec2-metadata-token-ttl-seconds", "21600");
  const auto token = ask("PUT", endpoint + std::string(token_path), wanted, options.timeout_ms,
                         environment, deadline);
  net::Headers session;
  if (token.ok() && token->status == 200) {
    session.add("x-aws-ec2-metadata-token", trim(token->body));
    return session;
  }
  // Nobody there: asking without a token would only wait once more.
  if (!token.ok() && token.error().kind != ErrorKind::timeout) return token.error();
  if (is_true(environment.variable_or("AWS_EC2_METADATA_V1_DISABLED", "")))
    return unavailable("the instance metadata service gave no session token");
  return session;
}

Result<Credentials> instance_credentials_once(const MetadataOptions& options,
                                              const Environment& environment,
                                              const os::Deadline& deadline) {
  const std::string endpoint = instance_endpoint(environment);
  CAIRN_TRY(const auto session, instance_session(endpoint, options, environment, deadline));
  CAIRN_TRY(const auto roles, ask("GET", endpoint + std::string(role_path), session,
                                  options.timeout_ms, environment, deadline));
  const std::string role(trim(std::string_view(roles.body).substr(0, roles.body.find('\n'))));
  if (roles.status != 200 || role.empty())
    return unavailable("the instance metadata service names no role (status " +
                       std::to_string(roles.status) + ")");
  CAIRN_TRY(const auto reply, ask("GET", endpoint + std::string(role_path) + role, session,
                                  options.timeout_ms, environment, deadline));
  if (reply.status != 200)
    return unavailable("the instance metadata service answered " + std::to_string(reply.status));
  return credentials_of_json(reply.body, "the instance metadata service");
}

}  // namespace

Result<std::optional<std::string>> container_credentials_url(const Environment& environment) {
  const std::string relative =
      environment.variable_or("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "");
  if (!relative.empty()) return std::optional(std::string(container_host) + relative);
  const std::string full = environment.variable_or("AWS_CONTAINER_CREDENTIALS_FULL_URI", "");
  if (full.empty()) return std::optional<std::string>();
  CAIRN_TRY(const auto url, net::parse_url(full));
  if (url.scheme != "https" && !is_platform_host(url.host))
    return Error{ErrorKind::invalid_argument,
                 {},
                 "AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or http to this machine or the "
                 "container platform; it is " +
                     full};
  return std::optional(full);
}

Result<Credentials> fetch_container_credentials(const std::string& url,
                                                const Environment& environment,
                                                const os::Deadline& deadline) {
  CAIRN_TRY(const std::string token, container_token(environment));
  net::Headers headers;
  if (!token.empty()) headers.add("Authorization", token);
  Error last;
  for (int attempt = 0; attempt < container_attempts; ++attempt) {
    CAIRN_CHECK(deadline.check("fetching the container's credentials"));
    const auto reply = ask("GET", url, headers, container_timeout_ms, environment, deadline);
    if (reply.ok() && reply->status == 200)
      return credentials_of_json(reply->body, "the container's credentials service");
    last = reply.ok() ? unavailable("the container's credentials service answered " +
                                    std::to_string(reply->status))
                      : reply.error();
    // What the service refuses it will refuse again.
    if (reply.ok() && reply->status >= 400 && reply->status < 500) break;
  }
  return last;
}

bool may_ask_instance_metadata(const Environment& environment) {
  return !is_true(environment.variable_or("AWS_EC2_METADATA_DISABLED", ""));
}

Result<Credentials> fetch_instance_credentials(const MetadataOptions& options,
                                               const Environment& environment,
                                               const os::Deadline& deadline) {
  auto fetched = instance_credentials_once(options, environment, deadline);
  for (std::int64_t retry = 0; !fetched.ok() && retry < options.retries; ++retry) {
    if (deadline.passed()) break;
    fetched = instance_credentials_once(options, environment, deadline);
  }
  return fetched;
}

Result<std::string> fetch_instance_region(const Environment& environment,
                                          const os::Deadline& deadline) {
  const MetadataOptions options;
  const std::string endpoint = instance_endpoint(environment);
  CAIRN_TRY(const auto session, instance_session(endpoint, options, environment, deadline));
  CAIRN_TRY(const auto reply, ask("GET", endpoint + std::string(region_path), session,
                                  options.timeout_ms, environment, deadline));
  std::string region(trim(reply.body));
  if (reply.status != 200 || region.empty())
    return unavailable("the instance metadata service names no region (status " +
                       std::to_string(reply.status) + ")");
  return region;
}

}  // namespace cairn::objectclient
