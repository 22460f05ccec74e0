// SPDX-License-Identifier: Apache-2.0
#include "s3api/options.h"

#include <algorithm>

#include "s3/access_points.h"

namespace cairn::s3api {

std::string_view Options::endpoint_of(std::string_view of_region) const {
  for (const std::string_view entry : region_endpoints)
    if (entry.size() > of_region.size() && entry.starts_with(of_region) &&
        entry[of_region.size()] == '=')
      return entry.substr(of_region.size() + 1);
  return {};
}

const s3::Zone* Options::zone(std::string_view id) const {
  const auto found = std::find_if(zones.begin(), zones.end(),
                                  [&](const s3::Zone& zone) { return zone.id == id; });
  return found == zones.end() ? nullptr : &*found;
}

bool Options::ends_email_grants(std::string_view in_region) const {
  return std::any_of(email_grants_end_in.begin(), email_grants_end_in.end(),
                     [&](const std::string& one) { return one == "*" || one == in_region; });
}

Status Options::validate() const {
  const auto fault = [](const char* what) -> Status {
    return Error{.kind = ErrorKind::invalid_argument, .message = what};
  };
  if (region.empty()) return fault("objects.region must not be empty; us-east-1 is the usual one");
  for (const std::string& domain : domains)
    if (domain.empty() || domain.find('/') != std::string::npos || domain.starts_with('.') ||
        domain.find(':') != std::string::npos)
      return fault("objects.domains takes host names without port, such as objects.example.com");
  for (const std::string& entry : region_endpoints) {
    const std::size_t equals = entry.find('=');
    const std::string_view url =
        std::string_view(entry).substr(std::min(equals, entry.size() - 1) + 1);
    if (equals == 0 || equals == std::string::npos || url.ends_with('/') ||
        (!url.starts_with("http://") && !url.starts_with("https://")))
      return fault(
          "objects.region_endpoints takes entries such as eu-west-1=http://eu.example.com:9000");
  }
  for (const s3::Zone& each : zones) {
    if (!s3::is_directory_bucket_name("x--" + each.id + "--x-s3") ||
        s3::zone_id_of_bucket_name("x--" + each.id + "--x-s3") != each.id)
      return fault(
          "objects.zones: the id of a zone is of lower-case letters, digits and single hyphens, such "
          "as use1-az1");
    if (zone(each.id) != &each) return fault("objects.zones names a zone twice");
  }
  for (const std::string& id : outposts) {
    if (!s3::is_outpost_id(id))
      return fault(
          "objects.outposts: the id of an outpost is op- and 17 hexadecimal digits, such as "
          "op-01ac5d28a6a232904");
    if (std::count(outposts.begin(), outposts.end(), id) > 1)
      return fault("objects.outposts names an outpost twice");
  }
  if (new_bucket_ownership != "BucketOwnerEnforced" && new_bucket_ownership != "ObjectWriter" &&
      new_bucket_ownership != "BucketOwnerPreferred")
    return fault(
        "objects.new_bucket_ownership is BucketOwnerEnforced, BucketOwnerPreferred or ObjectWriter");
  if (document_bytes_max < 1024) return fault("objects.document_bytes_max must be at least 1024");
  if (keep_alive_ms < 0) return fault("objects.keep_alive_ms must not be negative");
  return ok_status();
}

}  // namespace cairn::s3api
