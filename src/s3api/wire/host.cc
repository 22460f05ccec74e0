// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/host.h"

#include <algorithm>

#include "base/strings.h"
#include "s3/model.h"

namespace cairn::s3api {
namespace {

std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || host.ends_with(']')) return host;
  return host.substr(0, colon);
}

// What stands in front of a configured domain; nothing where the host is none below one.
std::string front_of(std::string_view host, const std::vector<std::string>& domains) {
  const std::string name = lower_ascii(without_port(host));
  for (const std::string& domain : domains)
    if (name == lower_ascii(domain)) return {};
  for (const std::string& domain : domains) {
    const std::string tail = "." + lower_ascii(domain);
    if (name.size() > tail.size() && name.ends_with(tail))
      return name.substr(0, name.size() - tail.size());
  }
  return {};
}

bool begins_with_label(std::string_view name, std::string_view label) {
  return name.starts_with(label) && (name.size() == label.size() || name[label.size()] == '.');
}

bool is_of_access_points(std::string_view service) {
  return begins_with_label(service, "s3-accesspoint") ||
         begins_with_label(service, "objects-accesspoint");
}

bool is_of_control(std::string_view front) {
  constexpr std::string_view control = "s3-control";
  if (begins_with_label(front, control)) return true;
  const std::size_t dot = front.find('.');
  return dot != std::string_view::npos && s3::is_account_id(front.substr(0, dot)) &&
         begins_with_label(front.substr(dot + 1), control);
}

// "bucket--zone--x-s3.zone.region": what stands between a directory bucket and the domain says the
// zone once more. The control endpoint has a name of its own, and the bucket in the path.
std::string bucket_in_front(const std::string& front) {
  for (const std::string_view control : {"s3express-control", "objects-control"})
    if (begins_with_label(front, control)) return {};
  const std::size_t dot = front.find('.');
  if (dot == std::string::npos) return front;
  const std::string_view bucket = std::string_view(front).substr(0, dot);
  const std::string_view zone = s3::zone_id_of_bucket_name(bucket);
  std::string_view rest = std::string_view(front).substr(dot + 1);
  if (constexpr std::string_view service = "s3express-"; rest.starts_with(service))
    rest.remove_prefix(service.size());
  const bool zonal = !zone.empty() && begins_with_label(rest, zone);
  return zonal ? std::string(bucket) : front;
}

}  // namespace

HostName read_host(std::string_view host, const std::vector<std::string>& domains) {
  HostName out;
  const std::string front = front_of(host, domains);
  if (front.empty()) return out;
  out.control = is_of_control(front);
  if (out.control) return out;
  const std::size_t dot = front.find('.');
  const std::string_view label = std::string_view(front).substr(0, dot);
  out.of_access_points =
      dot != std::string::npos && is_of_access_points(std::string_view(front).substr(dot + 1));
  if (dot == std::string::npos || out.of_access_points)
    out.access_point = s3::access_point_of_label(label);
  if (out.of_access_points) {
    out.bucket = label;
    return out;
  }
  out.bucket = bucket_in_front(front);
  return out;
}

}  // namespace cairn::s3api
