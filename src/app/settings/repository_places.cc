// SPDX-License-Identifier: Apache-2.0
#include "app/settings/repository_places.h"

#include <sys/stat.h>

#include "base/strings.h"
#include "net/client/client.h"
#include "objectstore/engine_store.h"
#include "remotestore/cluster.h"
#include "snapshots/errors.h"
#include "stores/folder_store.h"
#include "stores/registered_folder.h"

namespace cairn::app {
namespace {

using snapshots::RepositorySettings;
using Opened = Result<std::unique_ptr<store::Store>>;

Error refused(const RepositorySettings& repository, const std::string& why) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "repository_exception",
          .message = "[" + repository.name + "] " + why};
}

/// "a/./b//c" as "a/b/c"; nothing where ".." stands in it.
std::optional<std::string> normal(const std::string& path) {
  std::string out;
  for (const std::string_view part : split(path, '/')) {
    if (part == "..") return std::nullopt;
    if (part.empty() || part == ".") continue;
    out += "/";
    out += part;
  }
  return out;
}

/// The first symbolic link on the way from `root` (which the operator chose, and may be one) to
/// `path` below it; nothing where there is none. What is not there yet is no link.
std::optional<std::string> link_between(const std::string& root, const std::string& path) {
  for (std::size_t end = root.size(); end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    const std::string part = path.substr(0, end);
    struct stat info {};
    if (::lstat(part.c_str(), &info) != 0) return std::nullopt;
    if (S_ISLNK(info.st_mode)) return part;
  }
  return std::nullopt;
}

/// A folder is made when it is registered, and never again: where a disk is not mounted lies an
/// empty folder, which must not become a repository.
Opened folder_at(const std::string& path, snapshots::PlaceIs place) {
  if (place == snapshots::PlaceIs::registered_now) {
    const auto made = stores::folder_store(path);
    if (!made.ok()) return made.error();
  }
  return stores::registered_folder(path);
}

Opened open_folder(const RepositorySettings& repository, const std::vector<std::string>& roots,
                   snapshots::PlaceIs place) {
  const std::string location = repository.settings.string_or("location");
  if (location.empty()) return refused(repository, "missing location");
  if (location.find('\0') != std::string::npos)
    return refused(repository, "location must not hold a NUL character");
  if (roots.empty())
    return refused(
        repository,
        "location [" + location +
            "] cannot be used: no folder is allowed. Name the "
            "allowed ones in the setting path.repo (environment CAIRN_PATH__REPO) and start "
            "Cairn again");
  const auto wanted = normal(location.front() == '/' ? location : roots.front() + "/" + location);
  for (const auto& root : roots) {
    const auto allowed = normal(root);
    if (!wanted || !allowed) continue;
    if (*wanted != *allowed && !wanted->starts_with(*allowed + "/")) continue;
    if (const auto link = link_between(*allowed, *wanted))
      return refused(repository, "location [" + location + "] cannot be used: [" + *link +
                                     "] is a symbolic link, which could lead out of path.repo");
    return folder_at(*wanted, place);
  }
  return refused(repository, "location [" + location +
                                 "] doesn't match any of the locations "
                                 "specified by path.repo (" +
                                 join(roots, ", ") + ")");
}

constexpr std::string_view own_client = "_own";
// Of what a repository reads as one: lists of blobs and records of snapshots, never an index.
constexpr std::uint64_t object_bytes_max = 256u << 20;

/// A setting as text: callers write booleans with or without quotes.
std::string setting_text(const RepositorySettings& repository, std::string_view name) {
  const Json* const value = repository.settings.find(name);
  if (value == nullptr || value->is_null()) return {};
  return value->is_string() ? value->as_string() : value->dump();
}

/// What a setting may be, and how the protocol spells it.
struct Choice {
  std::string_view setting;
  std::string_view usual;  // what a bucket does without being told
  std::vector<std::pair<std::string_view, std::string_view>> values;
  std::string remotestore::ObjectSettings::*field;
};

/// Classes that have to be restored before they can be read are none for a repository.
const std::vector<Choice>& object_choices() {
  using remotestore::ObjectSettings;
  static const std::vector<Choice> all = {
      {"storage_class",
       "standard",
       {{"standard", "STANDARD"},
        {"reduced_redundancy", "REDUCED_REDUNDANCY"},
        {"standard_ia", "STANDARD_IA"},
        {"onezone_ia", "ONEZONE_IA"},
        {"intelligent_tiering", "INTELLIGENT_TIERING"}},
       &ObjectSettings::storage_class},
      {"canned_acl",
       "private",
       {{"private", "private"},
        {"public-read", "public-read"},
        {"public-read-write", "public-read-write"},
        {"authenticated-read", "authenticated-read"},
        {"aws-exec-read", "aws-exec-read"},
        {"bucket-owner-read", "bucket-owner-read"},
        {"bucket-owner-full-control", "bucket-owner-full-control"}},
       &ObjectSettings::acl},
      {"server_side_encryption",
       "false",
       {{"false", ""}, {"true", "AES256"}},
       &ObjectSettings::server_side_encryption}};
  return all;
}

