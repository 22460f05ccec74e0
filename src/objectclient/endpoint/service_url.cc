// SPDX-License-Identifier: Apache-2.0
#include "objectclient/endpoint/service_url.h"

#include <cstdint>

#include "base/strings.h"
#include "objectclient/endpoint/host_label.h"
#include "objectclient/endpoint/partition.h"

namespace cairn::objectclient {
namespace {

constexpr std::size_t host_bytes_max = 253;  // RFC 1035, section 2.3.4, without the root

}  // namespace

bool is_authority(std::string_view text) {
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const std::string_view host = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
    if (!port || *port == 0) return false;
  }
  return host.size() <= host_bytes_max && (is_ip_address(host) || is_host_label(host, true));
}

Result<std::string> url_at(std::string_view scheme, std::string_view authority,
                           std::string_view path) {
  if (is_authority(authority))
    return std::string(scheme) + "://" + std::string(authority) + std::string(path);
  return Error{ErrorKind::invalid_argument,
               {},
               "the request would go to `" + std::string(authority.substr(0, 300)) +
                   "`, which is not a host: the bucket, the region or the account has characters "
                   "that a host may not have"};
}

Result<std::string> service_url(std::string_view service, std::string_view region) {
  if (!is_host_label(region, true))
    return Error{ErrorKind::invalid_argument,
                 {},
                 "the region `" + std::string(region.substr(0, 300)) + "` is not a valid DNS name"};
  return url_at("https", std::string(service) + "." + std::string(region) + "." +
                             std::string(partition_of(region).dns_suffix));
}

}  // namespace cairn::objectclient
