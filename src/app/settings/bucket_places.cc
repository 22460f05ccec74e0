// SPDX-License-Identifier: Apache-2.0
#include "app/settings/bucket_places.h"

#include <utility>

#include "net/client/client.h"
#include "net/client/outbound.h"
#include "objectstore/engine_store.h"
#include "remotestore/cluster.h"

namespace cairn::app {
namespace {

Error bad_place(std::string why) {
  return Error{.kind = ErrorKind::invalid_argument, .message = std::move(why)};
}

/// The client's connections go to its own endpoint alone, or to the vendor's hosts.
Result<net::AddressCheck> bucket_check(const std::string& endpoint, const std::string& setting) {
  CAIRN_TRY(net::OutboundRules rules, net::OutboundRules::parse({}, setting));
  if (!endpoint.empty()) {
    CAIRN_TRY(const net::Url url, net::parse_url(endpoint));
    rules.close_public("the s3 client has another endpoint");
    rules.allow_host(url.host, url.port);
  }
  return net::AddressCheck(
      [rules = std::move(rules)](std::string_view host, const net::Address& address) {
        return rules.check(host, address);
      });
}

Result<std::unique_ptr<store::Store>> open_on_cluster(const BucketPlace& place,
                                                      const BucketAccess& access) {
  S3Clients clients = access.clients;
  CAIRN_CHECK(add_s3_client_keys(clients, access.keys_folder));
  const S3Client& client = clients[place.client];
  // Without keys the library would ask the machine's surroundings for some.
  if (client.access_key.empty())
    return Error{.kind = ErrorKind::unavailable,
                 .message = "s3 client [" + place.client +
                            "] has no access_key: put its keys into keys/s3-clients.json of the "
                            "data folder or into the environment"};
  std::string endpoint = client.endpoint;
  if (!endpoint.empty() && endpoint.find("://") == std::string::npos)
    endpoint = (client.protocol.empty() ? "https" : client.protocol) + "://" + endpoint;
  remotestore::ClusterParams params;
  params.place = {.bucket = place.bucket,
                  .prefix = place.prefix,
                  .endpoint = endpoint,
                  .region = client.region,
                  .path_style = client.path_style_access};
  params.access = {.access_key = client.access_key,
                   .secret_key = client.secret_key,
                   .session_token = client.session_token};
  params.access.object_bytes_max = access.object_bytes_max;
  CAIRN_TRY(params.access.check_address, bucket_check(endpoint, access.setting));
  if (client.read_timeout_ms) params.access.read_timeout_ms = *client.read_timeout_ms;
  if (client.max_retries) params.access.max_attempts = *client.max_retries + 1;
  return remotestore::open_store(params);
}

}  // namespace

Result<BucketPlace> parse_bucket_place(std::string_view text, const S3Clients& clients) {
  if (!text.starts_with(bucket_scheme)) return bad_place("does not begin with s3://");
  std::string_view rest = text.substr(bucket_scheme.size());
  BucketPlace out;
  const std::size_t slash = rest.find('/');
  if (const std::size_t at = rest.substr(0, slash).find('@'); at != std::string_view::npos) {
    out.client = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    if (clients.count(out.client) == 0)
      return bad_place("names the s3 client [" + out.client + "], which is not there");
  }
  out.bucket = rest.substr(0, rest.find('/'));
  if (out.bucket.empty() || out.bucket.front() == '.') return bad_place("names no bucket");
  if (rest.size() > out.bucket.size() + 1)
    out.prefix = remotestore::normal_prefix(rest.substr(out.bucket.size() + 1));
  return out;
}

Result<std::unique_ptr<store::Store>> open_bucket_place(const BucketPlace& place,
                                                        const BucketAccess& access,
                                                        objectstore::Engine& engine) {
  if (place.client.empty()) return objectstore::bucket_store(engine, place.bucket, place.prefix);
  return open_on_cluster(place, access);
}

}  // namespace cairn::app
