// SPDX-License-Identifier: Apache-2.0
// Every option changes what the client does, as its row says: one function an option, and a test
// that none is missing. Here are those about attempts and reports.
#include "objectclient/option_effects.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <set>

#include "format/json.h"
#include "format/time.h"
#include "objectclient/option_table.h"

namespace cairn::objectclient {

std::vector<std::pair<LogLevel, std::string>> lines_with(
    const std::function<void(ClientOptions&)>& change) {
  ScriptedService service({{.body = "bytes"}});
  MadeUp environment;
  std::vector<std::pair<LogLevel, std::string>> lines;
  ClientOptions options = quiet(at(service));
  options.session_token = "TOKEN-OF-MINE";
  options.logger = [&](LogLevel level, std::string_view line) {
    lines.emplace_back(level, std::string(line));
  };
  change(options);
  static_cast<void>(environment.client(options).get_object({.bucket = "b", .key = "k"}));
  return lines;
}

namespace {

/// The waits of a call that fails until it is given up.
std::vector<double> waits_with(const std::function<void(ClientOptions&)>& change,
                               Answer answer = {.status = 500, .body = error_xml("InternalError")},
                               std::string* code = nullptr) {
  ScriptedService service({std::move(answer)});
  MadeUp environment;
  ClientOptions options = quiet(at(service));
  change(options);
  const auto failed = environment.client(options).list_buckets();
  if (code != nullptr) *code = code_of_failure(failed);
  return environment.slept_s;
}

std::vector<Json> events_with(const std::function<void(ClientOptions&)>& change) {
  ScriptedService service({{.status = 500, .body = error_xml("InternalError")},
                           {.headers = {{"x-amz-request-id", "R"}}}});
  MadeUp environment;
  std::vector<Json> events;
  ClientOptions options = quiet(at(service));
  options.client_side_monitoring = true;
  options.client_side_monitoring_publisher = [&](std::string_view text) {
    events.push_back(*parse_json(text));
  };
  change(options);
  static_cast<void>(environment.client(options).put_object({.bucket = "b", .key = "k"}, "x"));
  return events;
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
                     MadeUp environment;
                     ClientOptions options = quiet(at(service));
                     options.retry_mode = "standard";
                     options.correct_clock_skew = correct;
                     const Client client = environment.client(options);
                     CHECK(client.delete_bucket({.bucket = "b"}).ok() == correct);
                     const auto before = service.count();
                     CHECK(before == (correct ? 2 : 1));
                     if (!correct) continue;
                     CHECK(client.delete_bucket({.bucket = "b"}).ok());
                     CHECK(service.count() == before + 1);  // it knows the time by now
                   }
                   // A reply to HEAD cannot say why; and a clock that was wrong may be set right.
                   ScriptedService service([](const Seen& seen) -> Answer {
                     const auto at_ms = parse_basic_iso8601(seen.header("x-amz-date"));
                     const std::int64_t now_ms = os::system_clock().unix_ms();
                     if (!at_ms || std::abs(*at_ms - now_ms) > 900'000) return {.status = 403};
                     return {};
                   });
                   MadeUp environment;
                   ClientOptions options = quiet(at(service));
                   options.retry_mode = "standard";
                   const Client client = environment.client(options);
                   CHECK(client.head_bucket({.bucket = "b"}).ok());
                   CHECK(service.count() == 2);
                   environment.clock.advance_ms(os::system_clock().unix_ms() -
                                                environment.clock.unix_ms());
                   CHECK(client.head_bucket({.bucket = "b"}).ok());
                   CHECK(service.count() == 4);
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
    MadeUp environment;
    ClientOptions options = at(service);
    options.client_side_monitoring = true;
    options.client_side_monitoring_host = "127.0.0.1";
    options.client_side_monitoring_port = ntohs(place.sin_port);
    CHECK(environment.client(options).head_bucket({.bucket = "b"}).ok());
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
                   MadeUp environment;
                   const Client client =
                       environment.client({.raise_response_errors = false, .stub_responses = true});
                   CHECK(*client.options().region == "us-stubbed-1");
                   CHECK(client.head_object({.bucket = "b", .key = "k"})->etag == "etag");
                   client.stub("head_object", {Stub::error("NotFound")});
                   CHECK(code_of_failure(client.head_object({.bucket = "b", .key = "k"})) ==
                         "NotFound");
                   CHECK(environment.slept_s.empty());
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
