// SPDX-License-Identifier: Apache-2.0
// Where the service is and who asks: options, environment, files, defaults.
#include "cli/objects/service_options.h"

#include <doctest/doctest.h>

#include <map>

#include "cli/objects/testing.h"
#include "objectclient/options.h"

using namespace cairn;
using namespace cairn::cli;

namespace {

struct Read {
  objectclient::ClientOptions options;
  std::string fault;
};

Read read_words(const std::vector<std::string>& words,
                const std::map<std::string, std::string>& variables = {}) {
  Syntax syntax;
  add_service_options(syntax);
  const auto arguments = Arguments::parse(words, syntax);
  REQUIRE(arguments.ok());
  const Environment environment = [&](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(std::string(name));
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  Read out;
  const Console console{.out = [](std::string_view) {}, .err = [](std::string_view) {}};
  const Status read = read_service_options(*arguments, environment, console, out.options);
  if (!read.ok()) out.fault = read.error().message;
  return out;
}

}  // namespace

TEST_CASE("service options: the Cairn on this machine, where nobody names another") {
  const Read none = read_words({});
  CHECK(*none.options.endpoint == "http://127.0.0.1:9000");
  CHECK(*none.options.region == "us-east-1");
  CHECK_FALSE(read_words({}, {{"AWS_ENDPOINT_URL", "http://other"}}).options.endpoint.given());
  CHECK_FALSE(read_words({}, {{"AWS_REGION", "eu-west-1"}}).options.region.given());
  const Read vendor = read_words({"--vendor-hosts", "--region", "eu-west-1"});
  CHECK_FALSE(vendor.options.endpoint.given());
  CHECK(*vendor.options.region == "eu-west-1");
  const Read named = read_words({"--endpoint-url", "https://h:1"});
  CHECK(*named.options.endpoint == "https://h:1");
  CHECK(*named.options.region == "us-east-1");
}

TEST_CASE("service options: every word is an option of the client") {
  const Read all = read_words({"--no-verify-ssl",
                               "--no-sign-request",
                               "--max-attempts",
                               "5",
                               "--retry-mode",
                               "adaptive",
                               "--connect-timeout",
                               "1.5",
                               "--read-timeout",
                               "7",
                               "--ca-bundle",
                               "/ca",
                               "--dialect",
                               "svc",
                               "--option",
                               "force_path_style=true",
                               "--option",
                               "log_level=warn",
                               "--profile",
                               "p",
                               "--debug"});
  CHECK(all.fault.empty());
  CHECK_FALSE(*all.options.ssl_verify_peer);
  CHECK(all.options.auth_scheme_preference->front() == "noAuth");
  CHECK(*all.options.max_attempts == 5);
  CHECK(*all.options.retry_limit == 4);
  CHECK(*all.options.retry_mode == "adaptive");
  CHECK(*all.options.http_open_timeout == 1.5);
  CHECK(*all.options.http_read_timeout == 7);
  CHECK(*all.options.ssl_ca_bundle == "/ca");
  CHECK(*all.options.dialect == "svc");
  CHECK(*all.options.force_path_style);
  CHECK(*all.options.profile == "p");
  CHECK(*all.options.http_wire_trace);
  CHECK(contains(read_words({"--option", "colour=red"}).fault, "colour"));
  CHECK(contains(read_words({"--option", "region"}).fault, "NAME=VALUE"));
  CHECK(contains(read_words({"--max-attempts", "many"}).fault, "--max-attempts"));
}

TEST_CASE("service options: secrets come from files and variables, not from the command line") {
  const ScratchFolder folder;
  const std::string keys = folder.write(
      "keys.json",
      R"({"access_key_id":"A","secret_access_key":"S","session_token":"T","other":1})");
  const Read file = read_words({"--credentials-file", keys});
  CHECK(*file.options.access_key_id == "A");
  CHECK(*file.options.secret_access_key == "S");
  CHECK(*file.options.session_token == "T");
  CHECK(*read_words({}, {{"CAIRN_CREDENTIALS_FILE", keys}}).options.access_key_id == "A");
  CHECK(contains(read_words({"--option", "secret_access_key=x"}).fault, "--credentials-file"));
  CHECK(contains(read_words({"--option", "session_token=x"}).fault, "--credentials-file"));
  const std::string broken = folder.write("broken.json", "{}");
  CHECK(contains(read_words({"--credentials-file", broken}).fault, "secret_access_key"));
  CHECK_FALSE(read_words({"--credentials-file", folder / "none"}).fault.empty());
}
