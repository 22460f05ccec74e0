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

bool is_outposts_label(std::string_view label) {
  return label == "s3-outposts" || label == "objects-outposts";
}

bool is_of_control(std::string_view front) {
  constexpr std::string_view control = "s3-control";
  if (begins_with_label(front, control)) return true;
  const std::size_t end = front.find('.');
  if (end != std::string_view::npos && is_outposts_label(front.substr(0, end))) return true;
  const std::size_t dot = front.find('.');
  return dot != std::string_view::npos && s3::is_account_id(front.substr(0, dot)) &&
         begins_with_label(front.substr(dot + 1), control);
}

struct RefusedLabel {
  std::string_view label;
  std::string_view what;
};
constexpr RefusedLabel refused_labels[] = {
    {"s3-accelerate", "Accelerated host names"},
    {"objects-accelerate", "Accelerated host names"},
    {"s3-object-lambda", "Object Lambda access points"},
    {"objects-lambda", "Object Lambda access points"},
};

// "s3", "s3-control", "objects-accesspoint": what stands for a service in the vendor's names and in
// the neutral ones.
bool is_service_label(std::string_view label) {
  for (const std::string_view service : {"s3", "objects"})
    if (label == service || (label.starts_with(service) && label.substr(service.size())[0] == '-'))
      return true;
  return label.starts_with("s3express-");
}

std::string_view refused_of_label(std::string_view label, std::string_view next) {
  if (label == "mrap" && next == "accesspoint") return "Multi-region access points";
  if (!is_service_label(label)) return {};
  for (const RefusedLabel& row : refused_labels)
    if (label == row.label) return row.what;
  if (label.ends_with("-fips") || label.find("-fips-") != std::string_view::npos)
    return "FIPS host names";
  return next == "dualstack" ? "Dual-stack host names" : std::string_view();
}

// A bucket stands in front of the service, and may have dots in its name. Alone in front of the
// domain it may even be called as a service is.
std::string_view refused_in_front(std::string_view front) {
  const auto labels = split(front, '.');
  for (std::size_t i = 0; i < labels.size() && labels.size() > 1; ++i) {
    const std::string_view next = i + 1 < labels.size() ? labels[i + 1] : std::string_view();
    if (const auto what = refused_of_label(labels[i], next); !what.empty()) return what;
  }
  return {};
}

// "bucket--zone--x-s3.zone.region": what stands between a directory bucket, or an access point of one,
// and the domain says the zone once more. The control endpoint has a name of its own, and the bucket in the path.
std::string bucket_in_front(const std::string& front) {
  for (const std::string_view control : {"s3express-control", "objects-control"})
    if (begins_with_label(front, control)) return {};
  const std::size_t dot = front.find('.');
  if (dot == std::string::npos) return front;
  const std::string_view bucket = std::string_view(front).substr(0, dot);
  std::string_view zone = s3::zone_id_of_bucket_name(bucket);
  if (zone.empty()) zone = s3::zone_id_of_access_point_name(bucket);
  std::string_view rest = std::string_view(front).substr(dot + 1);
  if (constexpr std::string_view service = "s3express-"; rest.starts_with(service))
    rest.remove_prefix(service.size());
  const bool zonal = !zone.empty() && begins_with_label(rest, zone);
  return zonal ? std::string(bucket) : front;
}

// "<label>.<outpost>", with the service behind it or not. Nothing for other names.
std::optional<std::string_view> outpost_in_front(std::string_view front) {
  const auto labels = split(front, '.');
  const bool named = labels.size() > 2 && is_outposts_label(labels[2]);
  if (named || (labels.size() == 2 && s3::is_outpost_id(labels[1]))) return labels[1];
  return std::nullopt;
}

}  // namespace

HostName read_host(std::string_view host, const std::vector<std::string>& domains) {
  HostName out;
  const std::string front = front_of(host, domains);
  if (front.empty()) return out;
  out.refused = refused_in_front(front);
  if (!out.refused.empty()) return out;
  out.control = is_of_control(front);
  if (out.control) return out;
  const std::size_t dot = front.find('.');
  const std::string_view label = std::string_view(front).substr(0, dot);
  out.of_access_points =
      dot != std::string::npos && is_of_access_points(std::string_view(front).substr(dot + 1));
  if (dot == std::string::npos || out.of_access_points)
    out.access_point = s3::access_point_of_label(label);
  if (const auto outpost = outpost_in_front(front)) {
    out.of_access_points = true;
    out.access_point = s3::access_point_of_label(label);
    if (out.access_point) out.access_point->outpost_id = *outpost;
  }
  if (out.of_access_points) {
    out.bucket = label;
    return out;
  }
  out.bucket = bucket_in_front(front);
  return out;
}

}  // namespace cairn::s3api
