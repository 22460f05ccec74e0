// SPDX-License-Identifier: Apache-2.0
// Every option changes what the client does, as its row says: one function an option, and a test
// that none is missing.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>

#include "base/compress.h"
#include "base/encode.h"
#include "format/json.h"
#include "net/certificate_for_tests.h"
#include "objectclient/call.h"
#include "objectclient/option_table.h"
#include "objectclient/service_errors.h"
#include "objectclient/testing.h"

namespace cairn::objectclient {
namespace {

using namespace std::string_literals;

struct Effect {
  std::string name;
  std::function<void()> check;
};

ClientOptions quiet(ClientOptions options) {
  options.raise_response_errors = false;
  return options;
}

ClientOptions somewhere() {
  return {.region = "us-west-2", .access_key_id = "AKID", .secret_access_key = "SECRET"};
}

/// Where a request for the bucket would go: scheme, host and path.
std::string place_of(ClientOptions options, const std::string& bucket = "bucket") {
  MadeUp around;
  try {
    const std::string url =
        around.client(std::move(options)).presigned_url("head_bucket", {{"bucket", bucket}});
    return url.substr(0, url.find('?'));
  } catch (const ClientError& fault) {
    return fault.what();
  }
}

/// What a service sees of a PutObject by a client with these options.
Seen put_with(const std::function<void(ClientOptions&)>& change, const std::string& body = "body",
              const s3::PutObjectInput& input = {.bucket = "b", .key = "k"}) {
  ScriptedService service({{}});
  MadeUp around;
  ClientOptions options = quiet(at(service));
  change(options);
  static_cast<void>(around.client(options).put_object(input, body));
  return service.last();
}

/// A service with a certificate that nobody but its own file vouches for.
struct SecureService {
  net::TestCertificate certificate{"IP:127.0.0.1"};
  ScriptedService service;
  SecureService() : service({Answer{}}, options()) {}
  net::ServerOptions options() const {
    net::ServerOptions out;
    out.tls = {.certificate_file = certificate.certificate_file(),
               .key_file = certificate.key_file()};
    return out;
  }
  ClientOptions trusted() const {
    ClientOptions out = quiet(at(service, "https"));
    out.ssl_ca_bundle = certificate.certificate_file();
    return out;
  }
};

/// A port where connections are taken and nobody answers.
class SilentPort {
 public:
  SilentPort() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    REQUIRE(::bind(descriptor_, reinterpret_cast<sockaddr*>(&place), size) == 0);
    REQUIRE(::listen(descriptor_, 16) == 0);
    ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&place), &size);
    port_ = ntohs(place.sin_port);
  }
  ~SilentPort() { ::close(descriptor_); }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  std::string url(const std::string& scheme) const {
    return scheme + "://127.0.0.1:" + std::to_string(port_);
  }

 private:
  int descriptor_;
  std::uint16_t port_ = 0;
};

/// The waits of a call that fails until it is given up.
std::vector<double> waits_with(const std::function<void(ClientOptions&)>& change,
                               Answer answer = {.status = 500, .body = error_xml("InternalError")},
                               std::string* code = nullptr) {
  ScriptedService service({std::move(answer)});
  MadeUp around;
  ClientOptions options = quiet(at(service));
  change(options);
  const auto failed = around.client(options).list_buckets();
  if (code != nullptr) *code = code_of_failure(failed);
  return around.slept_s;
}

/// The lines that a logger hears of one call.
std::vector<std::pair<LogLevel, std::string>> lines_with(
    const std::function<void(ClientOptions&)>& change) {
  ScriptedService service({{.body = "bytes"}});
  MadeUp around;
  std::vector<std::pair<LogLevel, std::string>> lines;
  ClientOptions options = quiet(at(service));
  options.session_token = "TOKEN-OF-MINE";
  options.logger = [&](LogLevel level, std::string_view line) {
    lines.emplace_back(level, std::string(line));
  };
  change(options);
  static_cast<void>(around.client(options).get_object({.bucket = "b", .key = "k"}));
  return lines;
}

std::vector<Json> events_with(const std::function<void(ClientOptions&)>& change) {
  ScriptedService service({{.status = 500, .body = error_xml("InternalError")},
                           {.headers = {{"x-amz-request-id", "R"}}}});
  MadeUp around;
  std::vector<Json> events;
  ClientOptions options = quiet(at(service));
  options.client_side_monitoring = true;
  options.client_side_monitoring_publisher = [&](std::string_view text) {
    events.push_back(*parse_json(text));
  };
  change(options);
  static_cast<void>(around.client(options).put_object({.bucket = "b", .key = "k"}, "x"));
  return events;
}

