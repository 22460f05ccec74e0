// SPDX-License-Identifier: Apache-2.0
// Access grants by the client library, against `cairn serve`: made by the control API, and used by
// a client that asks for credentials by itself.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>

#include "objectclient/client.h"
#include "objectclient/environment.h"
#include "own_service.h"

namespace {

using namespace cairn;
using namespace cairn::objectclient;
using namespace cairn::objectclient_e2e;

/// The control service is this one.
Client client_of(ClientOptions given) {
  Environment environment = system_environment();
  environment.variable =
      [usual = environment.variable](std::string_view name) -> std::optional<std::string> {
    if (name == "AWS_ENDPOINT_URL_S3_CONTROL") return service().endpoint;
    return usual(name);
  };
  return client_by_names(std::move(given), nullptr, std::move(environment));
}

TEST_CASE("e2e access grants: a client asks for credentials by itself, and has no more") {
  if (!is_own()) return;
  const Client own = client_of(options());
  const std::string account = account_of_keys(own);
  const std::string root = "arn:aws:iam::" + account + ":root";
  own.create_bucket({.bucket = "lib-granted"}).or_throw();
  for (const char* key : {"a/1", "b/1", "c/1"})
    own.put_object({.bucket = "lib-granted", .key = key}, key).or_throw();
  own.call("create_access_grants_instance", {{"account_id", account}}).or_throw();
  const auto location = own.call(
      "create_access_grants_location",
      {{"account_id", account},
       {"create_access_grants_location_request",
        Value::map({{"location_scope", "s3://lib-granted/*"}, {"iam_role_arn", root}})}});
  REQUIRE(location.ok());
  const std::string location_id = *(*location)["access_grants_location_id"].text();
  const auto grant = [&](const char* prefix, const char* permission) {
    const auto made = own.call(
        "create_access_grant",
        {{"account_id", account},
         {"create_access_grant_request",
          Value::map({{"access_grants_location_id", location_id},
                      {"access_grants_location_configuration",
                       Value::map({{"s3_sub_prefix", prefix}})},
                      {"grantee", Value::map({{"grantee_type", "IAM"},
                                              {"grantee_identifier", root}})},
                      {"permission", permission}})}});
    REQUIRE(made.ok());
    return *(*made)["access_grant_id"].text();
  };
  const std::string reads = grant("a/*", "READ");
  grant("b/*", "READWRITE");

  for (const char* privilege : {"Default", "Minimal"}) {
    CAPTURE(privilege);
    ClientOptions asking = options();
    asking.account_id = account;
    asking.access_grants = true;
    asking.raise_response_errors = false;
    asking.access_grants_credentials_provider = AccessGrantsOptions{.privilege = privilege};
    const Client granted = client_of(asking);
    CHECK(granted.get_object({.bucket = "lib-granted", .key = "a/1"}).body() == "a/1");
    CHECK(granted.list_objects_v2({.bucket = "lib-granted", .prefix = "b/"}).ok() ==
          (std::string_view(privilege) == "Default"));
    granted.put_object({.bucket = "lib-granted", .key = "b/2"}, "new").or_throw();
    CHECK(granted.get_object({.bucket = "lib-granted", .key = "b/2"}).body() == "new");
    granted.delete_object({.bucket = "lib-granted", .key = "b/2"}).or_throw();
    CHECK(granted.put_object({.bucket = "lib-granted", .key = "a/2"}, "new").error().code ==
          "AccessDenied");
    CHECK(granted.get_object({.bucket = "lib-granted", .key = "c/1"}).error().code ==
          "AccessDenied");
  }

  // What was asked for is kept, and ends with its grant.
  ClientOptions asking = options();
  asking.account_id = account;
  asking.access_grants = true;
  asking.raise_response_errors = false;
  asking.access_grants_credentials_provider = AccessGrantsOptions{};
  const Client granted = client_of(asking);
  CHECK(granted.get_object({.bucket = "lib-granted", .key = "a/1"}).body() == "a/1");
  own.call("delete_access_grant", {{"account_id", account}, {"name", reads}}).or_throw();
  CHECK(granted.get_object({.bucket = "lib-granted", .key = "a/1"}).error().code == "InvalidToken");
}

}  // namespace