/// Errors: repository_exception.
Result<remotestore::ObjectSettings> object_settings_of(const RepositorySettings& repository) {
  remotestore::ObjectSettings out;
  for (const Choice& choice : object_choices()) {
    const std::string asked = lower_ascii(setting_text(repository, choice.setting));
    if (asked.empty() || asked == choice.usual) continue;
    std::vector<std::string> known;
    bool found = false;
    for (const auto& [value, spelt] : choice.values) {
      known.emplace_back(value);
      if (value != asked) continue;
      out.*choice.field = spelt;
      found = true;
    }
    if (!found)
      return refused(repository, "setting [" + std::string(choice.setting) + "] cannot be [" +
                                     asked + "]; it can be " + join(known, ", "));
  }
  return out;
}

/// The own object storage has its own say about its objects. Errors: repository_exception.
Status check_usual_objects(const RepositorySettings& repository) {
  for (const Choice& choice : object_choices()) {
    const std::string asked = lower_ascii(setting_text(repository, choice.setting));
    if (!asked.empty() && asked != choice.usual)
      return refused(repository, "setting [" + std::string(choice.setting) + "] cannot be [" +
                                     asked +
                                     "] in the own object storage; name another cluster "
                                     "by [client] or [endpoint], or leave it out");
  }
  return ok_status();
}

/// Errors: repository_exception.
Status check_no_secrets(const RepositorySettings& repository) {
  for (const auto* const secret : {"access_key", "secret_key", "session_token"})
    if (repository.settings.find(secret) != nullptr)
      return refused(repository,
                     "setting [" + std::string(secret) +
                         "] is a secret, and settings of repositories are shown: put it into "
                         "keys/s3-clients.json of the data folder or into the environment "
                         "(CAIRN_S3__CLIENT__DEFAULT__ACCESS_KEY), and name the client here");
  return ok_status();
}

/// The client of a repository with what its own settings say instead. Errors: repository_exception.
Result<S3Client> client_of(const RepositorySettings& repository, const RepositoryPlaces& places) {
  S3Clients clients = places.clients;
  CAIRN_CHECK(add_s3_client_keys(clients, places.keys_folder));
  const std::string name = repository.settings.string_or("client", "default");
  if (name != "default" && clients.count(name) == 0) {
    std::vector<std::string> known;
    for (const auto& [each, client] : clients) known.push_back(each);
    return refused(repository, "Unknown s3 client name [" + name + "]. Existing client configs: [" +
                                   join(known, ",") + "]");
  }
  for (const auto* const own :
       {"endpoint", "protocol", "region", "path_style_access", "read_timeout", "max_retries"}) {
    const std::string value = setting_text(repository, own);
    if (value.empty()) continue;
    const Status set = set_s3_client(clients, "s3.client." + name + "." + own, value, "settings");
    if (!set.ok()) return refused(repository, set.error().message);
  }
  return clients[name];
}

/// True where the repository lies somewhere else than in the own object storage.
Result<bool> is_elsewhere(const RepositorySettings& repository, const RepositoryPlaces& places) {
  const std::string client = repository.settings.string_or("client");
  if (client == own_client) return false;
  if (!client.empty() || repository.settings.find("endpoint") != nullptr ||
      repository.settings.find("region") != nullptr)
    return true;
  S3Clients clients = places.clients;
  CAIRN_CHECK(add_s3_client_keys(clients, places.keys_folder));
  return clients.count("default") > 0;
}

std::string endpoint_of(const S3Client& client) {
  if (client.endpoint.empty() || client.endpoint.find("://") != std::string::npos)
    return client.endpoint;
  return (client.protocol.empty() ? "https" : client.protocol) + "://" + client.endpoint;
}

/// Where the operator sends a client; empty for the vendor's hosts.
std::string own_endpoint_of(const RepositorySettings& repository, const RepositoryPlaces& places) {
  const auto client = places.clients.find(repository.settings.string_or("client", "default"));
  return client == places.clients.end() ? std::string() : endpoint_of(client->second);
}

/// True for one place under two spellings: by the same protocol to the same port of the same host.
bool same_endpoint(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto one = net::parse_url(a);
  const auto other = net::parse_url(b);
  return one.ok() && other.ok() && one->scheme == other->scheme && one->port == other->port &&
         equals_ignore_case(one->host, other->host);
}

