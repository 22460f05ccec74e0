// SPDX-License-Identifier: Apache-2.0
#include "lfs/links.h"

#include "base/encode.h"
#include "lfs/repository.h"
#include "net/client/client.h"

namespace cairn::lfs {
namespace {

constexpr std::string_view batch_end = "/objects/batch";

std::string_view without_slash(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

bool is_every_address(std::string_view host) { return host == "0.0.0.0" || host == "::"; }

}  // namespace

std::string Links::download(std::string_view service, std::string_view object_key,
                            std::int64_t lifetime_s) const {
  return sign("GET", service, object_key, {}, s3::name_of(s3::Payload::unsigned_), lifetime_s);
}

std::string Links::upload(std::string_view service, std::string_view object_key,
                          std::string_view sha256_hex, std::int64_t lifetime_s) const {
  net::Headers headers;
  headers.add("x-amz-content-sha256", sha256_hex);
  return sign("PUT", service, object_key, std::move(headers), sha256_hex, lifetime_s);
}

std::string Links::sign(std::string_view method, std::string_view service,
                        std::string_view object_key, net::Headers headers,
                        std::string_view payload_hash, std::int64_t lifetime_s) const {
  service = without_slash(service);
  // A path of the service's URL is taken away on the way there, so that it is not signed.
  const std::string path =
      "/" + std::string(bucket) + "/" + percent_encode(std::string(object_key), "/");
  const auto url = net::parse_url(service);
  headers.add("Host", url.ok() ? url->authority() : std::string());
  const s3::SigningParams params{
      .credentials = {.access_key_id = key_.access_key_id, .secret_access_key = key_.secret},
      .region = region_,
      .time_ms = clock_.unix_ms()};
  std::string query;
  s3::sign_query(method, path, query, headers, payload_hash, lifetime_s, params, signing_keys_);
  return std::string(service) + path + "?" + query;
}

std::string objects_url(const net::RequestHead& head, const Options& options,
                        const std::string& listener_url) {
  if (!options.objects_public_url.empty()) return options.objects_public_url;
  auto listener = net::parse_url(listener_url);
  const auto asked = head.headers.find("host");
  if (!listener.ok() || !asked || !is_every_address(listener->host)) return listener_url;
  const auto host = net::parse_url("http://" + std::string(*asked));
  if (!host.ok()) return listener_url;
  listener->host = host->host;
  return listener->scheme + "://" + listener->authority();
}

std::string verify_url(const net::RequestHead& head, const Options& options) {
  std::string_view path = head.path();
  if (path.ends_with('/')) path.remove_suffix(1);
  if (!path.ends_with(batch_end)) return {};
  path.remove_suffix(batch_end.size());
  const auto host = head.headers.find("host");
  std::string base(without_slash(options.public_url));
  if (base.empty() && (!host || host->empty())) return {};
  if (base.empty()) base = (head.tls ? "https://" : "http://") + std::string(*host);
  return base + std::string(path) + "/verify";
}

}  // namespace cairn::lfs
