// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/address.h"

#include "base/encode.h"
#include "base/strings.h"
#include "s3/errors.h"
#include "s3/model.h"

namespace cairn::s3api {
namespace {

std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || host.ends_with(']')) return host;
  return host.substr(0, colon);
}

// "bucket--zone--x-s3.zone.region": what stands between a directory bucket and the domain says the
// zone once more. The control endpoint has a name of its own, and the bucket in the path.
std::string bucket_of_zonal_host(std::string name) {
  for (const std::string_view control : {"s3express-control", "objects-control"})
    if (name.starts_with(control) && (name.size() == control.size() || name[control.size()] == '.'))
      return {};
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return name;
  const std::string_view bucket = std::string_view(name).substr(0, dot);
  const std::string_view zone = s3::zone_id_of_bucket_name(bucket);
  std::string_view rest = std::string_view(name).substr(dot + 1);
  if (constexpr std::string_view service = "s3express-"; rest.starts_with(service))
    rest.remove_prefix(service.size());
  const bool zonal = !zone.empty() && rest.starts_with(zone) &&
                     (rest.size() == zone.size() || rest[zone.size()] == '.');
  return zonal ? std::string(bucket) : name;
}

// The bucket that a host name carries in front of a configured domain; empty where there is none.
std::string bucket_of_host(std::string_view host, const std::vector<std::string>& domains) {
  const std::string name = lower_ascii(without_port(host));
  for (const std::string& domain : domains)
    if (name == lower_ascii(domain)) return {};
  for (const std::string& domain : domains) {
    const std::string tail = "." + lower_ascii(domain);
    if (name.size() > tail.size() && name.ends_with(tail))
      return bucket_of_zonal_host(name.substr(0, name.size() - tail.size()));
  }
  return {};
}

Error bad_source() {
  return s3::error("InvalidArgument", "Invalid copy source object key")
      .with_detail("ArgumentName", "x-amz-copy-source");
}

}  // namespace

Result<Address> read_address(const net::RequestHead& head,
                             const std::vector<std::string>& domains) {
  std::string_view path = head.path();
  if (!path.starts_with('/')) return s3::error("InvalidURI");
  path.remove_prefix(1);
  Address address;
  address.bucket = bucket_of_host(head.headers.find("Host").value_or(""), domains);
  address.virtual_host = !address.bucket.empty();
  std::string_view raw_key = path;
  if (!address.virtual_host) {
    const std::size_t slash = path.find('/');
    auto bucket = percent_decode(path.substr(0, slash));
    if (!bucket) return s3::error("InvalidURI");
    address.bucket = std::move(*bucket);
    raw_key = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  auto key = percent_decode(raw_key);
  if (!key) return s3::error("InvalidURI");
  address.key = std::move(*key);
  if (!address.key.empty()) {
    address.target = s3::Target::object;
  } else if (!address.bucket.empty()) {
    address.target = s3::Target::bucket;
  }
  return address;
}

Result<CopySource> read_copy_source(std::string_view text,
                                    const std::vector<std::string>& domains) {
  CopySource source;
  std::string of_host;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    const std::string_view rest = text.substr(scheme.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos || slash == 0) return bad_source();
    of_host = bucket_of_host(rest.substr(0, slash), domains);
    text = rest.substr(slash);
    break;
  }
  constexpr std::string_view version = "?versionId=";
  const std::size_t question = text.rfind(version);
  if (question != std::string_view::npos) {
    source.version_id = text.substr(question + version.size());
    if (source.version_id.empty())
      return s3::error("InvalidArgument", "Version id cannot be the empty string")
          .with_detail("ArgumentName", "versionId");
    text = text.substr(0, question);
  }
  const auto decoded = percent_decode(text, true);
  if (!decoded) return bad_source();
  std::string_view path = *decoded;
  if (path.starts_with('/')) path.remove_prefix(1);
  if (!of_host.empty()) {
    if (path.empty()) return bad_source();
    source.bucket = std::move(of_host);
    source.key = path;
    return source;
  }
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == path.size())
    return bad_source();
  source.bucket = path.substr(0, slash);
  source.key = path.substr(slash + 1);
  return source;
}

}  // namespace cairn::s3api