void add_places(std::vector<Effect>& out) {
  out.push_back({"region", [] {
                   CHECK(put_with([](auto& o) { o.region = "ap-east-1"; })
                             .header("authorization")
                             .find("/ap-east-1/s3/") != std::string::npos);
                   CHECK(place_of(somewhere()) == "https://bucket.s3.us-west-2.amazonaws.com/");
                 }});
  out.push_back({"endpoint", [] {
                   ClientOptions options = somewhere();
                   options.endpoint = "http://127.0.0.1:9000/base";
                   CHECK(place_of(options) == "http://127.0.0.1:9000/base/bucket");
                 }});
  out.push_back({"profile", [] {
                   MadeUp around;
                   around.files["/home/u/.aws/config"] = "[profile lab]\nregion = eu-south-2\n";
                   CHECK(*around.client({.profile = "lab"}).options().region == "eu-south-2");
                   CHECK_FALSE(Client::open({}, around.surroundings()).ok());
                 }});
  out.push_back({"ignore_configured_endpoint_urls", [] {
                   MadeUp around;
                   around.variables["AWS_ENDPOINT_URL"] = "http://127.0.0.1:1";
                   ClientOptions options = somewhere();
                   CHECK_FALSE(around.client(options).options().endpoint->empty());
                   options.ignore_configured_endpoint_urls = true;
                   CHECK(around.client(options).options().endpoint->empty());
                 }});
  out.push_back({"dialect", [] {
                   CHECK(put_with([](auto& o) { o.dialect = "svc"; }).headers.has("x-svc-date"));
                   CHECK(put_with([](auto&) {}).headers.has("x-amz-date"));
                 }});
  out.push_back({"host_names", [] {
                   ClientOptions options = somewhere();
                   options.host_names = HostNames::neutral("example.org");
                   CHECK(place_of(options) == "https://bucket.objects.us-west-2.example.org/");
                 }});
  out.push_back({"use_accelerate_endpoint", [] {
                   ClientOptions options = somewhere();
                   options.use_accelerate_endpoint = true;
                   CHECK(place_of(options) == "https://bucket.s3-accelerate.amazonaws.com/");
                   MadeUp around;
                   const Client client = around.client(somewhere());
                   CHECK(client
                             .presigned_url("head_bucket", {{"bucket", "bucket"},
                                                            {"use_accelerate_endpoint", true}})
                             .find("s3-accelerate") != std::string::npos);
                   CHECK(around.client(options)
                             .presigned_url("delete_bucket", {{"bucket", "bucket"}})
                             .find("accelerate") == std::string::npos);
                 }});
  out.push_back({"use_dualstack_endpoint", [] {
                   ClientOptions options = somewhere();
                   options.use_dualstack_endpoint = true;
                   CHECK(place_of(options) ==
                         "https://bucket.s3.dualstack.us-west-2.amazonaws.com/");
                 }});
  out.push_back({"use_fips_endpoint", [] {
                   ClientOptions options = somewhere();
                   options.use_fips_endpoint = true;
                   CHECK(place_of(options) == "https://bucket.s3-fips.us-west-2.amazonaws.com/");
                 }});
  out.push_back({"force_path_style", [] {
                   ClientOptions options = somewhere();
                   options.force_path_style = true;
                   CHECK(place_of(options) == "https://s3.us-west-2.amazonaws.com/bucket");
                 }});
  out.push_back({"s3_use_arn_region", [] {
                   const std::string arn = "arn:aws:s3:eu-west-1:123456789012:accesspoint/mine";
                   ClientOptions options = somewhere();
                   CHECK(place_of(options, arn) ==
                         "https://mine-123456789012.s3-accesspoint.eu-west-1.amazonaws.com/");
                   options.s3_use_arn_region = false;
                   CHECK(place_of(options, arn).find("UseArnRegion is `false`") !=
                         std::string::npos);
                 }});
  out.push_back({"s3_disable_multiregion_access_points", [] {
                   const std::string arn = "arn:aws:s3::123456789012:accesspoint:alias.mrap";
                   ClientOptions options = somewhere();
                   options.s3_disable_multiregion_access_points = true;
                   CHECK(
                       place_of(options, arn).find("Multi-Region Access Point ARNs are disabled") !=
                       std::string::npos);
                 }});
  out.push_back({"s3_us_east_1_regional_endpoint", [] {
                   ClientOptions options = somewhere();
                   options.region = "us-east-1";
                   CHECK(place_of(options) == "https://bucket.s3.amazonaws.com/");
                   options.s3_us_east_1_regional_endpoint = "regional";
                   CHECK(place_of(options) == "https://bucket.s3.us-east-1.amazonaws.com/");
                 }});
  out.push_back({"defaults_mode", [] {
                   MadeUp around;
                   ClientOptions options = somewhere();
                   options.defaults_mode = "standard";
                   const ClientOptions done = around.client(options).options();
                   CHECK(*done.retry_mode == "standard");
                   CHECK(*done.http_open_timeout == 3.1);
                   options.region = "us-east-1";
                   CHECK(place_of(options) == "https://bucket.s3.us-east-1.amazonaws.com/");
                 }});
  out.push_back({"follow_redirects", [] {
                   for (const bool follow : {true, false}) {
                     ScriptedService there({{}});
                     ScriptedService here({{.status = 307,
                                            .body = error_xml("TemporaryRedirect"),
                                            .headers = {{"Location", there.url() + "/b"}}}});
                     MadeUp around;
                     ClientOptions options = quiet(at(here));
                     options.follow_redirects = follow;
                     CHECK(around.client(options).list_objects_v2({.bucket = "b"}).call().status !=
                           0);
                     CHECK(there.count() == (follow ? 4 : 0));  // its answer is no list
                   }
                 }});
}

