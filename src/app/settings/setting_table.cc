// SPDX-License-Identifier: Apache-2.0
// The rows of the table of settings.
#include "app/settings/settings.h"
#include "base/strings.h"
#include "format/time.h"
#include "s3/model.h"

namespace cairn::app {
namespace {

Error bad_value(const std::string& what) {
  return {.kind = ErrorKind::invalid_argument, .message = what};
}

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> out;
  for (const auto piece : split(text, ','))
    if (!trim(piece).empty()) out.emplace_back(trim(piece));
  return out;
}

using Text = std::string;

template <class Access>
Setting text(Text key, Access access, Text description) {
  return {
      .key = std::move(key),
      .type = SettingType::text,
      .description = std::move(description),
      .set = [access](Settings& s, const Text& value) { return access(s) = value, ok_status(); },
      .get = [access](const Settings& s) { return access(const_cast<Settings&>(s)); }};
}

template <class Access>
Setting list(Text key, Access access, Text description) {
  return {
      .key = std::move(key),
      .type = SettingType::list,
      .description = std::move(description),
      .set = [access](Settings& s, const Text& v) { return access(s) = list_of(v), ok_status(); },
      .get = [access](const Settings& s) { return join(access(const_cast<Settings&>(s)), ","); }};
}

// "use1-az1=AvailabilityZone", or as the file has it: "id=use1-az1 type=AvailabilityZone".
Result<s3::Zone> zone_of(const Text& piece) {
  Text id, type = "AvailabilityZone";
  for (const auto word : split(piece, ' ')) {
    const auto equals = word.find('=');
    const Text name(word.substr(0, equals));
    const Text value(equals == Text::npos ? Text() : Text(word.substr(equals + 1)));
    if (name == "id")
      id = value;
    else if (name == "type")
      type = value;
    else if (id.empty() && !name.empty())
      id = name, type = equals == Text::npos ? type : value;
    else
      return bad_value("a zone has an id and a type");
  }
  if (id.empty()) return bad_value("a zone has an id, such as use1-az1");
  for (const s3::ZoneType known : {s3::ZoneType::availability_zone, s3::ZoneType::local_zone})
    if (s3::name_of(known) == type) return s3::Zone{.id = id, .type = known};
  return bad_value("the type of a zone is AvailabilityZone or LocalZone");
}

template <class Access>
Setting zones(Text key, Access access, Text description) {
  return {.key = std::move(key),
          .type = SettingType::zones,
          .description = std::move(description),
          .set = [access](Settings& s, const Text& value) -> Status {
            std::vector<s3::Zone> all;
            for (const Text& piece : list_of(value)) {
              CAIRN_TRY(s3::Zone zone, zone_of(piece));
              all.push_back(std::move(zone));
            }
            access(s) = std::move(all);
            return ok_status();
          },
          .get =
              [access](const Settings& s) {
                std::vector<Text> all;
                for (const s3::Zone& zone : access(const_cast<Settings&>(s)))
                  all.push_back(zone.id + "=" + Text(s3::name_of(zone.type)));
                return join(all, ",");
              }};
}

// Their ids; as the file has them: "id=op-01ac5d28a6a232904".
template <class Access>
Setting outposts(Text key, Access access, Text description) {
  return {
      .key = std::move(key),
      .type = SettingType::outposts,
      .description = std::move(description),
      .set = [access](Settings& s, const Text& value) -> Status {
        std::vector<Text> all = list_of(value);
        for (Text& id : all) {
          constexpr std::string_view name = "id=";
          if (id.starts_with(name)) id.erase(0, name.size());
          if (id.find_first_of("= ") != Text::npos) return bad_value("an outpost has an id alone");
        }
        access(s) = std::move(all);
        return ok_status();
      },
      .get = [access](const Settings& s) { return join(access(const_cast<Settings&>(s)), ","); }};
}

template <class Access>
Setting boolean(Text key, Access access, Text description) {
  return {.key = std::move(key),
          .type = SettingType::boolean,
          .description = std::move(description),
          .set = [access](Settings& s, const Text& value) -> Status {
            if (value != "true" && value != "false") return bad_value("must be true or false");
            access(s) = value == "true";
            return ok_status();
          },
          .get =
              [access](const Settings& s) {
                return Text(access(const_cast<Settings&>(s)) ? "true" : "false");
              }};
}

template <class Access>
Setting integer(Text key, Access access, std::int64_t least, std::int64_t most, Text description) {
  return {
      .key = std::move(key),
      .type = SettingType::integer,
      .description = std::move(description),
      .set = [access, least, most](Settings& s, const Text& value) -> Status {
        const auto number = parse_number<std::int64_t>(value);
        if (!number || *number < least || *number > most)
          return bad_value("must be a whole number from " + std::to_string(least) + " to " +
                           std::to_string(most));
        access(s) = static_cast<std::decay_t<decltype(access(s))>>(*number);
        return ok_status();
      },
      .get =
          [access](const Settings& s) { return std::to_string(access(const_cast<Settings&>(s))); }};
}

template <class Access>
Setting time(Text key, Access access, Text description) {
  return {.key = key,
          .type = SettingType::time,
          .description = std::move(description),
          .set = [access, key](Settings& s, const Text& value) -> Status {
            CAIRN_TRY(const auto ms, parse_time_value(value, key));
            if (ms < 0) return bad_value("must not be negative");
            access(s) = ms;
            return ok_status();
          },
          .get =
              [access](const Settings& s) {
                return format_time_value(access(const_cast<Settings&>(s)));
              }};
}

template <class Access>
Setting size(Text key, Access access, Text description) {
  return {
      .key = key,
      .type = SettingType::size,
      .description = std::move(description),
      .set = [access, key](Settings& s, const Text& value) -> Status {
        // The file's units are those of the field's conventions: 64MiB and 64mb are one thing.
        Text plain = lower_ascii(value);
        if (const auto i = plain.rfind("ib"); i != Text::npos && i > 0 && i + 2 == plain.size())
          plain.replace(i, 2, "b");
        CAIRN_TRY(const auto bytes, parse_byte_size(plain, key));
        access(s) = static_cast<std::decay_t<decltype(access(s))>>(bytes);
        return ok_status();
      },
      .get = [access](
                 const Settings& s) { return format_byte_size(access(const_cast<Settings&>(s))); }};
}

template <class Value, class Access>
Setting choice(Text key, Access access, std::vector<std::pair<Text, Value>> values,
               Text description) {
  std::vector<Text> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return {.key = std::move(key),
          .type = SettingType::choice,
          .description = std::move(description),
          .choices = names,
          .set = [access, values, names](Settings& s, const Text& wanted) -> Status {
            for (const auto& [name, value] : values)
              if (name == wanted) return access(s) = value, ok_status();
            return bad_value("must be one of " + join(names, ", "));
          },
          .get =
              [access, values](const Settings& s) {
                for (const auto& [name, value] : values)
                  if (value == access(const_cast<Settings&>(s))) return name;
                return Text();
              }};
}

#define CAIRN_FIELD(member) \
  [](Settings & s) -> auto& { return s.member; }

std::vector<Setting> make_table() {
  using os::LogFormat;
  using os::LogLevel;
  return {
      text("listen.api", CAIRN_FIELD(listen_api), "Address of search and inference, host:port."),
      text("listen.objects", CAIRN_FIELD(listen_objects), "Address of the object storage."),
      boolean("listen.allow_plaintext", CAIRN_FIELD(allow_plaintext),
              "Listen on addresses that other machines reach, without TLS."),
      text("data.dir", CAIRN_FIELD(data_dir), "The data folder; it holds everything."),
      size("data.reserve", CAIRN_FIELD(engine.reserve_bytes),
           "Writes are refused when less than this would stay free on the disk."),
      text("store.url", CAIRN_FIELD(store_url),
           "s3://bucket/prefix?endpoint=…&region=…&path_style=…: the cluster that keeps indices, "
           "keys "
           "and all other state, instead of the data folder."),
      list("path.repo", CAIRN_FIELD(path_repo),
           "Folders that snapshot repositories of type fs may use; none by default."),
      list("repositories.s3.allowed_endpoints", CAIRN_FIELD(allowed_endpoints),
           "Hosts, *.domains, addresses and ranges, each with :port or without, to which a "
           "repository may lead the credentials of its s3 client; by default only to the client's "
           "own endpoint."),
      list("reindex.remote.allowed_hosts", CAIRN_FIELD(tasks.remote_allowed_hosts),
           "Servers that _reindex may copy from, as host:port with * in either; none by default."),
      text("reindex.remote.ca_file", CAIRN_FIELD(tasks.remote_ca_file),
           "PEM file with the authorities that their certificates are checked against; those of "
           "the system where absent."),
      size("reindex.remote.page_max", CAIRN_FIELD(tasks.remote_answer_bytes),
           "Largest page of documents that is taken from such a server."),
      integer("tasks.running_max", CAIRN_FIELD(tasks.running_max), 1, 1'000,
              "Tasks by query and copies that work at a time; more are rejected."),
      integer("tasks.running_per_key", CAIRN_FIELD(tasks.running_of_one_max), 1, 1'000,
              "How many of them one key may have."),
      integer("tasks.results_max", CAIRN_FIELD(tasks.results_max), 1, 100'000,
              "Results of tasks in the background that are kept; the oldest go first."),
      integer("tasks.results_per_key", CAIRN_FIELD(tasks.results_of_one_max), 1, 100'000,
              "How many of them one key may have."),
      time("tasks.result_retention", CAIRN_FIELD(tasks.results_kept_ms),
           "How long the result of a task in the background is kept."),
      integer("async_search.running_max", CAIRN_FIELD(tasks.searches_max), 1, 1'000,
              "Async searches that work at a time; more are rejected."),
      integer("async_search.running_per_key", CAIRN_FIELD(tasks.searches_of_one_max), 1, 1'000,
              "How many of them one key may have."),
      integer("async_search.kept_max", CAIRN_FIELD(tasks.kept_searches_max), 1, 100'000,
              "Async searches that work or whose answers are kept; more are rejected."),
      integer("async_search.kept_per_key", CAIRN_FIELD(tasks.kept_searches_of_one_max), 1, 100'000,
              "How many of them one key may have."),
      size("search.max_async_search_response_size", CAIRN_FIELD(tasks.search_answer_bytes),
           "Largest answer of an async search that is kept."),
      list("connectors.directory.roots", CAIRN_FIELD(connectors.directory_roots),
           "Folders that connectors may read; none by default."),
      list("connectors.allowed_hosts", CAIRN_FIELD(connectors.allowed_hosts),
           "Hosts that connectors may connect to, as name, *.domain, address or range, with :port "
           "or for every port; none by default."),
      text("connectors.elasticsearch.ca_file", CAIRN_FIELD(connectors.cluster_ca_file),
           "PEM file with the authorities that certificates of clusters that connectors read from "
           "are checked against; those of the system where absent."),
      integer("connectors.workers", CAIRN_FIELD(connectors.workers), 1, 64, "Sync jobs at a time."),
      text("api.base_path", CAIRN_FIELD(api.base_path), "A prefix of all paths, as /search."),
      size("api.json_body_max", CAIRN_FIELD(api.json_body_bytes_max), "Largest JSON body."),
      size("api.bulk_body_max", CAIRN_FIELD(api.bulk_body_bytes_max), "Largest bulk body."),
      boolean("api.access_log", CAIRN_FIELD(api.access_log), "A log line for every request."),
      boolean("api.open_metrics", CAIRN_FIELD(api.open_metrics),
              "GET /_metrics without credentials."),
      boolean("audit.enabled", CAIRN_FIELD(audit),
              "Refusals and changes of the app, written to audit/ in the data folder."),
      size("audit.file_size", CAIRN_FIELD(audit_log.file_bytes_max),
           "Largest file of the audit log."),
      integer("audit.files", CAIRN_FIELD(audit_log.files_max), 1, 10'000,
              "Files of the audit log that are kept."),
      time("auth.key_retention", CAIRN_FIELD(auth.retention_ms),
           "How long an invalidated or expired API key is still shown."),
      text("cluster.name", CAIRN_FIELD(api.cluster_name), "The name in GET /."),
      text("node.name", CAIRN_FIELD(api.node_name), "The name of this machine in answers."),
      integer("http.max_workers", CAIRN_FIELD(http.max_workers), 8, 65'536,
              "Requests that may be at work or waiting at a time, each listener."),
      integer("http.max_connections", CAIRN_FIELD(http.max_connections), 16, 1'000'000,
              "Open connections, each listener."),
      time("http.idle_timeout", CAIRN_FIELD(http.idle_timeout_ms),
           "How long a connection may be silent between requests."),
      time("http.head_timeout", CAIRN_FIELD(http.head_timeout_ms),
           "How long the head of a request may take."),
      text("tls.certificate", CAIRN_FIELD(http.tls.certificate_file),
           "PEM file with the certificate chain; both listeners speak TLS then."),
      text("tls.key", CAIRN_FIELD(http.tls.key_file), "PEM file with its private key."),
      text("tls.api_client_authority", CAIRN_FIELD(api_client_authority),
           "PEM file with authorities; search and inference then answer only clients that show a "
           "certificate of theirs, besides the key that each request needs."),
      text("tls.objects_client_authority", CAIRN_FIELD(objects_client_authority),
           "The same for the object storage."),
      text("oidc.issuer", CAIRN_FIELD(oidc.issuer),
           "Whose tokens are taken as credentials of search and inference (OpenID Connect), as "
           "their claim iss names it; nobody's where absent."),
      text("oidc.audience", CAIRN_FIELD(oidc.audience),
           "For whom such a token must be made, its claim aud: the client id of this server."),
      text("oidc.keys_file", CAIRN_FIELD(oidc_keys_file),
           "The issuer's public keys, as its jwks_uri gives them; read again when it changes."),
      text("oidc.roles_file", CAIRN_FIELD(oidc_roles_file),
           "JSON: group, then the roles of its users, as an API key has them; * is everybody."),
      text("oidc.user_claim", CAIRN_FIELD(oidc.user_claim), "The claim that names the user."),
      text("oidc.groups_claim", CAIRN_FIELD(oidc.groups_claim),
           "The claim that names the groups, or a path of them: realm_access.roles."),
      integer("inference.creation_timeout_status", CAIRN_FIELD(inference.create_timeout_status),
              408, 502, "Status of a creation whose wait ended: 502, or 408."),
      integer("inference.inputs_max", CAIRN_FIELD(inference.inputs_max), 1, 1'000'000,
              "Inputs that one inference call takes."),
      time("inference.scale_to_zero", CAIRN_FIELD(inference.scale_to_zero_ms),
           "Idle time before an adaptive deployment gives its last allocation back."),
      choice<inference::Precision>("inference.precision", CAIRN_FIELD(precision),
                                   {{"auto", inference::Precision::automatic},
                                    {"float32", inference::Precision::float32},
                                    {"bfloat16", inference::Precision::bfloat16},
                                    {"int8", inference::Precision::int8},
                                    {"int4", inference::Precision::int4}},
                                   "What models compute with; auto: the fastest that keeps the "
                                   "direction of an encoder's results, int8 for a decoder."),
      size("inference.kv_memory", CAIRN_FIELD(inference.kv_memory_bytes),
           "Keys and values of the texts of one allocation of a decoder."),
      time("inference.text_timeout", CAIRN_FIELD(inference.text_timeout_ms),
           "How long a completion or a chat may take, where its call does not say."),
      list("inference.remote.allowed_hosts", CAIRN_FIELD(inference.remote_allowed_hosts),
           "Hosts, *.domains, addresses and ranges, each with :port or without, that endpoints of "
           "other servers' models may name beside public ones; none by default."),
      text("inference.models_dir", CAIRN_FIELD(models_dir),
           "Folder of the shipped models; beside the program where absent."),
      list("models.sources", CAIRN_FIELD(model_sources),
           "Where models are downloaded from that the store lacks: folders, http(s) addresses, "
           "s3://bucket/prefix, s3://CLIENT@bucket/prefix."),
      size("index.cache", CAIRN_FIELD(index_cache_bytes),
           "Pages of segments, and what filters select, kept in memory."),
      size("index.merge_rate", CAIRN_FIELD(index_merge_rate_bytes),
           "What merges that nobody waits for write a second at most; 0b: no limit."),
      size("limits.memory", CAIRN_FIELD(memory_bytes),
           "Memory of the process beyond which searches, bulk requests and large bodies are "
           "answered "
           "429; 0b: nine tenths of what the machine has left at the start."),
      text("objects.region", CAIRN_FIELD(objects.region), "The region of the object storage."),
      list("objects.domains", CAIRN_FIELD(objects.domains),
           "Names under which buckets are sub-domains."),
      zones("objects.zones", CAIRN_FIELD(objects.zones),
            "Zones that directory buckets can be made in, each with an id and the type "
            "AvailabilityZone or LocalZone."),
      outposts(
          "objects.outposts", CAIRN_FIELD(objects.outposts),
          "Outposts that buckets can be made in, each with an id: op- and 17 hexadecimal digits."),
      list("objects.host_aliases", CAIRN_FIELD(objects.host_aliases),
           "Host names that clients sign although a proxy sends another."),
      boolean("objects.accept_any_region", CAIRN_FIELD(objects.accept_any_region),
              "Signatures for any region are accepted; false: for objects.region only."),
      boolean("objects.accept_version_two", CAIRN_FIELD(objects.accept_version_two),
              "Presigned URLs of signature version 2 are answered, which some SDKs make."),
      list("objects.region_endpoints", CAIRN_FIELD(objects.region_endpoints),
           "Regions that another endpoint serves, as region=URL; requests are redirected there."),
      boolean("objects.encrypt_new_buckets", CAIRN_FIELD(objects.encrypt_new_buckets),
              "New buckets encrypt with AES256 by default."),
      text("objects.new_bucket_ownership", CAIRN_FIELD(objects.new_bucket_ownership),
           "Ownership of new buckets that ask for none: BucketOwnerEnforced (no ACLs), "
           "BucketOwnerPreferred, ObjectWriter."),
      list("objects.email_grants_end_in", CAIRN_FIELD(objects.email_grants_end_in),
           "Regions without new grants by e-mail address, and without display names; *: all."),
      boolean("objects.customer_keys_over_http", CAIRN_FIELD(objects.customer_keys_over_http),
              "Keys of customers (SSE-C) are taken over plain HTTP too."),
      time("objects.verified_fresh", CAIRN_FIELD(engine.verified_fresh_ms),
           "How long bytes that were verified go out by sendfile without another look; 0s: never."),
      time("objects.lifecycle_interval", CAIRN_FIELD(upkeep.lifecycle_interval_ms),
           "Rest between two walks of the lifecycle rules over all buckets; 0s: none walks."),
      time("objects.scrub_interval", CAIRN_FIELD(upkeep.scrub_interval_ms),
           "Rest between two rounds that verify all objects; 0s: none does."),
      size("objects.scrub_rate", CAIRN_FIELD(upkeep.scrub_bytes_per_second),
           "How many bytes of objects such a round reads in a second."),
      time("objects.restore_time", CAIRN_FIELD(objects.restore_ms),
           "How long the restoring of an archived object takes; 0s: it is there at once."),
      text("objects.public_url", CAIRN_FIELD(large_files.objects_public_url),
           "Where git-lfs clients reach the object storage; its listener where absent."),
      text("lfs.public_url", CAIRN_FIELD(large_files.public_url),
           "Where they reach the routes of large files; as a request came where absent."),
      list("lfs.public", CAIRN_FIELD(large_files.public_repositories),
           "Repositories of large files that anybody may read: acme/models, acme/*."),
      integer("lfs.batch_objects", CAIRN_FIELD(large_files.batch_objects_max), 1, 10'000,
              "Objects in one batch request; more are refused."),
      size("lfs.object_max", CAIRN_FIELD(large_files.object_bytes_max), "Largest large file."),
      time("lfs.url_lifetime", CAIRN_FIELD(large_files.url_lifetime_ms),
           "How long the URLs of a batch can be used."),
      choice<LogLevel>("log.level", CAIRN_FIELD(log_level),
                       {{"debug", LogLevel::debug},
                        {"info", LogLevel::info},
                        {"warn", LogLevel::warn},
                        {"error", LogLevel::error}},
                       "The lowest level that is written."),
      choice<LogFormat>(
          "log.format", CAIRN_FIELD(log_format),
          {{"auto", LogFormat::automatic}, {"text", LogFormat::text}, {"json", LogFormat::json}},
          "auto: text on a terminal, JSON otherwise."),
      time("shutdown.grace", CAIRN_FIELD(shutdown_grace_ms),
           "How long requests may take to finish after SIGTERM."),
  };
}

}  // namespace

const std::vector<Setting>& setting_table() {
  static const std::vector<Setting> table = make_table();
  return table;
}

}  // namespace cairn::app
