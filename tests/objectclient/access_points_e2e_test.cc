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
  CHECK_THROWS_AS(client.call("get_access_point", name).or_throw(), errors::NoSuchAccessPoint);
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

TEST_CASE("e2e access points: of a directory bucket, with a scope") {
  if (!is_own()) return;
  Points points;
  const Client& client = *points.client;
  const std::string bucket = "lib-scoped--use1-az4--x-s3", name = "lib-scope--use1-az4--xa-s3";
  s3::CreateBucketInput in{.bucket = bucket};
  auto& configuration = in.create_bucket_configuration.emplace();
  configuration.location = {.type = "AvailabilityZone", .name = "use1-az4"};
  configuration.bucket = {.data_redundancy = "SingleAvailabilityZone", .type = "Directory"};
  client.create_bucket(in).or_throw();
  CHECK(points.made(name, bucket).second == name);
  const Params of = {{"account_id", points.account}, {"name", name}};
  const Value wanted = Value::map({{"prefixes", Value::list({"a/"})},
                                   {"permissions", Value::list({"PutObject", "GetObject"})}});
  Params scope = of;
  scope.emplace_back("put_access_point_scope_request", Value::map({{"scope", wanted}}));
  client.call("put_access_point_scope", scope).or_throw();
  const auto kept = client.call("get_access_point_scope", of);
  CHECK(*(*(*kept)["scope"]["prefixes"].elements())[0].text() == "a/");
  client.put_object({.bucket = name, .key = "a/k"}, "bytes").or_throw();
  CHECK(points.hosts.back() == name + "." + std::string(domain));
  CHECK(client.get_object({.bucket = name, .key = "a/k"}).body() == "bytes");
  CHECK_THROWS_AS(client.get_object({.bucket = name, .key = "b"}).or_throw(),
                  errors::AccessDenied);
  CHECK_THROWS_AS(client.delete_object({.bucket = name, .key = "a/k"}).or_throw(),
                  errors::AccessDenied);
  client.call("delete_access_point_scope", of).or_throw();
  client.delete_object({.bucket = name, .key = "a/k"}).or_throw();
  const auto listed =
      client.call("list_access_points_for_directory_buckets",
                  {{"account_id", points.account}, {"directory_bucket", bucket}});
  CHECK((*listed)["access_point_list"].elements()->size() == 1);
  client.call("delete_access_point", of).or_throw();
  client.delete_bucket({.bucket = bucket}).or_throw();
}

TEST_CASE("e2e outposts: a bucket made there, reached by ARN and by alias, copied inside") {
  if (!is_own()) return;
  Points points;
  const Client& client = *points.client;
  const std::string id(outpost);
  const Params bucket = {{"outpost_id", id}, {"name", "lib-there"}};
  const auto made = client.call("create_outpost_bucket", bucket);
  CHECK(*(*made)["bucket_arn"].text() == "arn:aws:s3-outposts:us-east-1:" + points.account +
                                             ":outpost/" + id + "/bucket/lib-there");
  const Params named = {
      {"account_id", points.account}, {"outpost_id", id}, {"name", "lib-readers"}};
  Params wanted = named;
  wanted.emplace_back("create_access_point_request", Value::map({{"bucket", "lib-there"}}));
  const auto point = client.call("create_access_point", wanted);
  const std::string arn = *(*point)["access_point_arn"].text();
  const std::string alias = *(*point)["alias"].text();
  client.put_object({.bucket = arn, .key = "a/b"}, "bytes").or_throw();
  CHECK(points.hosts.back() ==
        "lib-readers-" + points.account + "." + id + "." + std::string(domain));
  CHECK(client.get_object({.bucket = arn, .key = "a/b"}).body() == "bytes");
  CHECK(client.head_object({.bucket = arn, .key = "a/b"})->storage_class == "OUTPOSTS");
  for (const std::string& source : {arn + "/object/a/b", alias + "/a/b"})
    client.copy_object({.bucket = arn, .key = "copy", .copy_source = source}).or_throw();
  client.create_bucket({.bucket = "lib-elsewhere"}).or_throw();
  CHECK_THROWS_AS(
      client
          .copy_object(
              {.bucket = "lib-elsewhere", .key = "copy", .copy_source = arn + "/object/a/b"})
          .or_throw(),
      ServiceError);
  s3::PutObjectInput other{.bucket = arn, .key = "other"};
  other.storage_class = "STANDARD";
  CHECK_THROWS_AS(client.put_object(other, "x").or_throw(), ServiceError);
  CHECK_THROWS_AS(client.get_object({.bucket = "lib-there", .key = "a/b"}).or_throw(),
                  errors::NoSuchBucket);
  const auto upload = client.create_multipart_upload({.bucket = arn, .key = "big"});
  const auto part = client.upload_part(
      {.bucket = arn, .key = "big", .upload_id = *upload->upload_id, .part_number = 1}, "x");
  s3::CompleteMultipartUploadInput complete{
      .bucket = arn, .key = "big", .upload_id = *upload->upload_id};
  complete.multipart_upload.emplace().parts = {{.etag = *part->etag, .part_number = 1}};
  client.complete_multipart_upload(complete).or_throw();
  CHECK(client.list_objects_v2({.bucket = arn})->contents.size() == 3);
  for (const char* key : {"a/b", "copy", "big"})
    client.delete_object({.bucket = arn, .key = key}).or_throw();
  CHECK_THROWS_AS(client.call("delete_outpost_bucket", bucket).or_throw(),
                  errors::BucketHasAccessPointsAttached);
  client.call("delete_access_point", named).or_throw();
  client.call("delete_outpost_bucket", bucket).or_throw();
  CHECK_THROWS_AS(client.call("get_outpost_bucket", bucket).or_throw(), errors::NoSuchBucket);
}

}  // namespace
