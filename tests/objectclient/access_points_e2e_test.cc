// SPDX-License-Identifier: Apache-2.0
// Access points by the client library, against `cairn serve`: made by the control API, used by ARN
// and by alias.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "objectclient/client.h"
#include "objectclient/environment.h"
#include "objectclient/service_errors.h"
#include "own_service.h"

namespace {

using namespace cairn;
using namespace cairn::objectclient;
using namespace cairn::objectclient_e2e;

/// Writes down where its client went.
struct Points {
  Points() {
    client.emplace(client_by_names(options(), &hosts));
    account = account_of_keys(*client);
  }
  /// The ARN and the alias.
  std::pair<std::string, std::string> made(const std::string& name, const std::string& bucket) {
    const auto result = client->call(
        "create_access_point", {{"account_id", account},
                                {"name", name},
                                {"create_access_point_request", Value::map({{"bucket", bucket}})}});
    return {*(*result)["access_point_arn"].text(), *(*result)["alias"].text()};
  }
  std::vector<std::string> hosts;
  std::string account;
  std::optional<Client> client;
};

TEST_CASE("e2e access points: made, used by ARN and alias, copied from, deleted") {
  if (!is_own()) return;
  Points points;
  const Client& client = *points.client;
  client.create_bucket({.bucket = "lib-points"}).or_throw();
  const auto [arn, alias] = points.made("lib-readers", "lib-points");
  CHECK(arn == "arn:aws:s3:us-east-1:" + points.account + ":accesspoint/lib-readers");
  client.put_object({.bucket = arn, .key = "a/b"}, "bytes").or_throw();
  CHECK(points.hosts.back() == "lib-readers-" + points.account + "." + std::string(domain));
  CHECK(client.get_object({.bucket = alias, .key = "a/b"}).body() == "bytes");
  CHECK(points.hosts.back() == alias + "." + std::string(domain));
  client
      .copy_object({.bucket = "lib-points", .key = "copy", .copy_source = arn + "/object/a/b"})
      .or_throw();
  CHECK(client.get_object({.bucket = "lib-points", .key = "copy"}).body() == "bytes");
  CHECK(client.list_objects_v2({.bucket = arn})->contents.size() == 2);
  CHECK(client.head_bucket({.bucket = alias})->access_point_alias == true);
  CHECK_THROWS_AS(client.get_bucket_versioning({.bucket = arn}).or_throw(),
                  errors::MethodNotAllowed);
  for (const char* key : {"a/b", "copy"}) client.delete_object({.bucket = arn, .key = key}).or_throw();
  CHECK_THROWS_AS(client.delete_bucket({.bucket = "lib-points"}).or_throw(), ServiceError);
  const Params name = {{"account_id", points.account}, {"name", "lib-readers"}};
  client.call("delete_access_point", name).or_throw();
  CHECK_THROWS_AS(client.call("get_access_point", name).or_throw(), ServiceError);
  client.delete_bucket({.bucket = "lib-points"}).or_throw();
}

TEST_CASE("e2e access points: listed in pages, with a policy of their own") {
  if (!is_own()) return;
  Points points;
  const Client& client = *points.client;
  client.create_bucket({.bucket = "lib-paged"}).or_throw();
  std::string arn;
  for (const char* name : {"lib-one", "lib-two", "lib-zzz"}) arn = points.made(name, "lib-paged").first;
  std::vector<std::string> names;
  Params params = {{"account_id", points.account}, {"bucket", "lib-paged"}, {"max_results", 2}};
  for (;;) {
    const auto page = client.call("list_access_points", params);
    for (const Value& each : *(*page)["access_point_list"].elements())
      names.push_back(*each["name"].text());
    const std::string* const next = (*page)["next_token"].text();
    if (next == nullptr) break;
    params = {{"account_id", points.account}, {"bucket", "lib-paged"}, {"next_token", *next}};
  }
  CHECK(names == std::vector<std::string>{"lib-one", "lib-two", "lib-zzz"});
  const Params of = {{"account_id", points.account}, {"name", "lib-zzz"}};
  Params policy = of;
  const std::string text =
      R"({"Version":"2012-10-17","Statement":{"Effect":"Deny","Principal":"*","Action":"s3:PutObject","Resource":")" +
      arn + R"(/object/*"}})";
  policy.emplace_back("put_access_point_policy_request", Value::map({{"policy", text}}));
  client.call("put_access_point_policy", policy).or_throw();
  CHECK(*(*client.call("get_access_point_policy", of))["policy"].text() == text);
  CHECK_THROWS_AS(client.put_object({.bucket = arn, .key = "k"}, "x").or_throw(),
                  errors::AccessDenied);
  client.put_object({.bucket = "lib-paged", .key = "k"}, "x").or_throw();
}

}  // namespace