/// A repository's connections: to the endpoint that the operator gave its client, and to those of
/// the list. What a request carries is the client's: the name of a key, perhaps the token of a
/// session, and a signature, with which whoever receives it could ask the client's cluster. Asked at
/// each connection, so that neither a name whose addresses change nor a redirect leads further.
Result<net::AddressCheck> check_of(const RepositorySettings& repository,
                                   const RepositoryPlaces& places, const std::string& endpoint) {
  CAIRN_TRY(net::OutboundRules rules, repository_endpoints(places.allowed_endpoints));
  if (!same_endpoint(endpoint, own_endpoint_of(repository, places)))
    rules.close_public(
        "the repository names the endpoint, and the credentials of its s3 client are for another "
        "one");
  else if (const auto url = net::parse_url(endpoint); url.ok())
    rules.allow_host(url->host, url->port);
  return net::AddressCheck(
      [rules = std::move(rules)](std::string_view host, const net::Address& address) {
        return rules.check(host, address);
      });
}

Opened open_elsewhere(const RepositorySettings& repository, const RepositoryPlaces& places) {
  CAIRN_TRY(const S3Client client, client_of(repository, places));
  // Without keys the client library would ask the machine's surroundings, up to the metadata
  // address of its cloud: a client that somebody named is meant to have its own.
  const std::string name = repository.settings.string_or("client", "default");
  if (name != "default" && client.access_key.empty())
    return refused(repository, "s3 client [" + name + "] has no access_key: put its keys into " +
                                   "keys/s3-clients.json of the data folder or into the " +
                                   "environment (CAIRN_S3__CLIENT__<NAME>__ACCESS_KEY)");
  remotestore::ClusterParams params;
  CAIRN_TRY(params.settings, object_settings_of(repository));
  params.place = {.bucket = repository.settings.string_or("bucket"),
                  .prefix = remotestore::normal_prefix(repository.settings.string_or("base_path")),
                  .endpoint = endpoint_of(client),
                  .region = client.region,
                  .path_style = client.path_style_access};
  params.access = {.access_key = client.access_key,
                   .secret_key = client.secret_key,
                   .session_token = client.session_token};
  params.access.object_bytes_max = object_bytes_max;
  CAIRN_TRY(params.access.check_address, check_of(repository, places, params.place.endpoint));
  if (client.read_timeout_ms) params.access.read_timeout_ms = *client.read_timeout_ms;
  if (client.max_retries) params.access.max_attempts = *client.max_retries + 1;
  auto opened = remotestore::open_store(params);
  if (!opened.ok()) return refused(repository, opened.error().message);
  return opened;
}

Opened open_bucket(const RepositorySettings& repository, const RepositoryPlaces& places,
                   objectstore::Engine& engine) {
  const std::string bucket = repository.settings.string_or("bucket");
  if (bucket.empty()) return refused(repository, "No bucket defined for s3 repository");
  CAIRN_TRY(const bool elsewhere, is_elsewhere(repository, places));
  if (elsewhere) return open_elsewhere(repository, places);
  CAIRN_CHECK(check_usual_objects(repository));
  if (bucket.front() == '.') return refused(repository, "bucket [" + bucket + "] does not exist");
  std::string base = repository.settings.string_or("base_path");
  while (!base.empty() && base.front() == '/') base.erase(0, 1);
  if (!base.empty() && base.back() != '/') base += '/';
  auto opened = objectstore::bucket_store(engine, bucket, base);
  if (!opened.ok() && opened.error().kind == ErrorKind::not_found)
    return refused(repository, "bucket [" + bucket +
                                   "] does not exist; create it in the object "
                                   "storage first");
  return opened;
}

}  // namespace

Result<std::unique_ptr<store::Store>> open_on_cluster(const RepositorySettings& repository,
                                                      const RepositoryPlaces& places) {
  return open_elsewhere(repository, places);
}

Result<std::unique_ptr<store::Store>> open_allowed_folder(const RepositorySettings& repository,
                                                          const std::vector<std::string>& roots) {
  return open_folder(repository, roots, snapshots::PlaceIs::registered);
}

Result<net::OutboundRules> repository_endpoints(const std::vector<std::string>& allowed) {
  return net::OutboundRules::parse(allowed, "repositories.s3.allowed_endpoints");
}

snapshots::OpenRepository repository_places(RepositoryPlaces given, objectstore::Engine& engine) {
  return [places = std::move(given), &engine](const RepositorySettings& repository,
                                              snapshots::PlaceIs place) -> Opened {
    CAIRN_CHECK(check_no_secrets(repository));
    if (repository.type == "fs") return open_folder(repository, places.path_repo, place);
    if (repository.type == "s3") return open_bucket(repository, places, engine);
    return refused(repository,
                   "repository type [" + repository.type + "] does not exist; known are fs and s3");
  };
}

}  // namespace cairn::app
