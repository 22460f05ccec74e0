// SPDX-License-Identifier: Apache-2.0
// What the options change that are about messages and connections.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/compress.h"
#include "objectclient/option_effects.h"

namespace cairn::objectclient {

void add_messages(std::vector<Effect>& out) {
  out.push_back({"convert_params", [] {
                   for (const bool convert : {true, false}) {
                     ScriptedService service({{.body = "<ListBucketResult/>"}});
                     MadeUp environment;
                     ClientOptions options = quiet(at(service));
                     options.convert_params = convert;
                     CHECK(environment.client(options)
                               .call("list_objects_v2", {{"bucket", "b"}, {"max_keys", "5"}})
                               .ok() == convert);
                   }
                 }});
  out.push_back(
      {"validate_params", [] {
         for (const bool validate : {true, false}) {
           ScriptedService service({{}});
           MadeUp environment;
           ClientOptions options = quiet(at(service));
           options.validate_params = validate;
           CHECK(
               environment.client(options).call("head_bucket", {{"bucket", "b"}, {"colour", 1}}).ok() ==
               !validate);
           // What is part of the address must be there all the same.
           CHECK_FALSE(environment.client(options).head_bucket({}).ok());
         }
       }});
  out.push_back({"raise_response_errors", [] {
                   ScriptedService service({{.status = 404}});
                   MadeUp environment;
                   CHECK_THROWS_AS(
                       environment.client(at(service)).head_bucket({.bucket = "b"}).or_throw(),
                       errors::NotFound);
                   CHECK_FALSE(environment.client(quiet(at(service))).head_bucket({.bucket = "b"}).ok());
                 }});
  out.push_back({"request_checksum_calculation", [] {
                   CHECK(put_with([](auto&) {}).headers.has("x-amz-checksum-crc32"));
                   CHECK_FALSE(put_with([](auto& o) {
                                 o.request_checksum_calculation = "when_required";
                               }).headers.has("x-amz-checksum-crc32"));
                   ScriptedService service({{}});
                   MadeUp environment;
                   ClientOptions options = quiet(at(service));
                   options.request_checksum_calculation = "when_required";
                   s3::PutBucketTaggingInput input{.bucket = "b"};
                   input.tagging.tag_set = {{.key = "a", .value = "1"}};
                   CHECK(environment.client(options).put_bucket_tagging(input).ok());
                   CHECK(service.last().headers.has("x-amz-checksum-crc32"));
                 }});
  out.push_back(
      {"response_checksum_validation", [] {
         for (const bool always : {true, false}) {
           ScriptedService service(
               {{.body = "wrong", .headers = {{"x-amz-checksum-crc32", "y/Q5Jg=="}}}});
           MadeUp environment;
           ClientOptions options = quiet(at(service));
           options.response_checksum_validation = always ? "when_supported" : "when_required";
           const Client client = environment.client(options);
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
                   MadeUp environment;
                   ClientOptions options = secure.trusted();
                   const auto put = [&] {
                     CHECK(
                         environment.client(options).put_object({.bucket = "b", .key = "k"}, "x").ok());
                     return secure.service.last().header("x-amz-content-sha256");
                   };
                   CHECK(put() == "UNSIGNED-PAYLOAD");  // TLS and a checksum
                   options.payload_signing = "always";
                   CHECK(put().size() == 64);
                 }});
  const auto tags_with = [](const std::function<void(ClientOptions&)>& change) {
    ScriptedService service({{}});
    MadeUp environment;
    ClientOptions options = quiet(at(service));
    options.dialect = "svc";
    options.request_min_compression_size_bytes = 0;
    change(options);
    s3::PutBucketTaggingInput input{.bucket = "b"};
    input.tagging.tag_set = {{.key = "a", .value = std::string(200, 'v')}};
    CHECK(environment.client(options).put_bucket_tagging(input).ok());
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

namespace {

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

}  // namespace

void add_connections(std::vector<Effect>& out) {
  out.push_back({"http_open_timeout", [] {
                   const SilentPort port;  // connects, and never agrees on TLS
                   MadeUp environment;
                   ClientOptions options = quiet(somewhere());
                   options.endpoint = port.url("https");
                   options.http_open_timeout = 0.05;
                   options.retry_limit = 0;
                   const auto failed = environment.client(options).head_bucket({.bucket = "b"});
                   CHECK(failed.error().kind == ErrorKind::timeout);
                 }});
  out.push_back({"http_read_timeout", [] {
                   const SilentPort port;
                   MadeUp environment;
                   ClientOptions options = quiet(somewhere());
                   options.endpoint = port.url("http");
                   options.http_read_timeout = 0.05;
                   options.retry_limit = 0;
                   const auto failed = environment.client(options).head_bucket({.bucket = "b"});
                   CHECK(failed.error().kind == ErrorKind::timeout);
                   CHECK(failed.call().status == 0);
                 }});
  out.push_back({"http_idle_timeout", [] {
                   for (const double idle : {60.0, 0.0}) {
                     ScriptedService service({{}});
                     MadeUp environment;
                     ClientOptions options = at(service);
                     options.http_idle_timeout = idle;
                     const Client client = environment.client(options);
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
                   MadeUp environment;
                   ClientOptions options = quiet(at(secure.service, "https"));
                   options.retry_limit = 0;
                   CHECK_FALSE(environment.client(options).head_bucket({.bucket = "b"}).ok());
                   options.ssl_verify_peer = false;
                   CHECK(environment.client(options).head_bucket({.bucket = "b"}).ok());
                 }});
  out.push_back({"ssl_ca_bundle", [] {
                   SecureService secure;
                   MadeUp environment;
                   CHECK(environment.client(secure.trusted()).head_bucket({.bucket = "b"}).ok());
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

}  // namespace cairn::objectclient
