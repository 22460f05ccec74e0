// SPDX-License-Identifier: Apache-2.0
// The second step of the search for options and credentials.
#include "objectclient/global_options.h"

#include <doctest/doctest.h>

#include "objectclient/option_table.h"
#include "objectclient/service_errors.h"
#include "objectclient/testing.h"

namespace cairn::objectclient::global_options_test {
namespace {

/// Global options for as long as it lives.
struct Globally {
  explicit Globally(ClientOptions options) { set_global_options(std::move(options)); }
  ~Globally() { set_global_options({}); }
  Globally(const Globally&) = delete;
  Globally& operator=(const Globally&) = delete;
};

std::string key_of(const ClientState& state) {
  const auto found = const_cast<ClientState&>(state).identity.credentials(os::Deadline::never());
  return found.ok() ? (*found)->access_key_id : found.error().code;
}

}  // namespace

TEST_CASE("global options: after the client's own, before the environment and the files") {
  MadeUp environment;
  environment.variables["AWS_ACCESS_KEY_ID"] = "ENV";
  environment.variables["AWS_SECRET_ACCESS_KEY"] = "S";
  environment.variables["AWS_REGION"] = "eu-north-1";
  environment.variables["AWS_MAX_ATTEMPTS"] = "9";
  environment.files["/home/u/.aws/credentials"] =
      "[other]\naws_access_key_id = FILE\naws_secret_access_key = S\n";
  CHECK(key_of(*environment.state({})) == "ENV");
  CHECK(*environment.state({})->options.region == "eu-north-1");
  const Globally globally({.region = "eu-west-1",
                           .access_key_id = "GLOBAL",
                           .secret_access_key = "S",
                           .max_attempts = 7});
  const auto state = environment.state({});
  CHECK(key_of(*state) == "GLOBAL");
  CHECK(*state->options.region == "eu-west-1");
  CHECK(*state->options.max_attempts == 7);
  const auto own = environment.state(
      {.region = "us-west-2", .access_key_id = "OWN", .secret_access_key = "S", .max_attempts = 2});
  CHECK(key_of(*own) == "OWN");
  CHECK(*own->options.region == "us-west-2");
  CHECK(*own->options.max_attempts == 2);
  // A profile of one's own is more than global keys.
  CHECK(key_of(*environment.state({.profile = "other"})) == "FILE");
  // Keys are no mixture.
  CHECK(key_of(*environment.state({.access_key_id = "HALF"})) == "ENV");
  const auto provider = static_credentials({.access_key_id = "P", .secret_access_key = "S"});
  CHECK(key_of(*environment.state({.credentials = provider})) == "P");
}

TEST_CASE("global options: a profile counts as one that was given, and the rest as it was before") {
  MadeUp environment;
  environment.variables["AWS_ACCESS_KEY_ID"] = "ENV";
  environment.variables["AWS_SECRET_ACCESS_KEY"] = "S";
  environment.files["/home/u/.aws/credentials"] =
      "[other]\naws_access_key_id = FILE\naws_secret_access_key = S\n";
  {
    const Globally globally({.region = "eu-west-1", .profile = "other"});
    CHECK(key_of(*environment.state({})) == "FILE");
    CHECK(*global_options().profile == "other");
  }
  CHECK_FALSE(Client::open({}, environment.environment()).ok());  // no region is known again
}

TEST_CASE("global options: every option can be one") {
  for (const OptionRow& row : option_rows()) {
    CAPTURE(row.name);
    ClientOptions given;
    if (!row.can_be_text()) continue;
    const std::string text = row.show(given);
    REQUIRE(row.set(given, text.empty() && row.type == "boolean" ? "true" : text).ok());
    CHECK(row.given(with_global_options({}, given)));
    CHECK(row.show(with_global_options({}, given)) == row.show(given));
  }
}

TEST_CASE("options: a region and an endpoint that cannot be are refused at construction") {
  MadeUp environment;
  const auto refused = [&](ClientOptions options) {
    options.access_key_id = "A";
    options.secret_access_key = "S";
    const auto opened = Client::open(std::move(options), environment.environment());
    return opened.ok() ? std::string() : opened.error().code + ": " + opened.error().message;
  };
  for (const char* const bad : {"evil.com/#", "eu west", "a_b", "-a", "a,b", "a\nb", "u@h"}) {
    CAPTURE(bad);
    CHECK(refused({.region = bad}).starts_with("ArgumentError: expected :region "));
  }
  for (const char* const bad :
       {"lab.example", "ftp://lab.example", "http://", "http://a b", "https://u@lab.example",
        "http://lab.example:99999", "http://lab.example?x", "http://lab.example/#"}) {
    CAPTURE(bad);
    CHECK(refused({.region = "eu-west-1", .endpoint = bad}) ==
          "ArgumentError: expected :endpoint or ENV['AWS_ENDPOINT_URL_S3'] to be an `http` or "
          "`https` URL.");
  }
  environment.variables["AWS_ENDPOINT_URL"] = "nowhere";
  CHECK(refused({.region = "eu-west-1"}).starts_with("ArgumentError: expected :endpoint"));
  environment.variables.erase("AWS_ENDPOINT_URL");
  CHECK(refused({.region = "zone_1", .endpoint = "http://[::1]:9000/below"}).empty());
  CHECK(refused({.region = "aws-global"}).empty());
  CHECK_THROWS_AS(Client({.region = "evil.com/#"}), ArgumentError);
}

}  // namespace cairn::objectclient::global_options_test