// A description with a prefix, as other services of the vendor have them.
void add_discovery(std::vector<Effect>& out) {
  out.push_back({"disable_host_prefix_injection", [] {
                   for (const bool off : {false, true}) {
                     MadeUp around;
                     ClientOptions options = somewhere();
                     options.disable_host_prefix_injection = off;
                     const auto core = around.core(options);
                     const s3::ListObjectsV2Input input{.bucket = "bucket", .prefix = "route"};
                     CallInfo info;
                     const auto url = presign_call(
                         *core,
                         {.operation = s3::operations::list_objects_v2,
                          .input = &input,
                          .extras = {.host_prefix = "{prefix}.", .discovers_endpoint = false}},
                         {}, info);
                     REQUIRE(url.ok());
                     CHECK(url->url.starts_with(off ? "https://bucket." : "https://route.bucket."));
                     const s3::ListObjectsV2Input without{.bucket = "bucket"};
                     const auto missing = presign_call(
                         *core,
                         {.operation = s3::operations::list_objects_v2,
                          .input = &without,
                          .extras = {.host_prefix = "{prefix}.", .discovers_endpoint = false}},
                         {}, info);
                     CHECK(missing.ok() == off);
                     if (!off) CHECK(missing.error().code == "MissingEndpointHostLabelValue");
                   }
                 }});
  out.push_back({"endpoint_discovery", [] {
                   for (const bool on : {false, true}) {
                     MadeUp around;
                     ClientOptions options = somewhere();
                     options.endpoint_discovery = on;
                     const auto core = around.core(options);
                     EndpointCache cache(
                         endpoint_cache_options(core->options),
                         [](const std::string&) -> Result<DiscoveredEndpoint> {
                           return DiscoveredEndpoint{.url = "https://found.example.org",
                                                     .good_for_ms = 60'000};
                         },
                         around.clock);
                     const s3::ListObjectsV2Input input{.bucket = "bucket"};
                     CallInfo info;
                     const auto url = presign_call(*core,
                                                   {.operation = s3::operations::list_objects_v2,
                                                    .input = &input,
                                                    .extras = {.discovers_endpoint = true},
                                                    .endpoints = &cache},
                                                   {}, info);
                     REQUIRE(url.ok());
                     CHECK(url->url.starts_with("https://found.example.org/") == on);
                   }
                 }});
  const auto cache_of = [](ClientOptions given, os::FakeClock& clock, int& asked) {
    MadeUp around;
    const ClientOptions done = around.client(std::move(given)).options();
    return std::make_unique<EndpointCache>(
        endpoint_cache_options(done),
        [&asked](const std::string& key) -> Result<DiscoveredEndpoint> {
          ++asked;
          return DiscoveredEndpoint{.url = "https://" + key, .good_for_ms = 30'000};
        },
        clock);
  };
  out.push_back({"endpoint_cache_max_entries", [cache_of] {
                   os::FakeClock clock;
                   int asked = 0;
                   ClientOptions options = somewhere();
                   options.endpoint_cache_max_entries = 2;
                   const auto cache = cache_of(options, clock, asked);
                   for (const auto* key : {"a", "b", "a", "c"}) CHECK(cache->get(key).ok());
                   CHECK(cache->size() == 2);
                   CHECK(asked == 3);
                   CHECK(cache->get("a").ok());  // b was unused for longest
                   CHECK(asked == 3);
                   CHECK(cache->get("b").ok());
                   CHECK(asked == 4);
                 }});
  out.push_back({"endpoint_cache_poll_interval", [cache_of] {
                   for (const double interval : {10.0, 60.0}) {
                     os::FakeClock clock;
                     int asked = 0;
                     ClientOptions options = somewhere();
                     options.endpoint_cache_poll_interval = interval;
                     const auto cache = cache_of(options, clock, asked);
                     CHECK(cache->get("a").ok());
                     // It ends in 30 seconds: before the next look, or after it.
                     CHECK(cache->refresh() == (interval == 60 ? 1 : 0));
                   }
                 }});
  out.push_back({"endpoint_cache_max_threads", [] {
                   for (const std::int64_t threads : {1, 4}) {
                     ClientOptions options = somewhere();
                     options.endpoint_cache_max_threads = threads;
                     std::mutex mutex;
                     std::condition_variable changed;
                     int at_once = 0, most = 0;
                     os::FakeClock clock;
                     bool counting = false;
                     MadeUp around;
                     EndpointCache cache(
                         endpoint_cache_options(around.client(options).options()),
                         [&](const std::string& key) -> Result<DiscoveredEndpoint> {
                           std::unique_lock lock(mutex);
                           most = std::max(most, ++at_once);
                           changed.notify_all();
                           // All that may be here at once come before the first goes.
                           if (counting)
                             changed.wait_for(lock, std::chrono::seconds(60),
                                              [&] { return most == threads; });
                           --at_once;
                           return DiscoveredEndpoint{.url = key, .good_for_ms = 1};
                         },
                         clock);
                     for (const auto* key : {"a", "b", "c", "d"}) CHECK(cache.get(key).ok());
                     most = 0;
                     counting = true;
                     CHECK(cache.refresh() == 4);
                     CHECK(most == threads);
                   }
                 }});
  out.push_back({"active_endpoint_cache", [] {
                   ClientOptions options = somewhere();
                   options.active_endpoint_cache = true;
                   options.endpoint_cache_poll_interval = 0.01;
                   net::Signal again;
                   std::atomic<int> asked = 0;
                   MadeUp around;
                   EndpointCache cache(
                       endpoint_cache_options(around.client(options).options()),
                       [&](const std::string& key) -> Result<DiscoveredEndpoint> {
                         if (++asked == 2) again.give();
                         return DiscoveredEndpoint{.url = key, .good_for_ms = 0};
                       },
                       around.clock);
                   CHECK(cache.get("a").ok());
                   CHECK(again.wait());
                 }});
}

void add_identity(std::vector<Effect>& out) {
  const auto credential = [](const std::function<void(ClientOptions&)>& change) {
    const std::string field = put_with(change).header("authorization");
    const auto begin = field.find("Credential=") + 11;
    return field.substr(begin, field.find('/', begin) - begin);
  };
  out.push_back({"access_key_id", [credential] {
                   CHECK(credential([](auto& o) { o.access_key_id = "OTHER"; }) == "OTHER");
                 }});
  out.push_back(
      {"secret_access_key", [] {
         const auto signature = [](const char* secret) {
           const std::string url = [&] {
             MadeUp around;
             ClientOptions options = somewhere();
             options.secret_access_key = secret;
             return around.client(options).presigned_url("head_bucket", {{"bucket", "b"}});
           }();
           return url.substr(url.find("Signature="));
         };
         CHECK(signature("one") == signature("one"));
         CHECK(signature("one") != signature("two"));
       }});
  out.push_back({"session_token", [] {
                   CHECK(put_with([](auto& o) {
                           o.session_token = "T";
                         }).header("x-amz-security-token") == "T");
                 }});
  out.push_back({"account_id", [] {
                   MadeUp around;
                   ClientOptions options = somewhere();
                   options.account_id = "123456789012";
                   const auto found =
                       around.core(options)->identity.credentials(os::Deadline::never());
                   REQUIRE(found.ok());
                   CHECK((*found)->account_id == "123456789012");
                 }});
  out.push_back({"credentials", [credential] {
                   CHECK(credential([](auto& o) {
                           o.credentials = static_credentials(
                               {.access_key_id = "PROVIDED", .secret_access_key = "S"});
                         }) == "PROVIDED");
                   MadeUp around;
                   const auto none = around
                                         .client({.region = "r",
                                                  .endpoint = "http://127.0.0.1:1",
                                                  .raise_response_errors = false})
                                         .head_bucket({.bucket = "b"});
                   CHECK(none.error().code == "MissingCredentialsError");
                   CHECK(none.error().message.find("AWS_ACCESS_KEY_ID") != std::string::npos);
                 }});
  out.push_back({"token_provider", [] {
                   SecureService secure;
                   MadeUp around;
                   ClientOptions options = secure.trusted();
                   options.token_provider = static_token("BEARER");
                   options.auth_scheme_preference = {"httpBearerAuth"s};
                   CHECK(around.client(options).head_bucket({.bucket = "b"}).ok());
                   CHECK(secure.service.last().header("authorization") == "Bearer BEARER");
                   // A token is never sent in the clear.
                   ScriptedService plain({{}});
                   ClientOptions clear = quiet(at(plain));
                   clear.token_provider = static_token("BEARER");
                   clear.auth_scheme_preference = {"httpBearerAuth"s};
                   CHECK(around.client(clear).head_bucket({.bucket = "b"}).error().message ==
                         "Unable to use bearer authorization on non https endpoint.");
                   CHECK(plain.count() == 0);
                 }});
  out.push_back({"auth_scheme_preference", [] {
                   CHECK(put_with([](auto& o) { o.auth_scheme_preference = {"noAuth"s}; })
                             .header("authorization")
                             .empty());
                   CHECK(put_with([](auto& o) { o.auth_scheme_preference = {"sigv4a"s}; })
                             .header("authorization")
                             .starts_with("AWS4-ECDSA-P256-SHA256 "));
                   CHECK(put_with([](auto& o) {
                           o.auth_scheme_preference = {"new"s, "sigv4"s};
                         })
                             .header("authorization")
                             .starts_with("AWS4-HMAC-SHA256 "));
                 }});
  out.push_back({"sigv4a_signing_region_set", [] {
                   const Seen seen = put_with([](auto& o) {
                     o.auth_scheme_preference = {"sigv4a"s};
                     o.sigv4a_signing_region_set = {"us-*"s, "eu-west-1"s};
                   });
                   CHECK(seen.header("x-amz-region-set") == "us-*,eu-west-1");
                   CHECK(seen.header("authorization").find("/s3/aws4_request") !=
                         std::string::npos);
                 }});
  out.push_back({"disable_s3_express_session_auth", [] {
                   for (const bool off : {false, true}) {
                     ScriptedService service({{.status = 403, .body = error_xml("AccessDenied")}});
                     MadeUp around;
                     ClientOptions options = quiet(at(service));
                     options.disable_s3_express_session_auth = off;
                     const auto failed = around.client(options).get_object(
                         {.bucket = "base--usw2-az1--x-s3", .key = "k"});
                     CHECK(code_of_failure(failed) == "AccessDenied");
                     CHECK((service.last().target.find("?session") == std::string::npos) == off);
                   }
                 }});
  const auto granted = [](AccessGrantsOptions how, bool has_grant, int requests, int& asked) {
    ScriptedService control([&](const Seen& seen) -> Answer {
      CHECK(seen.header("x-amz-account-id") == "123456789012");
      if (seen.target.find("/prefix?") != std::string::npos)
        return {.body =
                    "<R><AccessGrantsInstanceArn>arn:aws:s3:eu-west-1:123456789012:"
                    "access-grants/default</AccessGrantsInstanceArn></R>"};
      ++asked;
      CHECK(seen.target.find("target=s3%3A%2F%2Fb%2Fdir%2F") != std::string::npos);
      CHECK(seen.target.find("privilege=" + how.privilege) != std::string::npos);
      if (!has_grant)
        return {.status = 403,
                .body =
                    "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no grant"
                    "</Message></Error></ErrorResponse>"};
      return {.body =
                  "<R><Credentials><AccessKeyId>GRANTED</AccessKeyId><SecretAccessKey>S"
                  "</SecretAccessKey><SessionToken>T</SessionToken><Expiration>"
                  "2030-01-01T00:00:00Z</Expiration></Credentials><MatchedGrantTarget>"
                  "s3://b/dir/*</MatchedGrantTarget></R>"};
    });
    ScriptedService service({{}});
    MadeUp around;
    around.variables["AWS_ENDPOINT_URL_S3_CONTROL"] = control.url();
    ClientOptions options = quiet(at(service));
    options.account_id = "123456789012";
    options.access_grants = true;
    options.access_grants_credentials_provider = how;
    const Client client = around.client(options);
    std::string used;
    for (int i = 0; i < requests; ++i) {
      const auto got = client.get_object({.bucket = "b", .key = "dir/" + std::to_string(i)});
      const std::string field =
          service.count() > 0 ? service.last().header("authorization") : std::string();
      used = got.ok() ? field.substr(field.find("Credential=") + 11, 4) : got.error().code;
    }
    return used;
  };
  out.push_back({"access_grants", [granted] {
                   int asked = 0;
                   CHECK(granted({}, true, 3, asked) == "GRAN");
                   CHECK(asked == 1);  // one grant covers all three
                   CHECK(granted({}, false, 1, asked) == "AccessDenied");
                 }});
  out.push_back({"access_grants_credentials_provider", [granted] {
                   int asked = 0;
                   CHECK(granted({.fallback = true}, false, 1, asked) == "AKID");
                   asked = 0;
                   CHECK(granted({.privilege = "Minimal", .caching = false}, true, 3, asked) ==
                         "GRAN");
                   CHECK(asked == 3);
                 }});
  out.push_back({"require_https_for_sse_cpk", [] {
                   const std::string key(32, 'k');
                   for (const bool required : {true, false}) {
                     ScriptedService service({{}});
                     MadeUp around;
                     ClientOptions options = quiet(at(service));
                     options.require_https_for_sse_cpk = required;
                     s3::PutObjectInput input{.bucket = "b", .key = "k"};
                     input.sse_customer_algorithm = "AES256";
                     input.sse_customer_key = key;
                     const auto done = around.client(options).put_object(input, "x");
                     CHECK(done.ok() == !required);
                     CHECK(service.count() == (required ? 0 : 1));
                     if (required) continue;
                     const std::string field = "x-amz-server-side-encryption-customer-key";
                     CHECK(service.last().header(field) == to_base64(key));
                     CHECK(service.last().header(field + "-MD5").size() == 24);
                   }
                 }});
  const auto instance = [](double timeout, std::int64_t retries, std::int64_t& least_ms) {
    MadeUp around;
    around.variables.erase("AWS_EC2_METADATA_DISABLED");
    Surroundings surroundings = around.surroundings();
    int asked = 0;
    surroundings.send = [&](const net::ClientRequest&,
                            const os::Deadline& deadline) -> Result<net::ClientReply> {
      ++asked;
      least_ms = deadline.remaining_ms();
      return Error{ErrorKind::unavailable, {}, "nobody"};
    };
    auto client = Client::open({.region = "r",
                                .endpoint = "http://127.0.0.1:1",
                                .instance_profile_credentials_timeout = timeout,
                                .instance_profile_credentials_retries = retries,
                                .raise_response_errors = false},
                               surroundings);
    REQUIRE(client.ok());
    CHECK(client->head_bucket({.bucket = "b"}).error().code == "MissingCredentialsError");
    return asked;
  };
  out.push_back({"instance_profile_credentials_retries", [instance] {
                   std::int64_t left_ms = 0;
                   const int once = instance(1, 0, left_ms);
                   CHECK(instance(1, 3, left_ms) == 4 * once);
                 }});
  out.push_back({"instance_profile_credentials_timeout", [instance] {
                   std::int64_t left_ms = 0;
                   instance(1, 0, left_ms);
                   CHECK(left_ms <= 1'000);
                   instance(1'000, 0, left_ms);
                   CHECK(left_ms > 1'000);
                 }});
}

void add_messages(std::vector<Effect>& out) {
  out.push_back({"convert_params", [] {
                   for (const bool convert : {true, false}) {
                     ScriptedService service({{.body = "<ListBucketResult/>"}});
                     MadeUp around;
                     ClientOptions options = quiet(at(service));
                     options.convert_params = convert;
                     CHECK(around.client(options)
                               .call("list_objects_v2", {{"bucket", "b"}, {"max_keys", "5"}})
                               .ok() == convert);
                   }
                 }});
  out.push_back(
      {"validate_params", [] {
         for (const bool validate : {true, false}) {
           ScriptedService service({{}});
           MadeUp around;
           ClientOptions options = quiet(at(service));
           options.validate_params = validate;
           CHECK(
               around.client(options).call("head_bucket", {{"bucket", "b"}, {"colour", 1}}).ok() ==
               !validate);
           // What is part of the address must be there all the same.
           CHECK_FALSE(around.client(options).head_bucket({}).ok());
         }
       }});
  out.push_back({"raise_response_errors", [] {
                   ScriptedService service({{.status = 404}});
                   MadeUp around;
                   CHECK_THROWS_AS(around.client(at(service)).head_bucket({.bucket = "b"}),
                                   errors::NotFound);
                   CHECK_FALSE(around.client(quiet(at(service))).head_bucket({.bucket = "b"}).ok());
                 }});
  out.push_back({"request_checksum_calculation", [] {
                   CHECK(put_with([](auto&) {}).headers.has("x-amz-checksum-crc32"));
                   CHECK_FALSE(put_with([](auto& o) {
                                 o.request_checksum_calculation = "when_required";
                               }).headers.has("x-amz-checksum-crc32"));
                   ScriptedService service({{}});
                   MadeUp around;
                   ClientOptions options = quiet(at(service));
                   options.request_checksum_calculation = "when_required";
                   s3::PutBucketTaggingInput input{.bucket = "b"};
                   input.tagging.tag_set = {{.key = "a", .value = "1"}};
                   CHECK(around.client(options).put_bucket_tagging(input).ok());
                   CHECK(service.last().headers.has("x-amz-checksum-crc32"));
                 }});
  out.push_back(
      {"response_checksum_validation", [] {
         for (const bool always : {true, false}) {
           ScriptedService service(
               {{.body = "wrong", .headers = {{"x-amz-checksum-crc32", "y/Q5Jg=="}}}});
           MadeUp around;
           ClientOptions options = quiet(at(service));
           options.response_checksum_validation = always ? "when_supported" : "when_required";
           const Client client = around.client(options);
           CHECK(client.get_object({.bucket = "b", .key = "k"}).ok() == !always);
           CHECK(service.last().headers.has("x-amz-checksum-mode") == always);
           CHECK_FALSE(
               client.get_object({.bucket = "b", .key = "k", .checksum_mode = "ENABLED"}).ok());
         }
       }});
  out.push_back({"compute_checksums", [] {
                   std::vector<std::string> warnings;
                   const Seen seen = put_with([&](auto& o) {
                     o.compute_checksums = false;
                     o.logger = [&](LogLevel level, std::string_view line) {
                       if (level == LogLevel::warn) warnings.emplace_back(line);
                     };
                   });
                   CHECK_FALSE(seen.headers.has("x-amz-checksum-crc32"));
                   REQUIRE(warnings.size() == 1);
                   CHECK(warnings[0].find("deprecated") != std::string::npos);
                 }});
  out.push_back({"payload_signing", [] {
                   CHECK(put_with([](auto& o) {
                           o.payload_signing = "never";
                         }).header("x-amz-content-sha256") == "UNSIGNED-PAYLOAD");
                   CHECK(put_with([](auto&) {}).header("x-amz-content-sha256").size() == 64);
                   SecureService secure;
                   MadeUp around;
                   ClientOptions options = secure.trusted();
                   const auto put = [&] {
                     CHECK(
                         around.client(options).put_object({.bucket = "b", .key = "k"}, "x").ok());
                     return secure.service.last().header("x-amz-content-sha256");
                   };
                   CHECK(put() == "UNSIGNED-PAYLOAD");  // TLS and a checksum
                   options.payload_signing = "always";
                   CHECK(put().size() == 64);
                 }});
  const auto tags_with = [](const std::function<void(ClientOptions&)>& change) {
    ScriptedService service({{}});
    MadeUp around;
    ClientOptions options = quiet(at(service));
    options.dialect = "svc";
    options.request_min_compression_size_bytes = 0;
    change(options);
    s3::PutBucketTaggingInput input{.bucket = "b"};
    input.tagging.tag_set = {{.key = "a", .value = std::string(200, 'v')}};
    CHECK(around.client(options).put_bucket_tagging(input).ok());
    return service.last();
  };
  out.push_back(
      {"disable_request_compression", [tags_with] {
         const Seen small = tags_with([](auto&) {});
         CHECK(small.header("content-encoding") == "gzip");
         CHECK(gunzip(small.body, 1 << 20).value_or("").find("<Value>vvv") != std::string::npos);
         CHECK_FALSE(tags_with([](auto& o) {
                       o.disable_request_compression = true;
                     }).headers.has("content-encoding"));
         CHECK_FALSE(tags_with([](auto& o) { o.dialect = "aws"; }).headers.has("content-encoding"));
       }});
  out.push_back({"request_min_compression_size_bytes", [tags_with] {
                   CHECK_FALSE(tags_with([](auto& o) {
                                 o.request_min_compression_size_bytes = 10'000;
                               }).headers.has("content-encoding"));
                 }});
  out.push_back({"sdk_ua_app_id", [] {
                   CHECK(put_with([](auto& o) { o.sdk_ua_app_id = "my app/1"; })
                             .header("user-agent")
                             .find(" app/my-app-1 ") != std::string::npos);
                 }});
  out.push_back({"user_agent_suffix", [] {
                   CHECK(put_with([](auto& o) { o.user_agent_suffix = "tool/7"; })
                             .header("user-agent")
                             .ends_with(" tool/7"));
                 }});
}

void add_connections(std::vector<Effect>& out) {
  out.push_back({"http_open_timeout", [] {
                   const SilentPort port;  // connects, and never agrees on TLS
                   MadeUp around;
                   ClientOptions options = quiet(somewhere());
                   options.endpoint = port.url("https");
                   options.http_open_timeout = 0.05;
                   options.retry_limit = 0;
                   const auto failed = around.client(options).head_bucket({.bucket = "b"});
                   CHECK(failed.error().kind == ErrorKind::timeout);
                 }});
  out.push_back({"http_read_timeout", [] {
                   const SilentPort port;
                   MadeUp around;
                   ClientOptions options = quiet(somewhere());
                   options.endpoint = port.url("http");
                   options.http_read_timeout = 0.05;
                   options.retry_limit = 0;
                   const auto failed = around.client(options).head_bucket({.bucket = "b"});
                   CHECK(failed.error().kind == ErrorKind::timeout);
                   CHECK(failed.call().status == 0);
                 }});
  out.push_back({"http_idle_timeout", [] {
                   for (const double idle : {60.0, 0.0}) {
                     ScriptedService service({{}});
                     MadeUp around;
                     ClientOptions options = at(service);
                     options.http_idle_timeout = idle;
                     const Client client = around.client(options);
                     CHECK_FALSE(client.head_bucket({.bucket = "b"}).call().reused_connection);
                     CHECK(client.head_bucket({.bucket = "b"}).call().reused_connection ==
                           (idle > 0));
                   }
                 }});
  out.push_back(
      {"http_continue_timeout", [] {
         CHECK(put_with([](auto&) {}).header("expect") == "100-continue");
         CHECK_FALSE(put_with([](auto& o) { o.http_continue_timeout = 0; }).headers.has("expect"));
         CHECK_FALSE(put_with([](auto&) {}, "").headers.has("expect"));
       }});
  out.push_back({"ssl_verify_peer", [] {
                   SecureService secure;
                   MadeUp around;
                   ClientOptions options = quiet(at(secure.service, "https"));
                   options.retry_limit = 0;
                   CHECK_FALSE(around.client(options).head_bucket({.bucket = "b"}).ok());
                   options.ssl_verify_peer = false;
                   CHECK(around.client(options).head_bucket({.bucket = "b"}).ok());
                 }});
  out.push_back({"ssl_ca_bundle", [] {
                   SecureService secure;
                   MadeUp around;
                   CHECK(around.client(secure.trusted()).head_bucket({.bucket = "b"}).ok());
                 }});
  out.push_back({"http_wire_trace", [] {
                   std::string all;
                   for (const auto& [level, line] :
                        lines_with([](auto& o) { o.http_wire_trace = true; })) {
                     if (level == LogLevel::debug) all += line + "\n";
                   }
                   CHECK(all.find("-> GET /b/k HTTP/1.1") != std::string::npos);
                   CHECK(all.find("<- HTTP/1.1 200") != std::string::npos);
                   CHECK(all.find("Credential=AKID/") != std::string::npos);
                   CHECK(all.find("Signature=[FILTERED]") != std::string::npos);
                   CHECK(all.find("TOKEN-OF-MINE") == std::string::npos);
                   CHECK(lines_with([](auto&) {}).size() == 1);
                 }});
}

void add_attempts(std::vector<Effect>& out) {
  using Waits = std::vector<double>;
  out.push_back({"retry_mode", [] {
                   CHECK(waits_with([](auto&) {}) == Waits{0.3, 0.6, 1.2});
                   const Waits standard = waits_with([](auto& o) { o.retry_mode = "standard"; });
                   REQUIRE(standard.size() == 2);
                   CHECK(standard[0] < 1);
                   CHECK(standard[1] < 2);
                   CHECK(put_with([](auto& o) {
                           o.retry_mode = "standard";
                         }).header("amz-sdk-request") == "attempt=1; max=3");
                 }});
  out.push_back({"max_attempts", [] {
                   CHECK(waits_with([](auto& o) {
                           o.retry_mode = "standard";
                           o.max_attempts = 5;
                         }).size() == 4);
                 }});
  out.push_back({"retry_limit", [] {
                   CHECK(waits_with([](auto& o) { o.retry_limit = 1; }) == Waits{0.3});
                   CHECK(waits_with([](auto& o) { o.retry_limit = 0; }).empty());
                 }});
  out.push_back({"retry_base_delay", [] {
                   CHECK(waits_with([](auto& o) { o.retry_base_delay = 1; }) == Waits{1, 2, 4});
                 }});
  out.push_back(
      {"retry_max_delay", [] {
         CHECK(waits_with([](auto& o) { o.retry_max_delay = 0.5; }) == Waits{0.3, 0.5, 0.5});
       }});
  out.push_back({"retry_jitter", [] {
                   const Waits equal = waits_with([](auto& o) { o.retry_jitter = "equal"; });
                   REQUIRE(equal.size() == 3);
                   CHECK(equal[2] >= 0.6);
                   CHECK(equal[2] < 1.2);
                   CHECK(equal != Waits{0.3, 0.6, 1.2});
                   CHECK(waits_with([](auto& o) { o.retry_jitter = "full"; }) != equal);
                 }});
  out.push_back({"retry_jitter_function", [] {
                   CHECK(waits_with([](auto& o) {
                           o.retry_jitter_function = [](double delay) { return delay * 10; };
                         }) == Waits{3, 6, 12});
                 }});
  out.push_back({"retry_backoff", [] {
                   CHECK(waits_with([](auto& o) {
                           o.retry_backoff = [](std::int64_t retries) {
                             return static_cast<double>(retries) + 0.5;
                           };
                         }) == Waits{0.5, 1.5, 2.5});
                 }});
  out.push_back({"adaptive_retry_wait_to_fill", [] {
                   const Answer throttled{.status = 503, .body = error_xml("SlowDown")};
                   std::string code;
                   waits_with(
                       [](auto& o) {
                         o.retry_mode = "adaptive";
                         o.retry_base_delay = 0;
                         o.max_attempts = 30;
                         o.adaptive_retry_wait_to_fill = false;
                       },
                       throttled, &code);
                   CHECK(code == "RetryCapacityNotAvailableError");
                   waits_with([](auto& o) { o.retry_mode = "adaptive"; }, throttled, &code);
                   CHECK(code == "SlowDown");
                 }});
  out.push_back({"correct_clock_skew", [] {
                   for (const bool correct : {true, false}) {
                     // The service's Date is now; the client's clock stands in 2023.
                     ScriptedService service([](const Seen& seen) -> Answer {
                       if (seen.header("x-amz-date").starts_with("2023"))
                         return {.status = 403, .body = error_xml("RequestTimeTooSkewed")};
                       return {};
                     });
                     MadeUp around;
                     ClientOptions options = quiet(at(service));
                     options.retry_mode = "standard";
                     options.correct_clock_skew = correct;
                     const Client client = around.client(options);
                     CHECK(client.delete_bucket({.bucket = "b"}).ok() == correct);
                     const auto before = service.count();
                     CHECK(before == (correct ? 2 : 1));
                     if (!correct) continue;
                     CHECK(client.delete_bucket({.bucket = "b"}).ok());
                     CHECK(service.count() == before + 1);  // it knows the time by now
                   }
                 }});
}

void add_reports(std::vector<Effect>& out) {
  out.push_back({"logger", [] {
                   const auto lines = lines_with([](auto&) {});
                   REQUIRE(lines.size() == 1);
                   CHECK(lines[0].first == LogLevel::info);
                   CHECK(lines[0].second ==
                         "[ObjectClient 200 0.000000 0 retries] "
                         "get_object(bucket:\"b\",key:\"k\")");
                 }});
  out.push_back({"log_level", [] {
                   CHECK(lines_with([](auto& o) { o.log_level = "debug"; }).at(0).first ==
                         LogLevel::debug);
                 }});
  out.push_back({"log_formatter", [] {
                   CHECK(lines_with([](auto& o) {
                           o.log_formatter =
                               ":http_request_method :operation in :region: "
                               ":http_response_status_code";
                         })
                             .at(0)
                             .second == "GET get_object in eu-west-1: 200");
                 }});
  out.push_back({"client_side_monitoring", [] {
                   const auto events = events_with([](auto&) {});
                   REQUIRE(events.size() == 3);
                   CHECK(events[0].string_or("Type") == "ApiCallAttempt");
                   CHECK(events[0].string_or("AwsException") == "InternalError");
                   CHECK(events[0].int_or("HttpStatusCode") == 500);
                   CHECK(events[0].string_or("AccessKey") == "AKID");
                   CHECK(events[1].string_or("XAmzRequestId") == "R");
                   CHECK(events[2].string_or("Type") == "ApiCall");
                   CHECK(events[2].string_or("Api") == "PutObject");
                   CHECK(events[2].int_or("AttemptCount") == 2);
                   CHECK(events[2].int_or("FinalHttpStatusCode") == 200);
                   CHECK(events[2].int_or("MaxRetriesExceeded", 5) == 0);
                   CHECK(events_with([](auto& o) { o.client_side_monitoring = false; }).empty());
                 }});
  out.push_back({"client_side_monitoring_client_id", [] {
                   CHECK(events_with([](auto& o) { o.client_side_monitoring_client_id = "shop"; })
                             .at(0)
                             .string_or("ClientId") == "shop");
                 }});
  out.push_back(
      {"client_side_monitoring_publisher", [] { CHECK(events_with([](auto&) {}).size() == 3); }});
  const auto hears_datagram = [] {
    const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const net::Closing closing(socket);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    REQUIRE(::bind(socket, reinterpret_cast<sockaddr*>(&place), size) == 0);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&place), &size);
    ScriptedService service({{}});
    MadeUp around;
    ClientOptions options = at(service);
    options.client_side_monitoring = true;
    options.client_side_monitoring_host = "127.0.0.1";
    options.client_side_monitoring_port = ntohs(place.sin_port);
    CHECK(around.client(options).head_bucket({.bucket = "b"}).ok());
    char bytes[2048];
    // Sent already: loopback keeps it for us.
    const auto count = ::recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    REQUIRE(count > 0);
    const auto event = parse_json({bytes, static_cast<std::size_t>(count)});
    REQUIRE(event.ok());
    CHECK(event->string_or("Api") == "HeadBucket");
  };
  out.push_back({"client_side_monitoring_host", hears_datagram});
  out.push_back({"client_side_monitoring_port", hears_datagram});
  out.push_back({"stub_responses", [] {
                   MadeUp around;
                   const Client client =
                       around.client({.raise_response_errors = false, .stub_responses = true});
                   CHECK(*client.options().region == "us-stubbed-1");
                   CHECK(client.head_object({.bucket = "b", .key = "k"})->etag == "etag");
                   client.stub("head_object", {Stub::error("NotFound")});
                   CHECK(code_of_failure(client.head_object({.bucket = "b", .key = "k"})) ==
                         "NotFound");
                   CHECK(around.slept_s.empty());
                   CHECK(client.stubbed_calls().size() == 2);
                 }});
}

std::vector<Effect> all_effects() {
  std::vector<Effect> out;
  add_places(out);
  add_discovery(out);
  add_identity(out);
  add_messages(out);
  add_connections(out);
  add_attempts(out);
  add_reports(out);
  return out;
}

}  // namespace

TEST_CASE("options: each changes what the client does, as documented") {
  std::set<std::string, std::less<>> shown;
  for (const Effect& effect : all_effects()) {
    CAPTURE(effect.name);
    effect.check();
    CHECK(find_option(effect.name) != nullptr);
    CHECK(shown.insert(effect.name).second);
  }
  for (const OptionRow& row : option_rows()) {
    CAPTURE(row.name);
    CHECK(shown.count(row.name) == 1);
  }
}

}  // namespace cairn::objectclient
