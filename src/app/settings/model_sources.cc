// SPDX-License-Identifier: Apache-2.0
// From the entries of models.sources to places that can be asked.
#include "app/settings/model_sources.h"

#include <utility>

#include "base/strings.h"
#include "net/client/client.h"
#include "net/client/outbound.h"
#include "objectstore/engine_store.h"
#include "os/files/files.h"
#include "remotestore/cluster.h"

namespace cairn::app {
namespace {

constexpr std::string_view bucket_scheme = "s3://";
constexpr std::uint64_t model_file_max = std::uint64_t{256} << 30U;

struct BucketName {
  std::string client = {};  // empty: the own object storage
  std::string bucket = {};
  std::string prefix = {};  // empty, or with a "/" at its end
};

Error bad_source(const std::string& text, const std::string& why) {
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "models.sources: [" + text + "] " + why +
                          "; an entry is a folder (/srv/models), an address "
                          "(https://host/path), or a bucket (s3://bucket/prefix, "
                          "s3://CLIENT@bucket/prefix with a client of s3.client)"};
}

Result<BucketName> bucket_of(const std::string& text, const S3Clients& clients) {
  std::string_view rest = std::string_view(text).substr(bucket_scheme.size());
  BucketName out;
  const std::size_t slash = rest.find('/');
  if (const std::size_t at = rest.substr(0, slash).find('@'); at != std::string_view::npos) {
    out.client = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    if (clients.count(out.client) == 0) {
      return bad_source(text, "names the s3 client [" + out.client + "], which is not there");
    }
  }
  out.bucket = rest.substr(0, rest.find('/'));
  if (out.bucket.empty() || out.bucket.front() == '.') return bad_source(text, "names no bucket");
  if (rest.size() > out.bucket.size() + 1) {
    out.prefix = remotestore::normal_prefix(rest.substr(out.bucket.size() + 1));
  }
  return out;
}

/// The client's connections go to its own endpoint alone, or to the vendor's hosts.
Result<net::AddressCheck> check_for(const std::string& endpoint) {
  CAIRN_TRY(net::OutboundRules rules, net::OutboundRules::parse({}, "models.sources"));
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

Result<std::shared_ptr<store::Store>> open_remote(const BucketName& name, S3Clients clients,
                                                  const std::string& keys_folder) {
  CAIRN_CHECK(add_s3_client_keys(clients, keys_folder));
  const S3Client& client = clients[name.client];
  // Without keys the library would ask the machine's surroundings for some.
  if (client.access_key.empty()) {
    return Error{.kind = ErrorKind::unavailable,
                 .message = "s3 client [" + name.client +
                            "] has no access_key: put its keys into keys/s3-clients.json of the "
                            "data folder or into the environment"};
  }
  std::string endpoint = client.endpoint;
  if (!endpoint.empty() && endpoint.find("://") == std::string::npos) {
    endpoint = (client.protocol.empty() ? "https" : client.protocol) + "://" + endpoint;
  }
  remotestore::ClusterParams params;
  params.place = {.bucket = name.bucket,
                  .prefix = name.prefix,
                  .endpoint = endpoint,
                  .region = client.region,
                  .path_style = client.path_style_access};
  params.access = {.access_key = client.access_key,
                   .secret_key = client.secret_key,
                   .session_token = client.session_token};
  params.access.object_bytes_max = model_file_max;
  CAIRN_TRY(params.access.check_address, check_for(endpoint));
  if (client.read_timeout_ms) params.access.read_timeout_ms = *client.read_timeout_ms;
  if (client.max_retries) params.access.max_attempts = *client.max_retries + 1;
  CAIRN_TRY(std::shared_ptr<store::Store> opened, remotestore::open_store(params));
  return opened;
}

Result<std::unique_ptr<inference::FileSource>> source_of(const std::string& text,
                                                         const ModelPlaces& places,
                                                         objectstore::Engine* engine) {
  if (text.starts_with("/")) return inference::folder_source(os::system_files(), text);
  if (text.starts_with("http://") || text.starts_with("https://")) {
    auto source = inference::http_source(text);
    if (!source.ok()) return bad_source(text, "cannot be used: " + source.error().message);
    return source;
  }
  if (!text.starts_with(bucket_scheme)) return bad_source(text, "is not understood");
  CAIRN_TRY(BucketName name, bucket_of(text, places.clients));
  inference::OpenStore open;
  if (name.client.empty()) {
    open = [name, engine](const os::Deadline&) -> Result<std::shared_ptr<store::Store>> {
      CAIRN_TRY(std::shared_ptr<store::Store> opened,
                objectstore::bucket_store(*engine, name.bucket, name.prefix));
      return opened;
    };
  } else {
    open = [name, clients = places.clients, keys = places.keys_folder](const os::Deadline&) {
      return open_remote(name, clients, keys);
    };
  }
  return inference::store_source(text, std::move(open));
}

}  // namespace

Status check_model_sources(const std::vector<std::string>& sources, const S3Clients& clients) {
  const ModelPlaces places{.sources = sources, .clients = clients};
  for (const std::string& text : sources) CAIRN_CHECK(source_of(text, places, nullptr));
  return ok_status();
}

Result<std::vector<std::unique_ptr<inference::FileSource>>> model_sources(
    const ModelPlaces& places, objectstore::Engine& engine) {
  std::vector<std::unique_ptr<inference::FileSource>> out;
  for (const std::string& text : places.sources) {
    CAIRN_TRY(auto source, source_of(text, places, &engine));
    out.push_back(std::move(source));
  }
  return out;
}

}  // namespace cairn::app
