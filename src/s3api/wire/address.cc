// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/address.h"

#include <utility>

#include "base/encode.h"
#include "s3/access_points.h"
#include "s3/errors.h"
#include "s3api/wire/host.h"

namespace cairn::s3api {
namespace {

Error bad_source() {
  return s3::error("InvalidArgument", "Invalid copy source object key")
      .with_detail("ArgumentName", "x-amz-copy-source");
}

// A bucket may be called "v20180820": the account in the head, which the object API does not know,
// tells the control API from it.
bool is_of_control_api(const net::RequestHead& head, const HostName& host) {
  if (host.control) return true;
  if (!head.path().starts_with(s3::control_path)) return false;
  if (!host.bucket.empty() && !s3::is_account_id(host.bucket)) return false;
  const net::Headers& fields = head.headers;
  return fields.has("x-amz-account-id") || fields.has("x-svc-account-id") ||
         fields.has("x-amz-outpost-id") || fields.has("x-svc-outpost-id");
}

// arn:…:accesspoint/<name>/object/<key>: the ARN without the object stands for the bucket.
Result<CopySource> source_of_arn(std::string_view path, CopySource source) {
  const auto arn = s3::parse_access_point_arn(path);
  if (!arn || !arn->key || arn->key->empty()) return bad_source();
  source.bucket = path.substr(0, path.size() - arn->key->size() - std::string_view("/object/").size());
  source.key = *arn->key;
  return source;
}

}  // namespace

Result<Address> read_address(const net::RequestHead& head,
                             const std::vector<std::string>& domains) {
  std::string_view path = head.path();
  if (!path.starts_with('/')) return s3::error("InvalidURI");
  path.remove_prefix(1);
  Address address;
  const HostName host = read_host(head.headers.find("Host").value_or(""), domains);
  if (!host.refused.empty())
    return s3::error("NotImplemented",
                     std::string(host.refused) + " are not offered here: ask the usual host.")
        .with_detail("Host", std::string(head.headers.find("Host").value_or("")));
  if (is_of_control_api(head, host)) {
    address.target = s3::Target::control;
    return address;
  }
  address.bucket = host.bucket;
  address.host_label = host.bucket;
  address.access_point = host.access_point;
  address.of_access_points = host.of_access_points;
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
    of_host = read_host(rest.substr(0, slash), domains).bucket;
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
  if (of_host.empty() && path.starts_with("arn:")) return source_of_arn(path, std::move(source));
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
