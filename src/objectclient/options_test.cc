// SPDX-License-Identifier: Apache-2.0
// Options: their table, where their values come from, which ones are refused, and the documents.
#include "objectclient/options.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "objectclient/option_table.h"
#include "objectclient/testing.h"

namespace cairn::objectclient::options_test {
namespace {

Result<ClientOptions> complete(ClientOptions given, MadeUp& environment) {
  const auto profiles = Profiles::load(environment.environment());
  REQUIRE(profiles.ok());
  return complete_options(std::move(given), *profiles, environment.environment());
}

std::string fault_of(ClientOptions given) {
  MadeUp environment;
  if (!given.region.given()) given.region = "us-east-1";
  const auto done = complete(std::move(given), environment);
  return done.ok() ? "" : done.error().message;
}

}  // namespace

TEST_CASE("options: the specification's are there, with its defaults") {
  const std::pair<const char*, const char*> wanted[] = {
      {"request_min_compression_size_bytes", "10240"},
      {"max_attempts", "3"},
      {"retry_limit", "3"},
      {"retry_base_delay", "0.3"},
      {"retry_max_delay", "0"},
      {"retry_jitter", "none"},
      {"retry_mode", "legacy"},
      {"http_open_timeout", "15"},
      {"http_read_timeout", "60"},
      {"http_idle_timeout", "5"},
      {"http_continue_timeout", "1"},
      {"endpoint_cache_max_entries", "1000"},
      {"endpoint_cache_max_threads", "10"},
      {"endpoint_cache_poll_interval", "60"},
      {"request_checksum_calculation", "when_supported"},
      {"response_checksum_validation", "when_supported"},
      {"use_accelerate_endpoint", "false"},
      {"force_path_style", "false"},
      {"s3_use_arn_region", "true"},
      {"s3_disable_multiregion_access_points", "false"},
      {"s3_us_east_1_regional_endpoint", "legacy"},
      {"defaults_mode", "legacy"},
      {"ssl_verify_peer", "true"},
      {"http_wire_trace", "false"},
      {"client_side_monitoring", "false"},
      {"client_side_monitoring_host", "127.0.0.1"},
      {"client_side_monitoring_port", "31000"},
      {"disable_request_compression", "false"},
      {"disable_host_prefix_injection", "false"},
      {"endpoint_discovery", "false"},
      {"active_endpoint_cache", "false"},
      {"correct_clock_skew", "true"},
      {"adaptive_retry_wait_to_fill", "true"},
      {"stub_responses", "false"},
      {"profile", "default"},
      {"log_level", "info"},
      {"logger", ""},
      {"sdk_ua_app_id", ""},
      {"raise_response_errors", "true"},
      {"validate_params", "true"},
      {"convert_params", "true"},
      {"follow_redirects", "true"},
      {"require_https_for_sse_cpk", "true"},
      {"disable_s3_express_session_auth", "false"},
      {"compute_checksums", "true"},
      {"dialect", "aws"}};
  for (const auto& [name, value] : wanted) {
    CAPTURE(name);
    const OptionRow* const row = find_option(name);
    REQUIRE(row != nullptr);
    CHECK(row->show({}) == value);
    CHECK_FALSE(row->given({}));
  }
  for (const auto* name :
       {"use_dualstack_endpoint", "use_fips_endpoint", "token_provider", "auth_scheme_preference"})
    CHECK(find_option(name) != nullptr);
}

TEST_CASE("options: every row is complete, has its own name, and takes its default as text") {
  std::set<std::string_view> names;
  for (const OptionRow& row : option_rows()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK_FALSE(row.effect.empty());
    CHECK_FALSE(row.type.empty());
    if (!row.can_be_text()) continue;
    ClientOptions options;
    const std::string value = row.show(options);
    CHECK(row.set(options, value.empty() && row.type == "boolean" ? "false" : value).ok());
    CHECK(row.given(options));
    CHECK(row.show(options) == value);
    if (row.type == "boolean" || row.type == "integer" || row.type == "seconds")
      CHECK_FALSE(row.set(options, "many").ok());
  }
}

TEST_CASE("options: values that are not allowed are refused by name") {
  CHECK(fault_of({}).empty());
  CHECK(fault_of({.request_checksum_calculation = "sometimes"}) ==
        "expected :request_checksum_calculation or ENV['AWS_REQUEST_CHECKSUM_CALCULATION'] to be "
        "`when_supported` or `when_required`.");
  CHECK(fault_of({.request_checksum_calculation = "WHEN_REQUIRED"}).empty());
  CHECK(fault_of({.retry_mode = "never"}) ==
        "expected :retry_mode or ENV['AWS_RETRY_MODE'] to be `legacy`, `standard` or `adaptive`.");
  CHECK(fault_of({.max_attempts = 0}) ==
        "expected :max_attempts or ENV['AWS_MAX_ATTEMPTS'] to be a positive integer.");
  CHECK(fault_of({.request_min_compression_size_bytes = 10'485'780}).empty());
  CHECK(fault_of({.request_min_compression_size_bytes = 0}).empty());
  CHECK(fault_of({.request_min_compression_size_bytes = 10'485'781}).find("10485780") !=
        std::string::npos);
  CHECK(fault_of({.request_min_compression_size_bytes = -1}) != "");
  CHECK(fault_of({.sdk_ua_app_id = std::string(50, 'a')}).empty());
  CHECK(fault_of({.sdk_ua_app_id = std::string(51, 'a')}) != "");
  std::string umlauts;  // characters are counted, not bytes
  for (int i = 0; i < 50; ++i) umlauts += "\u00e4";
  CHECK(fault_of({.sdk_ua_app_id = umlauts}).empty());
  CHECK(fault_of({.sdk_ua_app_id = umlauts + "b"}) != "");
  CHECK(fault_of({.http_open_timeout = -1}) != "");
  CHECK(fault_of({.retry_jitter = "some"}) ==
        "expected :retry_jitter to be `none`, `equal` or `full`.");
  CHECK(fault_of({.dialect = "gcs"}) != "");
  // Several at once are all named.
  const std::string both = fault_of({.retry_mode = "x", .log_level = "loud"});
  CHECK(both.find(":retry_mode") != std::string::npos);
  CHECK(both.find(":log_level") != std::string::npos);
  ClientOptions options;
  CHECK(set_option(options, "max_attemts", "5").error().message ==
        "there is no option `max_attemts`; did you mean `max_attempts`?");
  CHECK(set_option(options, "retry_jitter", ":full").ok());
  CHECK(*options.retry_jitter == "full");
  CHECK_FALSE(set_option(options, "logger", "x").ok());
  for (const std::string name : {"request_checksum_calculation", "response_checksum_validation"}) {
    CAPTURE(name);
    MadeUp environment;
    CHECK(set_option(options, name, "WHEN_REQUIRED").ok());
    options.region = "eu-west-1";
    CHECK(find_option(name)->show(*complete(options, environment)) == "when_required");
    CHECK_FALSE(set_option(options, name, "SOMETIMES").ok());
    CHECK(set_option(options, name, "When_Supported").ok());
    CHECK(find_option(name)->show(*complete(options, environment)) == "when_supported");
  }
  CHECK_FALSE(set_option(options, "retry_mode", "STANDARD").ok());
}

TEST_CASE("options: the program, then the environment, then the profile, then the mode") {
  MadeUp environment;
  environment.files["/home/u/.aws/config"] =
      "[default]\nregion = eu-south-1\nretry_mode = standard\nmax_attempts = 9\n"
      "[profile lab]\nregion = sa-east-1\nservices = near\n"
      "[services near]\ns3 =\n  endpoint_url = http://127.0.0.1:9000\n";
  CHECK(*complete({}, environment)->region == "eu-south-1");
  CHECK(*complete({}, environment)->max_attempts == 9);
  environment.variables["AWS_DEFAULT_REGION"] = "eu-west-2";
  CHECK(*complete({}, environment)->region == "eu-west-2");
  environment.variables["AWS_REGION"] = "eu-west-1";
  CHECK(*complete({}, environment)->region == "eu-west-1");
  CHECK(*complete({.region = "us-east-1"}, environment)->region == "us-east-1");
  environment.variables["AWS_MAX_ATTEMPTS"] = "4";
  CHECK(*complete({}, environment)->max_attempts == 4);
  CHECK(*complete({.max_attempts = 2}, environment)->max_attempts == 2);
  environment.variables["AWS_MAX_ATTEMPTS"] = "0";
  CHECK_FALSE(complete({}, environment).ok());
  environment.variables.erase("AWS_MAX_ATTEMPTS");
  // A mode only fills in what nobody said.
  environment.variables["AWS_DEFAULTS_MODE"] = "in-region";
  CHECK(*complete({.profile = "lab"}, environment)->retry_mode == "standard");
  CHECK(*complete({.retry_mode = "legacy"}, environment)->retry_mode == "legacy");
  CHECK(*complete({}, environment)->http_open_timeout == 1.1);
  CHECK(*complete({.http_open_timeout = 2}, environment)->http_open_timeout == 2);
  CHECK(*complete({}, environment)->s3_us_east_1_regional_endpoint == "regional");
  // Endpoints.
  CHECK(*complete({.profile = "lab"}, environment)->endpoint == "http://127.0.0.1:9000");
  environment.variables["AWS_ENDPOINT_URL"] = "http://127.0.0.1:9001";
  CHECK(*complete({}, environment)->endpoint == "http://127.0.0.1:9001");
  environment.variables["AWS_ENDPOINT_URL_S3"] = "http://127.0.0.1:9002";
  CHECK(*complete({}, environment)->endpoint == "http://127.0.0.1:9002");
  environment.variables["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true";
  CHECK(complete({.profile = "lab"}, environment)->endpoint->empty());
  CHECK(*complete({.endpoint = "http://127.0.0.1:1"}, environment)->endpoint ==
        "http://127.0.0.1:1");
}

TEST_CASE("options: the mode auto is that of the region where the program runs") {
  struct Row {
    std::map<std::string, std::string> variables;
    std::string metadata;  // what the instance says; empty: nobody answers, as with 404
    double open_timeout_s;
    int asked;
  };
  const Row rows[] = {
      {{{"AWS_EXECUTION_ENV", "lambda"}, {"AWS_REGION", "eu-west-1"}}, "x", 1.1, 0},
      {{{"AWS_EXECUTION_ENV", "lambda"}, {"AWS_DEFAULT_REGION", "eu-north-1"}}, "x", 3.1, 0},
      {{{"AWS_REGION", "eu-north-1"}}, "eu-west-1\n", 1.1, 2},  // not where it runs
      {{{"AWS_EXECUTION_ENV", "ec2"}}, "eu-north-1", 3.1, 2},
      {{}, "", 3.1, 2},
      {{{"AWS_EC2_METADATA_DISABLED", "true"}}, "eu-west-1", 3.1, 0},
  };
  for (const Row& row : rows) {
    MadeUp made_up;
    made_up.variables.erase("AWS_EC2_METADATA_DISABLED");
    made_up.variables.insert(row.variables.begin(), row.variables.end());
    Environment environment = made_up.environment();
    int asked = 0;
    environment.send = [&](const net::ClientRequest& request,
                           const os::Deadline&) -> Result<net::ClientReply> {
      ++asked;
      net::ClientReply reply;
      const bool token = request.method == "PUT";
      if (!token) CHECK(request.url.target == "/latest/meta-data/placement/region");
      if (!token) CHECK(request.headers.find("x-aws-ec2-metadata-token") == "session");
      reply.status = token || !row.metadata.empty() ? 200 : 404;
      reply.body = token ? "session" : row.metadata;
      return reply;
    };
    const auto profiles = Profiles::load(environment);
    REQUIRE(profiles.ok());
    const auto done =
        complete_options({.region = "eu-west-1", .defaults_mode = "auto"}, *profiles, environment);
    REQUIRE(done.ok());
    CHECK(*done->http_open_timeout == row.open_timeout_s);
    CHECK(*done->retry_mode == "standard");
    CHECK(asked == row.asked);
    asked = 0;
    CHECK(complete_options({.region = "eu-west-1", .defaults_mode = "auto", .stub_responses = true},
                           *profiles, environment)
              .ok());
    CHECK(asked == 0);
  }
}

TEST_CASE("options: no region is an error that says where it was looked for") {
  MadeUp environment;
  const auto missing = complete({}, environment);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == "MissingRegionError");
  for (const auto* place : {":region", "AWS_REGION", "AWS_DEFAULT_REGION", "profile default"})
    CHECK(missing.error().message.find(place) != std::string::npos);
  CHECK(*complete({.region = "fips-us-west-2"}, environment)->region == "us-west-2");
  CHECK(*complete({.region = "us-west-2-fips"}, environment)->use_fips_endpoint);
}

// CAIRN_WRITE_DOCS=1 writes the table instead of comparing it.
TEST_CASE("options: the documents have this table") {
  const std::string path = "docs/reference/object-client.md";
  const std::string begin = "<!-- options: made by objectclient_test -->\n";
  const std::string end = "<!-- end of options -->\n";
  std::ifstream in(path);
  REQUIRE_MESSAGE(in.good(), "run in the folder of the sources");
  std::stringstream text;
  text << in.rdbuf();
  std::string document = text.str();
  const auto from = document.find(begin), to = document.find(end);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  const std::string wanted = begin + "\n" + options_markdown() + "\n";
  if (std::getenv("CAIRN_WRITE_DOCS") != nullptr) {
    document.replace(from, to - from, wanted);
    std::ofstream(path) << document;
    return;
  }
  CHECK_MESSAGE(document.substr(from, to - from) == wanted,
                "run CAIRN_WRITE_DOCS=1 objectclient_test");
}

}  // namespace cairn::objectclient::options_test
