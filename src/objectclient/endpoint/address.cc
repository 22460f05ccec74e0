// SPDX-License-Identifier: Apache-2.0
#include "objectclient/endpoint/address.h"

#include "base/encode.h"

namespace cairn::objectclient {
namespace {

std::string query_text(const net::QueryParameters& query) {
  std::string out;
  for (const auto& [name, value] : query) {
    if (!out.empty()) out += '&';
    out += percent_encode(name);
    // "?acl", not "?acl=": what every tool sends; both are signed alike.
    if (!value.empty()) out += "=" + percent_encode(value);
  }
  return out;
}

Address split_target(net::Url url) {
  Address out;
  const auto mark = url.target.find('?');
  out.path = url.target.substr(0, mark);
  if (mark != std::string::npos) out.query = url.target.substr(mark + 1);
  out.url = std::move(url);
  return out;
}

}  // namespace

Result<Address> address_of(const s3::RequestParts& parts, const Endpoint& endpoint,
                           std::string_view host_prefix) {
  CAIRN_TRY(net::Url url, net::parse_url(endpoint.url));
  if (!host_prefix.empty()) url.host = std::string(host_prefix) + url.host;
  Address out;
  out.path = url.target;
  while (out.path.ends_with('/')) out.path.pop_back();
  if (!parts.path.empty())
    out.path += parts.path;
  else if (!parts.key.empty())
    out.path += "/" + percent_encode(parts.key, "/");
  else if (out.path.empty() || !endpoint.bucket_in_path)
    out.path += "/";
  out.query = query_text(parts.query);
  url.target = out.path + (out.query.empty() ? "" : "?" + out.query);
  out.url = std::move(url);
  return out;
}

Result<Address> redirected(const Address& from, std::string_view location) {
  if (location.starts_with('/')) {
    net::Url url = from.url;
    url.target = location;
    return split_target(std::move(url));
  }
  CAIRN_TRY(net::Url url, net::parse_url(location));
  if (from.url.scheme == "https" && url.scheme != "https")
    return Error{ErrorKind::invalid_argument,
                 {},
                 "the service redirects from https to http, which is not followed: " +
                     std::string(location)};
  return split_target(std::move(url));
}

}  // namespace cairn::objectclient
