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

/// An address that opens by itself, or words of a command, which may have a password among them.
Setting secret(Setting setting) {
  setting.secret = true;
  return setting;
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
      text("data.mirror", CAIRN_FIELD(mirror_dir),
           "A folder on a second disk that holds the same as the data folder, at every moment."),
      size("data.mirror_fill_rate", CAIRN_FIELD(mirror_fill_bytes),
           "Bytes in a second that are read and written to fill a folder of the mirror."),
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
      secret(list("master_key.seal_command", CAIRN_FIELD(master_key.seal),
                  "A program and its words, which seals keys/master.key: the key on standard "
                  "input, what the file shall hold on standard output.")),
      secret(list("master_key.open_command", CAIRN_FIELD(master_key.open),
                  "The program that opens what the other one sealed, likewise; run at every "
                  "start.")),
      text("backup.place", CAIRN_FIELD(backup.place),
           "Where backups go: the absolute path of a folder, or s3://BUCKET/PREFIX."),
      text("backup.client", CAIRN_FIELD(backup.client),
           "The client of s3.client.* that reaches the place; default where absent."),
      text("backup.key_file", CAIRN_FIELD(backup.key_file),
           "The file with the key of the backups, as `cairn backup init` writes it. Keep a copy "
           "elsewhere: without it no backup can be read."),
      text("backup.schedule", CAIRN_FIELD(backup.schedule),
           "When backups are made: daily (at three), hourly, or six or seven fields of cron, in "
           "UTC; never where absent."),
      integer("backup.keep", CAIRN_FIELD(backup.keep), 0, 100'000,
              "How many backups the place keeps; older ones go. 0: all."),
      size("backup.rate", CAIRN_FIELD(backup.rate_bytes),
           "Bytes a second that a backup reads at most; 0: as fast as it goes."),
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
      boolean("api.access_log", CAIRN_FIELD(api.access_log),
              "A log line for every request, on both ports."),
      boolean("api.open_metrics", CAIRN_FIELD(api.open_metrics),
              "GET /_metrics without credentials."),
      integer("events.streams_max", CAIRN_FIELD(events.streams_max), 1, 100'000,
              "How many may listen to GET /_cairn/events at a time."),
      integer("events.streams_per_key", CAIRN_FIELD(events.streams_of_one_max), 1, 100'000,
              "How many of them with one API key."),
      list("search_page.frame_ancestors", CAIRN_FIELD(search_frame_ancestors),
           "Pages that may show the page at /search/{index} in a frame, as Content-Security-Policy "
           "has them: https://intranet.example; none by default."),
      text("search_page.key", CAIRN_FIELD(search_page_key),
           "The id of the API key with whose rights strangers search by the page at /search/{index}: of "
           "kind service, and with privileges that read indices alone. None by default: strangers then "
           "search public indices."),
      integer("search_page.searches_per_minute", CAIRN_FIELD(search_page_per_minute), 0, 1'000'000,
              "How many searches one address may make with search_page.key; 0: as many as it likes."),
      integer("metrics.names", CAIRN_FIELD(metric_names_max), 0, 10'000,
              "How many indices, buckets, endpoints and others of one kind metrics show by name; "
              "the rest together are _other. None is shown where api.open_metrics is true."),
      boolean("audit.enabled", CAIRN_FIELD(audit),
              "Refusals and changes of the app, written to audit/ in the data folder."),
      size("audit.file_size", CAIRN_FIELD(audit_log.file_bytes_max),
           "Largest file of the audit log."),
      integer("audit.files", CAIRN_FIELD(audit_log.files_max), 1, 10'000,
              "Files of the audit log that are kept."),
      text(
          "audit.ship.to", CAIRN_FIELD(audit_ship_to),
          "s3://bucket/prefix, or s3://CLIENT@bucket/prefix with a client of s3.client: the bucket "
          "that the audit log is shipped to; none by default."),
      time("audit.ship.interval", CAIRN_FIELD(audit_ship_interval_ms),
           "Rest between two rounds that ship what the bucket lacks; 0s: on request alone."),
      time("auth.key_retention", CAIRN_FIELD(auth.retention_ms),
           "How long an invalidated or expired API key is still shown."),
      secret(text("messages.webhook.url", CAIRN_FIELD(messages.webhook_url),
                  "Where messages about what is wrong are posted to, as Standard Webhooks; nowhere "
                  "by default.")),
      text("messages.webhook.secret_file", CAIRN_FIELD(messages.webhook_secret_file),
           "File with the secret that signs them, whsec_…; unsigned where absent."),
      text("messages.webhook.ca_file", CAIRN_FIELD(messages.webhook_ca_file),
           "PEM file with the authorities that its certificate is checked against; those of the "
           "system where absent."),
      secret(list("messages.mail.command", CAIRN_FIELD(messages.mail_command),
                  "A program and its words that takes a mail as its input, as "
                  "/usr/sbin/sendmail,-t; none by default.")),
      text("messages.mail.to", CAIRN_FIELD(messages.mail_to), "Whom such a mail is for."),
      text("messages.mail.from", CAIRN_FIELD(messages.mail_from),
           "Whom it is from; cairn@localhost where absent."),
      time("messages.check_interval", CAIRN_FIELD(messages.check_ms),
           "Rest between two looks for what is wrong."),
      time("messages.repeat", CAIRN_FIELD(messages.repeat_ms),
           "After how long what lasts is told again; 0s: never."),
      integer("messages.disk_percent", CAIRN_FIELD(messages.disk_percent), 0, 100,
              "How full the disk of the data folder is told of; 0: never."),
      time("messages.certificate_time", CAIRN_FIELD(messages.certificate_ms),
           "How long before its end a certificate is told of; 0s: never."),
      text("cluster.name", CAIRN_FIELD(api.cluster_name), "The name in GET /."),
      text("node.name", CAIRN_FIELD(api.node_name), "The name of this machine in answers."),
      text("node.listen", CAIRN_FIELD(node_listen),
           "host:port where other nodes of the same store.url reach this one; they are told, so the "
           "port may be 0. For other machines it must be an address that they reach."),
      text("node.address", CAIRN_FIELD(node_address),
           "The name or address of this machine that other nodes and clients are told, with a port "
           "(host:port) where other nodes reach it by another one than node.listen; where it "
           "listens, or this machine's name, where absent."),
      integer("node.weight", CAIRN_FIELD(node_weight), 1, 1'000,
              "This node's share of the work beside those of others."),
      boolean("node.reads", CAIRN_FIELD(node_reads),
              "Whether this node, while it stands by, follows keys and indices in memory, and "
              "searches by itself while the node that serves is silent."),
      boolean("node.local_searches", CAIRN_FIELD(node_local_searches),
              "Whether this node, while it stands by, answers the searches that it gets by itself "
              "whoever serves, as with preference=_local."),
      boolean("node.local_inference", CAIRN_FIELD(node_local_inference),
              "Whether this node, while it stands by, runs inference endpoints that it is asked for "
              "by itself whoever serves: embeddings, reranking, chats."),
      boolean("node.models", CAIRN_FIELD(node_models),
              "Whether this node, while it stands by, runs models for the node that serves, where "
              "deployments have more than one allocation."),
      time("node.lease", CAIRN_FIELD(node_lease_ms),
           "How long a node may be silent and keep what it owns; others follow it after that and a "
           "quarter. The same on all nodes."),
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
      text("oidc.authorization_endpoint", CAIRN_FIELD(oidc_flow.authorization_endpoint),
           "The page of the issuer where people sign in to the console; nobody does where absent."),
      text("oidc.token_endpoint", CAIRN_FIELD(oidc_flow.token_endpoint),
           "Where the issuer gives this server the token of whoever signed in there."),
      text("oidc.client_id", CAIRN_FIELD(oidc_flow.client_id),
           "This server's name at the issuer; oidc.audience where absent."),
      text("oidc.client_secret_file", CAIRN_FIELD(oidc_client_secret_file),
           "File with its secret there, mode 0600; a public client has none."),
      text("oidc.scope", CAIRN_FIELD(oidc_flow.scope),
           "What the issuer is asked to tell, as: openid profile groups."),
      text(
          "oidc.name", CAIRN_FIELD(oidc_flow.name),
          "What people call the issuer, for the console's sign-in page; oidc.issuer where absent."),
      text(
          "oidc.ca_file", CAIRN_FIELD(oidc_ca_file),
          "PEM file with the authorities that the token endpoint's certificate is checked against; "
          "those of the system where absent."),
      time("console.session_idle", CAIRN_FIELD(sessions.idle_ms),
           "How long a browser stays signed in without a request."),
      time("console.session_max", CAIRN_FIELD(sessions.lifetime_ms),
           "How long it stays signed in at most."),
      text("console.public_url", CAIRN_FIELD(console_public_url),
           "Where browsers reach this server, as https://search.example.org, if a proxy stands "
           "before it; as their requests come where absent."),
      boolean("http.cors.enabled", CAIRN_FIELD(api.cors.enabled),
              "Pages of other origins may read answers of search and inference."),
      list("http.cors.allow_origin", CAIRN_FIELD(api.cors.allow_origin),
           "Those origins, as https://app.example.org, or * for all; with credentials in header "
           "fields alone, never with cookies."),
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
           "Pages of segments, and what filters select, kept in memory; 0b: a sixteenth of what the "
           "machine has left at the start, or an eighth of limits.memory where that is set, from "
           "64 MiB to 4 GiB."),
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
      time("slow_log.search", CAIRN_FIELD(api.slow_log.search_ms),
           "Searches that take as long have a line in the log, with their query; 0s: none has."),
      time("slow_log.indexing", CAIRN_FIELD(api.slow_log.indexing_ms),
           "The same of bulk requests and changes of documents, without what they bring."),
      time("slow_log.objects", CAIRN_FIELD(objects.slow_log.objects_ms),
           "The same of requests of the object storage; the time that a body takes to come or go "
           "counts."),
      size("slow_log.query_max", CAIRN_FIELD(api.slow_log.query_bytes_max),
           "How much of a query such a line shows."),
      text("tracing.url", CAIRN_FIELD(traces.url),
           "Where steps of traces are sent by OTLP over HTTP, as "
           "http://127.0.0.1:4318/v1/traces; nowhere where absent."),
      {.key = "tracing.sample",
       .type = SettingType::text,
       .description = "Share of the requests that name no trace whose traces are recorded, as "
                      "10%; those that name one say by themselves.",
       .set = [](Settings& s, const Text& value) -> Status {
         CAIRN_TRY(s.traces.sample, share_of(value));
         return ok_status();
       },
       .get = [](const Settings& s) { return share_text(s.traces.sample); }},
      integer("tracing.queue", CAIRN_FIELD(traces.queue_spans), 1, 1'000'000,
              "Steps of traces that may wait for the collector; more are dropped, and counted."),
      text("tracing.authorization_file", CAIRN_FIELD(traces.authorization_file),
           "File whose text is the field Authorization of what is sent there; mode 0600."),
      text("tracing.ca_file", CAIRN_FIELD(traces.ca_file),
           "PEM file with the authorities that its certificate is checked against; those of the "
           "system where absent."),
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
